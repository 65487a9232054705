"""The views of everybody's own privacy loss."""
