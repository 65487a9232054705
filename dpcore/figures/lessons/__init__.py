"""Figures that only lessons have."""
