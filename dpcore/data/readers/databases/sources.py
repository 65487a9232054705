"""The databases that the administrator names, and what is asked of one.

Addresses are seen by nobody else. A table is asked for by its name, or by one statement
that reads.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Final

from dpcore.errors import DataError

VARIABLE: Final = "EPSILON_STUDIO_DATABASES"
NO_DRIVER: Final = (
    "the database packages are not installed. Ask the administrator to install "
    "epsilon-studio[postgresql], or requirements-postgresql.txt."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """A database that may be read.

    Attributes:
        name: What people call it. Public.
        address: The URL of SQLAlchemy that leads to it. It may hold a password: it is
            not to be shown, logged or kept.

    """

    name: str
    address: str = field(repr=False)


def databases() -> tuple[Database, ...]:
    """Return the databases that ``$EPSILON_STUDIO_DATABASES`` names, in its order.

    Each line is a name, ``=`` and an address. Blank lines, and those that begin with
    ``#``, are left out.

    Raises:
        DataError: A line is none of that, or a name is there twice; says which line,
            and nothing of what it holds.

    """
    found: dict[str, Database] = {}
    lines = os.environ.get(VARIABLE, "").splitlines()
    for number, line in enumerate(map(str.strip, lines), start=1):
        if not line or line.startswith("#"):
            continue
        name, _, address = (part.strip() for part in line.partition("="))
        # An address without a name has its own signs of equality, and a password.
        if not address or not name or "://" in name:
            problem = "is no name with an address, such as clinic=postgresql://…"
        elif name in found:
            problem = "has the name of a line before"
        else:
            found[name] = Database(name=name, address=address)
            continue
        raise DataError(
            f"line {number} of {VARIABLE} {problem}. Ask the administrator to correct it."
        )
    return tuple(found.values())


_TOKEN: Final = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | \$(\w*)\$.*?\$\1\$ | (--[^\n]*|/\*.*?\*/) |
    (;)""",
    re.DOTALL | re.VERBOSE,
)
"""Texts, quoted names, comments, and ends of statements."""
_PART: Final = re.compile(r'"((?:[^"]|"")+)"|([^."]+)')
_READS: Final = frozenset(("select", "with", "values"))
_WRITES: Final = frozenset(
    ("insert", "update", "delete", "merge", "replace", "create", "alter", "drop",
     "truncate", "grant", "revoke", "copy", "call", "do", "set", "begin", "commit",
     "rollback", "vacuum", "attach", "pragma", "lock", "refresh", "reindex", "execute")
)  # fmt: skip
_EMPTY: Final = "type the name of a table, or a SELECT that gives the table to be read."
_SEVERAL: Final = "only one statement is allowed. Delete the text before or after the semicolon."
NO_WRITING: Final = (
    "this would write to the database, which is only read here. Nothing was changed. "
    "Ask by a SELECT that reads."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What is asked of a database.

    Attributes:
        text: A statement without its end, or the name of a table.
        table: The parts of the name, such as schema and table; empty of a statement.

    """

    text: str
    table: tuple[str, ...] = ()


def asked(text: str) -> Statement:
    """Return what somebody has typed: the name of a table, or a SELECT.

    A statement begins with SELECT, WITH or VALUES. Whether it only reads is for the
    database to say; words that never do are refused before it is asked.

    Raises:
        DataError: Nothing was typed, several statements, or one that writes.

    >>> asked("clinic.visits").table
    ('clinic', 'visits')
    >>> asked("SELECT age FROM visits;").text
    'SELECT age FROM visits'

    """
    bare = _TOKEN.sub(_without_comment, text).strip().removesuffix(";").rstrip()
    if not bare:
        raise DataError(_EMPTY)
    if any(found.group(3) for found in _TOKEN.finditer(bare)):
        raise DataError(_SEVERAL)
    words = bare.split()
    first = words[0].casefold().lstrip("(")
    if first in _READS and (len(words) > 1 or bare.startswith("(")):
        return Statement(text=bare)
    if first in _WRITES and len(words) > 1:
        raise DataError(NO_WRITING)
    parts = ((quoted.replace('""', '"') or plain.strip()) for quoted, plain in _PART.findall(bare))
    return Statement(text=bare, table=tuple(filter(None, parts)))


def _without_comment(found: re.Match[str]) -> str:
    return " " if found.group(2) else found.group()
