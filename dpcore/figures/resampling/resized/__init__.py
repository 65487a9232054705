"""Figures of the resized bootstrap."""
