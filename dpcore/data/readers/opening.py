"""Any file with a table, whatever its format."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from dpcore.data import limits
from dpcore.data.cells import TEXT_CODES
from dpcore.data.columns import Column
from dpcore.data.dialects import Dialect, sniff
from dpcore.data.file_format import FileFormat
from dpcore.data.limits import Proceed
from dpcore.data.proposals import proposed
from dpcore.data.readers.arrow import is_arrow, read_arrow
from dpcore.data.readers.coded import Coded, is_coded, read_coded
from dpcore.data.readers.parquet import is_parquet, read_parquet
from dpcore.data.readers.tables import FileTable
from dpcore.data.readers.workbook import is_workbook, open_sheet, sheets
from dpcore.data.reading import header_of, read_csv
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A table that was read. CONFIDENTIAL.

    Attributes:
        frame: The table.
        columns: A first description of every column, for the user to complete.
        missing: Missing codes that the file itself declares, by column.
        notes: What the curator should know of the file, a sentence each.
        file_format: How the file was read.
        suggested: How the file itself suggests to be read.

    """

    frame: pd.DataFrame
    columns: tuple[Column, ...]
    missing: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    file_format: FileFormat = field(default_factory=FileFormat)
    suggested: FileFormat = field(default_factory=FileFormat)


def is_text(data: bytes) -> bool:
    """Return whether a file has to be read as CSV, in a dialect."""
    known = (is_parquet, is_arrow, is_workbook, is_coded)
    return not any(is_known(data) for is_known in known)


def sheets_in(data: bytes) -> tuple[str, ...]:
    """Return the names of the sheets of a workbook, of another file none.

    Raises:
        DataError: The workbook cannot be read.

    """
    return sheets(data) if is_workbook(data) else ()


def suggested_format(data: bytes) -> FileFormat:
    """Return how a file that is no workbook is most plausibly read."""
    if is_text(data):
        return FileFormat(dialect=sniff(data), missing_codes=TEXT_CODES)
    return FileFormat()


def read(
    data: bytes,
    file_format: FileFormat | None = None,
    *,
    dialect: Dialect | None = None,
    sheet: str | None = None,
    declared: Sequence[FileFormat] = (),
    suggested: FileFormat | None = None,
    proceed: Proceed = limits.always,
) -> Opened:
    r"""Return the table of a file that is not packed.

    Args:
        data: CSV, Parquet, Arrow, an Excel workbook, or a file of SPSS, Stata or SAS.
        file_format: How it is read; where it is None, in the first of the ``declared``
            formats that finds the same columns in it, or as the file suggests.
        dialect: Of a text file, where no format is given; None for what it suggests.
        sheet: Of a workbook, where no format is given; None for the first one.
        declared: Formats in which files were read before.
        suggested: Of a text file, its ``suggested_format`` where that is known.
        proceed: Called between blocks; what it raises ends the reading.

    Raises:
        DataError: It cannot be read, and why.

    >>> opened = read(b"age;pay\n31;2500\n45;3100\n")
    >>> [column.name for column in opened.columns], opened.file_format.dialect.delimiter
    (['age', 'pay'], ';')

    """
    if file_format is None and dialect is not None and is_text(data):
        file_format = FileFormat(dialect=dialect, missing_codes=TEXT_CODES)
    if is_workbook(data):
        opened = _of_workbook(data, file_format, sheet, declared, proceed)
    elif is_text(data):
        opened = _of_text(data, file_format, declared, suggested, proceed)
    else:
        proceed()
        opened = _of_typed(data, file_format, declared)
    proceed()
    header = tuple(map(str, opened.frame.columns))
    return replace(opened, file_format=replace(opened.file_format, header=header))


def _of_text(
    data: bytes,
    wanted: FileFormat | None,
    declared: Sequence[FileFormat],
    suggested: FileFormat | None,
    proceed: Proceed,
) -> Opened:
    suggested = suggested or suggested_format(data)
    used = wanted or _fitting(declared, partial(_text_header, data)) or suggested
    dialect = used.dialect or Dialect()
    frame = read_csv(data, dialect, proceed)
    proceed()
    return Opened(
        frame=frame,
        columns=proposed(frame, notation=dialect.notation, missing_codes=used.missing_codes),
        file_format=used,
        suggested=suggested,
    )


def _text_header(data: bytes, tried: FileFormat) -> tuple[str, ...]:
    return () if tried.dialect is None else header_of(data, tried.dialect)


def _of_workbook(
    data: bytes,
    wanted: FileFormat | None,
    sheet: str | None,
    declared: Sequence[FileFormat],
    proceed: Proceed,
) -> Opened:
    names = sheets(data)
    opened = lru_cache(maxsize=1)(partial(open_sheet, data, proceed=proceed))

    def header(tried: FileFormat) -> tuple[str, ...]:
        if tried.sheet not in names or sheet not in {None, tried.sheet}:
            return ()
        return opened(tried.sheet).header(tried.title_rows)

    used = wanted or _fitting(declared, header)
    name = used.sheet if used else sheet or names[0]
    cells = opened(name)
    suggested = FileFormat(sheet=name, title_rows=cells.title_rows)
    used = used or suggested
    table = cells.table(used.title_rows)
    columns = proposed(table.frame, missing_codes=used.missing_codes)
    return Opened(
        frame=table.frame, columns=columns, notes=table.notes, file_format=used, suggested=suggested
    )


def _of_typed(data: bytes, wanted: FileFormat | None, declared: Sequence[FileFormat]) -> Opened:
    """Return the table of a file that says itself how it is read."""
    found: Coded | FileTable
    if is_coded(data):
        found = read_coded(data)
    else:
        found = read_parquet(data) if is_parquet(data) else read_arrow(data)
    names = tuple(map(str, found.frame.columns))
    suggested = FileFormat()
    used = wanted or _fitting(declared, lambda tried: _typed_header(tried, names))
    used = used or suggested
    codes = used.missing_codes
    columns = (
        tuple(replace(each, missing_codes=codes) for each in found.columns)
        if isinstance(found, Coded)
        else proposed(found.frame, missing_codes=codes)
    )
    return Opened(
        frame=found.frame,
        columns=columns,
        missing=found.missing if isinstance(found, Coded) else {},
        notes=found.notes if isinstance(found, FileTable) else (),
        file_format=used,
        suggested=suggested,
    )


def _typed_header(tried: FileFormat, names: tuple[str, ...]) -> tuple[str, ...]:
    return () if tried.dialect is not None or tried.sheet else names


def _fitting(
    declared: Sequence[FileFormat], header: Callable[[FileFormat], tuple[str, ...]]
) -> FileFormat | None:
    """Return the first format in which a file has the columns that it had before."""
    for tried in declared:
        with contextlib.suppress(DataError):
            if tried.header and {*header(tried)} == {*tried.header}:
                return tried
    return None
