"""A table in use: the confidential values and their public description."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.cells import MISSING_CODE, dates_of, has_any, is_number, label_codes, numbers_of
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.fingerprints import fingerprint_as_read, table_fingerprint
from dpcore.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd


_T = TypeVar("_T")

_BLOCK: Final = 1 << 17
"""Rows of a part of a long table: a megabyte a column."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DescribedTable:
    """What is public of a table, whether its rows are in memory or in files.

    Where it has no column of a name, it raises ParameterError.

    Attributes:
        name: What the table is called.
        columns: The public description of each column, in their order.

    """

    name: str
    columns: tuple[Column, ...]

    @property
    def header(self) -> tuple[str, ...]:
        """Return the names of the columns of the file that the table came from."""
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
        """Return what all names of columns end with that steps have added to them."""
        return ""

    def short(self, name: str) -> str:
        """Return what a list calls a column: without what all names end with."""
        return self.column(name).display_name or name.removesuffix(self.ending)

    def column(self, name: str) -> Column:
        """Return the description of a column."""
        for column in self.columns:
            if column.name == name:
                return column
        raise ParameterError("the table has no column of that name.")

    def _with_described(self, columns: Sequence[Column]) -> tuple[Column, ...]:
        """Return all descriptions, of which some are new."""
        anew = {self.column(column.name).name: column for column in columns}
        return tuple(anew.get(column.name, column) for column in self.columns)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dataset(DescribedTable):
    """A table with one row a person.

    CONFIDENTIAL, but for ``name`` and ``columns``. Where it has no column of a name, it
    raises ParameterError.

    Attributes:
        frame: The cells as they are held (``dpcore.data.column_storage``), with the columns in
            their order; the index is the line of the file.

    Raises:
        ParameterError: The columns are not those of the frame.

    """

    frame: pd.DataFrame = field(repr=False)
    _read: _Read = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_read", _Read(self.frame))
        if [column.name for column in self.columns] != [*self.frame.columns]:
            raise ParameterError("the columns must be those of the table, in the same order.")

    @property
    def people(self) -> int:
        """Return the number of rows, missing values included."""
        return len(self.frame)

    @property
    def persons(self) -> NDArray[np.intp]:
        """Return whose each row is, from 0: here every row is a person. (n,)."""
        return np.arange(len(self.frame))

    @property
    def rows(self) -> int:
        """Return the number of rows, of which one person may have several."""
        return len(self.frame)

    def each(self, function: Callable[[Dataset], _T], columns: Sequence[str]) -> Iterator[_T]:
        """Yield what a function makes of every part of the table, in their order.

        A long table is taken a block of rows at a time, with the ``columns`` alone:
        what a function makes on its way stays small. (In blocks a quarter as long, the
        steps that pandas needs for each column of each take half as long again as all
        the rest, and two threads wait for each other's.) All rows of a person belong
        together, so a table in which people have several is one part.

        Raises:
            DataError: A cell is not as its column is declared.

        """
        if self.rows <= _BLOCK or self.cap is not None:
            yield function(self)
            return
        kept = tuple(column for column in self.columns if column.name in columns)
        frame = self.frame[[column.name for column in kept]]
        for start in range(0, self.rows, _BLOCK):
            rows = frame.iloc[start : start + _BLOCK]
            block = Dataset(name=self.name, frame=rows, columns=kept)
            object.__setattr__(block, "_read", _Read(rows, self._read, start))
            yield function(block)

    def with_columns(self, *columns: Column) -> Dataset:
        """Return the same table with some columns described anew."""
        made = replace(self, columns=self._with_described(columns))
        object.__setattr__(made, "_read", self._read)
        return made

    def numbers(self, name: str) -> FloatArray:
        """Return the numbers of a column, shape ``(n,)``, not to be written to.

        They are not clamped. Missing ones are NaN, and so are invalid ones: text in a
        column of numbers, parts in one of whole numbers. A cell "inf", or a number too
        large for a float, is infinite: bounds clamp it like any value outside. Dates
        are days since 1 January 1970. Yes/no counts as 1 and 0.

        Raises:
            ParameterError: The column is declared to hold neither numbers nor yes/no.

        """
        column = self.column(name)
        if column.kind is ColumnKind.YES_NO:
            codes = self.codes(name)
            return np.where(codes == MISSING_CODE, np.nan, codes.astype(np.float64))
        if not column.kind.is_numeric:
            raise ParameterError(f"{name!r} is a column of the type {column.kind}, not of numbers.")
        return self._read.once(column, _numbers)

    def codes(self, name: str) -> NDArray[np.int64]:
        """Return the position of each value in the public labels, shape ``(n,)``.

        A value that is not among the ``k`` labels has code ``k``, a missing one
        ``MISSING_CODE``. Yes/no is 1 and 0, and a third answer is missing.

        Raises:
            ParameterError: The column has no labels.

        """
        column = self.column(name)
        if column.kind.is_numeric:
            raise ParameterError("a column of numbers has no labels; declare it a category.")
        return self._read.once(column, _codes)

    def missing(self, name: str) -> NDArray[np.bool_]:
        """Return who has no valid value, shape ``(n,)``."""
        column = self.column(name)
        if column.kind.is_numeric:
            return np.isnan(self.numbers(name))
        return np.asarray(self.codes(name) == MISSING_CODE)

    def invalid(self, name: str) -> int:
        """Return how many cells are neither missing nor of the kind of their column.

        CONFIDENTIAL. They are treated as missing.
        """
        column, cells = self.column(name), self.frame[name]
        blank = cells.isna().to_numpy() | _is_code(cells, column)
        return int(np.count_nonzero(self.missing(name) & ~blank))

    def outside(self, name: str) -> int:
        """Return how many values lie outside the bounds or the labels.

        CONFIDENTIAL. Missing values do not count.

        Raises:
            ParameterError: The bounds of a number are not set.

        """
        column = self.column(name)
        if not column.kind.is_numeric:
            return int(np.count_nonzero(self.codes(name) == len(column.labels)))
        return sum(self.beyond(name))

    def outside_labels(self, name: str) -> tuple[tuple[str, int], ...]:
        """Return the values that are not among the labels, with how often each occurs.

        CONFIDENTIAL. Missing values do not count. The 20 most frequent come, in that order.
        """
        others = self.codes(name) == len(self.column(name).labels)
        counts = self.frame[name][others].astype(str).value_counts()
        return tuple((str(label), int(count)) for label, count in counts.head(20).items())

    def beyond(self, name: str) -> tuple[int, int]:
        """Return how many numbers lie below the bounds, and how many above.

        CONFIDENTIAL. Missing values do not count.

        Raises:
            ParameterError: The column has no bounds.

        """
        bounds, values = _bounds(self.column(name)), self.numbers(name)
        below = int(np.count_nonzero(values < bounds.lower))
        return below, int(np.count_nonzero(values > bounds.upper))

    def touches_bounds(self, name: str) -> bool:
        """Return whether the bounds are exactly the least and the largest number.

        CONFIDENTIAL. Such bounds look as if they were read from the data, in which case
        nothing that is released with them is private.

        Raises:
            ParameterError: The column has no bounds.

        """
        bounds = _bounds(self.column(name))
        values = self.numbers(name)
        values = values[~np.isnan(values)]
        return len(values) > 0 and bool(
            values.min() == bounds.lower and values.max() == bounds.upper
        )

    def fingerprint(self, key: bytes) -> str:
        """Return the keyed hash of names and cells, and of how numbers are written.

        Raises:
            ParameterError: The key has less than 16 or more than 64 bytes.

        """
        notations = [column.notation for column in self.columns]
        return table_fingerprint(self.frame, key=key, notations=notations)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DerivedDataset(Dataset):
    """A table that was made of another one. CONFIDENTIAL.

    Attributes:
        source: The table that it was made of.

    """

    source: Dataset

    @property
    def header(self) -> tuple[str, ...]:
        """Return the names of the columns of the file."""
        return self.source.header

    def fingerprint(self, key: bytes) -> str:
        """Return that of the table it was made of: the same people, the same account.

        Raises:
            ParameterError: The key has less than 16 or more than 64 bytes.

        """
        return fingerprint_as_read(self.source.fingerprint(key), self.source.columns, key=key)


