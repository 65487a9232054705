"""Figures of the lab and the sensitivity explorer."""
