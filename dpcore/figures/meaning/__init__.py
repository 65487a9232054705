"""Figures of what a guarantee means to people."""
