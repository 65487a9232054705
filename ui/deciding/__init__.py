"""The Decision page."""
