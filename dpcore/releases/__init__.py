"""Secure releases and the ledger that pays for them."""
