"""The page of Study 1."""
