"""The folder of large tables that the administrator names, and parts of its Parquet files."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from dpcore.data.columns import Column, ColumnKind, yes_no
from dpcore.data.dates import DateFormat
from dpcore.data.limits import MAX_ROWS
from dpcore.data.readers.file_table import FIRST_LINE, typed_frame
from dpcore.data.readers.parquet import readable
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

VARIABLE: Final = "EPSILON_STUDIO_TABLES"
_SUFFIX: Final = ".parquet"
_FOOTERS: Final = 16
"""Files whose footers are kept: those of a few tables in use."""
_YES_NO: Final = ("False", "True")


class Stamp(NamedTuple):
    """What changes when a file is written to, replaced or moved."""

    inode: int
    size: int
    written: int
    changed: int

    @classmethod
    def of(cls, path: Path) -> Stamp:
        """Return the stamp of a file as it is now; raises OSError if it is gone."""
        facts = path.stat()
        return cls(facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)


def tables_folder() -> Path | None:
    """Return ``$EPSILON_STUDIO_TABLES``; ``None`` where it is not set."""
    chosen = os.environ.get(VARIABLE)
    return Path(chosen) if chosen else None


def tables(folder: Path) -> tuple[str, ...]:
    """Return the names of the tables in a folder, in alphabetical order.

    A table is a Parquet file, or a folder with some: then they are its parts, in the
    order of their names. What begins with a dot or an underscore, or leads out of the
    folder by a link, is none.

    Raises:
        DataError: The folder cannot be read.

    """
    root = _root(folder)
    return tuple(sorted(path.name for path in _entries(root) if _files(root, path)))


def files_of(folder: Path, name: str) -> tuple[Path, ...]:
    """Return the files of a table, in the order of their names.

    Raises:
        DataError: There is no such table, or the folder cannot be read.

    """
    root = _root(folder)
    # The name is compared with those that are there, and never made part of a path.
    for path in _entries(root):
        if path.name == name:
            found = _files(root, path)
            if found:
                return found
    raise DataError(
        "there is no table of this name in the folder of large tables. Choose one that is listed."
    )


def _root(folder: Path) -> Path:
    try:
        return folder.resolve(strict=True)
    except OSError:
        raise _unreadable() from None


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.name[0] not in "._")
    except OSError:
        raise _unreadable() from None


def _files(root: Path, path: Path) -> tuple[Path, ...]:
    if not _lies_in(root, path):
        return ()
    inside = _entries(path) if path.is_dir() else [path]
    return tuple(
        each
        for each in inside
        if each.suffix.lower() == _SUFFIX and _lies_in(root, each) and each.is_file()
    )


def _lies_in(root: Path, path: Path) -> bool:
    try:
        return path.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):  # until Python 3.13 a circle of links is the latter
        return False


def _unreadable() -> DataError:
    message = (
        "the folder of large tables cannot be read. Ask the administrator to check "
        f"{VARIABLE} and its permissions."
    )
    return DataError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowGroup:
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


def parts_of(path: Path) -> tuple[pa.Schema, tuple[RowGroup, ...]]:
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
            f"{MAX_ROWS:,} are read at a time. Write it again with shorter row groups."
        )
    starts = accumulate(rows, initial=0)
    return schema, tuple(
        RowGroup(path=path, group=group, start=start, rows=count)
        for group, (start, count) in enumerate(zip(starts, rows, strict=False))
    )


def columns_of(schema: pa.Schema) -> tuple[Column, ...]:
    """Return a first description of every column, from its type in the files.

    Bounds and the labels of categories are left open: nobody but the user may say what
    they are. Columns that no reader takes are left out (``readable``).

    Raises:
        DataError: A column has no name or that of another one, or none can be read.

    """
    kept = readable(schema)
    columns = (
        _described(name, schema.field(place).type)
        for name, place in zip(kept.names, kept.places, strict=True)
    )
    return tuple(replace(column, missing_codes=()) for column in columns)


def _described(name: str, kind: pa.DataType) -> Column:
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    types = pa.types
    if types.is_boolean(kind):
        return yes_no(name, _YES_NO)
    if types.is_integer(kind):
        return Column(name=name, kind=ColumnKind.WHOLE)
    if types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind):
        return Column(name=name, kind=ColumnKind.NUMBER)
    if types.is_date(kind) or types.is_timestamp(kind):
        form = DateFormat(time_of_day=bool(types.is_timestamp(kind)))
        return Column(name=name, kind=ColumnKind.DATE, dates=form)
    return Column(name=name, kind=ColumnKind.CATEGORY)


def read_part(part: RowGroup, names: list[str]) -> pd.DataFrame:
    """Return some columns of a group of rows, as ``Dataset`` takes them.

    As they are held of a file that is uploaded (``dpcore.data.column_storage``). The index
    counts the rows of the file as lines, the first row being line 2.

    Raises:
        DataError: They cannot be read.

    """
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
            columns = [
                (name, table.column(each.name)) for name, each in zip(names, wanted, strict=True)
            ]
            return typed_frame(columns, table.num_rows, FIRST_LINE + part.start)
    except (OSError, UnicodeError, KeyError, IndexError, pa.ArrowException):
        raise _damaged(part.path, part.where) from None


@lru_cache(maxsize=_FOOTERS)
def _footer(path: Path, stamp: Stamp) -> pq.FileMetaData:  # noqa: ARG001 - of a file that changed another one is read
    """Return the footer of a file as it is now, which says where its groups lie.

    It is as long as there are groups: to read it anew for each takes their square.
    """
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow to import

    return pq.read_metadata(path)


def _damaged(path: Path, where: str | None = None) -> DataError:
    message = (
        f"{where or f'file {path.name}'} cannot be read: the file is damaged, locked or "
        "incomplete. Nothing was charged. Write it again."
    )
    return DataError(message)
