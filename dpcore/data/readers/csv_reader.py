"""Reading a CSV file, or saying where and why it cannot be read.

Numbers are copied to their place in a column while the next block of records is parsed
into the memory that this one leaves: joined at the end, a large table would be held twice.
"""

from __future__ import annotations

import contextlib
import io
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import in_turn
from dpcore.data import limits
from dpcore.data.column_storage import column_of, compressed, joined
from dpcore.data.dialects import Dialect
from dpcore.data.encodings import UTF16_MARKS, decodes
from dpcore.data.limits import Proceed
from dpcore.data.readers.csv_records import (
    Lines,
    header_fields,
    header_start,
    records,
    regular_lines,
    separated,
    unquoted_lines,
)
from dpcore.data.readers.file_table import column_names
from dpcore.data.readers.plain_numbers import plain_numbers
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


_HEADER_BYTES: Final = 1 << 20
_CELLS: Final = 1 << 17
_FEWEST: Final = 4096
_LINES_A_RECORD: Final = 2
"""Lines a record on average at most: others are blank, or within quotation marks."""
_MARK: Final = b"\xef\xbb\xbf"
_SIGNATURES: Final = {
    b"PK\x03\x04": "an Excel file (or another zip archive); save it as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel file (.xls), or one with a password; save it "
    "as CSV, or as .xlsx without a password",
    b"\x1f\x8b": "a gzip archive; unpack it",
    b"PAR1": "a Parquet file; save it as CSV",
    b"%PDF": "a PDF document; save the table in it as CSV",
    b"\x89PNG": "an image; upload a table as CSV",
    b"\xff\xd8\xff": "an image; upload a table as CSV",
}


def read_csv(
    data: bytes | BinaryIO, dialect: Dialect, proceed: Proceed = limits.always
) -> pd.DataFrame:
    """Return the table of a CSV file whose first record is the header.

    Lines that the dialect skips come before it.

    Cells are kept as they are written, but for white space around them
    (``dpcore.data.column_storage``); a blank one is missing. What they mean is for the
    declaration of their column to say. The index is the line of the file at which each
    record begins, the header normally being line 1. Blank lines are skipped.

    ``proceed`` is called between blocks, and may end the reading by what it raises.

    Raises:
        DataError: The file is empty, too large, not text, in another encoding, or not
            a table of named columns with equally long records.

    """
    proceed()
    text = _bytes(data)
    for signature, advice in _SIGNATURES.items():
        if text.startswith(signature):
            raise DataError(f"this is not a CSV file. It looks like {advice}.")
    if text.startswith(UTF16_MARKS) and not dialect.encoding.startswith("utf-16"):
        raise DataError("the file is written in UTF-16. Choose the encoding utf-16.", line=1)
    text = _in_utf8(text, dialect.encoding)
    at = text.find(b"\0")
    if at >= 0:
        line = text.count(b"\n", 0, at) + 1
        raise DataError(
            f"line {line} contains a NUL byte, so this is not a CSV file in the chosen "
            "encoding. Export the table as CSV, or choose utf-16.",
            line=line,
        )
    table, mark, first = _from_header(text, dialect)
    names = column_names(header_fields(table, delimiter=mark, line=first), first)
    lines: Lines | None = unquoted_lines(table, fields=len(names), first=first)
    proceed()
    if lines is not None:
        # Raised for a blank line, and for one of another number of fields.
        with contextlib.suppress(ValueError):
            return _regular(table, mark, names, lines, proceed)
    lines = regular_lines(table, delimiter=mark, fields=len(names), first=first)
    if lines is None:
        return _irregular(table, mark, names, first, proceed)
    return _regular(table, mark, names, lines, proceed)


def header_of(data: bytes, dialect: Dialect) -> tuple[str, ...]:
    """Return the names of the columns of a CSV file; nothing after them is read.

    Raises:
        DataError: It has no such names in this dialect.

    """
    text = data[:_HEADER_BYTES].decode(dialect.encoding, errors="ignore").encode()
    table, mark, first = _from_header(text.removeprefix(_MARK), dialect)
    return tuple(column_names(header_fields(table, delimiter=mark, line=first), first))


