"""An answer from a secret sample of the table."""
