"""What a scalar released by the truncated Laplace mechanism reveals about two values.

Truncation divides the Laplace density by ``Z(m)``, the probability of landing inside
the bounds, which itself depends on the secret. With ``m0 < m1`` in the bounds, ``h`` =
``(m1 - m0)/b``, ``a0``, ``d0`` the distances of ``m0`` to the bounds over ``b`` and
``kappa = log Z(m1)/Z(m0)``, the loss of seeing the output of m0 is at most ``h +
kappa``. The best test is a threshold between ``m0`` and ``m1``, where the densities
have ratio e^epsilon, and working out its two probabilities leaves, with ``u = (h +
kappa - epsilon)/2``::

    delta(m0 || m1) = P_1(u) [P_1(a0) + P_1(a0 + u)] / [P_1(a0) + P_1(d0)]

and 0 for ``u <= 0``. As ``P_1(a0 + u) = 1 - e^-a0 (1 - w)`` for ``w = P_1(u)``, a
quadratic equation in ``w`` inverts it. The other direction is the mirror image. Values
outside the bounds release what the nearest bound would release.

The family is ordered by likelihood ratio, so that what a pair reveals grows as the two
values move apart: only pairs ``D = min(Delta, R)`` apart count. The pure level is
largest when one of them lies on a bound; the profile is largest a little inside.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms.bounded.base import is_flat
from dpcore.mechanisms.laplace.mechanism import least_scale
from dpcore.mechanisms.laplace_law import one_minus_exp, scaled
from dpcore.mechanisms.pairs import distances, over_scale
from dpcore.mechanisms.search import ROUND_UP, largest_over_positions
from dpcore.privacy.halving import halved

_BLOCK = 1 << 15

Direction = tuple[FloatArray, FloatArray, FloatArray]


def scalar_level(
    first: FloatArray, second: FloatArray, noise: float, bounds: Interval
) -> FloatArray:
    """Return the pure level ``h + |kappa|``, elementwise, without cancellation.

    With ``near`` and ``far`` the smaller and the larger of ``a`` at the lower value and
    ``d`` at the higher one, ``t = R/b``, and ``t = near + h + far``::

        |kappa| = log1p(P_1(h) e^-near P_1(far - near) / [P_1(near) + P_1(t - near)])

    Computed in blocks, whose temporaries stay in the cache.
    """
    first, second = np.broadcast_arrays(first, second)
    result = np.empty(first.shape)
    flat, x, y = result.reshape(-1), first.reshape(-1), second.reshape(-1)
    for start in range(0, flat.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        flat[part] = _level(bounds.clip(x[part]), bounds.clip(y[part]), noise, bounds)
    return result


def scalar_delta(
    first: FloatArray, second: FloatArray, noise: float, bounds: Interval, epsilon: float
) -> FloatArray:
    """Return the larger delta of both directions, elementwise."""
    first, second = bounds.clip(first), bounds.clip(second)
    if noise == 0 or is_flat(bounds, noise):
        return np.where(_level(first, second, noise, bounds) > epsilon, 1.0, 0.0)
    low, high = np.minimum(first, second), np.maximum(first, second)
    up, down = _both_ways(low, high, noise, bounds)
    return np.maximum(delta_at(*up, epsilon), delta_at(*down, epsilon))


def scalar_epsilon(
    first: FloatArray, second: FloatArray, noise: float, bounds: Interval, delta: float
) -> FloatArray:
    """Return the smallest epsilon with ``scalar_delta <= delta``, elementwise."""
    first, second = bounds.clip(first), bounds.clip(second)
    if noise == 0 or is_flat(bounds, noise):
        return _level(first, second, noise, bounds)
    low, high = np.minimum(first, second), np.maximum(first, second)
    up, down = _both_ways(low, high, noise, bounds)
    return np.maximum(epsilon_at(*up, delta), epsilon_at(*down, delta))


def delta_at(a: FloatArray, d: FloatArray, level: FloatArray, epsilon: float) -> FloatArray:
    """Return the delta of one direction.

    Args:
        a: Distance over the scale of the value that was released from, to the bound
            that lies away from the other value.
        d: Its distance to the bound behind the other value.
        level: Largest loss ``h + kappa`` in that direction.
        epsilon: Where the profile is asked.

    """
    u = np.maximum(level - epsilon, 0.0) / 2
    near = one_minus_exp(a)
    with np.errstate(invalid="ignore"):
        ratio = (near + one_minus_exp(a + u)) / (near + one_minus_exp(d))
    return np.where(u > 0, one_minus_exp(u) * ratio, 0.0 * level)


def epsilon_at(a: FloatArray, d: FloatArray, level: FloatArray, delta: float) -> FloatArray:
    """Return the epsilon of one direction, the inverse of ``delta_at``.

    ``w = P_1(u)`` solves ``e^-a w^2 + 2 P_1(a) w = delta [P_1(a) + P_1(d)]``.
    """
    near = one_minus_exp(a)
    mass = delta * (near + one_minus_exp(d))
    w = mass / (near + np.sqrt(near * near + np.exp(-a) * mass))
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = level + 2 * np.log1p(-np.minimum(w, 1.0))
    return np.where(w < 1, np.maximum(rest, 0.0), 0.0 * level)


def _both_ways(
    low: FloatArray, high: FloatArray, noise: float, bounds: Interval
) -> tuple[Direction, Direction]:
    """Return the first three arguments of ``delta_at`` for both directions."""
    a0, d0 = scaled(low - bounds.lower, noise), scaled(bounds.upper - low, noise)
    a1, d1 = scaled(high - bounds.lower, noise), scaled(bounds.upper - high, noise)
    h = scaled(high - low, noise)
    kappa = np.where(a0 <= d1, 1.0, -1.0) * (_level(low, high, noise, bounds) - h)
    return (a0, d0, h + kappa), (d1, a1, h - kappa)


def _level(first: FloatArray, second: FloatArray, noise: float, bounds: Interval) -> FloatArray:
    h = over_scale(distances(first, second), noise)
    if noise == 0 or (np.isinf(bounds.lower) and np.isinf(bounds.upper)):
        return h
    t = float(scaled(bounds.width, noise))
    if is_flat(bounds, noise):
        return h
    low, high = np.minimum(first, second), np.maximum(first, second)
    near = np.minimum(low - bounds.lower, bounds.upper - high)
    near = over_scale(near, noise)
    gap = np.maximum(t - h - 2 * near, 0.0)  # far - near
    at_near = one_minus_exp(near)
    change = one_minus_exp(h) * (1 - at_near) * one_minus_exp(gap)
    h += np.log1p(change / (at_near + one_minus_exp(t - near)))
    return h


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
    return _level_at_bound(1 / noise, distance, bounds.width)


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
        exponent = epsilon + half if half is not None else math.log1p(math.expm1(epsilon) / 2)
        return distance / exponent * ROUND_UP
    low, _ = halved(
        lambda t: _level_at_bound(t, distance, width) > epsilon,
        epsilon / (2 * distance),
        epsilon / distance,
    )
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


def _level_at_bound(t: float, distance: float, width: float) -> float:
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

    return largest_over_positions(lambda a, c: asked(a, h + c, h + _kappa(a, c, h)), rest)


def _kappa(a: FloatArray, c: FloatArray, h: float) -> FloatArray:
    """Return ``log Z(other)/Z(own)``, where at most one of a, c is infinite."""
    near, far = np.minimum(a, c), np.maximum(a, c)
    change = one_minus_exp(h) * np.exp(-near) * one_minus_exp(far - near)
    size = np.log1p(change / (one_minus_exp(near) + one_minus_exp(h + far)))
    return np.where(a <= c, size, -size)
