"""The parts of the page that makes a table of people who do not exist."""
