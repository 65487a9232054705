"""Everybody's own privacy loss, from several sides."""
