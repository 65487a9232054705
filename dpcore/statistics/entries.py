"""From a column of the table to one number a person. CONFIDENTIAL.

This is where missing values are dropped or replaced, as the column declares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.data.columns import ColumnKind, MissingPolicy
from dpcore.errors import ParameterError
from dpcore.statistics.bins import bins_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.data.columns import Column
    from dpcore.data.dataset import Dataset
    from dpcore.statistics.membership import Membership


def number_entries(
    dataset: Dataset,
    column: Column,
    *,
    membership: Membership | None,
    edges: tuple[float, ...] | None,
) -> FloatArray:
    """Return each person's number, or its bin, or whether the person is a member.

    Raises:
        DataError: If a cell of the column is not a number.

    """
    numbers = dataset.numbers(column.name)
    missing = np.isnan(numbers)
    if column.missing is MissingPolicy.DROP:
        numbers = numbers[~missing]
    elif isinstance(column.replacement, float | int):
        numbers = np.where(missing, float(column.replacement), numbers)
    if edges is not None:
        return bins_of(numbers, edges)
    if membership is None:
        return numbers
    if membership.interval is None:
        return np.ones(len(numbers))
    lower, upper = membership.interval.lower, membership.interval.upper
    return ((numbers >= lower) & (numbers <= upper)).astype(np.float64)


def group_codes(
    dataset: Dataset, group: Column, rows: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the group of the people in ``rows``, for other and no labels the last.

    Raises:
        ParameterError: If the data set lists other labels than ``group``.

    """
    if dataset.column(group.name).labels != group.labels:
        message = f"the data set lists other labels of {group.name!r}."
        raise ParameterError(message)
    codes = dataset.codes(group.name)[rows]
    return np.where(codes < 0, len(group.labels), codes)


def label_entries(
    dataset: Dataset, column: Column, *, membership: Membership | None
) -> FloatArray:
    """Return the index of each person's label, or whether the person is a member.

    Raises:
        DataError: If a yes/no column holds a third answer.
        ParameterError: If the data set lists other labels than ``column``.

    """
    if dataset.column(column.name).labels != column.labels:
        message = f"the data set lists other labels of {column.name!r}."
        raise ParameterError(message)
    if column.kind is ColumnKind.YES_NO:
        # As a category it would have a cell for other answers; here they are mistakes,
        # and reading the column as numbers names the line of the first.
        dataset.numbers(column.name)
    codes = dataset.codes(column.name)
    missing = codes < 0
    if column.missing is MissingPolicy.DROP:
        codes = codes[~missing]
    elif missing.any():
        codes = np.where(missing, column.labels.index(str(column.replacement)), codes)
    if membership is None:
        return codes.astype(np.float64)
    if membership.label is None:
        return np.ones(len(codes))
    member: NDArray[np.bool_] = codes == column.labels.index(membership.label)
    return member.astype(np.float64)


def name_of_others(labels: tuple[str, ...]) -> str:
    """Return a name, not among ``labels``, for those who have none of them.

    >>> name_of_others(("north", "south")), name_of_others(("one", "other"))
    ('other', 'other values')
    """
    name = "other"
    while name in labels:
        name += " values"
    return name
