"""What is asked of a database: a table by its name, or one statement that reads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from dpcore.errors import DataError

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
_SEVERAL: Final = (
    "these are several statements, and one is asked at a time. Delete what stands "
    "before or after the semicolon."
)
NO_WRITING: Final = (
    "this would write to the database, which is only read here. Nothing was changed. "
    "Ask by a SELECT that reads."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of a database.

    Attributes:
        text: A statement without its end, or the name of a table.
        table: The parts of the name, such as schema and table; empty of a statement.

    """

    text: str
    table: tuple[str, ...] = ()


def asked(text: str) -> Asked:
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
        return Asked(text=bare)
    if first in _WRITES and len(words) > 1:
        raise DataError(NO_WRITING)
    parts = ((quoted.replace('""', '"') or plain.strip()) for quoted, plain in _PART.findall(bare))
    return Asked(text=bare, table=tuple(filter(None, parts)))


def _without_comment(found: re.Match[str]) -> str:
    return " " if found.group(2) else found.group()
