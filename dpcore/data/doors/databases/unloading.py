"""A table as PostgreSQL unloads it by COPY, read by pyarrow and not cell by cell.

Cells are those that the driver would make of them, at a fraction of the time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import psycopg
import pyarrow as pa
from psycopg import errors, pq, waiting
from psycopg.postgres import types as driven
from pyarrow import csv
from sqlalchemy.exc import DBAPIError

from dpcore.data.doors.databases.failures import UNREADABLE
from dpcore.data.doors.databases.gathering import all_missing, as_texts
from dpcore.errors import DataError

if TYPE_CHECKING:
    from psycopg.abc import PQGen
    from sqlalchemy import Connection

_SETTINGS: Final = (
    "SET LOCAL datestyle = 'ISO, YMD'",
    "SET LOCAL timezone = 'UTC'",
    # Floats in the fewest digits that give them back.
    "SET LOCAL extra_float_digits = 1",
)
_TEXT: Final = pa.dictionary(pa.int32(), pa.string())
_KINDS: Final[Mapping[int, pa.DataType]] = {
    16: pa.bool_(),
    **dict.fromkeys((20, 21, 23), pa.int64()),
    **dict.fromkeys((700, 701), pa.float64()),
    **dict.fromkeys((25, 1042, 1043, 1700, 2950), _TEXT),
    1082: pa.date32(),
    1114: pa.timestamp("us"),
    1184: pa.timestamp("us", tz="UTC"),
}
"""Of the types, by their number, that COPY writes as the driver hands them out."""


def can_unload(types: Sequence[int | None]) -> bool:
    """Tell whether all types are read here as the driver would hand them out."""
    return all(_kind(number) is not None for number in types)


def _kind(number: int | None) -> pa.DataType | None:
    # What the driver does not know, such as an enumeration, is text to both.
    foreign = number is not None and driven.get(number) is None
    return _TEXT if foreign else _KINDS.get(number or 0)


def unloaded(
    connection: Connection, statement: str, types: Sequence[int | None], rows: int
) -> Generator[list[pa.Array], None, None]:
    """Yield the columns that a statement gives, so many rows at a time. CONFIDENTIAL.

    ``statement`` is one that this program has written: nobody has typed it. It gives
    columns of ``types``, which are such that ``can_unload``. Closing it before the last
    row closes the connection.

    Raises:
        DataError: A day or time is none of a year from 1 to 9999.
        DBAPIError: The server does not answer.

    """
    kinds, ended = [_kind(number) for number in types], False
    try:
        with _as_sqlalchemy_says():
            for lines in _lines(connection, statement, rows):
                yield _columns(lines, kinds)
        ended = True
    finally:
        if not ended:
            connection.invalidate()


def _lines(connection: Connection, statement: str, rows: int) -> Iterator[list[bytes]]:
    """Yield the lines of CSV that the server sends, so many at a time.

    Each message is a line. The driver's own loop takes longer over it than the server.
    """
    for setting in _SETTINGS:
        connection.exec_driver_sql(setting)
    opened = connection.connection.dbapi_connection
    assert isinstance(opened, psycopg.Connection)  # noqa: S101 - by its driver
    server = opened.pgconn
    asked = f"COPY ({statement}) TO STDOUT (FORMAT csv, ENCODING 'UTF8')"
    begun = server.exec_(asked.encode())
    if begun.status != pq.ExecStatus.COPY_OUT:
        raise errors.error_from_result(begun)
    full = True
    while full:
        lines = waiting.wait(_some(server, rows), server.socket)
        full = len(lines) == rows
        if lines:
            yield lines
    while (result := server.get_result()) is not None:
        if result.status != pq.ExecStatus.COMMAND_OK:
            raise errors.error_from_result(result)


def _some(server: pq.abc.PGconn, rows: int) -> PQGen[list[bytes]]:
    """Return the next lines, fewer than ``rows`` only where no more come."""
    lines: list[bytes] = []
    while len(lines) < rows:
        size, line = server.get_copy_data(1)
        if size > 0:
            lines.append(bytes(line))
        elif size:
            break
        else:
            while not (yield waiting.Wait.R):
                pass
            server.consume_input()
    return lines


def _columns(lines: Sequence[bytes], kinds: Sequence[pa.DataType]) -> list[pa.Array]:
    content = b"".join(lines)
    names = [str(place) for place in range(len(kinds))]
    try:
        table = csv.read_csv(
            pa.BufferReader(content),
            read_options=csv.ReadOptions(
                column_names=names, block_size=len(content) + 1, use_threads=False
            ),
            parse_options=csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
            # Without quotation marks nothing is NULL; within, it is an empty text.
            convert_options=csv.ConvertOptions(
                column_types=dict(zip(names, kinds, strict=True)),
                null_values=[""],
                true_values=["t"],
                false_values=["f"],
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid:
        # What it says quotes the cell.
        raise DataError(UNREADABLE) from None
    return [_as_the_driver_has_it(column) for column in table.combine_chunks().columns]


def _as_the_driver_has_it(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    if array.null_count == len(array):
        return all_missing(len(array))
    return as_texts(array) if pa.types.is_date32(array.type) else array


@contextlib.contextmanager
def _as_sqlalchemy_says() -> Iterator[None]:
    """Raise the errors of the driver as those of the connection that it serves."""
    try:
        yield
    except psycopg.Error as error:
        # Of a connection that is dropped there is no word of the server.
        raise DBAPIError(None, None, error, connection_invalidated=error.sqlstate is None) from None
