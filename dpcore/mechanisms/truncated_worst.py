"""The worst pair of the truncated Laplace mechanism, and the scale that repairs it.

The family is ordered by likelihood ratio, so that what a pair reveals grows as the two
values move apart: only pairs ``D = min(Delta, R)`` apart count. The pure level is
largest when one of them lies on a bound; the profile is largest a little inside.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpcore.mechanisms.laplace import least_scale
from dpcore.mechanisms.laplace_law import one_minus_exp
from dpcore.mechanisms.search import ROUND_UP, largest_over_positions
from dpcore.mechanisms.truncated_pairs import delta_at, epsilon_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpcore.data.bounds import FloatArray, Interval


def worst_level(shift: float, bounds: Interval, noise: float) -> float:
    """Return the exact pure level over all values at most ``shift`` apart.

    ``D t + log1p(P_1(D t) P_1((R - D) t) / P_1(R t))`` with ``t = 1/b``: between one
    and two times ``D/b``. On a half-line ``D t + log(2 - e^{-D t})``.
    """
    distance = min(shift, bounds.width)
    if distance == 0 or math.isinf(noise):
        return 0.0
    if noise == 0:
        return math.inf
    if math.isinf(bounds.lower) and math.isinf(bounds.upper):
        return distance / noise
    return _level(1 / noise, distance, bounds.width)


def least_private_scale(shift: float, epsilon: float, bounds: Interval) -> float:
    """Return the smallest scale that is ``epsilon``-DP for values ``shift`` apart.

    The level increases in ``t = 1/b`` with ``D t <= level <= 2 D t``, which brackets
    the root. The result is rounded up by 1e-12.

    >>> from dpcore.data.bounds import Interval
    >>> unit = Interval(lower=0.0, upper=4.0)
    >>> round(least_private_scale(1.0, 1.0, unit), 11)
    1.56723921377
    """
    width = bounds.width
    distance = min(shift, width)
    if distance == 0:
        return 0.0
    if distance == width or (math.isinf(bounds.lower) and math.isinf(bounds.upper)):
        return least_scale(distance, epsilon)
    if math.isinf(width):
        # The root of D t + log(2 - e^{-D t}) = epsilon: D t = log((1 + e^epsilon)/2).
        half = math.log1p(-math.expm1(-epsilon) / -2) if epsilon > 1 else None
        exponent = (
            epsilon + half if half is not None else math.log1p(math.expm1(epsilon) / 2)
        )
        return distance / exponent * ROUND_UP
    low, high = epsilon / (2 * distance), epsilon / distance
    for _ in range(60):
        middle = (low + high) / 2
        if _level(middle, distance, width) <= epsilon:
            low = middle
        else:
            high = middle
    return ROUND_UP / low


def worst_delta(shift: float, bounds: Interval, noise: float, epsilon: float) -> float:
    """Return the delta at ``epsilon`` over all values at most ``shift`` apart."""
    if not 0 < noise < math.inf:
        return 1.0 if worst_level(shift, bounds, noise) > epsilon else 0.0
    largest = _over_positions(
        lambda a, d, level: delta_at(a, d, level, epsilon), shift, bounds, noise
    )
    return min(largest * ROUND_UP, 1.0)


def worst_epsilon(shift: float, bounds: Interval, noise: float, delta: float) -> float:
    """Return the epsilon at ``delta`` over all values at most ``shift`` apart."""
    if delta == 0 or not 0 < noise < math.inf:
        return worst_level(shift, bounds, noise)
    largest = _over_positions(
        lambda a, d, level: epsilon_at(a, d, level, delta), shift, bounds, noise
    )
    return largest * ROUND_UP


def _level(t: float, distance: float, width: float) -> float:
    def p(x: float) -> float:
        return -math.expm1(-x)

    if width * t == 0:
        return distance * t
    change = p(distance * t) * p((width - distance) * t) / p(width * t)
    return distance * t + math.log1p(change)


def _over_positions(
    asked: Callable[[FloatArray, FloatArray, FloatArray], FloatArray],
    shift: float,
    bounds: Interval,
    noise: float,
) -> float:
    """Return the largest answer to ``delta_at`` or ``epsilon_at`` over all pairs."""
    h = min(shift, bounds.width) / noise
    rest = bounds.width / noise - h
    if math.isinf(bounds.lower) and math.isinf(bounds.upper):
        free = np.array([math.inf])
        return float(asked(free, free, np.array([h]))[0])

    return largest_over_positions(
        lambda a, c: asked(a, h + c, h + _kappa(a, c, h)), rest
    )


def _kappa(a: FloatArray, c: FloatArray, h: float) -> FloatArray:
    """Return ``log Z(other)/Z(own)``, where at most one of a, c is infinite."""
    near, far = np.minimum(a, c), np.maximum(a, c)
    change = one_minus_exp(h) * np.exp(-near) * one_minus_exp(far - near)
    size = np.log1p(change / (one_minus_exp(near) + one_minus_exp(h + far)))
    return np.where(a <= c, size, -size)
