"""A Parquet file, read into a table, and which columns of typed files are read."""

from __future__ import annotations

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
            "the Parquet file cannot be read: it is damaged, or was not sent to its "
            "end. Save the table once more, or upload it as CSV."
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
