"""Choosing a table, and what is declared about it."""
