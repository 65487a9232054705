"""Everybody's loss over all releases of the ledger."""
