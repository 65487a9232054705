"""Connections to a database that cannot write, and what went wrong in plain words.

A PostgreSQL may be starting, or full for a moment: it is asked again for a while. Where
no connection comes about, libpq hands over the words of the server and no SQLSTATE. No
message holds anything of the address, nor what a driver or a server says, which may
quote cells: only names that were typed by whoever asked.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
import time
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DataError as UnreadableError
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from dpcore.data.readers.databases.sources import NO_DRIVER, NO_WRITING, VARIABLE, Database
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
_PATIENCE: Final = 10.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 1.0
_QUOTED: Final = r"[\"'„“”«»「]\s?"
_ADMINISTRATOR: Final = f"Ask the administrator to check its line in {VARIABLE}."


class ConnectionRefusal(Enum):
    """Why a server that answers lets nobody in, in plain words.

    ``NOW`` is a refusal in another language that names neither user nor database: the
    server is starting, stopping or full.
    """

    STARTING = "the database server is starting or stopping. Try again in a minute."
    FULL = (
        "the database server has no free connection. Try again in a moment. If the error "
        "persists, ask the administrator to allow more connections."
    )
    NOW = "the database server is starting, stopping or full. Try again in a minute."
    USER = (
        f"the database refused the login: the user name or the password is wrong. {_ADMINISTRATOR}"
    )
    DATABASE = f"the server has no database of that name. {_ADMINISTRATOR}"
    RULE = (
        "the database server does not permit this user from this machine (pg_hba.conf). "
        f"{_ADMINISTRATOR}"
    )

    @property
    def passes(self) -> bool:
        """Return whether the server may admit the same connection a moment later."""
        return self.name in {"STARTING", "FULL", "NOW"}


_REFUSAL_STATES: Final = {
    "57P03": ConnectionRefusal.STARTING,
    "53300": ConnectionRefusal.FULL,
    "28": ConnectionRefusal.USER,
    "3D": ConnectionRefusal.DATABASE,
}
"""By the beginning of an SQLSTATE, where there is one."""
_REFUSAL_WORDS: Final = (
    (r"system is (starting up|shutting down|in recovery mode)", ConnectionRefusal.STARTING),
    (r"system is not (yet )?accepting connections", ConnectionRefusal.STARTING),
    (r"too many (clients|connections)|connection slots are reserved", ConnectionRefusal.FULL),
    (r"no more connections allowed", ConnectionRefusal.FULL),
    (r"pg_hba\.conf", ConnectionRefusal.RULE),
    (r"database .* does not exist", ConnectionRefusal.DATABASE),
    (r"authentication failed|role .* does not exist|no password", ConnectionRefusal.USER),
)
"""Of servers that speak English, and of PgBouncer."""
_NO_ADDRESS: Final = (
    "the address of this database is invalid. It must begin with "
    f"postgresql:// or sqlite:///. {_ADMINISTRATOR}"
)
_LOST: Final = (
    "the connection to the database was lost before the last row. Nothing was kept. Read the "
    "table again."
)
_BUSY: Final = "the database is locked by other writers. Nothing was kept. Try again."
_SYNTAX: Final = "the query has a syntax error{near}. Check words, commas and brackets."
_NO_TABLE: Final = (
    "there is no table{named} in the database. Check the spelling, and add the schema if needed, "
    "as in schema.table."
)
_NO_COLUMN: Final = (
    "the query has no column{named}. Check the spelling. Names in quotation marks are "
    "case-sensitive."
)
_DAMAGED: Final = "the file is damaged, or is not a SQLite database."
_OTHER: Final = "the database cannot run the query{state}."

_STATES: Final = {
    **{state: why.value for state, why in _REFUSAL_STATES.items()},
    "42P01": _NO_TABLE,
    "3F": _NO_TABLE,
    "42703": _NO_COLUMN,
    "42501": "the user of this database may not read that table. Ask the database "
    "administrator to allow it, or choose another table.",
    "42601": _SYNTAX,
    "25006": NO_WRITING,
    "0A000": NO_WRITING,
    "42P11": NO_WRITING,
    "22": "a value in the table makes the query fail: a division by zero, "
    "or a text that is not a number. Exclude such rows by a condition.",
    "57014": "the server ended the query because it took too long. Select fewer rows, or ask "
    "the database administrator for more time.",
    "25P03": _LOST,
    "08": _LOST,
    "57": _LOST,
    "53": "the server has too little memory or disk space, or too many connections. Try again "
    "later, or ask for fewer rows.",
    "55": _BUSY,
    "40": _BUSY,
}
"""Of PostgreSQL: by the beginning of an SQLSTATE."""
_SENTENCES: Final = {
    "no such table": _NO_TABLE,
    "no such column": _NO_COLUMN,
    "syntax error": _SYNTAX,
    "incomplete input": _SYNTAX,
    "unrecognized token": _SYNTAX,
    "readonly": NO_WRITING,
    "locked": _BUSY,
    "unable to open": f"the file of the database cannot be opened. {_ADMINISTRATOR}",
    "not a database": _DAMAGED,
    "malformed": _DAMAGED,
}
"""Of SQLite: by what its message holds, which is English everywhere."""
_NAMES: Final = (
    re.compile(r"no such (?:table|column): (\S+)"),
    re.compile(r"[\"„«“]([^\"“”»]+)[\"“”»]"),
    re.compile(r"column (\S+) "),
)


@contextlib.contextmanager
def opened(database: Database) -> Iterator[Connection]:
    """Open a connection that sees the database at one moment and cannot write.

    PostgreSQL is told so for the transaction, which is never committed; a file of
    SQLite is opened to be read only.

    Raises:
        DataError: It cannot be reached, or is of another kind.

    """
    with _connecting():
        engine = _engine(make_url(database.address))
        connection = connected(engine)
    with connection:
        if engine.dialect.name == "postgresql":
            connection = connection.execution_options(
                isolation_level="REPEATABLE READ", postgresql_readonly=True
            )
            with _connecting():
                for setting in _SETTINGS:
                    connection.exec_driver_sql(setting)
        yield connection


def connected(engine: Engine) -> Connection:
    """Open a connection; try again for a while if the server is starting or full.

    Raises:
        DBAPIError: The server cannot be reached, or lets nobody in.

    """
    ends = time.monotonic() + _PATIENCE
    pause = _FIRST_PAUSE
    while True:
        try:
            return engine.connect()
        except OperationalError as error:
            why = refusal(error)
            if why is None or not why.passes or time.monotonic() + pause > ends:
                raise
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def cancel(connection: Connection) -> None:
    """End what a connection is waiting for; called from another thread."""
    # A connection that is closed, or was dropped, waits for nothing.
    with contextlib.suppress(Exception):
        driven = connection.connection.dbapi_connection
        if isinstance(driven, sqlite3.Connection):
            driven.interrupt()
        elif driven is not None:
            driven.cancel_safe(timeout=2)


def refusal(error: DBAPIError) -> ConnectionRefusal | None:
    """Return why the server refused a connection, ``None`` where it did not answer."""
    if state := _state(error):
        known = _REFUSAL_STATES.items()
        return next((why for code, why in known if state.startswith(code)), None)
    message = str(error.orig)
    for words, why in _REFUSAL_WORDS:
        if re.search(words, message):
            return why
    # The words of a server that answers, and refuses, begin so in most languages.
    _, fatal, words = message.partition("FATAL")
    if not fatal:
        return None
    asked = getattr(error.orig, "pgconn", None)
    for part, why in (("db", ConnectionRefusal.DATABASE), ("user", ConnectionRefusal.USER)):
        name = getattr(asked, part, None)
        if name is None or re.search(_QUOTED + re.escape(name.decode()), words):
            return why
    return ConnectionRefusal.NOW


@contextlib.contextmanager
def explained(text: str) -> Iterator[None]:
    """Say why a database does not answer.

    Args:
        text: What was asked. Of an error only names that stand in it are quoted.

    Raises:
        DataError: Instead of an error of SQLAlchemy.

    """
    try:
        yield
    except DBAPIError as error:
        raise DataError(_why_no_answer(error, text)) from None
    # A driver has words of its own for what no query can hold, such as a NUL.
    except (SQLAlchemyError, ValueError):
        raise DataError(_OTHER.format(state="")) from None


def no_table(name: str) -> DataError:
    """Return the error that a table which was named is not there."""
    return DataError(_NO_TABLE.format(named=f" “{name}”"))


def _engine(url: URL) -> Engine:
    kind = url.get_backend_name()
    if kind in {"postgresql", "postgres"}:
        url = url.set(drivername="postgresql+psycopg")
        url = url.update_query_dict({**PATIENCE, **url.query, "client_encoding": "utf8"})
        return create_engine(url, poolclass=NullPool, hide_parameters=True)
    if kind == "sqlite" and url.database and not url.database.startswith(":"):
        where = f"{Path(url.database).absolute().as_uri()}?mode=ro"

        def connect() -> sqlite3.Connection:
            # It is used by one thread at a time, and not always by the same one.
            made = sqlite3.connect(where, uri=True, check_same_thread=False)
            made.execute("PRAGMA query_only = ON")
            return made

        return create_engine("sqlite://", creator=connect, poolclass=NullPool, hide_parameters=True)
    raise DataError(_NO_ADDRESS)


@contextlib.contextmanager
def _connecting() -> Iterator[None]:
    """Raise a DataError that says why a database cannot be reached."""
    try:
        yield
    except ImportError:
        raise DataError(NO_DRIVER) from None
    except DBAPIError as error:
        raise DataError(_why_unreachable(error)) from None
    except (SQLAlchemyError, ValueError, OSError):
        raise DataError(_NO_ADDRESS) from None


def _why_unreachable(error: DBAPIError) -> str:
    message, state = str(error.orig), _state(error)
    refused = refusal(error)
    if refused is not None:
        return refused.value
    if state:
        return f"the database server reports an error (SQLSTATE {state}). {_ADMINISTRATOR}"
    if "resolve host" in message or "translate host" in message:
        return f"the host of the database is unknown. {_ADMINISTRATOR}"
    away = (
        "the database cannot be reached. Try again. If the error persists, ask the database "
        "administrator whether the server is running and permits this machine."
    )
    return next((why for words, why in _SENTENCES.items() if words in message), away)


def _why_no_answer(error: DBAPIError, text: str) -> str:
    message, state = str(error.orig), _state(error)
    known = _STATES if state else _SENTENCES
    for mark, why in known.items():
        if state.startswith(mark) if state else mark in message:
            name = _typed_name(message, text)
            return why.format(
                named=f" “{name}”" if name else "", near=f" near “{name}”" if name else ""
            )
    if not state and error.connection_invalidated:
        return _LOST
    # The server has sent it, and the driver has no day or time for it.
    if not state and isinstance(error, UnreadableError):
        return (
            "a value cannot be read, such as the date “infinity” or a date before the year 1. "
            "Exclude such rows, or select the column as text: CAST(… AS text)."
        )
    return _OTHER.format(state=f" (SQLSTATE {state})" if state else "")


def _state(error: DBAPIError) -> str:
    """Return the SQLSTATE of an error, empty if it has none."""
    return getattr(error.orig, "sqlstate", None) or ""


def _typed_name(message: str, text: str) -> str:
    """Return the name that an error is about, if it was typed by whoever asked."""
    for pattern in _NAMES:
        for name in pattern.findall(message.splitlines()[0] if message else ""):
            if str(name).casefold() in text.casefold():
                return str(name)
    return ""
