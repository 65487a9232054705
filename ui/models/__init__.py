"""The controls and the page of regression models."""
