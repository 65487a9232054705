"""A table in parts that lie in files, of which a few at a time are in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import numpy as np

from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset, DescribedTable
from dpcore.data.fingerprints import check_key
from dpcore.data.partitions.engine import of_each
from dpcore.data.partitions.row_groups import (
    RowGroup,
    Stamp,
    columns_of,
    files_of,
    parts_of,
    read_part,
)
from dpcore.errors import ChangedError, DataError, InPartsError, ParameterError

_T = TypeVar("_T")
_CHUNK: Final = 1 << 20


class BytesRead(NamedTuple):
    """How much of the files of a table is read, in bytes."""

    read: int
    total: int
    fingerprint: str = ""
    """Once all of it is."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartitionedDataset(DescribedTable):
    """A table with one row a person, opened and not loaded.

    CONFIDENTIAL, but for ``name`` and ``columns``. Where it has no column of a name, it
    raises ParameterError.

    Attributes:
        name: What the table is called in its folder.
        folder: The folder that it lies in.
        columns: The public description of each column, in the order of the files.
        parts: Where its rows lie, in their order.
        stamps: The files with what they were like when the table was opened.

    """

    folder: Path = field(repr=False)
    parts: tuple[RowGroup, ...] = field(repr=False)
    stamps: tuple[tuple[Path, Stamp], ...] = field(repr=False)

    @property
    def people(self) -> int:
        """Return the number of rows, missing values included."""
        return sum(part.rows for part in self.parts)

    @property
    def rows(self) -> int:
        """Return the number of rows: every one is a person."""
        return self.people

    def with_columns(self, *columns: Column) -> PartitionedDataset:
        """Return the same table with some columns described anew.

        Raises:
            ParameterError: There is no such column.

        """
        return replace(self, columns=self._with_described(columns))

    def each(self, function: Callable[[Dataset], _T], columns: Sequence[str]) -> Iterator[_T]:
        """Yield what a function makes of every part, in their order.

        The parts hold the ``columns`` alone, in the order of the table. A few of them
        are read at a time (``engine.of_each``), and more when more is asked for:
        whoever asks no longer has stopped the work.

        Raises:
            DataError: A part cannot be read as declared, the files have changed since
                the table was opened, or the cluster that reads them is gone. Nothing
                has been charged by then.

        """
        self.check_unchanged()
        yield from of_each(
            partial(_of_part, function, self.name, self._chosen(columns)), self.parts
        )
        self.check_unchanged()

    def part(self, place: int, columns: Sequence[str]) -> Dataset:
        """Return one part with some columns, in the order of the table. CONFIDENTIAL.

        Raises:
            DataError: It cannot be read.

        """
        return _read(self.name, self._chosen(columns), self.parts[place])

    def place_of(self, row: int) -> tuple[int, int]:
        """Return the part that a row of the table, from 0, is in, and its row there.

        Raises:
            ParameterError: There is no such row.

        """
        if not 0 <= row < self.rows:
            raise ParameterError(f"rows are numbered from 0 to {self.rows - 1}, got {row}.")
        ends = np.cumsum([part.rows for part in self.parts])
        place = int(np.searchsorted(ends, row, side="right"))
        return place, row - self.first_row(place)

    def first_row(self, place: int) -> int:
        """Return the row of the table, from 0, that is the first of a part."""
        return sum(part.rows for part in self.parts[:place])

    def fingerprint(self, key: bytes) -> str:
        """Return the keyed hash of the contents of the files, in their order.

        Every byte is read, once. Another order of rows, or another way of writing the
        same rows, is another fingerprint; where files lie and are called is not.

        Raises:
            DataError: A file cannot be read, or has changed since the table was opened.
            ParameterError: The key has less than 16 or more than 64 bytes.

        """
        *_, last = self.fingerprinting(key)
        return last.fingerprint

    def fingerprinting(self, key: bytes) -> Iterator[BytesRead]:
        """Yield how much of the files is read, and with all of it the fingerprint.

        Errors as for ``fingerprint``.
        """
        check_key(key)
        self.check_unchanged()
        state = blake2b(key=key, digest_size=32, person=b"files")
        total = sum(stamp.size for _, stamp in self.stamps)
        read = 0
        for path, _ in self.stamps:
            file = blake2b(key=key, digest_size=32, person=b"file")
            for chunk in _chunks(path):
                file.update(chunk)
                read += len(chunk)
                yield BytesRead(read=read, total=total)
            state.update(file.digest())
        self.check_unchanged()
        yield BytesRead(read=total, total=total, fingerprint=state.hexdigest())

    def check_unchanged(self) -> None:
        """Refuse a table whose files are not those that were opened.

        Raises:
            ChangedError: A file was added, changed, replaced or deleted.

        """
        now: list[tuple[Path, Stamp]] | None
        try:
            now = [(path, Stamp.of(path)) for path in files_of(self.folder, self.name)]
        except (OSError, DataError):
            now = None
        if now != list(self.stamps):
            raise ChangedError(
                "the files of the table have changed since it was opened. Nothing was computed "
                "or charged. Open the table again."
            )

    def _chosen(self, names: Sequence[str]) -> tuple[Column, ...]:
        return tuple(column for column in self.columns if column.name in names)


def _read(name: str, columns: tuple[Column, ...], part: RowGroup) -> Dataset:
    """Return some columns of a part. CONFIDENTIAL."""
    frame = read_part(part, [column.name for column in columns])
    return Dataset(name=name, frame=frame, columns=columns)


def _of_part(
    function: Callable[[Dataset], _T], name: str, columns: tuple[Column, ...], part: RowGroup
) -> _T:
    """Return what a function makes of a part: all that whoever reads it has to know."""
    return function(_read(name, columns, part))


def _chunks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError:
        raise DataError(f"the file {path.name} of the table cannot be read.") from None


Table = Dataset | PartitionedDataset
TableT = TypeVar("TableT", bound=Table)
"""A table that is of the same kind before and after."""


def in_memory(table: Table, what: str) -> Dataset:
    """Return a table all of whose rows are in memory.

    Raises:
        InPartsError: It lies in parts; says that ``what`` is not computed of it.

    """
    if isinstance(table, Dataset):
        return table
    raise InPartsError(
        f"{what} is not available for a table that stays in its files. Upload a sample of its rows."
    )


def open_table(folder: Path, name: str) -> PartitionedDataset:
    """Return a table of the folder without loading it: footers of its files are read.

    Kinds of columns are proposed from the types in the files, never from values; bounds
    and labels are to be declared by ``with_columns``.

    Raises:
        DataError: There is no such table, a file is damaged, the files have other
            columns than the first, or there are no rows.

    """
    paths = files_of(folder, name)
    try:
        stamps = tuple((path, Stamp.of(path)) for path in paths)
    except OSError:
        raise DataError(
            "a file of the table was deleted while the table was opened. Open the table again."
        ) from None
    opened = [parts_of(path) for path in paths]
    schema = opened[0][0]
    for path, (other, _) in zip(paths, opened, strict=True):
        if not other.equals(schema):
            raise DataError(
                f"file {path.name} has other columns, or columns of other types, than "
                f"{paths[0].name}. Write both with the same columns."
            )
    parts = tuple(part for _, each in opened for part in each if part.rows)
    if not parts:
        raise DataError("the table has no rows.")
    return PartitionedDataset(
        name=name, folder=folder, columns=columns_of(schema), parts=parts, stamps=stamps
    )
