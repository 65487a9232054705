"""What a scalar released by the BIT Laplace mechanism reveals about a pair of values.

Inside the bounds it is exactly what unclamped noise reveals. Only values outside the
bounds (which a released bound may produce) need the general forms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.data.bounds import Interval
from dpcore.mechanisms.laplace_law import log_cdf, scaled
from dpcore.mechanisms.pairs import distances, over_scale
from dpcore.mechanisms.search import first_where
from dpcore.privacy import laplace as profile

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray


def scalar_level(
    first: FloatArray, second: FloatArray, noise: float, bounds: Interval
) -> FloatArray:
    """Return the pure level, elementwise.

    It is ``|first - second| / b`` unless one value lies below and the other above the
    bounds. Then the two atoms have the extreme probability ratios, at ``c0``
    ``log(2 - e^{-(c0-m0)/b}) + (m1-c0)/b``, and the mirror image at ``c1``.
    """
    first, second = _released(first, second, noise, bounds)
    level = over_scale(distances(first, second), noise)
    if _inside(first, bounds) or _inside(second, bounds):
        return level
    low, high = np.minimum(first, second), np.maximum(first, second)
    below = scaled(bounds.lower - low, noise)
    above = scaled(high - bounds.upper, noise)
    straddling = (below > 0) & (above > 0)
    with np.errstate(invalid="ignore", over="ignore"):
        at_lower = np.log1p(-np.expm1(-below)) + scaled(high - bounds.lower, noise)
        at_upper = np.log1p(-np.expm1(-above)) + scaled(bounds.upper - low, noise)
    return np.where(straddling, np.maximum(at_lower, at_upper), level)


def scalar_delta(
    first: FloatArray,
    second: FloatArray,
    noise: float,
    bounds: Interval,
    epsilon: float | FloatArray,
) -> FloatArray:
    """Return the larger delta of both directions, elementwise.

    The likelihood ratio is monotone, so that the best test is a threshold ``tau =
    clip((m0 + m1 - b epsilon)/2)``: ``delta = F(tau; m0) - e^epsilon F(tau; m1)`` for
    ``m0 < m1``, ``F`` the Laplace cdf.
    """
    first, second = _released(first, second, noise, bounds)
    plain = profile.delta_of(over_scale(distances(first, second), noise), epsilon)
    if np.isinf(noise) or (_inside(first, bounds) and _inside(second, bounds)):
        return plain
    low, high = np.minimum(first, second), np.maximum(first, second)
    mirrored = Interval(lower=-bounds.upper, upper=-bounds.lower)
    upwards = _one_direction(low, high, noise, bounds, epsilon)
    downwards = _one_direction(-high, -low, noise, mirrored, epsilon)
    both = (low >= bounds.lower) & (high <= bounds.upper)
    return np.where(both, plain, np.maximum(upwards, downwards))


def scalar_epsilon(
    first: FloatArray,
    second: FloatArray,
    noise: float,
    bounds: Interval,
    delta: float,
) -> FloatArray:
    """Return the smallest epsilon with ``scalar_delta <= delta``, elementwise."""
    first, second = np.broadcast_arrays(*_released(first, second, noise, bounds))
    level = scalar_level(first, second, noise, bounds)
    result = profile.epsilon_of(over_scale(distances(first, second), noise), delta)
    low, high = np.minimum(first, second), np.maximum(first, second)
    outside = (low < bounds.lower) | (high > bounds.upper)
    outside &= np.isfinite(level)
    if outside.any():
        x, y = first[outside], second[outside]
        most = level[outside]
        result[outside] = first_where(
            lambda epsilon: scalar_delta(x, y, noise, bounds, epsilon) <= delta,
            np.zeros_like(most),
            most,
        )
    return result


def _one_direction(
    low: FloatArray,
    high: FloatArray,
    noise: float,
    bounds: Interval,
    epsilon: float | FloatArray,
) -> FloatArray:
    threshold = bounds.clip((low + high - noise * epsilon) / 2)
    log_first = log_cdf(threshold, low, noise)
    log_second = log_cdf(threshold, high, noise) + epsilon
    ahead = np.minimum(log_second - log_first, 0.0)
    return np.asarray(np.exp(log_first) * -np.expm1(ahead))


def _released(
    first: FloatArray, second: FloatArray, noise: float, bounds: Interval
) -> tuple[FloatArray, FloatArray]:
    """Return the values themselves; without noise, what is released of them."""
    return (bounds.clip(first), bounds.clip(second)) if noise == 0 else (first, second)


def _inside(values: FloatArray, bounds: Interval) -> bool:
    return bool(
        values.min(initial=bounds.lower) >= bounds.lower
        and values.max(initial=bounds.upper) <= bounds.upper
    )
