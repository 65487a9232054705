"""Figures of covariance matrices and of Study 1."""
