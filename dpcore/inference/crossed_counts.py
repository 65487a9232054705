"""Intervals of the cells of a table of counts, and of the sums of its rows and columns.

All of them hold together, by the union bound over all cells and sums. Around a cell the
law of its release is inverted. The error of a sum of ``c`` cells is a sum of ``c``
noises, whose law is known for Laplace and Gaussian noise. Noise that stays within
bounds errs by what depends on the cell; there a sum lies between the sums of the ends
of its cells.

For the population behind the table a count is that of a sample: how many were to be
expected where so many are found (``expected_counts``), for every number from 0 up.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.inference.intervals import LEVEL, Intervals, expected_counts, noise_interval
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import MOST_DRAWS, Laplace, LaplaceSum
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.mechanisms.search import first_where


def count_intervals(
    mechanism: Mechanism, drawn: FloatArray, *, bounds: Interval, level: float = LEVEL
) -> Intervals:
    """Return the intervals of all cells, of the sums of rows, and of columns.

    Args:
        mechanism: Drew each cell.
        drawn: The released counts, shape ``(r, c)``.
        bounds: What a count and a sum of counts cannot leave.
        level: Confidence of all of them together.

    """
    rows, columns = drawn.shape
    missed = (1 - level) / (rows * columns + rows + columns)
    noise = _in_table(mechanism, drawn, bounds, missed)
    wider = _in_table(mechanism, drawn, bounds, missed / 2)
    total = bounds.clip(expected_counts(wider, missed / 2))
    return Intervals(level=level, noise=noise, total=total)


def sum_reach(mechanism: Laplace | Gaussian, count: int, missed: float) -> float:
    """Return how far a sum of ``count`` noises reaches, but with that probability.

    >>> round(sum_reach(Laplace(noise=2.0), 1, 0.05), 9)
    5.991464547
    """
    if isinstance(mechanism, Gaussian):
        return math.sqrt(count) * float(mechanism.quantile(1 - missed / 2, 0.0))
    return mechanism.noise * _standard_reach(count, missed)


@lru_cache(maxsize=256)
def _standard_reach(count: int, missed: float) -> float:
    """Return how far a sum of standard Laplace variables reaches."""
    # Union bound: no noise reaches farther than its own quantile.
    most = -count * math.log(missed / count)
    if count > MOST_DRAWS:
        return most
    law, low, high = LaplaceSum(draws=count), np.zeros(1), np.array([most])
    return float(first_where(lambda x: law.survival(x) <= missed / 2, low, high)[0])


def _in_table(
    mechanism: Mechanism, drawn: FloatArray, bounds: Interval, missed: float
) -> FloatArray:
    """Return where the cells and sums of this table lie, shape ``(k, 2)``."""
    cells = noise_interval(mechanism, drawn.ravel(), bounds=bounds, tail=missed)
    table = cells.reshape(*drawn.shape, 2)
    sums = [bounds.clip(_around_sums(mechanism, drawn, table, axis, missed)) for axis in (1, 0)]
    return np.concatenate([cells, *sums])


def _around_sums(
    mechanism: Mechanism, drawn: FloatArray, cells: FloatArray, axis: int, missed: float
) -> FloatArray:
    if not isinstance(mechanism, Laplace | Gaussian):
        return np.asarray(cells.sum(axis=axis))
    sums, off = drawn.sum(axis=axis), sum_reach(mechanism, drawn.shape[axis], missed)
    return np.stack([sums - off, sums + off], axis=-1)
