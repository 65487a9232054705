"""Secret samples: what is claimed of them, and whether they pay."""
