"""Per-instance differential privacy: every person's own privacy loss."""
