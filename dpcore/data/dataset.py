"""A table in use: the confidential values and their public description."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from dpcore.data.cells import within_floats
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.fingerprints import table_fingerprint
from dpcore.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pandas as pd
    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.data.bounds import Interval

_T = TypeVar("_T")

_BLOCK: Final = 1 << 17
"""Rows of a part of a long table: a megabyte a column."""
MISSING_CODE = -1
"""Code of a missing value."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dataset:
    """A table with one row a person.

    CONFIDENTIAL, but for ``name`` and ``columns``. Where it has no column of a name, it
    raises ParameterError.

    Attributes:
        name: What the table is called.
        frame: The values as ``dpcore.data.reading.read_csv`` returns them; the index
            is the line of the file.
        columns: The public description of each column, in the order of the frame.

    Raises:
        ParameterError: The columns are not those of the frame.

    """

    name: str
    frame: pd.DataFrame = field(repr=False)
    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        if [column.name for column in self.columns] != [*self.frame.columns]:
            message = "the columns must be those of the table, in the same order."
            raise ParameterError(message)

    @property
    def people(self) -> int:
        """Return the number of rows, missing values included."""
        return len(self.frame)

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
    def persons(self) -> NDArray[np.intp]:
        """Return whose each row is, from 0: here every row is a person. (n,)."""
        return np.arange(len(self.frame))

    @property
    def rows(self) -> int:
        """Return the number of rows, of which one person may have several."""
        return len(self.frame)

    @property
    def ending(self) -> str:
        """Return what all names of columns end with that steps have added to them."""
        return ""

    def short(self, name: str) -> str:
        """Return the name of a column in a list of them: without what all end with."""
        return name.removesuffix(self.ending)

    def each(
        self,
        function: Callable[[Dataset], _T],
        columns: Sequence[str],
    ) -> Iterator[_T]:
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
        blocks = (
            Dataset(
                name=self.name, frame=frame.iloc[start : start + _BLOCK], columns=kept
            )
            for start in range(0, self.rows, _BLOCK)
        )
        try:
            yield from map(function, blocks)
        except DataError:
            function(self)  # What is wrong is said of the whole table.
            raise

    def column(self, name: str) -> Column:
        """Return the description of a column."""
        return self.columns[self._position(name)]

    def with_columns(self, *columns: Column) -> Dataset:
        """Return the same table with some columns described anew."""
        described = list(self.columns)
        for column in columns:
            described[self._position(column.name)] = column
        return replace(self, columns=tuple(described))

    def numbers(self, name: str) -> FloatArray:
        """Return the numbers of a column as they are, shape ``(n,)``.

        They are not clamped; missing ones are NaN. A cell "inf", or a number too large
        for a float, is infinite: bounds clamp it like any value outside. Yes/no counts
        as 1 and 0.

        Raises:
            DataError: Some cells are not numbers; says the line of the first.

        """
        if self.column(name).kind is ColumnKind.YES_NO:
            codes = self.codes(name)
            others = codes == len(self.column(name).labels)
            if others.any():
                raise self._unusable(name, others, "neither of its two labels")
            return np.where(codes == MISSING_CODE, np.nan, codes.astype(np.float64))
        values = self.frame[name]
        if _is_number(values):
            return values.to_numpy(dtype=np.float64)
        raise self._unusable(name, _not_numbers(values), "not a number")

    def codes(self, name: str) -> NDArray[np.int64]:
        """Return the position of each value in the public labels, shape ``(n,)``.

        A value that is not among the ``k`` labels has code ``k``, a missing one
        ``MISSING_CODE``. Yes/no is 1 and 0. A column of numbers matches labels by
        value: 1.0 is "1".

        Raises:
            ParameterError: The column holds numbers.

        """
        column = self.column(name)
        if column.kind is ColumnKind.NUMBER:
            message = "a column of numbers has no labels; declare it a category."
            raise ParameterError(message)
        values = self.frame[name]
        if _is_number(values):
            return _codes_of_numbers(values.to_numpy(dtype=np.float64), column.labels)
        return _codes_of_text(values, column.labels)

    def missing(self, name: str) -> NDArray[np.bool_]:
        """Return who has no value, shape ``(n,)``."""
        self._position(name)
        return self.frame[name].isna().to_numpy()

    def outside(self, name: str) -> int:
        """Return how many values lie outside the bounds or the labels.

        CONFIDENTIAL. Missing values do not count.

        Raises:
            DataError: Some cells are not numbers.
            ParameterError: The bounds of a number are not set.

        """
        column = self.column(name)
        if column.kind is not ColumnKind.NUMBER:
            return int(np.count_nonzero(self.codes(name) == len(column.labels)))
        return sum(self.beyond(name))

    def beyond(self, name: str) -> tuple[int, int]:
        """Return how many numbers lie below the bounds, and how many above.

        CONFIDENTIAL. Missing values do not count.

        Raises:
            DataError: Some cells are not numbers.
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
            DataError: Some cells are not numbers.
            ParameterError: The column has no bounds.

        """
        bounds = _bounds(self.column(name))
        values = self.numbers(name)
        values = values[~np.isnan(values)]
        return len(values) > 0 and bool(
            values.min() == bounds.lower and values.max() == bounds.upper
        )

    def fingerprint(self, key: bytes) -> str:
        """Return the keyed hash of names and values, whatever is declared about them.

        Raises:
            ParameterError: The key has less than 16 or more than 64 bytes.

        """
        return table_fingerprint(self.frame, key=key)

    def _position(self, name: str) -> int:
        for position, column in enumerate(self.columns):
            if column.name == name:
                return position
        message = "the table has no column of that name."
        raise ParameterError(message)

    def _unusable(self, name: str, rows: NDArray[np.bool_], what: str) -> DataError:
        position = self._position(name) + 1
        first = int(self.frame.index.to_numpy()[np.argmax(rows)])
        more = int(np.count_nonzero(rows)) - 1
        further = f" (and {more} more in this column)" if more else ""
        message = (
            f"column {position}, line {first}: the cell is {what}{further}. Correct "
            "the file, or declare the column a category."
        )
        return DataError(message, line=first, column=position)


