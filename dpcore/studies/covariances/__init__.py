"""Study 1: sanitized covariance matrices."""
