"""A query that is carried out, block by block, and what the database says of it."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import inspect, text
from sqlalchemy.exc import DBAPIError

from dpcore.data.doors.databases.asking import Asked
from dpcore.data.doors.databases.connections import beside, cancel, opened
from dpcore.data.doors.databases.failures import explained, no_table
from dpcore.data.doors.databases.gathering import arrays_of
from dpcore.data.doors.databases.named import Database
from dpcore.data.doors.databases.ranges import AHEAD, in_turn, ranges_of
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa
    from sqlalchemy import Connection
    from sqlalchemy.engine.interfaces import DBAPICursor


_INTEGERS: Final = frozenset((20, 21, 23))
"""Types of PostgreSQL, by their numbers."""
_UNCOUNTED: Final = 32
"""Ranges of a table whose rows the server has not counted yet."""
_AS_IT_STANDS: Final = {"no_parameters": True}
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
        columns: An array of each column: the rows, in their order, at least one; empty
            of the header.

    """

    names: tuple[str, ...]
    said: Mapping[str, Said] = field(default_factory=dict)
    expected: int | None = None
    types: tuple[int | None, ...] = ()
    columns: Sequence[pa.Array] = field(repr=False, default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What is to be read.

    Attributes:
        statement: A statement that gives all of it.
        table: The quoted name of the table, empty if none was named.
        key: The quoted names of the columns of its primary key, if it has one.
        first: The name of the first of them as it is.

    """

    statement: str
    table: str = ""
    key: tuple[str, ...] = ()
    first: str = ""


class Query:
    """A table, or a statement, to be read from a database."""

    def __init__(self, database: Database, asked: Asked) -> None:
        self._database = database
        self._asked = asked
        self._connections: list[Connection] = []

    def blocks(self) -> Generator[Block, None, None]:
        """Yield the header, without rows, and then the rows, as they come.

        All are of the same moment. A table by its name comes in the order of its
        primary key, if it has one; else the order is for the statement to say.

        Of PostgreSQL a table with a key is unloaded, in ranges of the key by two
        connections at once where its first column is an integer. Anything else comes by
        a cursor.

        Raises:
            DataError: The database cannot be reached, or does not answer.

        """
        with opened(self._database) as connection, explained(self._asked.text):
            self._connections.append(connection)
            wanted = _wanted(connection, self._asked)
            header = _unloadable(connection, wanted)
            if header is None:
                yield from self._by_cursor(wanted)
            else:
                yield header
                yield from self._unloaded(wanted, header)

    def cancel(self) -> None:
        """End what the database does for it, from another thread."""
        for connection in tuple(self._connections):
            cancel(connection)

    def _by_cursor(self, wanted: _Wanted) -> Generator[Block, None, None]:
        (connection,) = self._connections
        said: Mapping[str, Said] = {}
        expected = None
        if wanted.table and connection.dialect.name == "postgresql":
            said, expected = _known(connection, wanted.table)
        result = connection.exec_driver_sql(
            wanted.statement, execution_options={**_AS_IT_STANDS, "stream_results": True}
        )
        with contextlib.closing(result):
            names = tuple(result.keys())
            if not names:
                raise DataError("what is asked for has no columns. Name some.")
            types = _types(result.cursor)
            yield Block(names=names, said=said, expected=expected, types=types)
            for rows in result.partitions(_rows(names)):
                yield Block(names=names, columns=arrays_of(rows))

    def _unloaded(self, wanted: _Wanted, header: Block) -> Generator[Block, None, None]:
        from dpcore.data.doors.databases.unloading import unloaded  # noqa: PLC0415 - needs a driver

        rows = _rows(header.names)
        (connection,) = self._connections
        parts = _parts(connection, wanted, header, rows)
        with contextlib.ExitStack() as stack:
            # One is enough where the server or its limits allow no other.
            with contextlib.suppress(DataError, DBAPIError):
                if len(parts) > 1:
                    other = stack.enter_context(beside(self._database, connection))
                    self._connections.append(other)
            readers = [
                partial(unloaded, each, types=header.types, rows=rows) for each in self._connections
            ]
            with contextlib.closing(in_turn(readers, parts, self.cancel)) as blocks:
                for columns in blocks:
                    yield Block(names=header.names, columns=columns)


def _types(cursor: DBAPICursor) -> tuple[int | None, ...]:
    told = (column[1] for column in cursor.description or ())
    return tuple(each if isinstance(each, int) else None for each in told)


def _wanted(connection: Connection, asked: Asked) -> _Wanted:
    if not asked.table:
        return _Wanted(statement=asked.text)
    *schemas, typed = asked.table
    schema = schemas[-1] if schemas else None
    table = _found(connection, typed, schema)
    if table is None:
        raise no_table(asked.text)
    name = ".".join(map(_quoted, (*schemas[-1:], table)))
    key = inspect(connection).get_pk_constraint(table, schema)["constrained_columns"]
    quoted = tuple(map(_quoted, key))
    return _Wanted(
        statement=_select(name, key=quoted), table=name, key=quoted, first=key[0] if key else ""
    )


def _quoted(name: str) -> str:
    # SQLAlchemy writes a percent sign twice, for statements with parameters.
    return '"{}"'.format(name.replace('"', '""'))


def _select(table: str, condition: str = "", key: tuple[str, ...] = ()) -> str:
    where = f" WHERE {condition}" if condition else ""
    order = f" ORDER BY {', '.join(key)}" if key else ""
    return f"SELECT * FROM {table}{where}{order}"  # noqa: S608 - quoted


def _unloadable(connection: Connection, wanted: _Wanted) -> Block | None:
    """Return the header of a table that is to be unloaded; ``None`` of anything else.

    A view has no key: what it shows may follow the settings of a connection.
    """
    if not wanted.key or connection.dialect.name != "postgresql":
        return None
    from dpcore.data.doors.databases.unloading import can_unload  # noqa: PLC0415 - needs a driver

    header = _header(connection, wanted)
    return header if can_unload(header.types) else None


def _header(connection: Connection, wanted: _Wanted) -> Block:
    said, expected = _known(connection, wanted.table)
    nothing = _select(wanted.table, "false")
    found = connection.exec_driver_sql(nothing, execution_options=_AS_IT_STANDS)
    with contextlib.closing(found) as result:
        return Block(
            names=tuple(result.keys()), said=said, expected=expected, types=_types(result.cursor)
        )


def _parts(connection: Connection, wanted: _Wanted, header: Block, rows: int) -> list[str]:
    """Return statements that give the table when they are carried out one by one.

    Each gives about as many rows as a reader may be ahead, if keys are spread evenly.
    """
    key = wanted.key[0]
    if header.types[header.names.index(wanted.first)] not in _INTEGERS:
        return [wanted.statement]
    ends = f"SELECT min({key}), max({key}) FROM {wanted.table}"  # noqa: S608 - quoted
    found = connection.exec_driver_sql(ends, execution_options=_AS_IT_STANDS)
    first, last = found.one()
    if first is None:
        return [wanted.statement]
    expected = header.expected
    count = _UNCOUNTED if expected is None else expected // (rows * AHEAD) + 1
    return [
        _select(wanted.table, f"{key} BETWEEN {low} AND {high}", wanted.key)
        for low, high in ranges_of(first, last, count)
    ]


def _rows(names: Sequence[str]) -> int:
    """Return how many rows of so many columns come at a time."""
    return max(1, _CELLS // max(len(names), 1))


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


def _known(connection: Connection, table: str) -> tuple[dict[str, Said], int | None]:
    """Return what a PostgreSQL says of columns, and about how many rows there are.

    The number is that which was counted last; it may not have been done so yet.
    """
    found: Sequence[Any] = connection.execute(_SAID, {"name": table}).all()
    said = {
        line.attname: Said(meaning=line.meaning or "", answers=tuple(line.answers))
        for line in found
    }
    counted = connection.execute(_COUNTED, {"name": table}).scalar()
    return said, counted if counted is not None and counted > 0 else None
