"""Tables that lie in files which are not loaded: a part at a time is in memory."""
