"""Sample quantiles, and what one person can change in them. CONFIDENTIAL.

The ``q``-quantile of ``n`` values is ``(1 - g) x_(j) + g x_(j+1)`` with ``j + g = (n -
1) q`` and the values in ascending order from 0 (type 7 of Hyndman and Fan 1996). Taking
a person out moves the order statistics above up by one place, so that however many
people there are, at most three values remain to be found.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray, Interval


def sample_quantile(values: ArrayLike, q: float) -> float:
    """Return the ``q``-quantile.

    Raises:
        ParameterError: There is no value, or ``q`` is not in [0, 1].

    >>> sample_quantile([3.0, 1.0, 2.0, 10.0], 0.5)
    2.5

    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    j, g = _place(len(ordered), q)
    return float(_between(ordered[j], ordered[min(j + 1, len(ordered) - 1)], g))


def quantiles_without_each(values: ArrayLike, q: float) -> FloatArray:
    """Return the quantile without each person in turn, shape ``(n,)``.

    NaN where there is only one person.

    Raises:
        ParameterError: There is no value, or ``q`` is not in [0, 1].

    >>> quantiles_without_each([1.0, 2.0, 3.0, 10.0], 0.5)
    array([3., 3., 2., 2.])

    """
    values = np.asarray(values, dtype=np.float64)
    n = len(values)
    _place(n, q)
    if n == 1:
        return np.full(1, np.nan)
    rank = _ranks(values)
    ordered = np.sort(values)
    j, g = _place(n - 1, q)
    lower = ordered[j + (rank <= j)]
    above = min(j + 1, n - 2)
    upper = ordered[above + (rank <= above)]
    return _between(lower, upper, g)


def quantiles_replacing_each(
    values: ArrayLike, q: float, bounds: Interval
) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and highest quantile when each person's value changes, (n,).

    A quantile rises with every value, so that the extremes are those at the bounds.
    Values are clamped first.

    Raises:
        ParameterError: There is no value, or ``q`` is not in [0, 1].

    """
    inside = bounds.clip(values)
    n = len(inside)
    j, g = _place(n, q)
    rank = _ranks(inside)
    padded = np.concatenate([[bounds.lower], np.sort(inside), [bounds.upper]])

    def order_statistic(k: int, *, at_top: bool) -> FloatArray:
        """Return x_(k) once the person sits at a bound; ``padded`` starts one early."""
        moved = k + (rank <= k) if at_top else k - (rank >= k)
        return np.asarray(padded[moved + 1])

    above = min(j + 1, n - 1)
    lowest, highest = (
        _between(
            order_statistic(j, at_top=at_top), order_statistic(above, at_top=at_top), g
        )
        for at_top in (False, True)
    )
    return lowest, highest


def _place(people: int, q: float) -> tuple[int, float]:
    """Return ``j`` and ``g``."""
    if people < 1 or not 0 <= q <= 1:
        message = f"a quantile needs a value and q from 0 to 1, got q = {q}."
        raise ParameterError(message)
    h = (people - 1) * q
    j = math.floor(h)
    return j, h - j


def _ranks(values: FloatArray) -> np.ndarray:
    order = np.argsort(values, kind="stable")
    ranks = np.empty(len(values), dtype=np.intp)
    ranks[order] = np.arange(len(values))
    return ranks


def _between(lower: FloatArray, upper: FloatArray, share: float) -> FloatArray:
    return np.asarray((1 - share) * lower + share * upper)
