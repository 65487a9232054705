"""Regression models, and how far each person moves their coefficients."""
