"""Study 2: sanitized proportions."""
