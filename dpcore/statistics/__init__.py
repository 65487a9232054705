"""Statistics of one table, and what one person can change in them."""
