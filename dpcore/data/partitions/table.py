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
from dpcore.data.dataset import Dataset
from dpcore.data.fingerprints import check_key
from dpcore.data.partitions.engine import of_each
from dpcore.data.partitions.folder import Stamp, files_of
from dpcore.data.partitions.parquet import Part, read_part
from dpcore.errors import ChangedError, DataError, ParameterError

_T = TypeVar("_T")
_CHUNK: Final = 1 << 20


class Reading(NamedTuple):
    """How much of the files of a table is read, in bytes."""

    read: int
    total: int
    fingerprint: str = ""
    """Once all of it is."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartitionedDataset:
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

    name: str
    folder: Path = field(repr=False)
    columns: tuple[Column, ...]
    parts: tuple[Part, ...] = field(repr=False)
    stamps: tuple[tuple[Path, Stamp], ...] = field(repr=False)

    @property
    def people(self) -> int:
        """Return the number of rows, missing values included."""
        return sum(part.rows for part in self.parts)

    @property
    def rows(self) -> int:
        """Return the number of rows: every one is a person."""
        return self.people

    @property
    def header(self) -> tuple[str, ...]:
        """Return the names of the columns of the files."""
        return tuple(column.name for column in self.columns)

    @property
    def number_is_private(self) -> bool:
        """Return whether the number of rows is private under every relation."""
        return False

    @property
    def cap(self) -> int | None:
        """Return how many rows of one person count at most; None for one row each."""
        return None

    @property
    def ending(self) -> str:
        """Return what all names of columns end with: nothing is added to them."""
        return ""

    def short(self, name: str) -> str:
        """Return what a list calls a column."""
        return self.column(name).title

    def column(self, name: str) -> Column:
        """Return the description of a column."""
        for column in self.columns:
            if column.name == name:
                return column
        raise ParameterError("the table has no column of that name.")

    def with_columns(self, *columns: Column) -> PartitionedDataset:
        """Return the same table with some columns described anew.

        Raises:
            ParameterError: There is no such column.

        """
        anew = {column.name: column for column in columns}
        for name in anew:
            self.column(name)
        described = tuple(anew.get(column.name, column) for column in self.columns)
        return replace(self, columns=described)

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
        yield from of_each(partial(_of_part, function, self._with(columns)), self.parts)
        self.check_unchanged()

    def part(self, place: int, columns: Sequence[str]) -> Dataset:
        """Return one part with some columns, in the order of the table. CONFIDENTIAL.

        Raises:
            DataError: It cannot be read.

        """
        return self._with(columns).read(self.parts[place])

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

    def fingerprinting(self, key: bytes) -> Iterator[Reading]:
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
                yield Reading(read=read, total=total)
            state.update(file.digest())
        self.check_unchanged()
        yield Reading(read=total, total=total, fingerprint=state.hexdigest())

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
                "the files of the table have changed since it was opened. Nothing was "
                "computed or charged. Open it once more."
            )

    def _with(self, columns: Sequence[str]) -> _Reading:
        kept = tuple(column for column in self.columns if column.name in columns)
        return _Reading(name=self.name, columns=kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """What of each part is read: all that whoever reads it has to know of a table."""

    name: str
    columns: tuple[Column, ...]

    def read(self, part: Part) -> Dataset:
        """Return a part. CONFIDENTIAL; raises DataError if it cannot be read."""
        frame = read_part(part, [column.name for column in self.columns])
        return Dataset(name=self.name, frame=frame, columns=self.columns)


def _of_part(function: Callable[[Dataset], _T], reading: _Reading, part: Part) -> _T:
    """Return what a function makes of a part."""
    return function(reading.read(part))


def _chunks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError:
        raise DataError(f"the file {path.name} of the table cannot be read.") from None
