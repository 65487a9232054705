"""One ledger for several machines, in a PostgreSQL that is there already.

Imported only where an address is given: SQLite needs none of it.
"""
