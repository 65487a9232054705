"""A table, or a statement, read from a database block by block by a cursor on the server."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from sqlalchemy import inspect, text

from dpcore.data import limits
from dpcore.data.cells import float_texts
from dpcore.data.readers.databases.connection import cancel, explained, no_table, opened
from dpcore.data.readers.databases.sources import Database, Statement
from dpcore.data.readers.file_table import typed_frame
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
                    raise DataError("the query returns no columns. Select at least one.")
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


# The rows that a database gives, gathered to a table.

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_WRITTEN: Final = frozenset((str, int, float, Decimal, dt.date, dt.time, UUID))
"""Types that may stand in one column, as they are written."""


@dataclass(slots=True)
class GatheredRows:
    """A table of which some rows are there. CONFIDENTIAL.

    Attributes:
        names: The names of its columns.
        rows: How many rows there are so far.

    """

    names: Sequence[str]
    rows: int = 0
    _bytes: int = 0
    _columns: list[list[pa.Array]] = field(default_factory=list)

    def add(self, columns: Sequence[pa.Array]) -> None:
        """Take over the next rows, at least one, as an array of each column.

        Raises:
            DataError: There are too many.

        """
        self.rows += len(columns[0])
        limits.check_rows(self.rows, len(columns))
        if not self._columns:
            self._columns = [[] for _ in self.names]
        for blocks, block in zip(self._columns, columns, strict=True):
            blocks.append(block)
            self._bytes += block.nbytes
            limits.check_unpacked(self._bytes)

    def whole(self) -> tuple[pd.DataFrame, frozenset[str]]:
        """Return the table, and which columns say yes or no by their type.

        What was gathered is given up column by column, so that nothing is held twice.

        Raises:
            DataError: There are no rows.

        """
        if not self.rows:
            raise DataError("the query returns no rows.")
        yes_no: set[str] = set()
        frame = typed_frame(self._columns_joined(yes_no), self.rows)
        return frame, frozenset(yes_no)

    def _columns_joined(self, yes_no: set[str]) -> Iterator[tuple[str, pa.ChunkedArray]]:
        """Yield each column, and note those that say yes or no by their type."""
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        for place, name in enumerate(self.names):
            blocks, self._columns[place] = self._columns[place], []
            values = _joined(blocks)
            if pa.types.is_boolean(values.type):
                yes_no.add(name)
            yield name, values


def arrays_of(rows: Sequence[Sequence[object]]) -> list[pa.Array]:
    """Return the columns of some rows, at least one, by the types that values have.

    Text, and what is read as text, is one copy of each answer.

    Raises:
        DataError: One holds what is no number, text or day; says its place.

    """
    return [
        _array_of(values, place) for place, values in enumerate(zip(*rows, strict=True), start=1)
    ]


def _array_of(values: Sequence[Any], place: int) -> pa.Array:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    found = set(map(type, values)) - {type(None)}
    if not found:
        return pa.nulls(len(values))
    (only,) = found if len(found) == 1 else (None,)
    typed: dict[type | None, pa.DataType] = {bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
    held = typed.get(only)
    if held is not None:
        # An integer of many digits is text.
        with contextlib.suppress(OverflowError):
            return pa.array(values, held)
    if only is dt.date:
        return pa.array(values, pa.date32()).cast(pa.string()).dictionary_encode()
    if only is dt.datetime:
        # Those of a time zone by the clock of Greenwich: so the table is the same whatever
        # zone a server or a session is set to.
        zoned = any(value is not None and value.tzinfo is not None for value in values)
        return pa.array(values, pa.timestamp("us", tz="UTC" if zoned else None))
    if found <= _WRITTEN:
        return _texts(values)
    named = ", ".join(sorted(kind.__name__ for kind in found - _WRITTEN))
    raise DataError(
        f"column {place} holds values of the type {named}, which is not a number, text or date. "
        "Leave it out, or select it as text: CAST(… AS text).",
        column=place,
    )


def _texts(values: Sequence[Any]) -> pa.Array:
    """Return values as they are written, one copy of each for all rows.

    A float is written as in a column of floats: 5.0 as "5". A decimal is written in plain
    digits, however many there are.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    floats = float_texts(value for value in values if isinstance(value, float))

    def text(value: object) -> str | None:
        if isinstance(value, float):
            return floats[value]
        return f"{value:f}" if isinstance(value, Decimal) else str(value)

    texts = [None if value is None else text(value) for value in values]
    return pa.array(texts, pa.string()).dictionary_encode()


def _joined(blocks: list[pa.Array]) -> pa.ChunkedArray:
    """Return all blocks of a column: as what all of them are, or as text.

    A database whose columns have no types may give integers beside floats: an integer
    keeps all of its digits.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    kinds = {block.type for block in blocks if not pa.types.is_null(block.type)}
    if not kinds:
        return pa.chunked_array(blocks, pa.null())
    if len(kinds) > 1:
        blocks = [_texts(block.to_pylist()) for block in blocks]
        kinds = {blocks[0].type}
    (kind,) = kinds
    return pa.chunked_array([block.cast(kind) for block in blocks]).unify_dictionaries()
