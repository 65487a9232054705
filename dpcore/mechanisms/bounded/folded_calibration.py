"""What a scalar released by the folded Laplace mechanism reveals about two values.

With all lengths over the scale, ``a`` and ``d`` the distances of a value to the two
bounds and ``W = a + d``, the folded density at a distance ``x`` from the lower bound is
``cosh(min(x, a)) cosh(W - max(x, a)) / sinh W``. Everything follows from one function,
``growth(y, h) = log(cosh(y + h) / cosh y)``. For ``m0 < m1``, ``h`` apart, the loss of
seeing the output of m0 falls along the axis from ``growth(d1, h)`` on, so that the best
test is a threshold ``s`` above m0, and working out its two probabilities leaves

    delta(m0 || m1) = 1 - exp(-growth(a0, s)),
    epsilon = growth(d1, h - s) - growth(a0, s).

Either equation can be solved for ``s``. The other direction is the mirror image.
"""

from __future__ import annotations

import math

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms.laplace_law import scaled
from dpcore.mechanisms.pairs import distances, over_scale
from dpcore.mechanisms.search import ROUND_UP, largest_over_positions
from dpcore.privacy.halving import halved

_LARGE = 1.0

Direction = tuple["FloatArray", "FloatArray", "FloatArray", "FloatArray"]


def growth(y: FloatArray, h: FloatArray) -> FloatArray:
    """Return ``log(cosh(y + h) / cosh(y))`` for ``y, h >= 0``, without cancellation.

    ``cosh(y + h)/cosh(y) = cosh h + tanh(y) sinh h``; for large ``h`` the exponential
    is factored out. ``y`` may be infinite: then it is ``h``.

    >>> round(float(growth(np.array(3.0), np.array(1.0))), 10)
    0.9978597212
    """
    small = np.minimum(h, _LARGE)
    near = np.log1p(2 * np.sinh(small / 2) ** 2 + np.tanh(y) * np.sinh(small))
    fade = np.exp(-2 * y)
    far = h + np.log1p(fade * np.expm1(-2 * h) / (1 + fade))
    return np.asarray(np.where(h < _LARGE, near, far))


def scalar_level(
    first: FloatArray, second: FloatArray, noise: float, bounds: Interval
) -> FloatArray:
    """Return the pure level: the larger of ``growth(a0, h)`` and ``growth(d1, h)``."""
    h = over_scale(distances(first, second), noise)
    if noise == 0 or math.isinf(bounds.width):
        return h  # on a half-line the open side reaches the level of plain noise
    low, high = np.minimum(first, second), np.maximum(first, second)
    farther = np.maximum(low - bounds.lower, bounds.upper - high)
    return growth(scaled(farther, noise), h)


def scalar_delta(
    first: FloatArray, second: FloatArray, noise: float, bounds: Interval, epsilon: float
) -> FloatArray:
    """Return the larger delta of both directions, elementwise."""
    if noise == 0 or math.isinf(noise) or bounds.width == 0:
        level = scalar_level(first, second, noise, bounds)
        return np.where(np.isnan(level), level, np.where(level > epsilon, 1.0, 0.0))
    up, down = _both_ways(first, second, noise, bounds)
    return np.maximum(delta_at(*up, epsilon), delta_at(*down, epsilon))


def scalar_epsilon(
    first: FloatArray, second: FloatArray, noise: float, bounds: Interval, delta: float
) -> FloatArray:
    """Return the smallest epsilon with ``scalar_delta <= delta``, elementwise."""
    if noise == 0 or math.isinf(noise) or bounds.width == 0:
        return scalar_level(first, second, noise, bounds)
    up, down = _both_ways(first, second, noise, bounds)
    return np.maximum(epsilon_at(*up, delta), epsilon_at(*down, delta))


