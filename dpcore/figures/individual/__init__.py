"""Figures of everybody's own privacy loss."""
