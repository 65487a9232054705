"""Laplace noise, and averages of it; its law is `mechanisms.laplace_law`."""