def delta_at(
    a: FloatArray, d: FloatArray, rest: FloatArray, h: FloatArray, epsilon: float
) -> FloatArray:
    """Return the delta of one direction.

    Args:
        a: Distance over the scale of the value that was released from, to the bound
            that lies away from the other value.
        d: Its distance to the bound behind the other value.
        rest: The distance of the other value to that bound.
        h: How far apart the two are, over the scale.
        epsilon: Where the profile is asked.

    The threshold, with ``g = growth(rest, h) - epsilon``:
    ``e^{2s} - 1 = 2 (e^g - 1) / (1 + tanh a - e^{-d - epsilon}/cosh rest)``.

    """
    g = np.maximum(growth(rest, h) - epsilon, 0.0)
    below = 2 * np.exp(-(d + epsilon) - rest) / (1 + np.exp(-2 * rest))
    slope = 2 / (1 + np.tanh(a) - below)
    small = np.minimum(g, _LARGE)
    near = np.log1p(slope * np.expm1(small))
    far = g + np.log(np.exp(-g) - slope * np.expm1(-g))
    threshold = np.where(g < _LARGE, near, far) / 2
    return np.asarray(-np.expm1(-growth(a, threshold)))


def epsilon_at(
    a: FloatArray, d: FloatArray, rest: FloatArray, h: FloatArray, delta: float
) -> FloatArray:
    """Return the epsilon of one direction, the inverse of ``delta_at``.

    The threshold solves ``cosh s + tanh(a) sinh s = 1/(1 - delta)``, a quadratic
    equation in ``e^s``.
    """
    del d  # the common signature
    m, slope = delta / (1 - delta), np.tanh(a)
    square = m * (2 + m)
    root = np.sqrt(slope * slope + square)
    threshold = np.log1p((m + square / (root + slope)) / (1 + slope)) if m else 0.0
    left = growth(rest, np.maximum(h - threshold, 0.0))
    return np.maximum(left + math.log1p(-delta), 0.0)


def worst_level(shift: float, bounds: Interval, noise: float) -> float:
    """Return the exact pure level over all values at most ``shift`` apart.

    ``log cosh(R/b) - log cosh((R - D)/b)`` with ``D = min(shift, R)``, at a bound; less
    than ``D/b``, which is reached on a half-line.
    """
    distance = min(shift, bounds.width)
    if distance == 0 or math.isinf(noise):
        return 0.0
    if noise == 0:
        return math.inf
    return _level(1 / noise, distance, bounds.width)


def worst_epsilon(shift: float, bounds: Interval, noise: float, delta: float) -> float:
    """Return the epsilon at ``delta`` over all values at most ``shift`` apart.

    The family has a monotone likelihood ratio, so that only pairs ``D`` apart count.
    Where they lie is searched near both bounds; in between, the answer is constant.
    """
    level = worst_level(shift, bounds, noise)
    if delta == 0 or level == 0 or math.isinf(level):
        return level
    h = np.array(min(shift, bounds.width) / noise)
    rest = bounds.width / noise - float(h)
    if math.isinf(bounds.lower) and math.isinf(bounds.upper):
        free = np.array(math.inf)
        return float(epsilon_at(free, free, free, h, delta))

    largest = largest_over_positions(lambda a, c: epsilon_at(a, c + h, c, h, delta), rest)
    return min(largest * ROUND_UP, level)


def least_scale_folded(shift: float, epsilon: float, bounds: Interval) -> float:
    """Return the smallest scale that is ``epsilon``-DP for values ``shift`` apart.

    The level increases in ``t = 1/b``, and ``D t - log 2 <= level <= D t`` brackets the
    root. The result is rounded up by 1e-12.

    >>> from dpcore.data.bounds import Interval
    >>> unit = Interval(lower=0.0, upper=1.0)
    >>> round(least_scale_folded(0.5, 0.25, unit), 9)
    1.140972028
    """
    distance = min(shift, bounds.width)
    if distance == 0:
        return 0.0
    low = epsilon / distance
    if math.isfinite(bounds.width):
        low, _ = halved(
            lambda t: _level(t, distance, bounds.width) > epsilon,
            low,
            (epsilon + math.log(2)) / distance,
        )
    return ROUND_UP / low


least_private_scale = least_scale_folded
"""The name that calibration knows it by."""


def _level(t: float, distance: float, width: float) -> float:
    near, h = np.array((width - distance) * t), np.array(distance * t)
    return float(growth(near, h))


def _both_ways(
    first: FloatArray, second: FloatArray, noise: float, bounds: Interval
) -> tuple[Direction, Direction]:
    """Return the first four arguments of ``delta_at`` for both directions."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    a0, d0 = scaled(low - bounds.lower, noise), scaled(bounds.upper - low, noise)
    a1, d1 = scaled(high - bounds.lower, noise), scaled(bounds.upper - high, noise)
    h = scaled(high - low, noise)
    return (a0, d0, d1, h), (d1, a1, a0, h)
