"""Several noisy bootstraps of one question."""
