"""Lessons of five minutes on the studio's own numbers, and paths through them."""
