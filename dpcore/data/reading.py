"""Reading a CSV file, or saying where and why it cannot be read."""

from __future__ import annotations

import io
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from dpcore.data import limits
from dpcore.data.dialects import Dialect
from dpcore.data.encodings import UTF16_MARKS
from dpcore.data.gathering import gathered, parts_of, records_together
from dpcore.data.limits import Proceed
from dpcore.data.plain_numbers import plain_numbers
from dpcore.data.records import (
    Lines,
    header_fields,
    header_start,
    records,
    regular_lines,
    too_wide,
    unquoted_lines,
)
from dpcore.data.separators import separated
from dpcore.data.storage import compressed
from dpcore.data.threads import in_turn
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


ROW = "row"
"""Name of a first column without one: R and pandas number the rows in it."""
_HEADER_BYTES = 1 << 20
_LINES_A_RECORD = 2
"""Lines a record on average at most: others are blank, or within quotation marks."""

_BLANK_LINES = "Delete blank lines, and check that quotation marks are closed."
_MARK = b"\xef\xbb\xbf"
_SIGNATURES = {
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
    (``dpcore.data.storage``); a blank one is missing. What they mean is for the
    declaration of their column to say. The index is the line of the file at which each
    record begins, the header normally being line 1. Blank lines are skipped.

    ``proceed`` is called between blocks, and may end the reading by what it raises.

    Raises:
        DataError: The file is empty, too large, not text, in another encoding, or not
            a table of named columns with equally long records.

    """
    proceed()
    text = _bytes(data)
    _refuse_other_formats(text, dialect.encoding)
    text = _in_utf8(text, dialect.encoding)
    _refuse_nul(text)
    table, mark, first = _from_header(text, dialect)
    names = column_names(header_fields(table, delimiter=mark, line=first), first)
    lines: Lines | None = unquoted_lines(table, fields=len(names), first=first)
    proceed()
    found = None if lines is None else _by_lines(table, mark, names, lines, proceed)
    if found is not None:
        return found
    lines = regular_lines(table, delimiter=mark, fields=len(names), first=first)
    if lines is None:
        return _irregular(table, mark, names, first, proceed)
    return _regular(table, mark, names, lines, proceed)


def _by_lines(
    text: bytes, delimiter: str, names: list[str], lines: Lines, proceed: Proceed
) -> pd.DataFrame | None:
    """Return the table of a file whose lines are records; ``None`` if one is not."""
    try:
        return _regular(text, delimiter, names, lines, proceed)
    except ValueError:  # a blank line, or one of another number of fields
        return None


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
        DataError: It is not written in the encoding.

    """
    try:
        if encoding.removesuffix("-sig") == "utf-8":
            if not text.isascii():
                text.decode("utf-8")
            return text.removeprefix(_MARK)
        return text.decode(encoding).encode().removeprefix(_MARK)
    except UnicodeError:
        raise _undecodable(text, encoding) from None


def _bytes(data: bytes | BinaryIO) -> bytes:
    if isinstance(data, bytes):
        size = len(data)
    else:
        size = data.seek(0, io.SEEK_END)
        data.seek(0)
    limits.check_bytes(size)
    if isinstance(data, bytes):
        return data
    # getvalue() shares the memory of the buffer; read() would copy it.
    return data.getvalue() if isinstance(data, io.BytesIO) else data.read()


def _refuse_other_formats(text: bytes, encoding: str) -> None:
    for signature, advice in _SIGNATURES.items():
        if text.startswith(signature):
            raise DataError(f"this is not a CSV file. It looks like {advice}.")
    if text.startswith(UTF16_MARKS) and not encoding.startswith("utf-16"):
        raise DataError("the file is written in UTF-16. Choose the encoding utf-16.", line=1)


def _refuse_nul(text: bytes) -> None:
    at = text.find(b"\0")
    if at >= 0:
        line = text.count(b"\n", 0, at) + 1
        raise DataError(
            f"line {line} contains a NUL byte, so this is not a CSV file in the chosen "
            "encoding. Export the table as CSV, or choose utf-16.",
            line=line,
        )


def column_names(fields: list[str], line: int | None) -> list[str]:
    """Return the names of the columns of a file, without surrounding white space.

    A first column without a name is ``ROW``.

    Raises:
        DataError: There are too many, or one is missing, too long, or there twice.

    """
    if len(fields) > limits.MAX_COLUMNS:
        raise too_wide(line)
    names = [field.strip() for field in fields]
    if names and not names[0] and ROW not in names:
        names[0] = ROW
    seen: dict[str, int] = {}
    for column, name in enumerate(names, start=1):
        if not name:
            problem = "has no name. Name it in the header, or delete it"
        elif len(name) > limits.MAX_NAME:
            problem = (
                f"has a name of more than {limits.MAX_NAME} characters. Shorten it, "
                "and check that the first line is the header and its quotation marks "
                "are closed"
            )
        elif seen.setdefault(name, column) != column:
            problem = f"has the same name as column {seen[name]}. Rename one of them"
        else:
            continue
        raise DataError(f"column {column} {problem}.", line=line, column=column)
    return names


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
        size = max(1, len(text) * records_together(len(names)) // (len(lines) + 1))
        parts = parts_of(text, size, proceed)
        return _framed(in_turn(read, parts), names, pd.RangeIndex(lines))
    whole = [cells.slice(1) for cells in read(text)]
    return _framed([whole], names, pd.Index(lines))


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

    ends = max(text.count(b"\n"), text.count(b"\r"))
    most = _LINES_A_RECORD * limits.MAX_ROWS
    limits.check(ends, most, "the file has more than {} lines", advice=_BLANK_LINES)
    lines = array("q")
    every = records(text, delimiter=delimiter, fields=len(names), first=first)

    def blocks() -> Iterator[list[pa.Array]]:
        while some := list(islice(every, records_together(len(names)))):
            proceed()
            lines.extend(line for line, _ in some)
            cells = zip(*(record for _, record in some), strict=True)
            yield [compressed(pa.array(column, pa.string())) for column in cells]
            limits.check_rows(len(lines), len(names))

    blocks_read = [*blocks()]
    limits.check_rows(len(lines), len(names))
    return _framed(blocks_read, names, pd.Index(np.array(lines, dtype=np.int64)))


def _framed(
    blocks: Iterable[Sequence[pa.Array]], names: list[str], lines: pd.Index
) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415 - slow to import

    columns = gathered(blocks, names, len(lines))
    return pd.DataFrame(columns, columns=names, copy=False).set_axis(lines.rename("line"), axis=0)


def _undecodable(text: bytes, encoding: str) -> DataError:
    """Return the error that names the first line which is not in the encoding."""
    line = None
    if not encoding.startswith("utf-16"):
        for number, content in enumerate(io.BytesIO(text), start=1):
            try:
                content.decode(encoding)
            except UnicodeDecodeError:
                line = number
                break
    where = "the file" if line is None else f"line {line}"
    message = (
        f"{where} is not written in the encoding {encoding}. Choose another encoding; "
        "latin-1 and cp1252 are common for files made by Excel."
    )
    return DataError(message, line=line)
