"""Laplace noise whose releases lie in public bounds."""
