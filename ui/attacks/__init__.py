"""The page on which a class attacks released numbers."""
