"""Figures that hold mechanisms against each other."""
