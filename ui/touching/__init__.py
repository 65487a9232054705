"""The page on whom a plan touches."""
