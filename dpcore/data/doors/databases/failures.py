"""What went wrong with a database, in plain words.

No message holds anything of the address, nor what a driver or a server says, which may
quote cells: only names that were typed by whoever asked.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Final

from sqlalchemy.exc import DataError as UnreadableError
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from dpcore.data.doors.databases.admission import Refusal, refusal
from dpcore.data.doors.databases.asking import NO_WRITING
from dpcore.data.doors.databases.named import NO_DRIVER, VARIABLE
from dpcore.errors import DataError

_ADMINISTRATOR: Final = f"Ask whoever runs this program to see to its line in {VARIABLE}."
NO_ADDRESS: Final = (
    "the address of this database is none that can be read. It has to begin with "
    f"postgresql:// or sqlite:///. {_ADMINISTRATOR}"
)
_PASSWORD: Final = (
    "the database does not admit its user: the user name or the password is wrong. "
    f"{_ADMINISTRATOR}"
)
_STARTING: Final = (
    "the server of the database is starting or stopping, and admits nobody yet. Try "
    "again in a minute."
)
_FULL: Final = (
    "the server of the database has no free connection. Try again in a moment; if it "
    "stays so, ask its administrator to allow more connections."
)
_NOW: Final = (
    "the server of the database admits nobody at the moment: it is starting, stopping "
    "or full. Try again in a minute."
)
_NO_DATABASE: Final = f"the server of the database has no database of that name. {_ADMINISTRATOR}"
_NO_RULE: Final = (
    "the server of the database has no rule that admits this user from this machine "
    f"(pg_hba.conf). {_ADMINISTRATOR}"
)
_REFUSALS: Final = {
    Refusal.STARTING: _STARTING,
    Refusal.FULL: _FULL,
    Refusal.NOW: _NOW,
    Refusal.USER: _PASSWORD,
    Refusal.DATABASE: _NO_DATABASE,
    Refusal.RULE: _NO_RULE,
}
_REFUSED: Final = f"the server of the database answers with an error{{state}}. {_ADMINISTRATOR}"
_NO_HOST: Final = (
    f"the machine of the database is not known: there is none of that name. {_ADMINISTRATOR}"
)
_AWAY: Final = (
    "the database cannot be reached. Try again; if it stays so, ask whoever runs it "
    "whether it is on, and whether this machine may speak to it."
)
_NO_FILE: Final = f"the file of the database cannot be opened. {_ADMINISTRATOR}"
_DAMAGED: Final = "the file of the database is damaged, or none of SQLite."
_LOST: Final = (
    "the connection to the database was dropped before the last row had come. Nothing "
    "was kept. Read the table once more."
)
_BUSY: Final = (
    "the database is busy with what others write, and gave up. Nothing was kept. Try again."
)
_STOPPED: Final = (
    "the server has ended the query: it may not take so long. Ask for fewer rows, or "
    "ask whoever runs it for more time."
)
_SHORT: Final = (
    "the server has too little memory or room, or too many connections. Try again "
    "later, or ask for fewer rows."
)
_FORBIDDEN: Final = (
    "the user of this database may not read that table. Ask whoever runs the database "
    "to allow it, or choose another table."
)
_SYNTAX: Final = (
    "the database does not understand the query{near}. See whether words, commas and "
    "brackets are where they belong."
)
_NO_TABLE: Final = (
    "there is no table{named} in the database. See how it is spelled, and whether its "
    "schema has to stand before it, as in schema.table."
)
_NO_COLUMN: Final = (
    "there is no column{named} in what is asked for. See how it is spelled; capital "
    "letters count in names that need quotation marks."
)
_VALUE: Final = (
    "a value in the table makes the query fail, by a division by zero or as a text "
    "that is no number. Leave such rows out by a condition."
)
UNREADABLE: Final = (
    "a value cannot be taken over, such as the day “infinity”, or one before the year "
    "1. Leave such rows out, or ask for the column as text: CAST(… AS text)."
)
_OTHER: Final = "the database cannot carry the query out{state}."

_STATES: Final = {
    "28": _PASSWORD,
    "3D": _NO_DATABASE,
    "57P03": _STARTING,
    "53300": _FULL,
    "42P01": _NO_TABLE,
    "3F": _NO_TABLE,
    "42703": _NO_COLUMN,
    "42501": _FORBIDDEN,
    "42601": _SYNTAX,
    "25006": NO_WRITING,
    "0A000": NO_WRITING,
    "42P11": NO_WRITING,
    "22": _VALUE,
    "57014": _STOPPED,
    "25P03": _LOST,
    "08": _LOST,
    "57": _LOST,
    "53": _SHORT,
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
    "unable to open": _NO_FILE,
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
def connecting() -> Iterator[None]:
    """Say why a database cannot be reached.

    Raises:
        DataError: Instead of an error of SQLAlchemy, or of a driver that is missing.

    """
    try:
        yield
    except ImportError:
        raise DataError(NO_DRIVER) from None
    except DBAPIError as error:
        raise DataError(_why_not_in(error)) from None
    except (SQLAlchemyError, ValueError, OSError):
        raise DataError(NO_ADDRESS) from None


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


def _why_not_in(error: DBAPIError) -> str:
    said, state = str(error.orig), _state(error)
    refused = refusal(error)
    if refused is not None:
        return _REFUSALS[refused]
    if state:
        return _REFUSED.format(state=f" (SQLSTATE {state})")
    if "resolve host" in said or "translate host" in said:
        return _NO_HOST
    return next((why for words, why in _SENTENCES.items() if words in said), _AWAY)


def _why_no_answer(error: DBAPIError, text: str) -> str:
    said, state = str(error.orig), _state(error)
    known = _STATES if state else _SENTENCES
    for mark, why in known.items():
        if state.startswith(mark) if state else mark in said:
            name = _name(said, text)
            return why.format(
                named=f" “{name}”" if name else "", near=f" near “{name}”" if name else ""
            )
    if not state and error.connection_invalidated:
        return _LOST
    # The server has sent it, and the driver has no day or time for it.
    if not state and isinstance(error, UnreadableError):
        return UNREADABLE
    return _OTHER.format(state=f" (SQLSTATE {state})" if state else "")


def _state(error: DBAPIError) -> str:
    """Return the SQLSTATE of an error, empty if it has none."""
    return getattr(error.orig, "sqlstate", None) or ""


def _name(said: str, text: str) -> str:
    """Return the name that an error is about, if it was typed by whoever asked."""
    for pattern in _NAMES:
        for name in pattern.findall(said.splitlines()[0] if said else ""):
            if str(name).casefold() in text.casefold():
                return str(name)
    return ""
