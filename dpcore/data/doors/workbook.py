"""A sheet of an Excel workbook, read into a table."""

from __future__ import annotations

import datetime as dt
import io
import warnings
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from xml.etree.ElementTree import ParseError

import numpy as np

from dpcore.data.reading import MAX_BYTES, check_number, column_names
from dpcore.data.storage import column_of, typed_number_column
from dpcore.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    Row = tuple[Any, ...]

_ZIP: Final = b"PK\x03\x04"
_BOOK: Final = "xl/workbook.xml"
_MOST_UNPACKED: Final = 5 * MAX_BYTES
MOST_CELLS: Final = 3_000_000
"""More take too long to be read out of XML."""
_ERRORS: Final = frozenset(
    ("#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!")
)
"""What stands in a cell whose formula failed. ``#N/A`` is not among them: it says that
there is no value."""
_WRONG: Final = (
    zipfile.BadZipFile, zlib.error, ParseError, KeyError, ValueError, TypeError,
    IndexError, AttributeError, OSError, EOFError, NotImplementedError, OverflowError,
    RuntimeError, AssertionError, SyntaxError,
)  # fmt: skip
"""What openpyxl raises where a part of a workbook is not as it should be."""


def is_workbook(data: bytes) -> bool:
    """Return whether a file that is no archive of one file is one of an office."""
    return data.startswith(_ZIP)


def sheets(data: bytes) -> tuple[str, ...]:
    """Return the names of the sheets of cells that are not hidden.

    Raises:
        DataError: It is no Excel workbook, damaged, or has no such sheet.

    """
    with _opened(data) as book:
        names = tuple(
            sheet.title for sheet in book.worksheets if sheet.sheet_state == "visible"
        )
    if not names:
        message = "the workbook has no sheet that is not hidden. Show the one to read."
        raise DataError(message)
    return names


def read_workbook(data: bytes, sheet: str) -> pd.DataFrame:
    """Return the table of a sheet, as ``read_csv`` returns that of its CSV.

    The first row with a cell is the header, blank rows are left out, and so are blank
    columns before it. Formulas have the values that Excel kept with them; ``#N/A`` is
    missing. Days and times are text as pandas writes it. The index is the number of the
    row in the sheet.

    Raises:
        DataError: The workbook is damaged or too large, or the sheet is no table: a
            column has no name, a row is longer than the header, a formula has failed.

    """
    with _opened(data) as book:
        pages = [page for page in book.worksheets if page.title == sheet]
        if not pages:
            message = "the workbook has no such sheet any more. Choose another one."
            raise DataError(message)
        rows = dict(_rows(pages[0]))
    if not rows:
        message = "the sheet is empty. Choose another one."
        raise DataError(message)
    first, *lines = rows
    header, records = rows.pop(first), list(rows.values())
    blank = _blank_before(header, records)
    fields = ["" if cell is None else _text(cell) for cell in header[blank:]]
    names = column_names(fields, first)
    check_number(len(records))
    for line, record in zip(lines, records, strict=True):
        if len(record) > len(header):
            message = (
                f"line {line} has a value in column {len(record)}, and the header in "
                f"line {first} ends with column {len(header)}. Name that column, or "
                "delete what stands there."
            )
            raise DataError(message, line=line, column=len(record))
    return _framed(names, [record[blank:] for record in records], lines)


@contextmanager
def _opened(data: bytes) -> Iterator[Any]:
    """Open a workbook to be read row by row; say what is wrong with it."""
    import openpyxl  # noqa: PLC0415 - slow to import, rarely used

    try:
        _check_archive(data)
        with warnings.catch_warnings():
            # What a workbook looks like is not read.
            warnings.simplefilter("ignore", UserWarning)
            book = openpyxl.load_workbook(
                io.BytesIO(data), read_only=True, data_only=True, keep_links=False
            )
            try:
                yield book
            finally:
                book.close()
    except DataError:
        raise
    except _WRONG:
        message = (
            "the Excel workbook cannot be read: it is damaged, or was not sent to its "
            "end. Save it once more, or save the sheet as CSV."
        )
        raise DataError(message) from None


def _check_archive(data: bytes) -> None:
    """Refuse other files of offices, and what becomes too large to be unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
    if _BOOK not in {part.filename for part in parts}:
        message = (
            "this is a file of an office program, and no Excel workbook (.xlsx). Save "
            "the table as .xlsx or as CSV."
        )
        raise DataError(message)
    if sum(part.file_size for part in parts) > _MOST_UNPACKED:
        message = (
            f"unpacked the workbook has more than {_MOST_UNPACKED // 1024**3 or 1} GB. "
            "Save the sheet as CSV or Parquet."
        )
        raise DataError(message)


def _rows(page: Any) -> Iterator[tuple[int, Row]]:  # noqa: ANN401 - untyped library
    """Yield each row that is not blank with its number, without blank cells behind."""
    # Some programs write a wrong size.
    page.reset_dimensions()
    cells = 0
    for number, row in enumerate(page.iter_rows(values_only=True), start=1):
        length = len(row)
        while length and (row[length - 1] is None or row[length - 1] == ""):
            length -= 1
        if not length:
            continue
        cells += length
        if cells > MOST_CELLS:
            message = (
                f"the sheet has more than {MOST_CELLS:,} cells, which takes too long "
                "to read. Save it as CSV or Parquet, or keep fewer columns or rows."
            )
            raise DataError(message)
        yield number, row[:length]


def _blank_before(header: Row, records: Sequence[Row]) -> int:
    """Return how many columns before the header have neither a name nor a value."""
    blank = next(at for at, cell in enumerate(header) if cell is not None)
    used = (
        at
        for record in records
        for at, cell in enumerate(record[:blank])
        if cell is not None
    )
    return min(used, default=blank)


def _framed(
    names: Sequence[str], records: Sequence[Row], lines: Sequence[int]
) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415 - slow to import

    index = pd.Index(lines, name="line")
    columns = {}
    for at, name in enumerate(names):
        cells = [record[at] if at < len(record) else None for record in records]
        for line, cell in zip(lines, cells, strict=True):
            if cell in _ERRORS:
                message = (
                    f"line {line} of column {at + 1} holds the error {cell} instead of "
                    "a value. Repair the formula, or empty the cell, which then counts "
                    "as missing."
                )
                raise DataError(message, line=line, column=at + 1)
        columns[name] = _column(cells).set_axis(index)
    return pd.DataFrame(columns, index=index, copy=False)


def _column(cells: list[Any]) -> pd.Series:
    """Return the cells of a column: numbers if all are, otherwise as text each."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    kinds = {type(cell) for cell in cells} - {type(None)}
    if kinds <= {int, float}:
        numbers = [np.nan if cell is None else float(cell) for cell in cells]
        return typed_number_column(np.array(numbers, dtype=np.float64))
    texts = [None if cell is None else _text(cell).strip() or None for cell in cells]
    return column_of(pa.chunked_array([pa.array(texts, pa.string())]))


def _text(cell: Any) -> str:  # noqa: ANN401 - whatever a cell holds
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, dt.datetime) and cell.time() == dt.time.min:
        return cell.date().isoformat()
    return str(cell)
