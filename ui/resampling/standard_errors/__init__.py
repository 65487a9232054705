"""The page of standard errors."""
