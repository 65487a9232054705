"""A Parquet file, read into a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dpcore.data.reading import MAX_BYTES, check_number, column_names
from dpcore.data.storage import typed_column
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

_MARK: Final = b"PAR1"
_LOCKED: Final = b"PARE"
_FIRST_LINE: Final = 2
"""Rows are counted as the lines of a CSV file, whose first line is its header."""
_MOST_UNPACKED: Final = 10 * MAX_BYTES


def is_parquet(data: bytes) -> bool:
    """Return whether a file says at its beginning that it is a Parquet file."""
    return data.startswith((_MARK, _LOCKED))


def read_parquet(data: bytes) -> pd.DataFrame:
    """Return the table of a Parquet file, every cell of the type that it has there.

    ``dpcore.data.storage.typed_column`` says how the types are held. The index counts
    rows as lines, the first row being line 2. Column and row numbers of an error are
    those of the file.

    Raises:
        DataError: The file is damaged, locked, empty or too large, a column has no name
            or that of another one, or holds lists, records or bytes.

    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to import

    if len(data) > MAX_BYTES:
        message = (
            f"the file has more than {MAX_BYTES // 1024**2} MB. Upload fewer columns "
            "or rows."
        )
        raise DataError(message)
    if data.startswith(_LOCKED):
        message = "the Parquet file is encrypted. Save it without encryption."
        raise DataError(message)
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        schema = file.schema_arrow
        names = column_names(list(schema.names), None)
        for place, field in enumerate(schema, start=1):
            check_type(place, field.type)
        check_number(file.metadata.num_rows)
        _check_size(file)
        texts = [field.name for field in schema if is_text(field.type)]
        # Text is kept as one copy of each answer, however many rows have it.
        table = pq.read_table(pa.BufferReader(data), read_dictionary=texts)
        return framed(table, names)
    except (OSError, UnicodeError, pa.ArrowException):
        message = (
            "the Parquet file cannot be read: it is damaged, or was not sent to its "
            "end. Save the table once more, or upload it as CSV."
        )
        raise DataError(message) from None


def _check_size(file: pq.ParquetFile) -> None:
    facts = file.metadata
    groups = range(facts.num_row_groups)
    if sum(facts.row_group(i).total_byte_size for i in groups) > _MOST_UNPACKED:
        message = (
            f"unpacked the file has more than {_MOST_UNPACKED // 1024**3} GB. Upload "
            "fewer columns or rows."
        )
        raise DataError(message)


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column of such a type is stored as text."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    types = pa.types
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
    )


def check_type(place: int, kind: pa.DataType) -> None:
    """Refuse a column that holds lists, records or bytes.

    Raises:
        DataError: It does; says its ``place``, from 1.

    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    types = pa.types
    inner = kind.value_type if types.is_dictionary(kind) else kind
    known = (
        types.is_integer(inner)
        or types.is_floating(inner)
        or types.is_decimal(inner)
        or types.is_boolean(inner)
        or types.is_null(inner)
        or types.is_date(inner)
        or types.is_timestamp(inner)
        or is_text(inner)
    )
    if not known:
        message = (
            f"column {place} holds values of the type {kind}, which is neither a "
            "number, nor text, nor a day. Leave it out, or save it as one of these."
        )
        raise DataError(message, column=place)


def framed(table: pa.Table, names: list[str]) -> pd.DataFrame:
    """Return an Arrow table by other names."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    last = _FIRST_LINE + table.num_rows
    lines = pd.RangeIndex(_FIRST_LINE, last, name="line")
    columns = {
        name: typed_column(column).set_axis(lines)
        for name, column in zip(names, table.columns, strict=True)
    }
    return pd.DataFrame(columns, index=lines, copy=False)
