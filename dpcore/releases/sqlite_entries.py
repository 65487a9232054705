"""The table of entries in SQLite, which needs no server."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dpcore.releases.hash_chain import COLUMNS, SCHEMA_VERSION, Row

if TYPE_CHECKING:
    import sqlite3


_NAMES = ", ".join(COLUMNS)
_LOWEST = -(1 << 63)
_SCHEMA = (
    """
    CREATE TABLE entries (
        sequence INTEGER PRIMARY KEY,
        recorded TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        kind TEXT NOT NULL,
        request TEXT,
        body TEXT NOT NULL,
        previous TEXT NOT NULL UNIQUE,
        digest TEXT NOT NULL UNIQUE,
        UNIQUE (request, kind)
    )
    """,
    "CREATE INDEX entries_by_fingerprint ON entries (fingerprint, sequence)",
    """
    CREATE TRIGGER entries_are_not_changed BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'the entries of the ledger are append-only'); END
    """,
    """
    CREATE TRIGGER entries_are_not_removed BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'the entries of the ledger are append-only'); END
    """,
    f"PRAGMA user_version = {SCHEMA_VERSION}",
)


class SqliteEntries:
    """The entries as one transaction of SQLite sees them: an ``EntryTable``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._format: int | None = None
        self._last: Row | None = None

    def format(self) -> int:
        """Return the format of the database, 0 for an empty one."""
        if self._format is None:
            (found,) = self._connection.execute("PRAGMA user_version").fetchone()
            self._format = int(found)
        return self._format

    def bring_to_format(self, found: int) -> None:
        """Create the table, or bring one of an earlier format to that of today."""
        if found == 0:
            for statement in _SCHEMA:
                self._connection.execute(statement)
        elif found < SCHEMA_VERSION:
            self._connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        self._format = SCHEMA_VERSION

    def last(self) -> Row | None:
        """Return sequence and digest of the last entry."""
        # Nobody else writes beside a transaction that has written.
        return (
            self._last
            or self._connection.execute(
                "SELECT sequence, digest FROM entries ORDER BY sequence DESC LIMIT 1"
            ).fetchone()
        )

    def insert(self, row: Row) -> None:
        """Write one entry."""
        marks = ", ".join("?" * len(COLUMNS))
        self._connection.execute(
            f"INSERT INTO entries ({_NAMES}) VALUES ({marks})",  # noqa: S608 - constants
            row,
        )
        self._last = row[0], row[-1]

    def of_account(self, fingerprint: str, kinds: Sequence[str]) -> Iterable[Row]:
        """Return the entries of an account that are of some kinds, in order."""
        marks = ", ".join("?" * len(kinds))
        return self._connection.execute(
            f"SELECT {_NAMES} FROM entries "  # noqa: S608 - constants
            f"WHERE fingerprint = ? AND kind IN ({marks}) ORDER BY sequence",
            (fingerprint, *kinds),
        )

    def count(self, fingerprint: str, kind: str, prefix: str) -> int:
        """Return how many entries of a kind are for requests that begin so."""
        (count,) = self._connection.execute(
            "SELECT count(*) FROM entries "
            # The plus keeps SQLite from going through all of the account.
            "WHERE kind = ? AND +fingerprint = ? AND request >= ? AND request < ?",
            (kind, fingerprint, prefix, prefix + "\U0010ffff"),
        ).fetchone()
        return int(count)

    def for_request(self, request: str, kind: str) -> Row | None:
        """Return the entry of a kind for a request."""
        found: Row | None = self._connection.execute(
            f"SELECT {_NAMES} FROM entries WHERE request = ? AND kind = ?",  # noqa: S608 - a constant
            (request, kind),
        ).fetchone()
        return found

    def since(self, first: int) -> Iterable[Row]:
        """Return the entries from the ``first`` on, in order; all, from 1."""
        return self._connection.execute(
            f"SELECT {_NAMES} FROM entries WHERE sequence >= ? ORDER BY sequence",  # noqa: S608 - a constant
            (first if first > 1 else _LOWEST,),
        )
