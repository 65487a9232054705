"""From a column of the table to one number a person. CONFIDENTIAL.

This is where missing values are dropped or replaced, as the column declares.

Which people a count or a proportion counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.quantities import quantity_of
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.statistics.bins import bins_of
from dpcore.statistics.grouping import Grouping


def number_entries(
    dataset: Dataset,
    column: Column,
    *,
    membership: Membership | None,
    edges: tuple[float, ...] | None,
) -> FloatArray:
    """Return each person's number, or its bin, or whether the person is a member.

    Numbers of a complete column are those of the table itself, not to be written to.

    Raises:
        ParameterError: If the data set declares the column otherwise.

    """
    check_declared(dataset, column)
    numbers = dataset.numbers(column.name)
    # A column that is complete is not copied; else its largest number is missing, too.
    if np.isnan(numbers.max(initial=-np.inf)):
        missing = np.isnan(numbers)
        if column.missing is MissingPolicy.DROP:
            numbers = numbers[~missing]
        elif isinstance(column.replacement, float | int):
            numbers = np.where(missing, float(column.replacement), numbers)
    if edges is not None:
        return bins_of(numbers, edges)
    return numbers if membership is None else membership.met(numbers, column)


def check_declared(dataset: Dataset, column: Column) -> None:
    """Refuse a column whose cells mean something else in the data set.

    Raises:
        ParameterError: If so.

    """
    if not dataset.column(column.name).reads_like(column):
        raise ParameterError(
            f"the type, labels or missing codes of {column.name!r} have changed since "
            "this question was made. Make the question again."
        )


def joint_rows(dataset: Dataset, numbers: Sequence[Column]) -> NDArray[np.intp]:
    """Return the rows, from 0, of people who count: with every value they must have."""
    dropping = [column.name for column in numbers if column.missing is MissingPolicy.DROP]
    if not dropping:
        return np.arange(dataset.rows)
    return np.flatnonzero(~np.logical_or.reduce([dataset.missing(name) for name in dropping]))


def joint_entries(
    dataset: Dataset, rows: NDArray[np.intp], numbers: Sequence[Column], group: Grouping | None
) -> FloatArray:
    """Return the numbers of those ``rows``, the code of a group last.

    Raises:
        ParameterError: If the data set declares a column otherwise.

    """
    width = len(numbers) + (group is not None)
    # Column by column, as they are read and worked on.
    entries = np.empty((len(rows), width), order="F")
    for place, column in enumerate(numbers):
        check_declared(dataset, column)
        cells = dataset.numbers(column.name)
        if len(rows) < len(cells):
            cells = cells[rows]
        entries[:, place] = cells
        # Where no number is missing, the largest is not.
        replaced = isinstance(column.replacement, float | int)
        if replaced and np.isnan(cells.max(initial=-np.inf)):
            entries[np.isnan(cells), place] = column.replacement
    if group is not None:
        entries[:, -1] = group_codes(dataset, group, rows)
    return entries


def group_codes(dataset: Dataset, group: Grouping, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the group of the people in ``rows``, for other and no labels the last.

    Raises:
        ParameterError: If the data set declares the group otherwise.

    """
    found, listed = np.zeros(len(rows), dtype=np.intp), np.ones(len(rows), dtype=bool)
    for column in group.columns:
        check_declared(dataset, column)
        codes = dataset.codes(column.name)[rows]
        listed &= (codes >= 0) & (codes < len(column.labels))
        found = found * len(column.labels) + codes
    return np.where(listed, found, len(group.labels))


def label_entries(dataset: Dataset, column: Column, *, membership: Membership | None) -> FloatArray:
    """Return the index of each person's label, or whether the person is a member.

    Raises:
        ParameterError: If the data set declares the column otherwise.

    """
    check_declared(dataset, column)
    codes = dataset.codes(column.name)
    missing = codes < 0
    if column.missing is MissingPolicy.DROP:
        codes = codes[~missing]
    elif missing.any():
        codes = np.where(missing, column.labels.index(str(column.replacement)), codes)
    return codes.astype(np.float64) if membership is None else membership.met(codes, column)


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """A public condition on one column; without one, everybody is a member.

    Attributes:
        label: Members have this label of a category or yes/no column.
        interval: Members have a number in this closed interval, as it stands in the
            table (not clamped).

    """

    label: str | None = None
    interval: Interval | None = None

    def __post_init__(self) -> None:
        if self.label is not None and self.interval is not None:
            raise ParameterError("a membership is a label or an interval, not both.")

    @property
    def everyone(self) -> bool:
        """Tell whether everybody is a member."""
        return self.label is None and self.interval is None

    def met(self, values: FloatArray | NDArray[np.intp], column: Column) -> FloatArray:
        """Return 1 for who is a member, else 0, of numbers or of positions of labels."""
        if self.interval is not None:
            return ((values >= self.interval.lower) & (values <= self.interval.upper)).astype(float)
        if self.label is not None:
            return np.asarray(values == column.labels.index(self.label), dtype=np.float64)
        return np.ones(len(values))

    def phrase(self, column: Column) -> str:
        """Return the condition in words.

        >>> from dpcore.data.bounds import Interval
        >>> from dpcore.data.columns import Column, ColumnKind
        >>> age = Column(name="age", kind=ColumnKind.NUMBER)
        >>> Membership(interval=Interval(lower=18, upper=30)).phrase(age)
        'age from 18 to 30'
        >>> Membership(interval=Interval(lower=65, upper=float("inf"))).phrase(age)
        'age at least 65'
        >>> born = Column(name="born", kind=ColumnKind.DATE)
        >>> Membership(interval=Interval(lower=0, upper=364)).phrase(born)
        'born from 1970-01-01 to 1970-12-31'
        """
        name, quantity = column.title, quantity_of(column)
        if self.label is not None:
            return f"{name} = {self.label}"
        if self.interval is None:
            return "everybody"
        low, high = self.interval.lower, self.interval.upper
        lower, upper = (
            quantity.exactly(end) if quantity.is_date else in_full(end) for end in (low, high)
        )
        if high == float("inf"):
            return f"{name} at least {lower}"
        if low == -float("inf"):
            return f"{name} at most {upper}"
        return f"{name} from {lower} to {upper}"
