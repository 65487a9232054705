"""The append-only chain of entries that the ledger consists of.

Every entry carries the digest of the one before it: SHA-256 over that digest and its
own columns. So an entry that was changed, removed or put in later is found. The chain
guards against accidents and quiet edits; whoever may write the file can cut off its
end, or build a new chain.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from dpcore.errors import LedgerError
from dpcore.releases.identity import canonical
from dpcore.releases.reading import object_in

if TYPE_CHECKING:
    import sqlite3

SCHEMA_VERSION = 1
_ORIGIN = "0" * 64
_COLUMNS = "sequence, recorded, fingerprint, kind, request, body, previous, digest"
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


class EntryKind(StrEnum):
    """What an entry records."""

    ACCOUNT = "account"
    BUDGET = "budget"
    RELATION = "relation"
    DEBIT = "debit"
    RELEASE = "release"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of the chain.

    Attributes:
        sequence: Its place, from 1.
        recorded: When it was written, ISO 8601, UTC.
        fingerprint: The account that it belongs to.
        kind: What it records.
        request: The request that a debit or a release belongs to.
        body: The content, as JSON text.
        previous: Digest of the entry before.
        digest: Digest of this entry.

    """

    sequence: int
    recorded: str
    fingerprint: str
    kind: EntryKind
    request: str | None
    body: str
    previous: str
    digest: str

    @property
    def content(self) -> dict[str, object]:
        """Return the parsed body; LedgerError if it was damaged."""
        try:
            return object_in(json.loads(self.body))
        except (TypeError, ValueError):
            raise LedgerError(_broken(self.sequence)) from None


def prepare(connection: sqlite3.Connection) -> None:
    """Create the table in a new database, inside the caller's transaction."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == 0:
        for statement in _SCHEMA:
            connection.execute(statement)
    elif version != SCHEMA_VERSION:
        message = (
            f"the ledger has format {version}, this program knows {SCHEMA_VERSION}. "
            "Open it with the program that wrote it."
        )
        raise LedgerError(message)


def append(
    connection: sqlite3.Connection,
    *,
    fingerprint: str,
    kind: EntryKind,
    body: str,
    request: str | None = None,
) -> None:
    """Write one entry at the end of the chain, inside the caller's transaction."""
    sequence, previous = connection.execute(
        "SELECT sequence, digest FROM entries ORDER BY sequence DESC LIMIT 1"
    ).fetchone() or (0, _ORIGIN)
    recorded = datetime.now(UTC).isoformat(timespec="seconds")
    columns = (sequence + 1, recorded, fingerprint, kind.value, request, body, previous)
    connection.execute(
        f"INSERT INTO entries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - a constant
        (*columns, _digest(columns)),
    )


def entries_of(
    connection: sqlite3.Connection, fingerprint: str, *kinds: EntryKind
) -> tuple[Entry, ...]:
    """Return the entries of an account in order: all, or those of some kinds."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM entries WHERE fingerprint = ? ORDER BY sequence",  # noqa: S608 - a constant
        (fingerprint,),
    )
    entries = (_entry(row) for row in rows)
    return tuple(entry for entry in entries if not kinds or entry.kind in kinds)


def release_for(connection: sqlite3.Connection, request: str) -> Entry | None:
    """Return the entry that holds the answer to a request."""
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM entries WHERE request = ? AND kind = ?",  # noqa: S608 - a constant
        (request, EntryKind.RELEASE.value),
    ).fetchone()
    return None if row is None else _entry(row)


def verify(connection: sqlite3.Connection) -> None:
    """Follow the whole chain; LedgerError names the first broken entry."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM entries ORDER BY sequence")  # noqa: S608 - a constant
    previous = _ORIGIN
    for expected, row in enumerate(rows, start=1):
        *columns, digest = row
        if columns[0] != expected or columns[-1] != previous:
            raise LedgerError(_broken(expected))
        if digest != _digest(tuple(columns)):
            raise LedgerError(_broken(expected))
        previous = digest


def _digest(columns: tuple[object, ...]) -> str:
    text = canonical([None if column is None else str(column) for column in columns])
    return hashlib.sha256(text.encode()).hexdigest()


def _entry(row: tuple[object, ...]) -> Entry:
    names = _COLUMNS.split(", ")
    columns = dict(zip(names, row, strict=True))
    try:
        kind = EntryKind(str(columns["kind"]))
    except ValueError:
        raise LedgerError(_broken(columns["sequence"])) from None
    return Entry(**columns | {"kind": kind})  # type: ignore[arg-type] # the table's own types


def _broken(sequence: object) -> str:
    return (
        f"entry {sequence} of the ledger was changed or removed after it was written. "
        "Do not rely on what is left of the budget; restore the file from a backup."
    )
