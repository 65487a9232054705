"""Reading a CSV file, or saying where and why it cannot be read."""

from __future__ import annotations

import io
import warnings
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from dpcore.data.cells import MISSING, settle
from dpcore.data.dialects import UTF16_MARKS
from dpcore.data.gathering import gathered, parts_of, records_together
from dpcore.data.records import header_fields, header_start, record_lines
from dpcore.data.threads import in_turn
from dpcore.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    import pandas as pd

    from dpcore.data.dialects import Dialect
    from dpcore.data.records import Lines

MAX_BYTES = 200 * 1024 * 1024
MAX_ROWS = 10_000_000
MAX_COLUMNS = 2_000
MAX_NAME = 200
"""Most characters that the name of a column may have."""

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


def read_csv(data: bytes | BinaryIO, dialect: Dialect) -> pd.DataFrame:
    """Return the table of a CSV file whose first record is the header.

    Lines that the dialect skips come before it.

    Columns are numbers (int or float; NaN is missing), or text (str, or a category of
    str where few values are distinct). The index is the line of the file at which each
    record begins, the header normally being line 1. Blank lines are skipped. Cells in
    ``dpcore.data.cells.MISSING`` are missing; "inf" and numbers too large for a float,
    such as 1e400, become infinite, so that bounds clamp them like any value outside.
    Formulas stay text.

    Raises:
        DataError: The file is empty, too large, not text, in another encoding, or not
            a table of named columns with equally long records.

    """
    text = _bytes(data)
    encoding = dialect.encoding
    _refuse_other_formats(text, encoding)
    try:
        if encoding.startswith("utf-16"):
            text = text.decode(encoding).encode()
        if encoding.startswith("utf-"):
            encoding = "utf-8"
            text = text.removeprefix(_MARK)
        _refuse_nul(text)
        mark = dialect.delimiter
        start, first = header_start(text, delimiter=mark, skipped=dialect.skipped)
        table = text[start:]
        fields = header_fields(table, encoding=encoding, delimiter=mark, line=first)
        names = column_names(fields, first)
        lines = record_lines(
            table, encoding=encoding, delimiter=mark, fields=len(names), first=first
        )
        check_number(len(lines))
        return _parse(table, encoding, dialect, names, lines)
    except UnicodeError:
        raise _undecodable(text, encoding) from None


def _bytes(data: bytes | BinaryIO) -> bytes:
    if isinstance(data, bytes):
        size = len(data)
    else:
        size = data.seek(0, io.SEEK_END)
        data.seek(0)
    if size > MAX_BYTES:
        message = (
            f"the file has {size / 1024**2:.1f} MB, and at most {MAX_BYTES // 1024**2} "
            "MB can be read. Upload fewer columns or rows."
        )
        raise DataError(message)
    if isinstance(data, bytes):
        return data
    # getvalue() shares the memory of the buffer; read() would copy it.
    return data.getvalue() if isinstance(data, io.BytesIO) else data.read()


def _refuse_other_formats(text: bytes, encoding: str) -> None:
    for signature, advice in _SIGNATURES.items():
        if text.startswith(signature):
            message = f"this is not a CSV file. It looks like {advice}."
            raise DataError(message)
    if text.startswith(UTF16_MARKS) and not encoding.startswith("utf-16"):
        message = "the file is written in UTF-16. Choose the encoding utf-16."
        raise DataError(message, line=1)


def _refuse_nul(text: bytes) -> None:
    at = text.find(b"\0")
    if at >= 0:
        line = text.count(b"\n", 0, at) + 1
        message = (
            f"line {line} contains a NUL byte, so this is not a CSV file in the chosen "
            "encoding. Export the table as CSV, or choose utf-16."
        )
        raise DataError(message, line=line)


def column_names(fields: list[str], line: int | None) -> list[str]:
    """Return the names of the columns of a file, without surrounding white space.

    Raises:
        DataError: There are too many, or one is missing, too long, or there twice.

    """
    if len(fields) > MAX_COLUMNS:
        message = (
            f"the header has {len(fields)} columns, and at most {MAX_COLUMNS} can be "
            "read. Keep the columns that you need, or choose another delimiter."
        )
        raise DataError(message, line=line)
    names = [field.strip() for field in fields]
    seen: dict[str, int] = {}
    for column, name in enumerate(names, start=1):
        if not name:
            problem = "has no name. Name it in the header, or delete it"
        elif len(name) > MAX_NAME:
            problem = (
                f"has a name of more than {MAX_NAME} characters. Shorten it, and check "
                "that the first line is the header and its quotation marks are closed"
            )
        elif seen.setdefault(name, column) != column:
            problem = f"has the same name as column {seen[name]}. Rename one of them"
        else:
            continue
        message = f"column {column} {problem}."
        raise DataError(message, line=line, column=column)
    return names


