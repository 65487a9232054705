"""Intervals of correlations, from joint ones of variances and covariances."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.mechanisms.covariances import columns_in, reaches_of


def correlation_intervals(ends: ArrayLike) -> FloatArray:
    """Return intervals of all correlations, shape ``(pairs, 2)``.

    Where every variance ``v`` and covariance ``c`` lies in its interval, ``r = c /
    sqrt(v w)`` lies between the quotients of their ends: an end of ``c`` above 0 over
    the largest of ``sqrt(v w)`` for the lower end of ``r`` and over the smallest for
    the upper one; below 0 the other way round. They hold as often as the intervals of
    the numbers do all together, and whatever a repair makes of the numbers.

    Args:
        ends: Shape ``(k, 2)``: of variances, then covariances.

    >>> correlation_intervals([[1, 4], [1, 4], [0.4, 0.8]]).tolist()
    [[0.1, 0.8]]
    >>> correlation_intervals([[0, 4], [1, 4], [-0.4, 0.8]]).tolist()
    [[-1.0, 1.0]]

    """
    ends = np.asarray(ends, dtype=np.float64)
    columns = columns_in(len(ends))
    least, most = reaches_of(np.maximum(ends[:columns].T, 0.0))
    lower, upper = ends[columns:].T
    low = _over(lower, np.where(lower < 0, least, most))
    high = _over(upper, np.where(upper < 0, most, least))
    return np.stack([low, high], axis=-1)


def _over(covariances: FloatArray, reaches: FloatArray) -> FloatArray:
    """Return the quotients, within [-1, 1]; over 0 the end on the side of the sign."""
    known = np.sign(covariances)
    with np.errstate(over="ignore"):
        np.divide(covariances, reaches, out=known, where=reaches > 0)
    return np.clip(known, -1.0, 1.0)
