"""The append-only chain of entries that the ledger consists of.

Every entry carries the digest of the one before it: SHA-256 over that digest and its
own columns. So an entry that was changed, removed or put in later is found. An end that
was cut off, or a chain that was built anew, is found by the checkpoint beside it.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar

from dpcore.analyses.identity import canonical
from dpcore.codec import object_in
from dpcore.errors import LedgerError, UntrustedLedgerError

WAY_ON = "Put back a copy of the folder of the ledger, or start a new ledger, on record."
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
_NAMES = ", ".join(COLUMNS)
_SCHEMA = """
CREATE TABLE {name} (
    sequence {integer} PRIMARY KEY,
    recorded {text} NOT NULL,
    fingerprint {text} NOT NULL,
    kind {text} NOT NULL,
    request {text},
    body {text} NOT NULL,
    previous {text} NOT NULL UNIQUE,
    digest {text} NOT NULL UNIQUE,
    UNIQUE (request, kind)
)
"""
_LOWEST = -(1 << 63)
_SOME = 1000
Row = Sequence[Any]
"""An entry as a database holds it, in the order of the columns."""


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
class LedgerEntry:
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


def now() -> datetime:
    """Return the time of this machine's clock, which a new entry records."""
    return datetime.now(UTC)


class EntryTable(ABC):
    """The entries as one transaction sees them, whatever database they are in."""

    name: ClassVar[str]
    types: ClassVar[tuple[str, str]]
    """What the database calls an integer of 64 bits, and text that it compares by bytes."""
    append_only: ClassVar[tuple[str, ...]]
    """The statements that make it refuse to change or remove an entry."""

    def __init__(self) -> None:
        self._format: int | None = None
        self._end: tuple[int, str] | None = None

    def version(self) -> int:
        """Return the format of the database, 0 for an empty one.

        Raises:
            LedgerError: A later program wrote it.

        """
        if self._format is None:
            self._format = self._stored_format()
        if not 0 <= self._format <= SCHEMA_VERSION:
            raise LedgerError(
                f"the ledger has format {self._format}, this program knows {SCHEMA_VERSION}. "
                "Open it with the program that wrote it."
            )
        return self._format

    def prepare(self) -> None:
        """Bring a database to the format of today, inside the caller's transaction.

        The checkpoint has to be there before: the format says that there is one.
        """
        found = self.version()
        if found == 0:
            integer, text = self.types
            self._rows(_SCHEMA.format(name=self.name, integer=integer, text=text))
            self._rows(
                f"CREATE INDEX {self.name}_by_fingerprint ON {self.name} (fingerprint, sequence)"
            )
            for statement in self.append_only:
                self._rows(statement)
        if found < SCHEMA_VERSION:
            self._store_format(found)
            self._format = SCHEMA_VERSION

    def append(
        self,
        *,
        fingerprint: str,
        kind: EntryKind,
        body: str,
        request: str | None = None,
        at: datetime | None = None,
    ) -> LedgerEntry:
        """Write one entry at the end of the chain, inside the caller's transaction.

        It records the time ``at``; without one, now.
        """
        if self._end is None:  # Nobody else writes beside a transaction that has written.
            ends = self._select("ORDER BY sequence DESC LIMIT 1")
            self._end = next(((row[0], row[-1]) for row in ends), (0, ORIGIN))
        sequence, previous = self._end
        recorded = (at or now()).isoformat(timespec="seconds")
        columns = (sequence + 1, recorded, fingerprint, kind.value, request, body, previous)
        row = (*columns, _digest(columns))
        marks = ", ".join("?" * len(row))
        self._rows(
            f"INSERT INTO {self.name} ({_NAMES}) VALUES ({marks})",  # noqa: S608 - constants
            *row,
        )
        self._end = row[0], row[-1]
        return _entry(row)

    def of(self, fingerprint: str, *kinds: EntryKind) -> tuple[LedgerEntry, ...]:
        """Return the entries of an account in order: all, or those of some kinds."""
        if self.version() == 0:
            return ()
        chosen = [kind.value for kind in kinds or EntryKind]
        marks = ", ".join("?" * len(chosen))
        where = f"WHERE fingerprint = ? AND kind IN ({marks}) ORDER BY sequence"
        return tuple(map(_entry, self._select(where, fingerprint, *chosen)))

    def count_answers(self, fingerprint: str, prefix: str) -> int:
        """Return how many answers about an account are to requests that begin so."""
        if self.version() == 0:
            return 0
        ((count,),) = self._rows(
            f"SELECT count(*) FROM {self.name} "  # noqa: S608 - a constant
            # Put together, so that no index leads through all of the account.
            "WHERE kind = ? AND fingerprint || '' = ? AND request >= ? AND request < ?",
            *(EntryKind.RELEASE.value, fingerprint, prefix, prefix + "\U0010ffff"),
        )
        return int(count)

    def answer_to(self, request: str) -> LedgerEntry | None:
        """Return the entry that holds the answer to a request."""
        if self.version() == 0:
            return None
        rows = self._select("WHERE request = ? AND kind = ?", request, EntryKind.RELEASE.value)
        return next(map(_entry, rows), None)

    def walk(self, first: int = 1) -> Iterator[LedgerEntry]:
        """Yield the entries from the ``first`` on, each once it is found unchanged.

        Of the first one only its own digest is checked: with ``first`` beyond 1 the
        caller has to know that digest.

        Raises:
            UntrustedLedgerError: An entry was changed, removed or put in.

        """
        if self.version() == 0:
            return
        previous = ORIGIN if first <= 1 else None
        for expected, row in enumerate(self._since(first), start=first):
            *columns, digest = row
            if columns[0] != expected or previous not in {None, columns[-1]}:
                raise UntrustedLedgerError(_broken(expected))
            if digest != _digest(columns):
                raise UntrustedLedgerError(_broken(expected))
            yield _entry(row)
            previous = digest

    def _since(self, first: int) -> Iterator[Row]:
        """Yield the entries from the ``first`` on, some at a time; from 1, really all."""
        least = first if first > 1 else _LOWEST
        while True:
            rows = [*self._select("WHERE sequence >= ? ORDER BY sequence LIMIT ?", least, _SOME)]
            yield from rows
            if len(rows) < _SOME:
                return
            least = rows[-1][0] + 1

    def _select(self, where: str, *values: object) -> Iterable[Row]:
        return self._rows(f"SELECT {_NAMES} FROM {self.name} {where}", *values)  # noqa: S608 - constants

    @abstractmethod
    def _rows(self, statement: str, *values: object) -> Iterable[Row]:
        """Carry out a statement, with ``?`` for each value, and return its rows."""

    @abstractmethod
    def _stored_format(self) -> int:
        """Return the format that the database names, 0 for an empty one."""

    @abstractmethod
    def _store_format(self, found: int) -> None:
        """Name the format of today in a database of another one, or of none."""


