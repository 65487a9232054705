"""Figures of proportions and of Study 2."""
