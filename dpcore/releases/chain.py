"""The append-only chain of entries that the ledger consists of.

Every entry carries the digest of the one before it: SHA-256 over that digest and its
own columns. So an entry that was changed, removed or put in later is found. An end that
was cut off, or a chain that was built anew, is found by the checkpoint beside it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from dpcore.codec import object_in
from dpcore.errors import LedgerError, UntrustedLedgerError
from dpcore.releases.identity import canonical

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

ORIGIN = "0" * 64
"""What stands for the digest before the first entry."""

SCHEMA_VERSION = 2
"""Format 2 says that there is a checkpoint; format 1 is the same without one."""

_LOWEST = -(1 << 63)
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
    ANEW = "anew"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of the chain.

    Attributes:
        sequence: Its place, from 1.
        recorded: When it was written, ISO 8601, UTC.
        fingerprint: The account that it belongs to.
        kind: What it records.
        request: The request that a debit or a release belongs to; of the debit of a
            plan, the name of the plan.
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
            raise UntrustedLedgerError(_broken(self.sequence)) from None


def version(connection: sqlite3.Connection) -> int:
    """Return the format of the database, 0 for an empty one.

    Raises:
        LedgerError: A later program wrote it.

    """
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if not 0 <= found <= SCHEMA_VERSION:
        message = (
            f"the ledger has format {found}, this program knows {SCHEMA_VERSION}. "
            "Open it with the program that wrote it."
        )
        raise LedgerError(message)
    return int(found)


def prepare(connection: sqlite3.Connection) -> None:
    """Bring a database to the format of today, inside the caller's transaction.

    The checkpoint has to be there before: the format says that there is one.
    """
    found = version(connection)
    if found == 0:
        for statement in _SCHEMA:
            connection.execute(statement)
    elif found < SCHEMA_VERSION:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def append(
    connection: sqlite3.Connection,
    *,
    fingerprint: str,
    kind: EntryKind,
    body: str,
    request: str | None = None,
) -> Entry:
    """Write one entry at the end of the chain, inside the caller's transaction."""
    sequence, previous = connection.execute(
        "SELECT sequence, digest FROM entries ORDER BY sequence DESC LIMIT 1"
    ).fetchone() or (0, ORIGIN)
    recorded = datetime.now(UTC).isoformat(timespec="seconds")
    columns = (sequence + 1, recorded, fingerprint, kind.value, request, body, previous)
    row = (*columns, _digest(columns))
    connection.execute(
        f"INSERT INTO entries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - a constant
        row,
    )
    return _entry(row)


def entries_of(
    connection: sqlite3.Connection, fingerprint: str, *kinds: EntryKind
) -> tuple[Entry, ...]:
    """Return the entries of an account in order: all, or those of some kinds."""
    if version(connection) == 0:
        return ()
    marks = ", ".join("?" * len(kinds or EntryKind))
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM entries "  # noqa: S608 - constants
        f"WHERE fingerprint = ? AND kind IN ({marks}) ORDER BY sequence",
        (fingerprint, *(kind.value for kind in kinds or EntryKind)),
    )
    return tuple(_entry(row) for row in rows)


def count_answers(connection: sqlite3.Connection, fingerprint: str, prefix: str) -> int:
    """Return how many answers about an account are to requests that begin so."""
    if version(connection) == 0:
        return 0
    (count,) = connection.execute(
        "SELECT count(*) FROM entries "
        # The plus keeps SQLite from going through all of the account.
        "WHERE kind = ? AND +fingerprint = ? AND request >= ? AND request < ?",
        (EntryKind.RELEASE.value, fingerprint, prefix, prefix + "\U0010ffff"),
    ).fetchone()
    return int(count)


def release_for(connection: sqlite3.Connection, request: str) -> Entry | None:
    """Return the entry that holds the answer to a request."""
    if version(connection) == 0:
        return None
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM entries WHERE request = ? AND kind = ?",  # noqa: S608 - a constant
        (request, EntryKind.RELEASE.value),
    ).fetchone()
    return None if row is None else _entry(row)


def walk(connection: sqlite3.Connection, first: int = 1) -> Iterator[Entry]:
    """Yield the entries from the ``first`` on, each once it is found unchanged.

    Of the first one only its own digest is checked: with ``first`` beyond 1 the caller
    has to know that digest.

    Raises:
        UntrustedLedgerError: An entry was changed, removed or put in.

    """
    if version(connection) == 0:
        return
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM entries WHERE sequence >= ? ORDER BY sequence",  # noqa: S608 - a constant
        (first if first > 1 else _LOWEST,),
    )
    previous = ORIGIN if first <= 1 else None
    for expected, row in enumerate(rows, start=first):
        *columns, digest = row
        if columns[0] != expected or previous not in {None, columns[-1]}:
            raise UntrustedLedgerError(_broken(expected))
        if digest != _digest(tuple(columns)):
            raise UntrustedLedgerError(_broken(expected))
        yield _entry(row)
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
        raise UntrustedLedgerError(_broken(columns["sequence"])) from None
    return Entry(**columns | {"kind": kind})  # type: ignore[arg-type] # the table's own types


def _broken(sequence: object) -> str:
    return (
        f"entry {sequence} of the ledger was changed or removed after it was written. "
        "Put back a copy of the folder of the ledger, or begin anew, on record."
    )