class SqliteEntries(EntryTable):
    """The entries as one transaction of SQLite sees them."""

    name = "entries"
    types = ("INTEGER", "TEXT")
    append_only = tuple(
        f"CREATE TRIGGER entries_are_not_{done} BEFORE {event} ON entries "
        "BEGIN SELECT RAISE(ABORT, 'the entries of the ledger are append-only'); END"
        for done, event in (("changed", "UPDATE"), ("removed", "DELETE"))
    )

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__()
        self._connection = connection

    def _rows(self, statement: str, *values: object) -> Iterable[Row]:
        return self._connection.execute(statement, values)

    def _stored_format(self) -> int:
        ((found,),) = self._rows("PRAGMA user_version")
        return int(found)

    def _store_format(self, found: int) -> None:  # noqa: ARG002 - the same for every one
        self._rows(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _digest(columns: Iterable[object]) -> str:
    text = canonical([None if column is None else str(column) for column in columns])
    return hashlib.sha256(text.encode()).hexdigest()


def _entry(row: Row) -> LedgerEntry:
    columns = dict(zip(COLUMNS, row, strict=True))
    try:
        kind = EntryKind(str(columns["kind"]))
    except ValueError:
        raise UntrustedLedgerError(_broken(columns["sequence"])) from None
    return LedgerEntry(**columns | {"kind": kind})


def _broken(sequence: object) -> str:
    return f"entry {sequence} of the ledger was changed or removed after it was written. {WAY_ON}"
