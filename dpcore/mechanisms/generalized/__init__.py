"""Generalized Gaussian noise of any order."""
