"""Connections that cannot write."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.pool import NullPool

from dpcore.data.doors.databases.admission import connected
from dpcore.data.doors.databases.failures import NO_ADDRESS, connecting
from dpcore.data.doors.databases.named import Database
from dpcore.errors import DataError

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine


PATIENCE: Final = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
"""Seconds, the last in milliseconds, until a server of PostgreSQL that is gone is given
up."""
_SETTINGS: Final = (
    # Whoever leaves the page in the middle holds nothing up.
    "SET LOCAL idle_in_transaction_session_timeout = '15min'",
    # Each reading begins with the same row, and is planned to be read to its end.
    "SET LOCAL synchronize_seqscans = off",
    "SET LOCAL cursor_tuple_fraction = 1",
)
_POSTGRESQL: Final = frozenset(("postgresql", "postgres"))


@contextlib.contextmanager
def opened(database: Database) -> Iterator[Connection]:
    """Open a connection that sees the database at one moment and cannot write.

    PostgreSQL is told so for the transaction, which is never committed; a file of
    SQLite is opened to be read only.

    Raises:
        DataError: It cannot be reached, or is of another kind.

    """
    with connecting():
        engine = _engine(make_url(database.address))
        connection = connected(engine)
    with connection:
        if engine.dialect.name == "postgresql":
            connection = connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
            with connecting():
                for setting in _SETTINGS:
                    connection.exec_driver_sql(setting)
        yield connection


@contextlib.contextmanager
def beside(database: Database, connection: Connection) -> Iterator[Connection]:
    """Open one more connection to a PostgreSQL, which sees what another one sees.

    Raises:
        DataError: It cannot be reached.
        DBAPIError: It does not let others see it.

    """
    seen = connection.exec_driver_sql("SELECT pg_export_snapshot()").scalar_one()
    with opened(database) as other:
        other.exec_driver_sql(f"SET TRANSACTION SNAPSHOT '{seen}'")
        yield other


def cancel(connection: Connection) -> None:
    """End what a connection is waiting for; called from another thread."""
    # A connection that is closed, or was dropped, waits for nothing.
    with contextlib.suppress(Exception):
        driven = connection.connection.dbapi_connection
        if isinstance(driven, sqlite3.Connection):
            driven.interrupt()
        elif driven is not None:
            driven.cancel_safe(timeout=2)


def _engine(url: URL) -> Engine:
    kind = url.get_backend_name()
    if kind in _POSTGRESQL:
        url = url.set(drivername="postgresql+psycopg")
        url = url.update_query_dict({**PATIENCE, **url.query, "client_encoding": "utf8"})
        return create_engine(url, poolclass=NullPool, hide_parameters=True)
    if kind == "sqlite" and url.database and not url.database.startswith(":"):
        where = f"{Path(url.database).absolute().as_uri()}?mode=ro"

        def connected() -> sqlite3.Connection:
            # It is used by one thread at a time, and not always by the same one.
            made = sqlite3.connect(where, uri=True, check_same_thread=False)
            made.execute("PRAGMA query_only = ON")
            return made

        return create_engine(
            "sqlite://", creator=connected, poolclass=NullPool, hide_parameters=True
        )
    raise DataError(NO_ADDRESS)
