"""The page of Study 2."""