def _from_header(text: bytes, dialect: Dialect) -> tuple[bytes, str, int]:
    """Return the text from the header on, what separates its fields, and its line."""
    start, first = header_start(text, delimiter=dialect.delimiter, skipped=dialect.skipped)
    table, mark = separated(text[start:], dialect.delimiter)
    return table, mark, first


def _in_utf8(text: bytes, encoding: str) -> bytes:
    """Return the text of a file in UTF-8, without a mark before it.

    Raises:
        DataError: It is not written in the encoding; names the first such line.

    """
    try:
        if encoding.removesuffix("-sig") == "utf-8":
            if not text.isascii():
                text.decode("utf-8")
            return text.removeprefix(_MARK)
        return text.decode(encoding).encode().removeprefix(_MARK)
    except UnicodeError:
        lines = () if encoding.startswith("utf-16") else enumerate(io.BytesIO(text), start=1)
        line = next((number for number, each in lines if not decodes(each, encoding)), None)
    where = "the file" if line is None else f"line {line}"
    message = (
        f"{where} is not written in the encoding {encoding}. Choose another encoding; "
        "latin-1 and cp1252 are common for files made by Excel."
    )
    raise DataError(message, line=line)


def _bytes(data: bytes | BinaryIO) -> bytes:
    if isinstance(data, bytes):
        limits.check_bytes(len(data))
        return data
    limits.check_bytes(data.seek(0, io.SEEK_END))
    data.seek(0)
    # getvalue() shares the memory of the buffer; read() would copy it.
    return data.getvalue() if isinstance(data, io.BytesIO) else data.read()


def _regular(
    text: bytes, delimiter: str, names: list[str], lines: Lines, proceed: Proceed
) -> pd.DataFrame:
    """Return the table of a file in which all records are as they should be."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    limits.check_rows(len(lines), len(names))
    a_line_each = isinstance(lines, range)
    read = partial(_columns, delimiter=delimiter, fields=len(names), a_line_each=a_line_each)
    if text.endswith((b"\n\n", b"\n\r\n")):
        text = text.rstrip(b"\r\n")
    if isinstance(lines, range):
        # Every line is a record: the file can be cut after any of them.
        size = max(1, len(text) * _records_together(len(names)) // (len(lines) + 1))
        parts = _parts_of(text, size, proceed)
        return _framed(in_turn(read, parts), names, pd.RangeIndex(lines))
    whole = [cells.slice(1) for cells in read(text)]
    return _framed([whole], names, pd.Index(lines))


def _records_together(columns: int) -> int:
    """Return how many records a block has, so that it takes about a megabyte."""
    return max(_FEWEST, _CELLS // columns)


def _parts_of(text: bytes, size: int, proceed: Proceed) -> Iterator[bytes]:
    """Yield the records of a file in parts of that many bytes or a little more.

    The header is left out, and no record has a line end in its middle. Each part is
    preceded by a call of ``proceed``.
    """
    start = text.index(b"\n") + 1
    while start < len(text):
        proceed()
        end = text.find(b"\n", start + size) + 1 or len(text)
        yield text[start:end]
        start = end


def _columns(text: bytes, *, delimiter: str, fields: int, a_line_each: bool) -> list[pa.Array]:
    """Return the columns of some records, as they are held."""
    parse = partial(_parsed, text, delimiter=delimiter, fields=fields, a_line_each=a_line_each)
    if a_line_each:
        found = plain_numbers(text, delimiter=delimiter, parse=parse)
        if found is not None:
            return found
    return [compressed(column.combine_chunks()) for column in parse().columns]


def _parsed(
    text: bytes,
    floats: Sequence[bool] | None = None,
    *,
    delimiter: str,
    fields: int,
    a_line_each: bool,
) -> pa.Table:
    """Return columns of text; or of floats where ``floats`` says so, else integers."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    from pyarrow import csv  # noqa: PLC0415 - slow to import

    names = [str(place) for place in range(fields)]
    types = (
        [pa.string()] * fields
        if floats is None
        else [pa.float64() if is_float else pa.int64() for is_float in floats]
    )
    return csv.read_csv(
        pa.BufferReader(text),
        read_options=csv.ReadOptions(
            column_names=names, block_size=len(text) + 1, use_threads=False
        ),
        parse_options=csv.ParseOptions(delimiter=delimiter, newlines_in_values=not a_line_each),
        convert_options=csv.ConvertOptions(
            column_types=dict(zip(names, types, strict=True)),
            strings_can_be_null=False,
            check_utf8=False,
        ),
    )


