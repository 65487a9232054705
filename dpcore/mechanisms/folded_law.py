"""Folding at the bounds, and the moments of folded Laplace noise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from dpcore.mechanisms.bounded import place
from dpcore.mechanisms.laplace_law import one_minus_exp, scaled

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray, Interval

UNIFORM_BELOW = 1e-8
"""Width over scale below which the law is uniform to the last bit."""

_SERIES_BELOW = 1.0


def fold(values: ArrayLike, bounds: Interval) -> FloatArray:
    """Return ``values`` reflected at the bounds until they lie inside.

    >>> from dpcore.data.bounds import Interval
    >>> fold([-0.25, 0.5, 1.25, 2.25], Interval(lower=0.0, upper=1.0)).tolist()
    [0.25, 0.5, 0.75, 0.25]
    """
    values = np.asarray(values, dtype=np.float64)
    inside = (values >= bounds.lower) & (values <= bounds.upper) | np.isnan(values)
    if inside.all():
        return values
    if bounds.width == 0:
        return bounds.clip(values)
    if math.isinf(bounds.upper):
        folded = bounds.lower + np.abs(values - bounds.lower)
    elif math.isinf(bounds.lower):
        folded = bounds.upper - np.abs(bounds.upper - values)
    else:
        round_trip = np.mod(values - bounds.lower, 2 * bounds.width)
        back = bounds.width - np.abs(bounds.width - round_trip)
        folded = bounds.lower + back
    return np.where(inside, values, bounds.clip(folded))


def is_uniform(bounds: Interval, noise: float) -> bool:
    """Return whether the noise dwarfs the bounds, so that its limit law applies."""
    return bool(scaled(bounds.width, noise) < UNIFORM_BELOW)


def moments(
    position: ArrayLike, bounds: Interval, noise: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the way to the folded position, and two moments about it.

    With ``a`` and ``d`` its distances to the bounds over the scale and ``W = a + d``::

        first  = b (e^-a - e^-d) / (1 + e^-W)
        second = 2 b^2 [cosh(d) (sinh a - a) + cosh(a) (sinh d - d)] / sinh W

    All summands of the second are positive, so that nothing cancels; each factor is
    multiplied by its own decaying exponential, so that nothing overflows.
    """
    position = np.asarray(position, dtype=np.float64)
    folded = fold(position, bounds)
    at, b = place(folded, bounds, noise), noise
    moved = folded - position
    if noise == 0 or bounds.width == 0:
        return moved, 0 * folded, 0 * folded
    if is_uniform(bounds, noise):
        low, high = folded - bounds.lower, bounds.upper - folded
        return moved, (high - low) / 2, (low**2 - low * high + high**2) / 3
    near, far = np.minimum(at.a, at.d), np.maximum(at.a, at.d)
    with np.errstate(invalid="ignore"):
        gap = np.where(near < far, far - near, 0.0)
    size = np.exp(-near) * one_minus_exp(gap) / (1 + np.exp(-at.a - at.d))
    first = b * np.where(at.a <= at.d, size, -size)
    second = (1 + np.exp(-2 * at.d)) * _excess(at.a)
    second += (1 + np.exp(-2 * at.a)) * _excess(at.d)
    return moved, first, 2 * b * (b * (second / one_minus_exp(2 * (at.a + at.d))))


def _excess(x: FloatArray) -> FloatArray:
    """Return ``e^-x (sinh x - x)``, by its series where the difference would cancel."""
    small = np.minimum(x, _SERIES_BELOW)
    series = np.ones_like(small)
    for k in range(18, 2, -2):
        series = 1 + small * small / (k * (k + 1)) * series
    series *= small**3 / 6 * np.exp(-small)
    large = np.minimum(x, 1e3)  # what is subtracted vanishes long before
    direct = one_minus_exp(2 * x) / 2 - large * np.exp(-large)
    return np.where(x < _SERIES_BELOW, series, direct)
