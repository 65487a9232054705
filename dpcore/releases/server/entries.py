"""The table of entries in PostgreSQL, and the checkpoint that goes with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    func,
    insert,
    select,
    text,
    update,
)

from dpcore.errors import LedgerError
from dpcore.releases.hash_chain import COLUMNS, SCHEMA_VERSION, Row

if TYPE_CHECKING:
    from sqlalchemy import Connection


_TABLES = MetaData()
# By bytes, as SQLite compares, whatever language the server sorts in.
_TEXT = Text(collation="C")
_ENTRIES = Table(
    "epsilon_studio_entries",
    _TABLES,
    Column("sequence", BigInteger, primary_key=True, autoincrement=False),
    Column("recorded", _TEXT, nullable=False),
    Column("fingerprint", _TEXT, nullable=False),
    Column("kind", _TEXT, nullable=False),
    Column("request", _TEXT),
    Column("body", _TEXT, nullable=False),
    Column("previous", _TEXT, nullable=False, unique=True),
    Column("digest", _TEXT, nullable=False, unique=True),
    UniqueConstraint("request", "kind"),
)
Index("epsilon_studio_entries_by_fingerprint", _ENTRIES.c.fingerprint, _ENTRIES.c.sequence)
_STATE = Table(
    "epsilon_studio_ledger",
    _TABLES,
    Column("format", Integer, nullable=False),
    Column("checkpoint", LargeBinary, nullable=False),
)
_APPEND_ONLY = (
    """
    CREATE OR REPLACE FUNCTION epsilon_studio_is_append_only() RETURNS trigger AS $$
    BEGIN RAISE EXCEPTION 'the entries of the ledger are append-only'; END
    $$ LANGUAGE plpgsql
    """,
    """
    CREATE TRIGGER epsilon_studio_entries_are_not_changed
    BEFORE UPDATE OR DELETE OR TRUNCATE ON epsilon_studio_entries
    FOR EACH STATEMENT EXECUTE FUNCTION epsilon_studio_is_append_only()
    """,
)
_ROW = [_ENTRIES.c[name] for name in COLUMNS]
_BATCH = 1000


class ServerEntries:
    """The entries as one transaction of PostgreSQL sees them: an ``EntryTable``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._format: int | None = None

    def format(self) -> int:
        """Return the format of the database, 0 for an empty one."""
        if self._format is None:
            there = self._connection.scalar(select(func.to_regclass(_STATE.name).cast(Text)))
            found = self._connection.scalar(select(_STATE.c.format)) if there else 0
            self._format = int(found or 0)
        return self._format

    def bring_to_format(self, found: int) -> None:
        """Create the tables, or bring those of an earlier format to that of today."""
        if found:
            if found < SCHEMA_VERSION:
                self._connection.execute(update(_STATE).values(format=SCHEMA_VERSION))
                self._format = SCHEMA_VERSION
            return
        encoding = self._connection.scalar(text("SHOW server_encoding"))
        if encoding != "UTF8":
            raise LedgerError(
                "the database of the ledger must keep its text as UTF8, not as "
                f"{encoding}. Give the ledger a database of its own."
            )
        _TABLES.create_all(self._connection)
        for statement in _APPEND_ONLY:
            self._connection.execute(text(statement))
        self._connection.execute(insert(_STATE).values(format=SCHEMA_VERSION, checkpoint=b""))
        self._format = SCHEMA_VERSION

    def set_aside(self, mark: str) -> None:
        """Keep what is there under other names that end in ``mark``, and clear it."""
        for table in _TABLES.sorted_tables:
            name, kept = table.name, f"{table.name}_{mark}"
            there = self._connection.scalar(select(func.to_regclass(name).cast(Text)))
            if there:
                self._connection.execute(text(f"CREATE TABLE {kept} AS TABLE {name}"))
                self._connection.execute(text(f"DROP TABLE {name}"))
        self._format = None

    def checkpoint(self) -> bytes | None:
        """Return the sealed checkpoint, ``None`` if there is none."""
        if self.format() == 0:
            return None
        return self._connection.scalar(select(_STATE.c.checkpoint)) or None

    def keep(self, sealed: bytes) -> None:
        """Put a sealed checkpoint in the place of the one before."""
        self._connection.execute(update(_STATE).values(checkpoint=sealed))

    def last(self) -> Row | None:
        """Return sequence and digest of the last entry."""
        found = self._connection.execute(
            select(_ENTRIES.c.sequence, _ENTRIES.c.digest)
            .order_by(_ENTRIES.c.sequence.desc())
            .limit(1)
        ).first()
        return None if found is None else tuple(found)

    def insert(self, row: Row) -> None:
        """Write one entry."""
        self._connection.execute(insert(_ENTRIES).values(dict(zip(COLUMNS, row, strict=True))))

    def of_account(self, fingerprint: str, kinds: Sequence[str]) -> Iterable[Row]:
        """Return the entries of an account that are of some kinds, in order."""
        return map(
            tuple,
            self._connection.execute(
                select(*_ROW)
                .where(_ENTRIES.c.fingerprint == fingerprint, _ENTRIES.c.kind.in_(kinds))
                .order_by(_ENTRIES.c.sequence)
            ),
        )

    def count(self, fingerprint: str, kind: str, prefix: str) -> int:
        """Return how many entries of a kind are for requests that begin so."""
        found = self._connection.scalar(
            select(func.count()).where(
                _ENTRIES.c.kind == kind,
                _ENTRIES.c.fingerprint == fingerprint,
                _ENTRIES.c.request.startswith(prefix, autoescape=True),
            )
        )
        return int(found or 0)

    def for_request(self, request: str, kind: str) -> Row | None:
        """Return the entry of a kind for a request."""
        found = self._connection.execute(
            select(*_ROW).where(_ENTRIES.c.request == request, _ENTRIES.c.kind == kind)
        ).first()
        return None if found is None else tuple(found)

    def since(self, first: int) -> Iterator[Row]:
        """Return the entries from the ``first`` on, in order; all, from 1."""
        batch = select(*_ROW).order_by(_ENTRIES.c.sequence).limit(_BATCH)
        query = batch.where(_ENTRIES.c.sequence >= first) if first > 1 else batch
        while found := self._connection.execute(query).all():
            yield from map(tuple, found)
            if len(found) < _BATCH:
                return
            query = batch.where(_ENTRIES.c.sequence > found[-1].sequence)
