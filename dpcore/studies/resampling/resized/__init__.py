"""The resized bootstrap: attacks, and fair comparisons."""
