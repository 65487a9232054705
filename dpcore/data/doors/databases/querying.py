"""A query that is carried out, block by block, and what the database says of it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import inspect, text

from dpcore.data.doors.databases.connections import cancel, opened
from dpcore.data.doors.databases.failures import explained, no_table
from dpcore.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from sqlalchemy import Connection
    from sqlalchemy.engine.interfaces import DBAPICursor

    from dpcore.data.doors.databases.asking import Asked
    from dpcore.data.doors.databases.named import Database

_CELLS: Final = 1 << 17
"""Cells of a block: fetched at a time, some megabytes."""
_SAID: Final = text("""
    SELECT attname, col_description(attrelid, attnum) AS meaning,
        ARRAY(SELECT enumlabel::text FROM pg_enum
            WHERE enumtypid = atttypid ORDER BY enumsortorder) AS answers
    FROM pg_attribute
    WHERE attrelid = to_regclass(:name) AND attnum > 0 AND NOT attisdropped
""")
_COUNTED: Final = text("""
    SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass(:name)
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the description of a table says of a column. Public, as a code book is.

    Attributes:
        meaning: A comment on it.
        answers: Those that its type allows, in their order; empty of any other type.

    """

    meaning: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Some rows. CONFIDENTIAL but for what is said of the columns.

    Attributes:
        names: The names of the columns.
        said: What the table says of some of them.
        expected: About how many rows there are in all, where the server has counted.
        types: The types of the columns: of PostgreSQL their numbers, else ``None``.
        rows: The rows, in their order.

    """

    names: tuple[str, ...]
    said: Mapping[str, Said] = field(default_factory=dict)
    expected: int | None = None
    types: tuple[int | None, ...] = ()
    rows: Sequence[Sequence[object]] = field(repr=False, default=())


class Query:
    """A table, or a statement, to be read from a database."""

    def __init__(self, database: Database, asked: Asked) -> None:
        self._database = database
        self._asked = asked
        self._connection: Connection | None = None

    def blocks(self) -> Generator[Block, None, None]:
        """Yield the header, without rows, and then the rows, as they come.

        All are of the same moment. A table by its name comes in the order of its
        primary key, if it has one; else the order is for the statement to say.

        Raises:
            DataError: The database cannot be reached, or does not answer.

        """
        with opened(self._database) as connection, explained(self._asked.text):
            self._connection = connection
            statement, table = _statement(connection, self._asked)
            said, expected = {}, None
            if table and connection.dialect.name == "postgresql":
                said, expected = _said(connection, table), _expected(connection, table)
            result = connection.exec_driver_sql(
                statement,
                execution_options={"no_parameters": True, "stream_results": True},
            )
            with contextlib.closing(result):
                names = tuple(result.keys())
                if not names:
                    message = "what is asked for has no columns. Name some."
                    raise DataError(message)
                types = _types(result.cursor)
                yield Block(names=names, said=said, expected=expected, types=types)
                for rows in result.partitions(max(1, _CELLS // max(len(names), 1))):
                    yield Block(names=names, rows=rows)

    def cancel(self) -> None:
        """End what the database does for it, from another thread."""
        if self._connection is not None:
            cancel(self._connection)


def _types(cursor: DBAPICursor) -> tuple[int | None, ...]:
    told = (column[1] for column in cursor.description or ())
    return tuple(each if isinstance(each, int) else None for each in told)


def _statement(connection: Connection, asked: Asked) -> tuple[str, str]:
    """Return what to ask, and the quoted name of the table, if that was asked for."""
    if not asked.table:
        return asked.text, ""
    *schemas, typed = asked.table
    schema = schemas[-1] if schemas else None
    table = _found(connection, typed, schema)
    if table is None:
        raise no_table(asked.text)
    quote = connection.dialect.identifier_preparer.quote_identifier
    name = ".".join(quote(part) for part in (*schemas[-1:], table))
    key = inspect(connection).get_pk_constraint(table, schema)["constrained_columns"]
    order = f" ORDER BY {', '.join(map(quote, key))}" if key else ""
    return f"SELECT * FROM {name}{order}", name  # noqa: S608 - quoted


def _found(connection: Connection, typed: str, schema: str | None) -> str | None:
    """Return how a table is spelled: as typed, or but for capital letters."""
    about = inspect(connection)
    if schema is not None and schema not in about.get_schema_names():
        return None
    if about.has_table(typed, schema):
        return typed
    there = [*about.get_table_names(schema), *about.get_view_names(schema)]
    alike = [name for name in there if name.casefold() == typed.casefold()]
    return alike[0] if len(alike) == 1 else None


def _said(connection: Connection, table: str) -> dict[str, Said]:
    found: Sequence[Any] = connection.execute(_SAID, {"name": table}).all()
    return {
        line.attname: Said(meaning=line.meaning or "", answers=tuple(line.answers))
        for line in found
    }


def _expected(connection: Connection, table: str) -> int | None:
    """Return how many rows the server has counted last; it may not have done so yet."""
    counted = connection.execute(_COUNTED, {"name": table}).scalar()
    return counted if counted is not None and counted > 0 else None
