"""Figures of noisy bootstraps."""
