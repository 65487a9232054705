"""Reading a table, and what is declared about its columns."""
