"""The ledger of privacy budgets: entries, accounts, and the one transaction."""
