"""Logistic, Poisson and Huber regression, and what everybody is to a fit."""
