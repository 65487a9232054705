"""The resized bootstrap, and its repair."""
