"""Entries of several columns, one row a person: checked and told apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.statistics.tables import cells, numeric


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
