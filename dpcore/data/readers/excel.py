"""A sheet of an Excel workbook, read into a table.

calamine reads the cells. It is given an archive of that sheet alone: so a workbook of
many sheets is not read for each, and what is unpacked is known before it is.
"""

from __future__ import annotations

import datetime as dt
import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest
from pathlib import PurePosixPath
from typing import IO, Any, Final
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd

from dpcore.data import limits
from dpcore.data.cells import float_texts
from dpcore.data.column_storage import typed_column, typed_number_column
from dpcore.data.dialects import header_place
from dpcore.data.limits import Proceed
from dpcore.data.readers.file_table import FileTable, column_names
from dpcore.data.readers.sheet_xml import TEXT_START, SharedTexts, SheetSize, pieces
from dpcore.errors import DataError

Row = list[Any]

_ZIP: Final = b"PK\x03\x04"
_BOOK: Final = "xl/workbook.xml"
_LINKS: Final = "xl/_rels/workbook.xml.rels"
_SHEET: Final = "/worksheet"
"""End of the type of a link to a sheet of cells."""
_TEXTS: Final = "xl/sharedstrings.xml"
_DESCRIBING: Final = frozenset(
    ("[content_types].xml", "_rels/.rels", _BOOK, _LINKS, "xl/styles.xml")
)
_TOGETHER: Final = 4096
"""Rows that are taken over before the reading can be stopped."""
_LOOKED_AT: Final = 100
"""Rows that are looked at to propose which is the header."""
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
        records = [*rows.values()]
        blank = _blank_before(header, records)
        names = column_names(_texts(header[blank:]), first)
        limits.check_rows(len(records), len(names))
        for line, record in rows.items():
            if len(record) > len(header):
                raise DataError(
                    f"line {line} has a value in column {len(record)}, and the header in line "
                    f"{first} ends with column {len(header)}. Name that column, or delete the "
                    "value.",
                    line=line,
                    column=len(record),
                )
        for (line, column), error in self.failed.items():
            if line > first:
                raise DataError(
                    f"line {line} of column {column} holds the error {error} instead of a "
                    "value. Repair the formula, or empty the cell, which then counts as "
                    "missing.",
                    line=line,
                    column=column,
                )
        index = pd.Index([*rows], name="line")
        cells = islice(zip_longest(*records, fillvalue=""), blank, None)
        none = ("",) * len(records)
        columns = {name: _column(next(cells, none)).set_axis(index) for name in names}
        frame = pd.DataFrame(columns, index=index, copy=False)
        return FileTable(frame=frame, notes=self._notes)

    def _from_header(self, titles: int) -> tuple[int, Row, dict[int, Row]]:
        """Return the number of the header, its cells, and the rows after it."""
        rows = {line: row for line, row in self.rows.items() if line > titles}
        if not rows:
            message = "the sheet is empty. Choose another one."
            if self.rows:
                message = f"no row is left after the {titles} before the header. Leave out fewer."
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
class _SheetEntry:
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
        raise DataError("the workbook has no sheet that is not hidden. Show the one to read.")
    return names