def _bounds(column: Column) -> Interval:
    if column.bounds is None:
        message = "set the bounds of the column first."
        raise ParameterError(message)
    return column.bounds


def _is_number(values: pd.Series) -> bool:
    from pandas.api.types import is_numeric_dtype  # noqa: PLC0415 - slow to import

    return is_numeric_dtype(values.dtype)


def _not_numbers(values: pd.Series) -> NDArray[np.bool_]:
    """Return which cells of a text column are not numbers.

    Reading has turned every column of numbers into numbers. Where nonetheless all cells
    look like numbers they are in another notation than the rest of the file: then none
    counts as one.
    """
    import pandas as pd  # noqa: PLC0415 - slow to import

    codes, distinct = pd.factorize(values)
    cells = within_floats(pd.Series(distinct, dtype="str"))
    parsed = pd.to_numeric(cells, errors="coerce")
    bad = parsed.isna().to_numpy()
    present = codes >= 0
    bad_rows = present & np.append(bad, False)[codes]
    return bad_rows if bad_rows.any() else present


def _codes_of_text(values: pd.Series, labels: tuple[str, ...]) -> NDArray[np.int64]:
    import pandas as pd  # noqa: PLC0415 - slow to import

    codes, distinct = pd.factorize(values)
    code_of = {label: code for code, label in enumerate(labels)}
    mapped = [code_of.get(str(value), len(labels)) for value in distinct]
    # The last entry is what factorize's -1, a missing value, picks.
    return np.array([*mapped, MISSING_CODE], dtype=np.int64)[codes]


def _codes_of_numbers(values: FloatArray, labels: tuple[str, ...]) -> NDArray[np.int64]:
    codes = np.full(len(values), len(labels), dtype=np.int64)
    for code, label in enumerate(labels):
        try:
            number = float(label)
        except ValueError:
            continue
        codes[values == number] = code
    codes[np.isnan(values)] = MISSING_CODE
    return codes
