"""Any file with a table, whatever its format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dpcore.data.doors.arrow import is_arrow, read_arrow
from dpcore.data.doors.coded import is_coded, read_coded
from dpcore.data.doors.parquet import is_parquet, read_parquet
from dpcore.data.doors.workbook import is_workbook, read_workbook, sheets
from dpcore.data.proposals import proposed
from dpcore.data.reading import read_csv

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from dpcore.data.columns import Column
    from dpcore.data.dialects import Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A table that was read. CONFIDENTIAL.

    Attributes:
        frame: The table.
        columns: A first description of every column, for the user to complete.
        missing: Codes that the file itself declares to stand for no answer, by column.

    """

    frame: pd.DataFrame
    columns: tuple[Column, ...]
    missing: Mapping[str, str] = field(default_factory=dict)


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


def read(data: bytes, *, dialect: Dialect, sheet: str | None = None) -> Opened:
    r"""Return the table of a file that is not packed.

    Args:
        data: CSV, Parquet, Arrow, an Excel workbook, or a file of SPSS or Stata.
        dialect: In which it is read, if it is text.
        sheet: Of a workbook; the first that is not hidden, unless another is named.

    Raises:
        DataError: It cannot be read, and why.

    >>> from dpcore.data.dialects import sniff
    >>> data = b"age,pay\n31,2500\n45,3100\n"
    >>> [column.name for column in read(data, dialect=sniff(data)).columns]
    ['age', 'pay']

    """
    if is_coded(data):
        coded = read_coded(data)
        return Opened(frame=coded.frame, columns=coded.columns, missing=coded.missing)
    if is_parquet(data):
        frame = read_parquet(data)
    elif is_arrow(data):
        frame = read_arrow(data)
    elif is_workbook(data):
        frame = read_workbook(data, sheets(data)[0] if sheet is None else sheet)
    else:
        frame = read_csv(data, dialect)
        columns = proposed(frame, notation=dialect.notation)
        return Opened(frame=frame, columns=columns)
    return Opened(frame=frame, columns=proposed(frame, missing_codes=()))
