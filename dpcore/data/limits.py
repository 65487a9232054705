"""How large a table may be, whichever file it comes in.

Whatever a file says of its own size may be wrong, so that readers check what it says
before they read, and what they find while they do. What is found is refused in one
sentence: what is too large, what the limit is, and what to do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from dpcore.errors import DataError

Proceed = Callable[[], None]
"""Called between the blocks of a file. It raises where nobody waits any more."""

MAX_BYTES: Final = 200 << 20
"""Bytes of a file, and of the one in an archive."""
MAX_UNPACKED: Final = 1 << 30
"""Bytes that the values of a typed file take in memory."""
MAX_ROWS: Final = 10_000_000
MAX_COLUMNS: Final = 2_000
MAX_NAME: Final = 200
"""Characters of the name of a column."""
MAX_CELLS: Final = 100_000_000
"""Rows times columns: a gigabyte of numbers is 134 million."""
CODED_CELLS: Final = 50_000_000
"""Cells of a file of SPSS, Stata or SAS: reading one cannot be interrupted."""
SHEET_CELLS: Final = 3_000_000
"""Cells of a sheet: to read one out of XML takes some microseconds."""
SHEET_BYTES: Final = 2 * MAX_BYTES
"""Bytes of the XML of a sheet, or of the text in its cells."""
PART_BYTES: Final = 32 << 20
"""Bytes of the XML that describes a workbook."""
FEWER: Final = "Keep fewer columns or rows."
AS_CSV: Final = "Save the sheet as CSV or Parquet, or keep fewer columns or rows."


def always() -> None:
    """Proceed: somebody waits for the table as long as it takes."""


def check(size: int, most: int, what: str, *, advice: str = FEWER) -> None:
    """Refuse what is too large.

    Args:
        size: How large it is.
        most: How large it may be.
        what: What has that size, and in which unit: "{} rows", with a place for it.
        advice: What to do.

    Raises:
        DataError: It is too large.

    >>> check(11, 10, "{} rows", advice="Keep fewer.")
    Traceback (most recent call last):
    dpcore.errors.DataError: 10 rows, which is the most that can be read. Keep fewer.

    """
    if size > most:
        message = f"{what.format(f'{most:,}')}, which is the most that can be read. "
        raise DataError(message + advice)


def check_bytes(
    size: int,
    most: int | None = None,
    what: str = "the file has more than {} MB",
    *,
    advice: str = FEWER,
) -> None:
    """Refuse too many bytes, of a file where nothing else is said.

    Raises:
        DataError: There are too many.

    """
    limit = MAX_BYTES if most is None else most
    # The last megabyte may not be full.
    check(-(-size >> 20), limit >> 20, what, advice=advice)


def check_unpacked(size: int) -> None:
    """Refuse a file whose values take too much memory.

    Raises:
        DataError: They do.

    """
    check_bytes(size, MAX_UNPACKED, "unpacked it has more than {} MB")


def check_rows(rows: int, columns: int, cells: int | None = None) -> None:
    """Refuse a table without rows, or of too many rows or cells.

    ``cells`` is how many a format may have, where that is less than ``MAX_CELLS``.

    Raises:
        DataError: It is one of these.

    """
    if rows == 0:
        raise DataError("the file has a header and no records. Add one line for each person.")
    check(rows, MAX_ROWS, "the file has more than {} records")
    most = min(MAX_CELLS, cells or MAX_CELLS)
    check(rows * columns, most, "the table has more than {} cells")
