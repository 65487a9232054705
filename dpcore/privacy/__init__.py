"""Privacy profiles, conversions between them, and composition."""
