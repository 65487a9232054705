"""Laplace noise, its law, and averages of it."""
