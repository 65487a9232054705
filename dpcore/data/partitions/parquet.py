"""Parquet files as parts of a table: their rows, a group of them at a time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dpcore.data.columns import Column, ColumnKind, yes_no
from dpcore.data.dates import DateFormat
from dpcore.data.limits import MAX_ROWS
from dpcore.data.partitions.folder import Stamp
from dpcore.data.readers.parquet import readable
from dpcore.data.storage import typed_column
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq


_FIRST_LINE: Final = 2
_FOOTERS: Final = 16
"""Files whose footers are kept: those of a few tables in use."""
_YES_NO: Final = ("False", "True")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A group of rows of a Parquet file.

    Attributes:
        path: The file.
        group: Which of its groups, from 0.
        start: Row of the file, from 0, that is the first of the group.
        rows: Number of rows.

    """

    path: Path = field(repr=False)
    group: int
    start: int
    rows: int

    @property
    def where(self) -> str:
        """Return file and rows, from 1, in words."""
        first, last = self.start + 1, self.start + self.rows
        return f"file {self.path.name}, rows {first} to {last}"


def parts_of(path: Path) -> tuple[pa.Schema, tuple[Part, ...]]:
    """Return the schema of a file and its groups of rows; only its footer is read.

    Raises:
        DataError: The file is damaged or locked, or has too long a group of rows.

    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to import

    try:
        with pq.ParquetFile(path) as file:
            facts, schema = file.metadata, file.schema_arrow
            rows = [facts.row_group(i).num_rows for i in range(facts.num_row_groups)]
    except (OSError, UnicodeError, pa.ArrowException):
        raise _damaged(path) from None
    if max(rows, default=0) > MAX_ROWS:
        raise DataError(
            f"file {path.name} has a group of {max(rows):,} rows, and at most "
            f"{MAX_ROWS:,} are read at a time. Have it written in shorter row groups."
        )
    starts = accumulate(rows, initial=0)
    return schema, tuple(
        Part(path=path, group=group, start=start, rows=count)
        for group, (start, count) in enumerate(zip(starts, rows, strict=False))
    )


def columns_of(schema: pa.Schema) -> tuple[Column, ...]:
    """Return a first description of every column, from its type in the files.

    Bounds and the labels of categories are left open: nobody but the user may say what
    they are. Columns that no door reads are left out (``readable``).

    Raises:
        DataError: A column has no name or that of another one, or none can be read.

    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    described = []
    kept = readable(schema)
    for name, place in zip(kept.names, kept.places, strict=True):
        each = schema.field(place)
        if pa.types.is_boolean(each.type):
            column = yes_no(name, _YES_NO)
        elif _is_number(each.type):
            whole = pa.types.is_integer(each.type)
            kind = ColumnKind.WHOLE if whole else ColumnKind.NUMBER
            column = Column(name=name, kind=kind)
        elif pa.types.is_date(each.type) or pa.types.is_timestamp(each.type):
            timed = pa.types.is_timestamp(each.type)
            form = DateFormat(time_of_day=bool(timed))
            column = Column(name=name, kind=ColumnKind.DATE, dates=form)
        else:
            column = Column(name=name, kind=ColumnKind.CATEGORY)
        described.append(replace(column, missing_codes=()))
    return tuple(described)


def read_part(part: Part, names: list[str]) -> pd.DataFrame:
    """Return some columns of a group of rows, as ``Dataset`` takes them.

    As they are held of a file that is uploaded (``dpcore.data.storage``). The index
    counts the rows of the file as lines, the first row being line 2.

    Raises:
        DataError: They cannot be read.

    """
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to import

    try:
        footer = _footer(part.path, Stamp.of(part.path))
        with pq.ParquetFile(part.path, metadata=footer) as file:
            schema = file.schema_arrow
            kept = readable(schema)
            places = dict(zip(kept.names, kept.places, strict=True))
            wanted = [schema.field(places[name]) for name in names]
            table = file.read_row_group(
                part.group, columns=[each.name for each in wanted], use_threads=False
            )
            first = _FIRST_LINE + part.start
            lines = pd.RangeIndex(first, first + table.num_rows, name="line")
            columns = {
                name: typed_column(table.column(each.name)).set_axis(lines)
                for name, each in zip(names, wanted, strict=True)
            }
    except (OSError, UnicodeError, KeyError, IndexError, pa.ArrowException):
        raise _damaged(part.path, part.where) from None
    # Nobody else has these arrays: there is nothing to keep a copy from.
    return pd.DataFrame(columns, index=lines, copy=False)


@lru_cache(maxsize=_FOOTERS)
def _footer(path: Path, stamp: Stamp) -> pq.FileMetaData:  # noqa: ARG001 - of a file that changed another one is read
    """Return the footer of a file as it is now, which says where its groups lie.

    It is as long as there are groups: to read it anew for each takes their square.
    """
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to import

    return pq.read_metadata(path)


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    types = pa.types
    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_null(kind)
    )


def _damaged(path: Path, where: str | None = None) -> DataError:
    message = (
        f"{where or f'file {path.name}'} cannot be read: the file is damaged, locked "
        "or not written to its end. Nothing was charged. Have it written once more."
    )
    return DataError(message)
