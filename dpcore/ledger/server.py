"""A ledger on a server that several machines share, and what is said when it fails.

Entries and checkpoint are written in one transaction, so that the chain never goes on
beyond the checkpoint: nobody without the key can add to it. The key never goes there:
it stays in the folder of each machine, and the curator moves it. Each machine remembers
besides how far it saw the chain, so that it notices an older copy of the tables.

Imported only where an address is given: SQLite needs none of it. No message holds the
address: it may hold a password.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sqlalchemy import create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from dpcore.analyses.identity import canonical
from dpcore.data.readers.databases.connection import PATIENCE, ConnectionRefusal, connected, refusal
from dpcore.errors import LedgerError, UntrustedLedgerError
from dpcore.ledger import chain, store
from dpcore.ledger.chain import SCHEMA_VERSION, EntryKind, EntryTable, LedgerEntry, Row
from dpcore.ledger.checkpoint import Checkpoint, Tally, followed
from dpcore.ledger.ledger import Ledger
from dpcore.ledger.renewal import carry, require_reason
from dpcore.ledger.store import (
    MANY,
    REMEMBERED,
    file_errors,
    keyfile,
    stored_key,
    turns_at,
    write_whole,
)

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

_LOCK = 7_319_204_861_553_021_017
"""The advisory lock of whoever writes: one number for all ledgers of a database."""
_STATE = "epsilon_studio_ledger"
"""The table of the format and of the checkpoint."""
_OF_THE_PLACE = ("host", "port", "dbname", "service", "options")


class ServerEntries(EntryTable):
    """The entries as one transaction of PostgreSQL sees them, and the checkpoint.

    Text is compared by bytes, as SQLite does, whatever language the server sorts in.
    """

    name = "epsilon_studio_entries"
    types = ("BIGINT", 'TEXT COLLATE "C"')
    append_only = (
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

    def __init__(self, connection: Connection) -> None:
        super().__init__()
        self._connection = connection

    def set_aside(self, mark: str) -> None:
        """Keep what is there under other names that end in ``mark``, and clear it."""
        for name in (self.name, _STATE):
            if self._is_there(name):
                self._rows(f"CREATE TABLE {name}_{mark} AS TABLE {name}")
                self._rows(f"DROP TABLE {name}")
        self._format = None

    def checkpoint(self) -> bytes | None:
        """Return the sealed checkpoint, ``None`` if there is none."""
        if self.version() == 0:
            return None
        rows = self._rows(f"SELECT checkpoint FROM {_STATE}")  # noqa: S608 - a constant
        return next((row[0] or None for row in rows), None)

    def keep(self, sealed: bytes) -> None:
        """Put a sealed checkpoint in the place of the one before."""
        self._rows(f"UPDATE {_STATE} SET checkpoint = ?", sealed)  # noqa: S608 - a constant

    def _rows(self, statement: str, *values: object) -> Iterable[Row]:
        return self._connection.exec_driver_sql(statement.replace("?", "%s"), values or None)

    def _is_there(self, name: str) -> bool:
        ((found,),) = self._rows("SELECT to_regclass(?)::text", name)
        return found is not None

    def _stored_format(self) -> int:
        rows = self._rows(f"SELECT format FROM {_STATE}") if self._is_there(_STATE) else ()  # noqa: S608 - a constant
        return next((int(row[0]) for row in rows), 0)

    def _store_format(self, found: int) -> None:
        if found:
            self._rows(f"UPDATE {_STATE} SET format = ?", SCHEMA_VERSION)  # noqa: S608 - a constant
            return
        ((encoding,),) = self._rows("SHOW server_encoding")
        if encoding != "UTF8":
            raise LedgerError(
                "the database of the ledger must keep its text as UTF8, not as "
                f"{encoding}. Give the ledger a database of its own."
            )
        self._rows(f"CREATE TABLE {_STATE} (format INTEGER NOT NULL, checkpoint BYTEA NOT NULL)")
        self._rows(f"INSERT INTO {_STATE} VALUES (?, ?)", SCHEMA_VERSION, b"")  # noqa: S608 - a constant


class ServerDatabase:
    """A database of PostgreSQL, by its address.

    Raises:
        LedgerError: The address is none of PostgreSQL.

    """

    def __init__(self, address: str) -> None:
        self._url = _url(address)
        self.turns = turns_at(self.name)
        self._engine: Engine = create_engine(
            self._url.update_query_dict({**PATIENCE, **self._url.query}),
            pool_pre_ping=True,
            hide_parameters=True,
        )

    @property
    def name(self) -> str:
        """Return a name of the database that tells neither user nor password.

        How the connection is made is no part of it.
        """
        url = self._url
        parts = [(name, url.query.get(name)) for name in _OF_THE_PLACE]
        place = [url.host, url.port, url.database, parts]
        return hashlib.sha256(repr(place).encode()).hexdigest()[:16]

    def close(self) -> None:
        """Close all connections that nobody uses."""
        self._engine.dispose()

    @contextlib.contextmanager
    def reading(self) -> Iterator[ServerEntries]:
        """See the database as it is at one moment; no lock is taken or waited for."""
        with self._connected("REPEATABLE READ", read_only=True) as connection:
            yield ServerEntries(connection)

    @contextlib.contextmanager
    def writing(self, patience: float) -> Iterator[ServerEntries]:
        """Open a transaction that no other writer is beside, and commit it at the end.

        What is committed survives a crash of the server and a power cut, as far as its
        disk does what it says.

        Args:
            patience: How many seconds to wait for another writer.

        """
        # After the lock each statement sees what the writers before have committed.
        with self._connected("READ COMMITTED", read_only=False) as connection:
            run = connection.exec_driver_sql
            run(f"SET LOCAL lock_timeout = {max(1, round(1000 * patience))}")
            run("SET LOCAL synchronous_commit = on")
            with self.turns.outside():
                run(f"SELECT pg_advisory_xact_lock({_LOCK})")
            yield ServerEntries(connection)
            try:
                connection.commit()
            except DBAPIError as error:
                if not error.connection_invalidated:
                    raise
                raise LedgerError(_UNKNOWN) from None

    @contextlib.contextmanager
    def _connected(self, isolation: str, *, read_only: bool) -> Iterator[Connection]:
        with connected(self._engine) as connection:
            yield connection.execution_options(
                isolation_level=isolation, postgresql_readonly=read_only
            )


def _url(address: str) -> URL:
    try:
        url = make_url(address)
    except (SQLAlchemyError, ValueError):
        raise LedgerError(_NO_ADDRESS) from None
    if url.get_backend_name() not in {"postgresql", "postgres"}:
        raise LedgerError(_NO_ADDRESS)
    return url.set(drivername="postgresql+psycopg")


@contextlib.contextmanager
def server_errors() -> Iterator[None]:
    """Say in plain words what keeps a server from being used, as LedgerError."""
    try:
        yield
    except SQLAlchemyError as error:
        raise _reason(error) from None


def _reason(error: SQLAlchemyError) -> LedgerError:
    if isinstance(error, PoolTimeoutError):
        return LedgerError(MANY)
    refused = refusal(error) if isinstance(error, DBAPIError) else None
    if refused is not None:
        return LedgerError(f"{_REFUSALS[refused]} {_NOTHING}")
    original = error.orig if isinstance(error, DBAPIError) else None
    state = getattr(original, "sqlstate", None)
    if state is None:
        return LedgerError(_AWAY)
    for beginning, message in _STATES.items():
        if state.startswith(beginning):
            kind = UntrustedLedgerError if message is _DAMAGED else LedgerError
            return kind(message)
    return LedgerError(f"the server of the ledger reports the error {state}. {_NOTHING}")


_NOTHING = "Nothing was charged."
_NO_ADDRESS = (
    "EPSILON_STUDIO_LEDGER must be the address of a PostgreSQL database, such as "
    "postgresql://user:password@host:5432/database."
)
_AWAY = (
    f"the server of the ledger cannot be reached. {_NOTHING} Try again. If the error persists, "
    "check that the server is running and that EPSILON_STUDIO_LEDGER names its host and port."
)
_REFUSALS = {
    ConnectionRefusal.STARTING: "the server of the ledger is starting or stopping. Try again in "
    "a minute.",
    ConnectionRefusal.FULL: "the server of the ledger has no free connection. Try again in a "
    "moment. If the error "
    "persists, allow more connections.",
    ConnectionRefusal.NOW: "the server of the ledger is starting, stopping or full. Try again in "
    "a minute.",
    ConnectionRefusal.USER: "the server of the ledger refused the login of "
    "EPSILON_STUDIO_LEDGER: the user name or the password is wrong.",
    ConnectionRefusal.DATABASE: "the server of the ledger has no database of the name in "
    "EPSILON_STUDIO_LEDGER.",
    ConnectionRefusal.RULE: "the server of the ledger does not permit this user from this "
    "machine (pg_hba.conf).",
}
_UNKNOWN = (
    "the connection to the ledger server broke at the last step. Budget shows "
    "whether the release was made and charged. If so, the same question costs nothing again."
)
_FORBIDDEN = (
    f"the server of the ledger does not let this user write to the ledger. {_NOTHING} "
    "Allow it, or name another user in EPSILON_STUDIO_LEDGER."
)
BUSY = (
    "another machine or program is still writing to the ledger. "
    f"{_NOTHING} Try again. If the error persists, close the other program."
)
_DAMAGED = (
    "the tables of the ledger on the server are damaged. Put back a copy of them, or start a new "
    "ledger, on record."
)
_STATES = {
    "08": _AWAY,
    "57": _AWAY,
    "53100": f"the disk of the ledger's server is full. {_NOTHING} Make room, and try again.",
    "53": _AWAY,
    "55P03": BUSY,
    "40": BUSY,
    "42501": _FORBIDDEN,
    "25006": _FORBIDDEN,
    "3F": _FORBIDDEN,
    "42": _DAMAGED,
}
"""By the beginning of an SQLSTATE, the more special first."""


_PATIENCE = 10.0
"""Seconds to wait for another writer before a charge is refused."""


class ServerLedger(Ledger):
    """A ledger in a database of PostgreSQL, with the key in a folder of this machine.

    Looking creates nothing; the first entry creates the tables.
    """

    def __init__(self, database: ServerDatabase, folder: Path) -> None:
        self._database = database
        self._folder = folder
        self._memory = folder / f"{REMEMBERED}{database.name}"

    @classmethod
    def of(cls, address: str, folder: Path) -> Self:
        """Return the ledger at an address, ``postgresql://user:password@host/name``.

        Raises:
            LedgerError: The address is none of PostgreSQL.

        """
        return cls(ServerDatabase(address), folder)

    def close(self) -> None:
        """Close all connections that nobody uses."""
        self._database.close()

    def begin_anew(self, *, reason: str, now: datetime) -> None:
        """Put new tables in the place of those that cannot be trusted, on record.

        What is still known to be spent is carried over, as in ``renewal``; the tables
        of before stay under other names. All of it is one transaction.

        Raises:
            LedgerError: The ledger is in order, or cannot be written.
            ParameterError: No reason is given.

        """
        require_reason(reason)
        found = self._fault()
        mark = f"set_aside_{now:%Y%m%dt%H%M%S%fz}"
        with server_errors():
            known = self._salvaged()
            with self._turn(), self._database.writing(_PATIENCE) as entries:
                entries.set_aside(mark)
                entries.prepare()
                body = {"found": found, "reason": reason, "kept": mark}
                entries.append(
                    fingerprint="",
                    kind=EntryKind.ANEW,
                    body=canonical(body | {"length": known.length}),
                )
                for account in known.every_account():
                    carry(entries, account)
                state = followed(entries, Checkpoint(), (), whole=True)
                entries.keep(state.sealed(keyfile(self._folder)))
        self._remember(state)

    @contextlib.contextmanager
    def _read(self, *, whole: bool = False) -> Iterator[tuple[EntryTable, Checkpoint]]:
        with server_errors(), self._database.reading() as entries:
            state = self._checked(entries, whole=whole)
            yield entries, state
        self._remember(state)

    @contextlib.contextmanager
    def _write(self) -> Iterator[tuple[EntryTable, Checkpoint]]:
        with self._turn():
            with server_errors(), self._database.writing(_PATIENCE) as entries:
                state = self._checked(entries)
                entries.prepare()
                yield entries, state
                state = followed(entries, state, (), whole=False)
                entries.keep(state.sealed(keyfile(self._folder)))
            self._remember(state)

    def _turn(self) -> AbstractContextManager[None]:
        return self._database.turns.taken(store.PATIENCE, BUSY)

    def _checked(self, entries: ServerEntries, *, whole: bool = False) -> Checkpoint:
        """Return where the chain stands: at the sealed checkpoint, and not beyond."""
        memory = self._remembered()
        sealed = self._sealed(entries, memory)
        try:
            state = followed(entries, memory or sealed, (), whole=whole)
        except UntrustedLedgerError as error:
            if not self._begun_anew_since(entries, memory):
                raise UntrustedLedgerError(_of_a_server(error)) from None
            state = followed(entries, sealed, (), whole=True)
        if sealed is not None and (state.length, state.head) != (sealed.length, sealed.head):
            raise UntrustedLedgerError(_UNSEALED)
        return sealed or state

    def _remembered(self) -> Checkpoint | None:
        """Return the last checkpoint that this machine saw; ``None`` if there is none.

        An older copy of the server's tables lacks what it has seen since.
        """
        try:
            return self._memory_now()
        except UntrustedLedgerError:
            raise LedgerError(_OTHER_KEY) from None

    def _memory_now(self) -> Checkpoint | None:
        with file_errors():
            key = stored_key(self._folder)
            text = b""
            with contextlib.suppress(FileNotFoundError):
                text = self._memory.read_bytes()
            return Checkpoint.unsealed(text, key) if key and text else None

    def _remember(self, seen: Checkpoint) -> None:
        """Note how far the chain was seen, if it is not noted already.

        Where the folder cannot be written, what was noted before stays: what was
        charged on the server is charged, and may be looked at.
        """
        with contextlib.suppress(LedgerError), file_errors():
            key = stored_key(self._folder)
            if key is not None and seen.length and self._memory_now() != seen:
                write_whole(self._memory, seen.sealed(key))

    def _sealed(self, entries: ServerEntries, memory: Checkpoint | None) -> Checkpoint | None:
        """Return the checkpoint of the server, ``None`` if there is none."""
        text = entries.checkpoint()
        if text is None and entries.version():
            raise UntrustedLedgerError(_CHANGED)
        if text is None:
            return None
        key = stored_key(self._folder)
        try:
            return Checkpoint.unsealed(text, key or b"")
        except UntrustedLedgerError:
            # With a memory that the key seals, it is not the key that is another one.
            if key is None or memory is None:
                raise LedgerError(_OTHER_KEY) from None
            raise UntrustedLedgerError(_CHANGED) from None

    def _begun_anew_since(self, entries: ServerEntries, memory: Checkpoint | None) -> bool:
        """Tell whether another machine began anew, and knew all that this one saw."""
        if memory is None:
            return False
        first: LedgerEntry | None = next(entries.walk(), None)
        if first is None or first.kind is not EntryKind.ANEW:
            return False
        length = first.content.get("length")
        return isinstance(length, int) and length >= memory.length

    def _fault(self) -> str:
        try:
            self.verify()
        except UntrustedLedgerError as error:
            return str(error)
        raise LedgerError("the ledger is in order. There is nothing to restart.")

    def _salvaged(self) -> Checkpoint:
        """Return what is still known of the accounts."""
        known = self._remembered()
        with contextlib.suppress(LedgerError), server_errors(), self._database.reading() as entries:
            sealed = self._sealed(entries, known)
            if sealed and (known is None or sealed.length > known.length):
                known = sealed
        tally = Tally(known or Checkpoint())
        with contextlib.suppress(LedgerError), server_errors(), self._database.reading() as entries:
            tally.follow(entries, whole=known is None)
        return tally.reached(())


def _of_a_server(error: UntrustedLedgerError) -> str:
    said = str(error).removesuffix(chain.WAY_ON)
    return said.replace("The file was", "The tables were") + _WAY_ON


_WAY_ON = "Put back a copy of its tables on the server, or start a new ledger, on record."
_UNSEALED = (
    "entries of the ledger on the server were added or removed by somebody without its "
    f"key. {_WAY_ON}"
)
_CHANGED = f"the checkpoint of the ledger on the server was changed. {_WAY_ON}"
_OTHER_KEY = (
    "the ledger on the server was sealed with another key than the one of this machine. Copy "
    "the file “key” over a trusted channel from a machine that uses this ledger to "
    "EPSILON_STUDIO_HOME. Then use the table again on Data. Nothing was charged."
)
