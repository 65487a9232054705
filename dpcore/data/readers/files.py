"""Any file with a table, packed or not, whatever its format."""

from __future__ import annotations

import contextlib
import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.data import limits
from dpcore.data.cells import PLAIN, TEXT_CODES, is_number, text_of
from dpcore.data.columns import Column
from dpcore.data.dialects import Dialect, FileFormat, sniff
from dpcore.data.limits import Proceed
from dpcore.data.proposals import proposed
from dpcore.data.readers.csv_reader import header_of, read_csv
from dpcore.data.readers.excel import is_workbook, open_sheet, sheets
from dpcore.data.readers.file_table import FileTable
from dpcore.data.readers.parquet import is_arrow, is_parquet, read_arrow, read_parquet
from dpcore.data.readers.statistical_packages import is_coded, read_coded
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pandas as pd


_ZIP: Final = b"PK\x03\x04"
_XZ: Final = b"\xfd7zXZ\x00"
_STREAMS: Final = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
_XZ_MEMORY: Final = 1 << 28
"""What an archive may ask for to be unpacked: its header names the size."""
_OFFICE: Final = "[Content_Types].xml"
_FIRST_ROWS: Final = 5
_ROWS_BEYOND_ASCII: Final = 3
_LOOKED_AT: Final = 200_000
"""Rows among which letters beyond ASCII are looked for."""


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
    if is_workbook(data):
        table, used, suggested = _of_workbook(data, file_format, sheet, declared, proceed)
    elif is_text(data):
        if file_format is None and dialect is not None:
            file_format = FileFormat(dialect=dialect, missing_codes=TEXT_CODES)
        suggested = suggested or suggested_format(data)
        used = file_format or _fitting(declared, partial(_text_header, data)) or suggested
        table = FileTable(frame=read_csv(data, used.dialect or Dialect(), proceed))
    else:
        proceed()
        typed = (is_coded, read_coded), (is_parquet, read_parquet), (is_arrow, read_arrow)
        table = next(reader for is_known, reader in typed if is_known(data))(data)
        suggested = FileFormat()
        names = tuple(map(str, table.frame.columns))
        used = file_format or _fitting(declared, partial(_typed_header, names)) or suggested
    proceed()
    codes = used.missing_codes
    if table.columns is None:
        notation = PLAIN if used.dialect is None else used.dialect.notation
        columns = proposed(table.frame, notation=notation, missing_codes=codes)
    else:
        columns = tuple(replace(each, missing_codes=codes) for each in table.columns)
    proceed()
    return Opened(
        frame=table.frame,
        columns=columns,
        missing=table.missing,
        notes=table.notes,
        file_format=replace(used, header=tuple(map(str, table.frame.columns))),
        suggested=suggested,
    )


def _text_header(data: bytes, tried: FileFormat) -> tuple[str, ...]:
    return () if tried.dialect is None else header_of(data, tried.dialect)


def _typed_header(names: tuple[str, ...], tried: FileFormat) -> tuple[str, ...]:
    return () if tried.dialect is not None or tried.sheet else names


def _of_workbook(
    data: bytes,
    wanted: FileFormat | None,
    sheet: str | None,
    declared: Sequence[FileFormat],
    proceed: Proceed,
) -> tuple[FileTable, FileFormat, FileFormat]:
    """Return the table of a sheet, how it was read, and how it suggests to be read."""
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
    return cells.table(used.title_rows), used, suggested


def _fitting(
    declared: Sequence[FileFormat], header: Callable[[FileFormat], tuple[str, ...]]
) -> FileFormat | None:
    """Return the first format in which a file has the columns that it had before."""
    for tried in declared:
        with contextlib.suppress(DataError):
            if tried.header and {*header(tried)} == {*tried.header}:
                return tried
    return None


def unpacked(data: bytes) -> bytes:
    """Return the file in a gzip, bzip2, xz, Zstandard or zip archive, others as is.

    How much a file becomes is limited while it is unpacked, so that a small archive of
    a huge file is refused before it fills the memory. Workbooks of office programs are
    zip archives, too, and stay as they are.

    Raises:
        DataError: The archive is damaged or locked, holds more than one file, or a file
            larger than may be read.

    """
    stream = next((name for mark, name in _STREAMS.items() if data.startswith(mark)), None)
    try:
        if stream is not None:
            content = _from_stream(data, stream)
        elif data.startswith(_XZ):
            content = _from_xz(data)
        elif data.startswith(_ZIP):
            content = _from_zip(data)
        else:
            return data
    except (lzma.LZMAError, MemoryError, zipfile.BadZipFile, zlib.error, EOFError, OSError):
        raise DataError(
            "the archive cannot be unpacked: it is damaged or incomplete. Compress the table "
            "again, or upload it uncompressed."
        ) from None
    limits.check_bytes(len(content))
    return content


def _from_stream(data: bytes, name: str) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    try:
        with pa.CompressedInputStream(pa.BufferReader(data), name) as stream:
            return bytes(stream.read(limits.MAX_BYTES + 1))
    except pa.ArrowException:
        raise OSError from None


def _from_xz(data: bytes) -> bytes:
    reader = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
    text = reader.decompress(data, limits.MAX_BYTES + 1)
    if not reader.eof and len(text) <= limits.MAX_BYTES:
        raise EOFError
    return text


def _from_zip(data: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            if _OFFICE in names:
                return data
            files = [
                name
                for name in names
                if not name.endswith("/") and not name.startswith("__MACOSX/")
            ]
            if len(files) != 1:
                raise DataError(
                    f"the zip archive holds {len(files)} files, but must contain exactly one. "
                    "Unpack it, and upload the file with the table."
                )
            with archive.open(files[0]) as file:
                return file.read(limits.MAX_BYTES + 1)
    except NotImplementedError:  # an unknown way to pack
        raise OSError from None
    except RuntimeError:
        raise DataError(
            "the zip archive is protected by a password. Unpack it, and upload the file."
        ) from None


def first_rows(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a table, as text, that show whether its file was read as written.

    CONFIDENTIAL. A missing value is blank. They are the first five, and the first three
    with letters beyond ASCII: these show a wrong encoding, and may come late.
    """
    rows = np.arange(len(frame)) < _FIRST_ROWS
    some = frame.iloc[:_LOOKED_AT]
    beyond = np.zeros(len(some), np.bool_)
    for name in frame.columns:
        if not is_number(frame[name]):
            beyond |= _beyond_ascii(some[name])
    rows[np.flatnonzero(beyond)[:_ROWS_BEYOND_ASCII]] = True
    return frame[rows].apply(lambda cells: text_of(cells).fillna(""))


def _beyond_ascii(cells: pd.Series) -> NDArray[np.bool_]:
    """Return which cells of text have letters beyond ASCII."""
    import pandas as pd  # noqa: PLC0415 - slow to import

    if isinstance(cells.dtype, pd.CategoricalDtype):
        known = [not str(each).isascii() for each in cells.cat.categories]
        return np.array([*known, False])[cells.cat.codes.to_numpy()]
    return np.array([isinstance(cell, str) and not cell.isascii() for cell in cells])
