"""The page of the resized bootstrap."""
