"""What can be made of released numbers without another look at the table."""
