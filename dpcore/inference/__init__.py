"""Intervals around a release."""