def _irregular(
    text: bytes, delimiter: str, names: list[str], first: int, proceed: Proceed
) -> pd.DataFrame:
    """Return the table of any file, read record by record."""
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    limits.check(
        max(text.count(b"\n"), text.count(b"\r")),
        _LINES_A_RECORD * limits.MAX_ROWS,
        "the file has more than {} lines",
        advice="Delete blank lines, and check that quotation marks are closed.",
    )
    lines = array("q")
    blocks: list[list[pa.Array]] = []
    every = records(text, delimiter=delimiter, fields=len(names), first=first)
    while some := list(islice(every, _records_together(len(names)))):
        proceed()
        lines.extend(line for line, _ in some)
        cells = zip(*(record for _, record in some), strict=True)
        blocks.append([compressed(pa.array(column, pa.string())) for column in cells])
        limits.check_rows(len(lines), len(names))
    limits.check_rows(len(lines), len(names))
    return _framed(blocks, names, pd.Index(np.array(lines, dtype=np.int64)))


def _framed(
    blocks: Iterable[Sequence[pa.Array]], names: list[str], lines: pd.Index
) -> pd.DataFrame:
    """Return a table of blocks of its records; ValueError if they have fewer."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    columns = [_ColumnBuilder(records=len(lines)) for _ in names]
    for block in blocks:
        for column, cells in zip(columns, block, strict=True):
            column.add(cells)
    if any(column.rows != len(lines) for column in columns):
        raise ValueError(f"the blocks do not have {len(lines)} records.")
    table = {}
    for place, name in enumerate(names):
        # Given up one by one, so that no two are held twice.
        column, columns[place] = columns[place], _ColumnBuilder(records=0)
        table[name] = column_of(column.whole())
    return pd.DataFrame(table, columns=names, copy=False).set_axis(lines.rename("line"), axis=0)


@dataclass(slots=True, kw_only=True)
class _ColumnBuilder:
    """A column of which some blocks are there."""

    records: int
    numbers: NDArray[Any] | None = None
    blank: NDArray[np.bool_] | None = None
    text: list[pa.Array] = field(default_factory=list)
    rows: int = 0

    def add(self, cells: pa.Array) -> None:
        """Take over the next block."""
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        nothing = pa.types.is_null(cells.type)
        numbers = nothing or pa.types.is_primitive(cells.type)
        differ = (
            self.numbers is not None
            and not nothing
            and numbers
            and cells.type.to_pandas_dtype() != self.numbers.dtype
        )
        if not numbers or differ:
            self._write_out()
            self.text.append(cells)
        elif self.text or (nothing and self.numbers is None):
            self.text.append(cells)
        else:
            self._place(cells)
        self.rows += len(cells)

    def whole(self) -> pa.ChunkedArray:
        """Return all blocks in turn, as numbers where they are so in all."""
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        if self.numbers is None:
            return joined(self.text)
        return pa.chunked_array([pa.array(self.numbers, mask=self.blank)])

    def _place(self, cells: pa.Array) -> None:
        """Copy numbers to their place."""
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        here = slice(self.rows, self.rows + len(cells))
        if self.numbers is None:
            self.numbers = np.zeros(self.records, cells.type.to_pandas_dtype())
        if cells.null_count:
            if self.blank is None:
                self.blank = np.zeros(self.records, dtype=np.bool_)
            self.blank[here] = cells.is_null().to_numpy(zero_copy_only=False)
            cells = cells.cast(pa.from_numpy_dtype(self.numbers.dtype)).fill_null(0)
        self.numbers[here] = cells.to_numpy(zero_copy_only=False)

    def _write_out(self) -> None:
        """Hold the blocks before as what they are: text was found among them."""
        import pyarrow as pa  # noqa: PLC0415 - slow to import

        if self.numbers is None:
            return
        before = slice(0, self.rows)
        blank = None if self.blank is None else self.blank[before]
        # Copied, so that the place of all records is given up.
        self.text.append(pa.array(self.numbers[before].copy(), mask=blank))
        self.numbers = self.blank = None
