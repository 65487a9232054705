"""An Arrow or Feather file, read into a table."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from dpcore.data import limits
from dpcore.data.column_storage import is_text
from dpcore.data.readers.file_table import FileTable
from dpcore.data.readers.parquet import held_bytes, readable
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa


_FILE: Final = b"ARROW1\0\0"
_STREAM: Final = b"\xff\xff\xff\xff"
_OLD: Final = b"FEA1"
_WHOLE: Final = -1
"""Stands for the length of a buffer that was not packed."""
_DICTIONARY, _ROWS = 2, 3
"""Messages with values: the answers of a column, and rows."""


def is_arrow(data: bytes) -> bool:
    """Return whether a file says at its beginning that it is one of Arrow or Feather.

    A stream begins with a mark of four bytes that no text can have.
    """
    return data.startswith((_FILE, _STREAM, _OLD))


def read_arrow(data: bytes) -> FileTable:
    """Return the table of an Arrow file or stream, as ``read_parquet`` returns another.

    Raises:
        DataError: The file is damaged, of Feather's first version, empty or too large,
            a column has no name or that of another one, or none can be read.

    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    limits.check_bytes(len(data))
    if data.startswith(_OLD):
        raise DataError(
            "the file is of the first version of Feather, which is no longer written. "
            "Save it as Parquet, or as Feather of version 2."
        )
    # A file is a stream between a mark and a list of its parts.
    stream = pa.py_buffer(memoryview(data)[len(_FILE) * data.startswith(_FILE) :])
    try:
        limits.check_unpacked(_unpacked(stream))
        with pa.ipc.open_stream(stream) as reader:
            kept = readable(reader.schema)
            cells = reader.read_all()
        cells.validate(full=True)
        limits.check_rows(cells.num_rows, len(kept.places))
        limits.check_unpacked(held_bytes(reader.schema, kept, cells.num_rows))
        return kept.table(_shared(cells.select(kept.places)))
    except (OSError, UnicodeError, MemoryError, struct.error, pa.ArrowException):
        raise DataError(
            "the Arrow file cannot be read: it is damaged, or was not sent to its end. "
            "Save the table once more, or upload it as CSV."
        ) from None


def _shared(table: pa.Table) -> pa.Table:
    """Return it with text as one copy of each answer, however many rows have it."""
    for place, field in enumerate(table.schema):
        if is_text(field.type):
            encoded = table.column(place).dictionary_encode()
            table = table.set_column(place, field.name, encoded)
    return table


def _unpacked(stream: pa.Buffer) -> int:
    """Return how many bytes the values of a stream take, before any is unpacked.

    A packed buffer begins with its length. A small file that would fill the memory is
    so refused before it does.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    total = 0
    for message in pa.ipc.MessageReader.open_stream(pa.BufferReader(stream)):
        body = memoryview(message.body or b"")
        total += max(len(body), sum(_packed(memoryview(message.metadata), body)))
    return total


def _packed(metadata: memoryview, body: memoryview) -> list[int]:
    """Return what the packed buffers of a message say of their lengths.

    The message is a FlatBuffer: tables point to their fields by offsets. Its fields
    are those of the Arrow format, "Message.fbs".
    """
    message = _table(metadata, 0)
    kind, header = _field(metadata, message, 1), _field(metadata, message, 2)
    if kind is None or header is None or metadata[kind] not in {_DICTIONARY, _ROWS}:
        return []
    rows = _table(metadata, header)
    if metadata[kind] == _DICTIONARY:
        held = _field(metadata, rows, 1)
        if held is None:
            return []
        rows = _table(metadata, held)
    buffers = _field(metadata, rows, 2)
    if _field(metadata, rows, 3) is None or buffers is None:  # nothing is packed
        return []
    start = buffers + _whole("<I", metadata, buffers)
    found = []
    for place in range(_whole("<I", metadata, start)):
        offset, length = struct.unpack_from("<qq", metadata, start + 4 + 16 * place)
        if length:
            found.append(_whole("<q", body, offset))
    return [length for length in found if length != _WHOLE]


def _table(data: memoryview, pointer: int) -> int:
    return pointer + _whole("<I", data, pointer)


def _field(data: memoryview, table: int, number: int) -> int | None:
    """Return where a field of a table stands; None where it has none."""
    listing = table - _whole("<i", data, table)
    entry = 4 + 2 * number
    if entry >= _whole("<H", data, listing):
        return None
    offset = _whole("<H", data, listing + entry)
    return table + offset if offset else None


def _whole(kind: str, data: memoryview, place: int) -> int:
    if place < 0:
        raise struct.error
    (number,) = struct.unpack_from(kind, data, place)
    return int(number)
