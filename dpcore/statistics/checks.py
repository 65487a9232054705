"""The table as every statistic sees it: checked, clamped, and its neighbors.

Entries of several columns, one row a person: checked and told apart.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.relations import NeighboringRelation, TableSize


def check_bounds(bounds: Interval) -> None:
    """Refuse bounds that leave a sensitivity infinite or nothing to measure.

    Raises:
        ParameterError: Unless ``lower < upper`` and the width is finite.

    """
    if not (bounds.lower < bounds.upper and np.isfinite(bounds.width)):
        raise ParameterError(
            f"a statistic needs finite bounds with lower < upper, got {in_full(bounds.lower)} "
            f"and {in_full(bounds.upper)}."
        )


def numeric(values: ArrayLike) -> FloatArray:
    """Return ``values`` as numbers, shape ``(n,)``, one for each person.

    Infinite numbers are allowed: they are clamped like all that lies beyond the bounds.

    Raises:
        ParameterError: If ``values`` is not one-dimensional, or a value is not a number
            (missing values are the query's business).

    """
    entries = np.asarray(values, dtype=np.float64)
    if entries.ndim != 1:
        raise ParameterError(f"one value a person is needed, got {entries.ndim} dimensions.")
    # One that is missing makes the largest missing, too.
    if np.isnan(entries.max(initial=-np.inf)):
        raise ParameterError("a value is missing; drop or replace missing values first.")
    return entries


def check_people(people: int, size: TableSize) -> None:
    """Refuse a table of another number of people than the public one.

    Raises:
        ParameterError: If so.

    """
    if size.public and people != size.people:
        raise ParameterError(
            f"the public number of rows is {size.people}, but the table has {people}."
        )


def checked(values: ArrayLike, size: TableSize) -> FloatArray:
    """Return the numbers of a whole table, shape ``(n,)``, one for each person.

    Raises:
        ParameterError: A public size is not met, or as ``numeric`` does.

    """
    entries = numeric(values)
    check_people(len(entries), size)
    return entries


def cells(values: ArrayLike, *, count: int) -> NDArray[np.intp]:
    """Return each person's cell, a whole number from 0 to ``count - 1``.

    Raises:
        ParameterError: If a value is not such a number, or as ``numeric`` does.

    """
    entries = numeric(values)
    valid = (entries >= 0) & (entries < count) & (entries == np.floor(entries))
    if not valid.all():
        raise ParameterError(f"every value must be a whole number from 0 to {count - 1}.")
    return entries.astype(np.intp)


def kinds(codes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the distinct codes that occur, and the index of each person's among them.

    >>> kinds(np.array([3, 1, 3]))
    (array([1, 3]), array([1, 0, 1]))
    """
    occurs = np.bincount(codes) > 0
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[codes]


def emptiest_and_fullest(
    counts: FloatArray, present: NDArray[np.intp], *, among: int | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the counts after somebody of each cell ``present`` goes to another one.

    To the emptiest, or to the fullest, of the others ``among`` the first ones.
    """
    step = np.eye(len(counts))
    here = step[present]
    others = np.where(here == 1, np.nan, counts)[:, :among]
    emptiest, fullest = np.nanargmin(others, axis=1), np.nanargmax(others, axis=1)
    left = counts - here
    return left + step[emptiest], left + step[fullest]


def own_divisor(size: TableSize, people: int) -> int:
    """Return what an average over ``people`` divides by, in this table or a neighbor.

    With a public size a neighbor with one person less divides by its own number; with
    a private one every table follows ``TableSize.divisor``.
    """
    return people if size.public else size.divisor(people)


def alternatives(
    relation: NeighboringRelation,
    size: TableSize,
    *,
    removed: Callable[[], FloatArray],
    replaced: Callable[[], FloatArray],
) -> FloatArray:
    """Return the extreme values that a scalar statistic can take instead, (m, a, 1).

    Only what the relation asks for is computed.

    Args:
        relation: How a neighboring table differs.
        size: Under substitution a private size says that a person's new record may
            lack the value, which removes the person from the statistic.
        removed: Returns the statistic without each person, shape ``(m,)``.
        replaced: Returns its lowest and its highest value when the person's value
            changes, shape ``(2, m)``.

    """
    if relation is NeighboringRelation.ADD_REMOVE:
        return removed()[:, np.newaxis, np.newaxis]
    reached = replaced()
    if not size.public:
        gone = removed()
        lowest, highest = reached
        reached = np.stack([np.minimum(lowest, gone), np.maximum(highest, gone)])
    return reached.T[..., np.newaxis]


def can_join(relation: NeighboringRelation, size: TableSize) -> bool:
    """Tell whether a neighbor may hold one more person behind the statistic.

    Not under substitution with a public size: there everybody is counted already.
    """
    return relation is NeighboringRelation.ADD_REMOVE or not size.public


def numeric_rows(values: ArrayLike, *, columns: int) -> FloatArray:
    """Return ``values`` as numbers, shape ``(n, columns)``, one row for each person.

    Raises:
        ParameterError: If the shape is another one, or a value is not a number.

    """
    entries = np.asarray(values, dtype=np.float64)
    if entries.ndim != 2 or entries.shape[1] != columns:  # noqa: PLR2004 - a table
        raise ParameterError(
            f"{columns} values a person are needed, got an array of shape {entries.shape}."
        )
    for column in entries.T:
        numeric(column)
    return entries


def grouped_rows(
    values: ArrayLike, *, columns: int, groups: int
) -> tuple[FloatArray, NDArray[np.intp]]:
    """Return the numbers, shape ``(n, columns)``, and each person's group.

    ``values`` has the group code in its last column, a whole number from 0 to
    ``groups - 1``.

    Raises:
        ParameterError: If a code is not such a number, or as ``numeric_rows`` does.

    """
    entries = numeric_rows(values, columns=columns + 1)
    return entries[:, :-1], cells(entries[:, -1], count=groups)


def heights(entries: FloatArray, bounds: tuple[Interval, ...]) -> FloatArray:
    """Return each column clamped to its bounds and measured from the lower one.

    Measured from the lower bound, a large offset costs no digits.
    """
    clamped = np.empty_like(entries)
    for j, column in enumerate(bounds):
        np.clip(entries[:, j], column.lower, column.upper, out=clamped[:, j])
        clamped[:, j] -= column.lower
    return clamped
