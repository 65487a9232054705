"""Mechanisms held against each other."""
