"""Everybody's loss from a regression model."""
