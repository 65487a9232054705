"""The connection to the server of a ledger, and what is said when it fails.

No message holds the address: it may hold a password.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from dpcore.data.readers.databases.connection import PATIENCE, ConnectionRefusal, connected, refusal
from dpcore.errors import LedgerError, UntrustedLedgerError
from dpcore.releases.server.entries import ServerEntries
from dpcore.releases.turns import MANY, turns_at

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

_LOCK = 7_319_204_861_553_021_017
"""The advisory lock of whoever writes: one number for all ledgers of a database."""
_OF_THE_PLACE = ("host", "port", "dbname", "service", "options")


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
            limit = f"SET LOCAL lock_timeout = {max(1, round(1000 * patience))}"
            connection.execute(text(limit))
            connection.execute(text("SET LOCAL synchronous_commit = on"))
            lock = text("SELECT pg_advisory_xact_lock(:lock)")
            with self.turns.outside():
                connection.execute(lock, {"lock": _LOCK})
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
def explained() -> Iterator[None]:
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
    f"the server of the ledger cannot be reached. {_NOTHING} Try again; if it stays "
    "so, see whether it runs and whether EPSILON_STUDIO_LEDGER names its host and port."
)
_REFUSALS = {
    ConnectionRefusal.STARTING: "the server of the ledger is starting or stopping, and admits "
    "nobody yet. Try again in a minute.",
    ConnectionRefusal.FULL: "the server of the ledger has no free connection. Try again in a "
    "moment; if it stays so, allow it more connections.",
    ConnectionRefusal.NOW: "the server of the ledger admits nobody at the moment: it is "
    "starting, stopping or full. Try again in a minute.",
    ConnectionRefusal.USER: "the server of the ledger does not admit the user of "
    "EPSILON_STUDIO_LEDGER: the user name or the password is wrong.",
    ConnectionRefusal.DATABASE: "the server of the ledger has no database of the name in "
    "EPSILON_STUDIO_LEDGER.",
    ConnectionRefusal.RULE: "the server of the ledger has no rule that admits this user from "
    "this machine (pg_hba.conf).",
}
_UNKNOWN = (
    "the connection to the server of the ledger broke at the last step. Whether the "
    "release was made and charged stands on the Ledger page. Asking the same question "
    "again charges nothing if it was."
)
_FORBIDDEN = (
    f"the server of the ledger does not let this user write to the ledger. {_NOTHING} "
    "Allow it, or name another user in EPSILON_STUDIO_LEDGER."
)
BUSY = (
    "another machine or program is writing to the ledger and has not come to an end. "
    f"{_NOTHING} Try again; if it stays so, close the other program."
)
_DAMAGED = (
    "the tables of the ledger on the server are damaged. Put back a copy of them, or "
    "begin anew, on record."
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