def _bounds(column: Column) -> Interval:
    if column.bounds is None:
        raise ParameterError("set the bounds of the column first.")
    return column.bounds


class _Read:
    """What the cells of a table mean, for each column as it was last declared.

    Text is parsed once: a control answers faster than a long column of it is read.
    """

    def __init__(self, frame: pd.DataFrame, of: _Read | None = None, start: int = 0) -> None:
        """``frame`` may hold some rows of another table, from ``start`` on."""
        self._frame = frame
        self._of = of
        self._rows = slice(start, start + len(frame))
        self._known: dict[tuple[str, object], tuple[Hashable, NDArray[Any]]] = {}

    def once(
        self, column: Column, read: Callable[[pd.Series, Column], NDArray[Any]]
    ) -> NDArray[Any]:
        """Return what the cells of a column mean, as numbers or as codes."""
        cells = self._frame[column.name]
        if is_number(cells) and column.kind is not ColumnKind.DATE:
            return read(cells, column)
        if self._of is not None:
            whole: NDArray[Any] = self._of.once(column, read)
            return whole[self._rows]
        declared = (
            *(column.kind, column.labels, column.compares_numbers),
            *(column.missing_codes, column.notation, column.dates),
        )
        known = self._known.get((column.name, read))
        if known is None or known[0] != declared:
            known = declared, read(cells, column)
            known[1].flags.writeable = False
            self._known[column.name, read] = known
        return known[1]


def _numbers(cells: pd.Series, column: Column) -> FloatArray:
    values = (
        dates_of(cells, column.dates)
        if column.kind is ColumnKind.DATE
        else numbers_of(cells, column.notation)
    )
    codes = _is_code(cells, column)
    if codes.any():
        values = np.where(codes, np.nan, values)
    if column.kind is ColumnKind.WHOLE:
        parts = np.isfinite(values) & (values != np.rint(values))
        values = np.where(parts, np.nan, values) if parts.any() else values
    return values


def _codes(cells: pd.Series, column: Column) -> NDArray[np.int64]:
    yes_no = column.kind is ColumnKind.YES_NO
    codes = label_codes(cells, column.labels, numeric=column.compares_numbers, any_case=yes_no)
    others = codes == len(column.labels)
    if yes_no:
        codes[others] = MISSING_CODE
    elif others.any():
        # A label of the list is never a missing code.
        codes[others & _is_code(cells, column)] = MISSING_CODE
    return codes


def _is_code(cells: pd.Series, column: Column) -> NDArray[np.bool_]:
    """Return which cells are codes for missing values."""
    return has_any(cells, column.missing_codes, numeric=column.compares_numbers)
