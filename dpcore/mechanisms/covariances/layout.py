"""The order of the numbers in a covariance matrix, and what bounds them.

A symmetric matrix of ``d`` columns is a vector of its ``d`` variances followed by its
``d (d - 1) / 2`` covariances, in the order of ``itertools.combinations``.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError


def pairs_of(columns: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of columns, in the order of their covariances.

    >>> pairs_of(3)
    ((0, 1), (0, 2), (1, 2))
    """
    return tuple(itertools.combinations(range(columns), 2))


def places_of(columns: int) -> tuple[tuple[int, int], ...]:
    """Return row and column of every number of the vector.

    >>> places_of(2)
    ((0, 0), (1, 1), (0, 1))
    """
    return tuple((j, j) for j in range(columns)) + pairs_of(columns)


def columns_in(length: int) -> int:
    """Return the number of columns behind a vector of that length.

    >>> columns_in(6)
    3

    Raises:
        ParameterError: No matrix has that many numbers.

    """
    columns = 0
    while columns * (columns + 1) // 2 < length:
        columns += 1
    if length < 1 or columns * (columns + 1) // 2 != length:
        raise ParameterError(
            f"a covariance matrix of d columns has d (d + 1) / 2 numbers, got {length}."
        )
    return columns


def matrix_of(values: ArrayLike) -> FloatArray:
    """Return vectors of shape ``(..., k)`` as symmetric matrices ``(..., d, d)``.

    >>> matrix_of([1.0, 4.0, -1.0]).tolist()
    [[1.0, -1.0], [-1.0, 4.0]]
    """
    values = np.asarray(values, dtype=np.float64)
    columns = columns_in(values.shape[-1])
    rows, places = np.array(places_of(columns)).T
    result = np.empty((*values.shape[:-1], columns, columns))
    result[..., rows, places] = values
    result[..., places, rows] = values
    return result


def vector_of(matrix: ArrayLike) -> FloatArray:
    """Return symmetric matrices ``(..., d, d)`` as vectors, inverse of ``matrix_of``.

    >>> vector_of([[1.0, -1.0], [-1.0, 4.0]]).tolist()
    [1.0, 4.0, -1.0]
    """
    matrix = np.asarray(matrix, dtype=np.float64)
    rows, places = np.array(places_of(matrix.shape[-1])).T
    return np.asarray(matrix[..., rows, places])


def reaches_of(variances: ArrayLike) -> FloatArray:
    """Return the largest possible covariance ``sqrt(v_i v_j)`` of each pair.

    Shape ``(..., d)`` to ``(..., d (d - 1) / 2)``. NaN where a variance is negative,
    as unbounded noise may leave it.
    """
    variances = np.asarray(variances, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        roots = np.sqrt(variances)
    pairs = np.array(pairs_of(variances.shape[-1]), dtype=int).reshape(-1, 2)
    return np.asarray(roots[..., pairs[:, 0]] * roots[..., pairs[:, 1]])


def correlations_of(values: ArrayLike) -> FloatArray:
    """Return the correlations of vectors ``(..., k)``, one for each pair of columns.

    NaN where a variance is 0 or negative: the correlation is not defined there, and no
    number is made up for it.

    >>> correlations_of([1.0, 4.0, -1.0]).tolist()
    [-0.5]
    >>> correlations_of([0.0, 4.0, 0.0]).tolist()
    [nan]
    """
    values = np.asarray(values, dtype=np.float64)
    columns = columns_in(values.shape[-1])
    reach = reaches_of(values[..., :columns])
    with np.errstate(invalid="ignore"):
        defined = reach > 0
    divisor = np.where(defined, reach, 1.0)
    return np.where(defined, values[..., columns:] / divisor, np.nan)


def largest_variance(width: float, people: int) -> float:
    """Return the largest variance (divisor n - 1) within bounds ``width`` apart.

    ``R^2 floor(n^2/4) / (n (n - 1))``: half of the people on either bound. For even
    ``n`` that is Shiffler and Harsha's ``n R^2 / (4 (n - 1))``, for odd ``n`` less.

    >>> largest_variance(8.0, 50) == 50 * 16 / 49
    True
    >>> largest_variance(1.0, 3)
    0.3333333333333333
    """
    half = people // 2
    share = half / (2 * half - 1) if people % 2 == 0 else (half + 1) / people
    return width * width * share / 2


def equal_split(columns: int) -> tuple[float, ...]:
    """Return weights that give every number the same share of the budget."""
    return (1.0,) * len(places_of(columns))


def sensitivity_split(widths: Sequence[float]) -> tuple[float, ...]:
    """Return weights that give every number the same scale of noise.

    Shares in proportion to the sensitivities ``R_i R_j / n`` are what one joint release
    of the vector amounts to (Liu 2016, remark 2).

    >>> sensitivity_split([8.0, 16.0])
    (64.0, 256.0, 128.0)
    """
    return tuple(widths[i] * widths[j] for i, j in places_of(len(widths)))