def open_sheet(data: bytes, sheet: str, proceed: Proceed = limits.always) -> Sheet:
    """Return a sheet of a workbook, all of whose cells are read.

    ``proceed`` is called between blocks, and may end the reading by what it raises.

    Raises:
        DataError: The workbook is damaged or too large, or has no such sheet.

    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            every = _sheets(archive)
            chosen = next((each for each in every if each.name == sheet), None)
            if chosen is None:
                raise DataError("the workbook has no such sheet any more. Choose another one.")
            alone, scanned = _alone(archive, chosen, proceed)
        return Sheet(
            rows=_by_calamine(alone, sheet, proceed),
            failed=scanned.failed,
            unstored=scanned.unstored,
            merged=scanned.merged,
        )
    except _WRONG:
        raise _damaged() from None


def _is_named(row: Row) -> bool:
    first = next((at for at, cell in enumerate(row) if cell != ""), len(row))
    return all(isinstance(cell, str) and cell.strip() for cell in row[first:])


def _alone(
    archive: zipfile.ZipFile, chosen: _SheetEntry, proceed: Proceed
) -> tuple[IO[bytes], SheetSize]:
    """Return an archive with one sheet of a workbook, and what was seen of the sheet.

    Raises:
        DataError: The sheet is too large.

    """
    scanned, texts = SheetSize(), SharedTexts()
    alone = io.BytesIO()
    with zipfile.ZipFile(alone, "w", zipfile.ZIP_STORED) as made:
        with archive.open(chosen.part) as sheet, made.open(chosen.part, "w") as copy:
            for piece in pieces(sheet, proceed):
                scanned.add(piece)
                copy.write(piece)
        scanned.check()
        for name in {*archive.namelist()}:
            # In any case: so the library looks for them.
            if name.lower() in _DESCRIBING:
                made.writestr(name, _described(archive, name))
            elif name.lower() == _TEXTS:
                with archive.open(name) as file, made.open(name, "w") as copy:
                    for piece in pieces(file, proceed, TEXT_START):
                        texts.add(piece)
                        copy.write(piece)
    with archive.open(chosen.part) as sheet:
        texts.check(pieces(sheet, proceed), scanned.shared)
    alone.seek(0)
    return alone, scanned


def _sheets(archive: zipfile.ZipFile) -> list[_SheetEntry]:
    """Return the sheets of cells; refuse what is no workbook, or too large."""
    parts = archive.infolist()
    names = {part.filename for part in parts}
    if _BOOK not in names:
        raise DataError(
            "this is a file of an office program, and no Excel workbook (.xlsx). Save "
            "the table as .xlsx or as CSV."
        )
    for member in parts:
        what, most = "a part of the workbook has more than {} MB", limits.SHEET_BYTES
        limits.check_bytes(member.file_size, most, what, advice=limits.AS_CSV)
    targets = {
        # A target without a slash lies beside the workbook.
        link.get("Id"): str(PurePosixPath("/xl", link.get("Target", ""))).removeprefix("/")
        for link in ET.fromstring(_described(archive, _LINKS))  # noqa: S314 - expat limits what entities become
        if link.get("Type", "").endswith(_SHEET)
    }
    found = []
    for each in ET.fromstring(_described(archive, _BOOK)).iterfind(".//{*}sheet"):  # noqa: S314 - as above
        linked = next((v for k, v in each.items() if k.endswith("}id")), None)
        if linked in targets:
            shown = each.get("state", "visible") == "visible"
            name, part = each.get("name", ""), targets[linked]
            found.append(_SheetEntry(name=name, part=part, shown=shown))
    return found


def _described(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a part of a workbook that describes others."""
    what = "a part that describes the workbook has more than {} MB"
    size = archive.getinfo(name).file_size
    limits.check_bytes(size, limits.PART_BYTES, what, advice=limits.AS_CSV)
    return archive.read(name)


def _by_calamine(alone: IO[bytes], sheet: str, proceed: Proceed) -> dict[int, Row]:
    """Return each row that is not blank by its number, without blank cells behind."""
    import python_calamine  # noqa: PLC0415 - rarely used

    try:
        with python_calamine.CalamineWorkbook.from_filelike(alone) as book:
            page = book.get_sheet_by_name(sheet)
            before = [""] * (page.start or (0, 0))[1]
            rows = {}
            # Row by row: all at once would keep every other thread waiting.
            for number, cells in enumerate(page.iter_rows(), start=1):
                if number % _TOGETHER == 0:
                    proceed()
                length = len(cells)
                while length and cells[length - 1] == "":
                    length -= 1
                if length:
                    rows[number] = before + cells[:length]
            return rows
    except python_calamine.CalamineError:
        raise _damaged() from None
    except BaseException as error:
        # A panic of the library is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise _damaged() from None


def _blank_before(header: Row, records: Sequence[Row]) -> int:
    """Return how many columns before the header have neither a name nor a value."""
    blank = next(at for at, cell in enumerate(header) if cell != "")
    used = (at for record in records for at, cell in enumerate(record[:blank]) if cell != "")
    return min(used, default=blank)


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
        "the Excel workbook cannot be read: it is damaged or incomplete. Save it again, or save "
        "the sheet as CSV."
    )
    return DataError(message)
