"""Averages of several answers: their noise, shape and budget."""
