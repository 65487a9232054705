"""The page of Figures 1 and 2."""
