"""The parts of the Meaning page."""
