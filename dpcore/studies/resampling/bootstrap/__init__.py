"""Noisy bootstraps, claimed and simulated."""
