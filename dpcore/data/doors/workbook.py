"""A sheet of an Excel workbook, read into a table.

calamine reads the cells. It is given an archive of that sheet alone: so a workbook of
many sheets is not read for each, and what is unpacked is known before it is.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

import numpy as np

from dpcore.data.cells import float_texts
from dpcore.data.doors.tables import FileTable
from dpcore.data.reading import MAX_BYTES, check_number, column_names
from dpcore.data.storage import typed_column, typed_number_column
from dpcore.data.title_rows import header_place
from dpcore.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    Row = list[Any]

_ZIP: Final = b"PK\x03\x04"
_BOOK: Final = "xl/workbook.xml"
_LINKS: Final = "xl/_rels/workbook.xml.rels"
_SHEET: Final = "/worksheet"
"""End of the type of a link to a sheet of cells."""
_MOST_UNPACKED: Final = 5 * MAX_BYTES
MOST_CELLS: Final = 3_000_000
"""More take too long to be read out of XML, blank ones between others included."""
_NO_VALUE: Final = "#N/A"
"""An error that says that there is no value."""
_LONGEST_PLACE: Final = 10
"""Characters of the last place that a sheet can have, XFD1048576."""
_QUOTE, _EQUALS, _ZERO, _NINE, _BEFORE_A, _R, _T, _E = b'"=09@rte'
_LOOKED_AT: Final = 100
"""Rows that are looked at to propose which is the header."""
_ROW: Final = re.compile(rb"<(?:\w+:)?row\b")
_PLACE: Final = re.compile(rb"""\sr=["']([A-Z]{1,3})([0-9]{1,7})["']""")
_CELL: Final = re.compile(rb"<(?:\w+:)?c[\s>]")
_FAILED: Final = re.compile(
    rb"""<(?:\w+:)?c\b(?=[^>]*\st=["']e["'])[^>]*\sr=["']([A-Z]{1,3})([0-9]{1,7})["']"""
    rb"""[^>]*>.*?<(?:\w+:)?v>([^<]*)<""",
    re.DOTALL,
)
_FORMULA: Final = re.compile(
    rb"<(?:\w+:)?c\b[^>]*[^/]>\s*<(?:\w+:)?f\b(?:[^>]*/>|[^>]*>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
"""A cell with a formula whose value is not stored."""
_WRONG: Final = (
    zipfile.BadZipFile, zlib.error, ET.ParseError, KeyError, ValueError, TypeError,
    IndexError, AttributeError, OSError, EOFError, NotImplementedError, OverflowError,
    RuntimeError, AssertionError, SyntaxError,
)  # fmt: skip
"""What is raised where a part of a workbook is not as it should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """The cells of a sheet. CONFIDENTIAL.

    Attributes:
        rows: Each row that is not blank by its number, without blank cells behind.
        failed: The error of each formula that has failed, by row and column from 1.
        unstored: How many formulas have no stored value.
        merged: How many ranges of cells are merged.

    """

    rows: Mapping[int, Row] = field(repr=False)
    failed: Mapping[tuple[int, int], str] = field(repr=False)
    unstored: int
    merged: int

    @property
    def title_rows(self) -> int:
        """Return how many rows are likely titles, as a proposal to be edited."""
        numbers = [*islice(self.rows, _LOOKED_AT)]
        some = [self.rows[number] for number in numbers]
        at = header_place([*map(len, some)], [*map(_is_named, some)])
        return numbers[at] - 1 if at else 0

    def header(self, titles: int) -> tuple[str, ...]:
        """Return the names of the columns; errors as of ``table``."""
        first, header, records = self._from_header(titles)
        blank = _blank_before(header, [*records.values()])
        return tuple(column_names(_texts(header[blank:]), first))

    def table(self, titles: int) -> FileTable:
        """Return the table, every cell of the type that it has in the sheet.

        The first row with a cell is the header, blank rows are left out, and so are
        blank columns before it. Formulas have the values that Excel kept with them;
        ``#N/A`` is missing. Days and times are text as pandas writes it. The index is
        the number of the row in the sheet.

        Args:
            titles: Number of rows before the header that are left out.

        Raises:
            DataError: The sheet is no table: a column has no name, a row is longer than
                the header, a formula has failed.

        """
        first, header, rows = self._from_header(titles)
        records, lines = [*rows.values()], [*rows]
        blank = _blank_before(header, records)
        names = column_names(_texts(header[blank:]), first)
        check_number(len(records))
        for line, record in rows.items():
            if len(record) > len(header):
                message = (
                    f"line {line} has a value in column {len(record)}, and the header "
                    f"in line {first} ends with column {len(header)}. Name that "
                    "column, or delete what stands there."
                )
                raise DataError(message, line=line, column=len(record))
        _check_formulas(self.failed, first)
        frame = _framed(names, records, lines, blank)
        return FileTable(frame=frame, notes=self._notes)

    def _from_header(self, titles: int) -> tuple[int, Row, dict[int, Row]]:
        """Return the number of the header, its cells, and the rows after it."""
        rows = {line: row for line, row in self.rows.items() if line > titles}
        if not rows:
            message = "the sheet is empty. Choose another one."
            if self.rows:
                message = (
                    f"no row is left after the {titles} before the header. Leave out "
                    "fewer."
                )
            raise DataError(message)
        first = next(iter(rows))
        return first, rows.pop(first), rows

    @property
    def _notes(self) -> tuple[str, ...]:
        notes = []
        if self.unstored:
            formulas = "formula has" if self.unstored == 1 else "formulas have"
            notes.append(
                f"{self.unstored:,} {formulas} no stored value and count as missing. "
                "Open and save the workbook in Excel to store them."
            )
        if self.merged:
            ranges = "range is" if self.merged == 1 else "ranges are"
            notes.append(
                f"{self.merged:,} {ranges} merged. Only the first cell of a merged "
                "range has a value."
            )
        return tuple(notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listed:
    """A sheet of cells: its name, its part of the archive, and whether it is shown."""

    name: str
    part: str
    shown: bool


def is_workbook(data: bytes) -> bool:
    """Return whether a file that is no archive of one file is one of an office."""
    return data.startswith(_ZIP)


def sheets(data: bytes) -> tuple[str, ...]:
    """Return the names of the sheets of cells that are not hidden.

    Raises:
        DataError: It is no Excel workbook, damaged, or has no such sheet.

    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = tuple(each.name for each in _sheets(archive) if each.shown)
    except _WRONG:
        raise _damaged() from None
    if not names:
        message = "the workbook has no sheet that is not hidden. Show the one to read."
        raise DataError(message)
    return names


def open_sheet(data: bytes, sheet: str) -> Sheet:
    """Return a sheet of a workbook, all of whose cells are read.

    Raises:
        DataError: The workbook is damaged or too large, or has no such sheet.

    """
    try:
        alone, xml = _alone(data, sheet)
        extent = _extent(xml)
        extent.check()
        cells, merged = _by_calamine(alone, sheet)
        return Sheet(
            rows=_not_blank(cells),
            failed=_failed(xml) if extent.errors else {},
            unstored=len(_FORMULA.findall(xml)) if extent.formulas else 0,
            merged=merged,
        )
    except _WRONG:
        raise _damaged() from None


def _is_named(row: Row) -> bool:
    first = next((at for at, cell in enumerate(row) if cell != ""), len(row))
    return all(isinstance(cell, str) and cell.strip() for cell in row[first:])


def _alone(data: bytes, sheet: str) -> tuple[bytes, bytes]:
    """Return an archive with one sheet of a workbook, and the XML of that sheet."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        every = _sheets(archive)
        chosen = next((each for each in every if each.name == sheet), None)
        if chosen is None:
            message = "the workbook has no such sheet any more. Choose another one."
            raise DataError(message)
        others = {each.part for each in every} - {chosen.part}
        xml = archive.read(chosen.part)
        alone = io.BytesIO()
        with zipfile.ZipFile(alone, "w", zipfile.ZIP_STORED) as made:
            made.writestr(chosen.part, xml)
            for part in archive.infolist():
                needed = part.filename.endswith((".xml", ".rels"))
                if needed and part.filename not in {*others, chosen.part}:
                    made.writestr(part.filename, archive.read(part))
        return alone.getvalue(), xml


def _sheets(archive: zipfile.ZipFile) -> list[_Listed]:
    """Return the sheets of cells; refuse what is no workbook, or too large."""
    parts = archive.infolist()
    names = {part.filename for part in parts}
    if _BOOK not in names:
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
    targets = {
        link.get("Id"): _part(link.get("Target", ""))
        for link in ET.fromstring(archive.read(_LINKS))  # noqa: S314 - expat limits what entities become
        if link.get("Type", "").endswith(_SHEET)
    }
    found = []
    for each in ET.fromstring(archive.read(_BOOK)).iterfind(".//{*}sheet"):  # noqa: S314 - as above
        linked = next((v for k, v in each.items() if k.endswith("}id")), None)
        if linked in targets:
            shown = each.get("state", "visible") == "visible"
            name, part = each.get("name", ""), targets[linked]
            found.append(_Listed(name=name, part=part, shown=shown))
    return found


def _part(target: str) -> str:
    """Return the name in the archive of what a link of the workbook leads to."""
    if target.startswith("/"):
        return target.removeprefix("/")
    return str(PurePosixPath("xl", target))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Extent:
    """How large a sheet is, and what else its XML may hold.

    Attributes:
        cells: How many cells are written.
        rows: The largest number of a row with a cell.
        columns: The largest number of a column with a cell.
        formulas: Whether there may be formulas.
        errors: Whether there may be formulas that have failed.

    """

    cells: int
    rows: int
    columns: int
    formulas: bool
    errors: bool

    def check(self) -> None:
        """Refuse too many cells, those between the far corners of the sheet included.

        What a sheet says of its own size may be wrong.
        """
        size = self.rows * self.columns
        if self.cells > MOST_CELLS or size > max(10 * self.cells, MOST_CELLS):
            message = (
                f"the sheet has more than {MOST_CELLS:,} cells, which takes too long "
                "to read. Save it as CSV or Parquet, or keep fewer columns or rows."
            )
            raise DataError(message)


def _extent(xml: bytes) -> _Extent:
    """Return how large a sheet is, in a few passes over its bytes."""
    # Behind the end is nothing that could be a part of a place.
    text = np.frombuffer(xml + bytes(_LONGEST_PLACE), np.uint8)
    quotes = np.flatnonzero(text[3:] == _QUOTE)[:-1] + 3
    ends = np.append(quotes[1:], quotes[-1:])
    named = text[quotes - 1] == _EQUALS
    names = text[quotes - 2]
    placed = np.flatnonzero(named & (names == _R))
    at, lengths = quotes[placed] + 1, ends[placed] - quotes[placed] - 1
    letters = [(text[at + place] > _NINE) & (lengths > place) for place in range(4)]
    of_cells = int(np.count_nonzero(letters[0]))
    cells = xml.count(b"<c ") + xml.count(b"<c>")
    if not cells or of_cells != cells or letters[3].any():
        return _unusual_extent(xml)
    wide: NDArray[np.int64] = np.stack(letters[:3]).astype(np.int64).sum(axis=0)
    kinds = quotes[named & (names == _T)] + 1
    return _Extent(
        cells=cells,
        rows=_largest(text, at + wide, lengths - wide, _ZERO, 10),
        columns=_largest(text, at, wide, _BEFORE_A, 26),
        formulas=xml.find(b"<f>") >= 0 or xml.find(b"<f ") >= 0,
        errors=bool(np.any((text[kinds] == _E) & (text[kinds + 1] == _QUOTE))),
    )


def _largest(
    text: NDArray[np.uint8],
    at: NDArray[np.intp],
    lengths: NDArray[np.intp],
    zero: int,
    base: int,
) -> int:
    """Return the largest number that is written at some places, in so many signs."""
    longest = int(lengths.max(initial=0))
    if longest > _LONGEST_PLACE:
        return MOST_CELLS + 1
    at = at[lengths == longest]
    numbers = np.zeros(len(at), np.int64)
    for place in range(longest):
        numbers = base * numbers + text[at + place] - zero
    return int(numbers.max(initial=0))


def _unusual_extent(xml: bytes) -> _Extent:
    """Return how large a sheet is whose cells are not all written as usual.

    Cells without a place come one after another in their row.
    """
    found = _PLACE.findall(xml)
    per_row = [len(_CELL.findall(row)) for row in _ROW.split(xml)[1:]]
    return _Extent(
        cells=sum(per_row),
        rows=max([len(per_row), *(int(row) for _, row in found)]),
        columns=max([0, *per_row, *(_number(letters) for letters, _ in found)]),
        formulas=True,
        errors=True,
    )


def _number(letters: bytes) -> int:
    """Return the number of a column, from 1.

    >>> _number(b"A"), _number(b"AB")
    (1, 28)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number


def _by_calamine(alone: bytes, sheet: str) -> tuple[list[Row], int]:
    """Return the cells from the first row on, and how many ranges are merged."""
    import python_calamine  # noqa: PLC0415 - rarely used

    try:
        with python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(alone)) as book:
            page = book.get_sheet_by_name(sheet)
            merged = len(page.merged_cell_ranges or ())
            return page.to_python(skip_empty_area=False), merged
    except python_calamine.CalamineError:
        raise _damaged() from None
    except BaseException as error:
        # A panic of the library is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise _damaged() from None


def _not_blank(cells: Sequence[Row]) -> dict[int, Row]:
    rows = {}
    for number, row in enumerate(cells, start=1):
        length = len(row)
        while length and row[length - 1] == "":
            length -= 1
        if length:
            rows[number] = row if length == len(row) else row[:length]
    return rows


def _failed(xml: bytes) -> dict[tuple[int, int], str]:
    """Return which formulas have failed, by row and column."""
    found = (
        (int(row), _number(column), error.decode("ascii", errors="replace"))
        for column, row, error in _FAILED.findall(xml)
    )
    return {(row, column): error for row, column, error in found if error != _NO_VALUE}


def _check_formulas(failed: Mapping[tuple[int, int], str], header: int) -> None:
    for (line, column), error in failed.items():
        if line > header:
            message = (
                f"line {line} of column {column} holds the error {error} instead of a "
                "value. Repair the formula, or empty the cell, which then counts as "
                "missing."
            )
            raise DataError(message, line=line, column=column)


def _blank_before(header: Row, records: Sequence[Row]) -> int:
    """Return how many columns before the header have neither a name nor a value."""
    blank = next(at for at, cell in enumerate(header) if cell != "")
    used = (
        at for record in records for at, cell in enumerate(record[:blank]) if cell != ""
    )
    return min(used, default=blank)


def _framed(
    names: Sequence[str], records: Sequence[Row], lines: Sequence[int], blank: int
) -> pd.DataFrame:
    """Return the columns of a table, without blank ones before the header."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    index = pd.Index(lines, name="line")
    cells = islice(zip_longest(*records, fillvalue=""), blank, None)
    none = ("",) * len(records)
    columns = {name: _column(next(cells, none)).set_axis(index) for name in names}
    return pd.DataFrame(columns, index=index, copy=False)


def _column(cells: Sequence[Any]) -> pd.Series:
    """Return the cells of a column: numbers if all are, otherwise as text each."""
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    kinds = [*map(type, cells)]
    if {*kinds} <= {float, str} and kinds.count(str) == cells.count(""):
        numbers = [np.nan if cell == "" else cell for cell in cells]
        return typed_number_column(np.array(numbers, dtype=np.float64))
    texts = cells if {*kinds} == {str} else _texts(cells)
    return typed_column(pa.chunked_array([pa.array(texts, pa.string())]))


def _texts(cells: Sequence[Any]) -> list[str]:
    """Return cells as text; a number is written as in a column of numbers."""
    floats = float_texts(cell for cell in cells if type(cell) is float)
    return [floats[cell] if type(cell) is float else _text(cell) for cell in cells]


def _text(cell: Any) -> str:  # noqa: ANN401 - whatever a cell holds
    if isinstance(cell, dt.datetime) and cell.time() == dt.time.min:
        return cell.date().isoformat()
    return str(cell)


def _damaged() -> DataError:
    message = (
        "the Excel workbook cannot be read: it is damaged, or was not sent to its end. "
        "Save it once more, or save the sheet as CSV."
    )
    return DataError(message)
