"""The table that a file holds, with what of the file is not in it, and its header."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from dpcore.data import limits
from dpcore.data.column_storage import typed_column
from dpcore.data.columns import Column
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

ROW: Final = "row"
"""Name of a first column without one: R and pandas number the rows in it."""
FIRST_LINE: Final = 2
"""Rows are counted as the lines of a CSV file, whose first line is its header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTable:
    """A table as it was read from a file. CONFIDENTIAL.

    Attributes:
        frame: The table.
        notes: What the curator should know: columns that are left out, formulas without
            a value. A sentence each.
        columns: What the file itself says of its columns: kinds, answers and meanings;
            ``None`` where it says nothing.
        missing: Codes that stand for no answer, by column, as the file names them.

    """

    frame: pd.DataFrame = field(repr=False)
    notes: tuple[str, ...] = ()
    columns: tuple[Column, ...] | None = None
    missing: Mapping[str, str] = field(default_factory=dict)


def typed_frame(
    columns: Iterable[tuple[str, pa.ChunkedArray]], rows: int, first: int = FIRST_LINE
) -> pd.DataFrame:
    """Return columns of a typed file as a table whose rows are lines from ``first`` on.

    They are taken one by one, so that no two are held twice.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import

    lines = pd.RangeIndex(first, first + rows, name="line")
    held = {name: typed_column(cells).set_axis(lines) for name, cells in columns}
    # Nobody else has these arrays: there is nothing to keep a copy from.
    return pd.DataFrame(held, index=lines, copy=False)


def column_names(fields: Iterable[str], line: int | None) -> list[str]:
    """Return the names of the columns of a file, without surrounding white space.

    A first column without a name is ``ROW``.

    Raises:
        DataError: There are too many, or one is missing, too long, or there twice.

    """
    names = [field.strip() for field in fields]
    if len(names) > limits.MAX_COLUMNS:
        raise too_wide(line)
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


def too_wide(line: int | None) -> DataError:
    """Return the error of a header of too many columns."""
    message = (
        f"the header has more than {limits.MAX_COLUMNS:,} columns, which is the most "
        "that can be read. Keep the columns that you need, or choose another "
        "delimiter."
    )
    return DataError(message, line=line)
