"""Standard errors and intervals from noisy bootstraps."""
