"""The append-only chain of entries that the ledger consists of.

Every entry carries the digest of the one before it: SHA-256 over that digest and its
own columns. So an entry that was changed, removed or put in later is found. An end that
was cut off, or a chain that was built anew, is found by the checkpoint beside it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Protocol

from dpcore.codec import object_in
from dpcore.errors import LedgerError, UntrustedLedgerError
from dpcore.releases.identity import canonical

WAY_ON = "Put back a copy of the folder of the ledger, or begin anew, on record."
"""What can be done about a ledger in a file that is not as it was left."""
ORIGIN = "0" * 64
"""What stands for the digest before the first entry."""

SCHEMA_VERSION = 3
"""Format 3 says that accounts may have several tables, and periods.

Format 2 is the same without them, and format 1 without a checkpoint, too.
"""
WITH_CHECKPOINT = 2
"""The first format that has one."""

COLUMNS = (
    *("sequence", "recorded", "fingerprint", "kind", "request", "body"),
    *("previous", "digest"),
)
"""The parts of an entry, in the order in which they are stored and digested."""
Row = tuple[Any, ...]
"""An entry as a database holds it, in the order of the columns."""


class EntryTable(Protocol):
    """The table of entries as one transaction sees it, whatever database it is in."""

    def format(self) -> int:
        """Return the format of the database, 0 for an empty one."""

    def bring_to_format(self, found: int) -> None:
        """Create the table, or bring one of an earlier format to that of today."""

    def last(self) -> Row | None:
        """Return sequence and digest of the last entry."""

    def insert(self, row: Row) -> None:
        """Write one entry."""

    def of_account(self, fingerprint: str, kinds: Sequence[str]) -> Iterable[Row]:
        """Return the entries of an account that are of some kinds, in order."""

    def count(self, fingerprint: str, kind: str, prefix: str) -> int:
        """Return how many entries of a kind are for requests that begin so."""

    def for_request(self, request: str, kind: str) -> Row | None:
        """Return the entry of a kind for a request."""

    def since(self, first: int) -> Iterable[Row]:
        """Return the entries from the ``first`` on, in order; all, from 1."""


class EntryKind(StrEnum):
    """What an entry records."""

    ACCOUNT = "account"
    BUDGET = "budget"
    RELATION = "relation"
    DEBIT = "debit"
    RELEASE = "release"
    ANEW = "anew"
    TABLE = "table"
    PERIOD = "period"
    CLOSED = "closed"


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


def version(entries: EntryTable) -> int:
    """Return the format of the database, 0 for an empty one.

    Raises:
        LedgerError: A later program wrote it.

    """
    found = entries.format()
    if not 0 <= found <= SCHEMA_VERSION:
        raise LedgerError(
            f"the ledger has format {found}, this program knows {SCHEMA_VERSION}. Open "
            "it with the program that wrote it."
        )
    return found


def prepare(entries: EntryTable) -> None:
    """Bring a database to the format of today, inside the caller's transaction.

    The checkpoint has to be there before: the format says that there is one.
    """
    entries.bring_to_format(version(entries))


def now() -> datetime:
    """Return the time of this machine's clock, which a new entry records."""
    return datetime.now(UTC)


def append(
    entries: EntryTable,
    *,
    fingerprint: str,
    kind: EntryKind,
    body: str,
    request: str | None = None,
    at: datetime | None = None,
) -> Entry:
    """Write one entry at the end of the chain, inside the caller's transaction.

    It records the time ``at``; without one, now.
    """
    sequence, previous = entries.last() or (0, ORIGIN)
    recorded = (at or now()).isoformat(timespec="seconds")
    columns = (sequence + 1, recorded, fingerprint, kind.value, request, body, previous)
    row = (*columns, _digest(columns))
    entries.insert(row)
    return _entry(row)


def entries_of(entries: EntryTable, fingerprint: str, *kinds: EntryKind) -> tuple[Entry, ...]:
    """Return the entries of an account in order: all, or those of some kinds."""
    if version(entries) == 0:
        return ()
    rows = entries.of_account(fingerprint, [kind.value for kind in kinds or EntryKind])
    return tuple(_entry(row) for row in rows)


def count_answers(entries: EntryTable, fingerprint: str, prefix: str) -> int:
    """Return how many answers about an account are to requests that begin so."""
    if version(entries) == 0:
        return 0
    return entries.count(fingerprint, EntryKind.RELEASE.value, prefix)


def release_for(entries: EntryTable, request: str) -> Entry | None:
    """Return the entry that holds the answer to a request."""
    if version(entries) == 0:
        return None
    row = entries.for_request(request, EntryKind.RELEASE.value)
    return None if row is None else _entry(row)


def walk(entries: EntryTable, first: int = 1) -> Iterator[Entry]:
    """Yield the entries from the ``first`` on, each once it is found unchanged.

    Of the first one only its own digest is checked: with ``first`` beyond 1 the caller
    has to know that digest.

    Raises:
        UntrustedLedgerError: An entry was changed, removed or put in.

    """
    if version(entries) == 0:
        return
    rows = entries.since(first)
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
    columns = dict(zip(COLUMNS, row, strict=True))
    try:
        kind = EntryKind(str(columns["kind"]))
    except ValueError:
        raise UntrustedLedgerError(_broken(columns["sequence"])) from None
    return Entry(**columns | {"kind": kind})  # type: ignore[arg-type] # the table's own types


def _broken(sequence: object) -> str:
    return f"entry {sequence} of the ledger was changed or removed after it was written. {WAY_ON}"
