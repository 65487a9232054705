"""A table, or a statement, read from a database block by block by a cursor on the server."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import inspect, text

from dpcore.data.readers.databases.connection import cancel, explained, no_table, opened
from dpcore.data.readers.databases.rows import arrays_of
from dpcore.data.readers.databases.sources import Database, Statement
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa
    from sqlalchemy import Connection


_CELLS: Final = 1 << 17
"""Cells of a block: fetched at a time, some megabytes."""
_DESCRIPTIONS: Final = text("""
    SELECT attname, col_description(attrelid, attnum) AS meaning,
        ARRAY(SELECT enumlabel::text FROM pg_enum
            WHERE enumtypid = atttypid ORDER BY enumsortorder) AS answers
    FROM pg_attribute
    WHERE attrelid = to_regclass(:name) AND attnum > 0 AND NOT attisdropped
""")
_ROW_COUNT: Final = text("SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass(:name)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnComment:
    """What the description of a table says of a column. Public, as a code book is.

    Attributes:
        meaning: A comment on it.
        answers: Those that its type allows, in their order; empty of any other type.

    """

    meaning: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableHeader:
    """The columns of what is asked for. Public.

    Attributes:
        names: The names of the columns.
        comments: What the table says of some of them.
        expected: About how many rows there are in all, where the server has counted.

    """

    names: tuple[str, ...]
    comments: Mapping[str, ColumnComment] = field(default_factory=dict)
    expected: int | None = None


class DatabaseQuery:
    """A table, or a statement, to be read from a database."""

    def __init__(self, database: Database, statement: Statement) -> None:
        self._database = database
        self._statement = statement
        self._connection: Connection | None = None

    def blocks(self) -> Generator[TableHeader | list[pa.Array], None, None]:
        """Yield the header, and then the rows as they come, an array of each column.

        All are of the same moment. A table by its name comes in the order of its
        primary key, if it has one; else the order is for the statement to say.

        Raises:
            DataError: The database cannot be reached, or does not answer.

        """
        with opened(self._database) as connection, explained(self._statement.text):
            self._connection = connection
            comments: Mapping[str, ColumnComment] = {}
            wanted, expected = self._statement.text, None
            if self._statement.table:
                table, key = _table_and_key(connection, self._statement)
                order = f" ORDER BY {', '.join(key)}" if key else ""
                wanted = f"SELECT * FROM {table}{order}"  # noqa: S608 - quoted
                if connection.dialect.name == "postgresql":
                    comments, expected = _described(connection, table)
            # Percent signs and colons are no places of parameters.
            options = {"no_parameters": True, "stream_results": True}
            result = connection.exec_driver_sql(wanted, execution_options=options)
            with contextlib.closing(result):
                names = tuple(result.keys())
                if not names:
                    raise DataError("what is asked for has no columns. Name some.")
                yield TableHeader(names=names, comments=comments, expected=expected)
                for rows in result.partitions(max(1, _CELLS // len(names))):
                    yield arrays_of(rows)

    def cancel(self) -> None:
        """End what the database does for it, from another thread."""
        if self._connection is not None:
            cancel(self._connection)


def _table_and_key(connection: Connection, statement: Statement) -> tuple[str, tuple[str, ...]]:
    """Return the quoted names of a table and of the columns of its primary key."""
    *schemas, typed = statement.table
    schema = schemas[-1] if schemas else None
    table = _spelled(connection, typed, schema)
    if table is None:
        raise no_table(statement.text)
    key = inspect(connection).get_pk_constraint(table, schema)["constrained_columns"]
    return ".".join(map(_quoted, (*schemas[-1:], table))), tuple(map(_quoted, key))


def _quoted(name: str) -> str:
    # SQLAlchemy writes a percent sign twice, for statements with parameters.
    return '"{}"'.format(name.replace('"', '""'))


def _spelled(connection: Connection, typed: str, schema: str | None) -> str | None:
    """Return how a table is spelled: as typed, or but for capital letters."""
    catalog = inspect(connection)
    if schema is not None and schema not in catalog.get_schema_names():
        return None
    if catalog.has_table(typed, schema):
        return typed
    there = [*catalog.get_table_names(schema), *catalog.get_view_names(schema)]
    alike = [name for name in there if name.casefold() == typed.casefold()]
    return alike[0] if len(alike) == 1 else None


def _described(connection: Connection, table: str) -> tuple[dict[str, ColumnComment], int | None]:
    """Return what a PostgreSQL says of columns, and about how many rows there are.

    The number is that which was counted last; it may not have been done so yet.
    """
    found: Sequence[Any] = connection.execute(_DESCRIPTIONS, {"name": table}).all()
    comments = {
        line.attname: ColumnComment(meaning=line.meaning or "", answers=tuple(line.answers))
        for line in found
    }
    counted = connection.execute(_ROW_COUNT, {"name": table}).scalar()
    return comments, counted if counted is not None and counted > 0 else None
