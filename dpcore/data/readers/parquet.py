"""A Parquet file, read into a table, and which columns of typed files are read."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, NamedTuple

from dpcore.data import limits
from dpcore.data.column_storage import is_text
from dpcore.data.readers.file_table import FileTable, column_names, typed_frame
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pyarrow as pa

_MARK: Final = b"PAR1"
_LOCKED: Final = b"PARE"
_CODE_BYTES: Final = 4
"""Text is held as a code for each cell."""
_ROW_NUMBERS: Final = "__index_level_0__"
"""A column that pandas adds for its own use."""


class ReadableColumns(NamedTuple):
    """The columns of a typed file that can be read."""

    places: list[int]
    names: list[str]
    notes: tuple[str, ...]
    """Which columns are left out, and why. A sentence each."""

    def table(self, cells: pa.Table) -> FileTable:
        """Return an Arrow table of these columns, in their order, as it is held."""
        columns = zip(self.names, cells.columns, strict=True)
        return FileTable(frame=typed_frame(columns, cells.num_rows), notes=self.notes)


def is_parquet(data: bytes) -> bool:
    """Return whether a file says at its beginning that it is a Parquet file."""
    return data.startswith((_MARK, _LOCKED))


def read_parquet(data: bytes) -> FileTable:
    """Return the table of a Parquet file, every cell of the type that it has there.

    ``dpcore.data.column_storage.typed_column`` says how the types are held. The index counts
    rows as lines, the first row being line 2. Column and row numbers of an error are
    those of the file. Columns are left out where ``readable`` says so.

    Raises:
        DataError: The file is damaged, locked, empty or too large, a column has no name
            or that of another one, or no column can be read.

    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to import

    limits.check_bytes(len(data))
    if data.startswith(_LOCKED):
        raise DataError("the Parquet file is encrypted. Save it without encryption.")
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        schema, facts = file.schema_arrow, file.metadata
        kept = readable(schema)
        rows = facts.num_rows
        limits.check_rows(rows, len(kept.places))
        # As the values are written, before packing: a run of one value is that value.
        written = sum(facts.row_group(i).total_byte_size for i in range(facts.num_row_groups))
        limits.check_unpacked(max(written, held_bytes(schema, kept, rows)))
        texts = [field.name for field in schema if is_text(field.type)]
        # Text is kept as one copy of each answer, however many rows have it.
        some = len(kept.places) < len(schema)
        columns = [schema.field(place).name for place in kept.places] if some else None
        table = pq.read_table(pa.BufferReader(data), columns=columns, read_dictionary=texts)
        return kept.table(table)
    except (OSError, UnicodeError, pa.ArrowException):
        raise DataError(
            "the Parquet file cannot be read: it is damaged or incomplete. Save the table again, "
            "or upload it as CSV."
        ) from None


def held_bytes(schema: pa.Schema, kept: ReadableColumns, rows: int) -> int:
    """Return how many bytes the columns take in memory at least.

    A run of one value is written as that value, and takes its place in every row.
    """
    return rows * sum(_width(schema.field(place).type) for place in kept.places)


def _width(kind: pa.DataType) -> int:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    if is_text(kind) or pa.types.is_dictionary(kind):
        return _CODE_BYTES
    return 0 if pa.types.is_null(kind) else -(-int(kind.bit_width) // 8)


def readable(schema: pa.Schema) -> ReadableColumns:
    """Return the columns that hold numbers, text, truth values, days or moments.

    Columns of lists, records, bytes, times and durations are left out. So are row
    numbers that pandas has added.

    Raises:
        DataError: A column has no name or that of another one, or none can be read.

    """
    kept = [at for at, field in enumerate(schema) if field.name != _ROW_NUMBERS]
    names = column_names([schema.field(at).name for at in kept], None)
    places, found, notes = [], [], []
    for place, name in zip(kept, names, strict=True):
        kind = schema.field(place).type
        if _is_readable(kind):
            places.append(place)
            found.append(name)
        else:
            notes.append(f"The column “{name}” is left out: its type {kind} cannot be read.")
    if not places:
        raise DataError("no column of the file holds numbers, text or dates. Add one.")
    return ReadableColumns(places, found, tuple(notes))


def _is_readable(kind: pa.DataType) -> bool:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    types = pa.types
    inner = kind.value_type if types.is_dictionary(kind) else kind
    return bool(
        types.is_integer(inner)
        or types.is_floating(inner)
        or types.is_decimal(inner)
        or types.is_boolean(inner)
        or types.is_null(inner)
        or types.is_date(inner)
        or types.is_timestamp(inner)
        or is_text(inner)
    )


# An Arrow or Feather file, read into a table.

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
            "the Arrow file cannot be read: it is damaged or incomplete. Save the table again, "
            "or upload it as CSV."
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
