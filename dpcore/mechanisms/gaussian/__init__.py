"""Gaussian noise, and the rules for its size."""