def check_number(records: int) -> None:
    """Refuse a file without records, or with more than can be read.

    Raises:
        DataError: It is one of these.

    """
    if records == 0:
        message = "the file has a header and no records. Add one line for each person."
        raise DataError(message)
    if records > MAX_ROWS:
        message = (
            f"the file has {records} records, and at most {MAX_ROWS} can be read. "
            "Upload fewer rows."
        )
        raise DataError(message)


class _Ascii:
    """A file that pandas reads as it is.

    Bytes of any other file it turns into text, and back, before it parses them.
    """

    def __init__(self, text: bytes) -> None:
        self._text = memoryview(text)
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, empty at the end."""
        end = len(self._text) if size < 0 else self._at + size
        found = bytes(self._text[self._at : end])
        self._at += len(found)
        return found

    def __iter__(self) -> Iterator[bytes]:
        """Return the lines; what pandas takes for a file has some."""
        return iter(self.read().splitlines(keepends=True))


def _opened(text: bytes) -> io.BytesIO:
    """Return the text as a file that pandas may read from its beginning to its end."""
    return cast("io.BytesIO", _Ascii(text)) if text.isascii() else io.BytesIO(text)


def _indented(text: bytes, delimiter: str) -> bool:
    """Return whether some field may begin with a space, which is to be skipped."""
    before = (delimiter.encode(), b"\n", b"\r")
    return text.startswith(b" ") or (
        text.find(b" ") >= 0 and any(text.find(mark + b" ") >= 0 for mark in before)
    )


def _parse(
    text: bytes, encoding: str, dialect: Dialect, names: list[str], lines: Lines
) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415 - slow to import

    indented = _indented(text, dialect.delimiter)

    def read(part: bytes, **options: Any) -> Any:  # noqa: ANN401 - options of pandas
        return pd.read_csv(
            _opened(part),
            encoding=encoding,
            sep=dialect.delimiter,
            decimal=dialect.decimal,
            names=names,
            index_col=False,
            # Asked for where nothing begins with a space, it takes a third longer.
            skipinitialspace=indented,
            keep_default_na=False,
            na_values=list(MISSING),
            low_memory=False,
            **options,
        )

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            columns = gathered(_blocks(read, text, lines, len(names)), len(lines))
            if columns is None:
                raise _unclosed(int(lines[-1]))
            # True/False and columns of mixed types (told apart block by block, or
            # integers beyond 64 bits) are read again as they are written.
            mixed = [name for name in names if columns[name] is None]
            if mixed:
                again = read(text, header=0, dtype="str", usecols=mixed)
                columns |= dict(again.items())
    except (pd.errors.ParserError, pd.errors.ParserWarning):
        raise _unclosed(int(lines[-1])) from None
    frame = pd.DataFrame(columns, columns=names, copy=False)
    for name in frame.columns:
        column = frame[name]
        if pd.api.types.is_integer_dtype(column.dtype):
            frame[name] = pd.to_numeric(column, downcast="integer")
        elif not pd.api.types.is_numeric_dtype(column.dtype):
            frame[name] = settle(column, dialect)
    if isinstance(lines, range):
        frame.index = pd.RangeIndex(lines.start, lines.stop)
    else:
        frame.index = pd.Index(lines)
    return frame.rename_axis(index="line")


def _blocks(
    read: Callable[..., Any], text: bytes, lines: Lines, columns: int
) -> Iterator[pd.DataFrame]:
    """Yield the records of a file, some of them at a time.

    Where every line is a record it can be cut anywhere, and more of it read at once.
    """
    together = records_together(columns)
    if isinstance(lines, range):
        parts = parts_of(text, len(text) * together // len(lines))
        yield from in_turn(partial(read, header=None), parts)
        return
    with read(text, header=0, chunksize=together) as found:
        yield from found


def _unclosed(line: int) -> DataError:
    message = (
        f"the record that begins in line {line} never ends: a quotation mark is opened "
        "and not closed. Close it or delete it."
    )
    return DataError(message, line=line)


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
