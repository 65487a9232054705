"""Sanitized covariance matrices."""
