"""Quantiles of the truncated Laplace law, for one pair of bounds or for many."""

from __future__ import annotations

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.mechanisms.laplace_law import one_minus_exp

Numbers = float | FloatArray

# Below this distance (over the scale) from a bound, quantiles are measured from it.
_NEAR = 0.5


def mass(a: FloatArray, d: FloatArray) -> FloatArray:
    """Return twice the probability of noise inside the bounds, ``P_1(a) + P_1(d)``."""
    return np.asarray(one_minus_exp(a) + one_minus_exp(d))


def quantile(
    u: FloatArray,
    nearest: FloatArray,
    distances: tuple[FloatArray, FloatArray],
    ends: tuple[Numbers, Numbers],
    noise: Numbers,
) -> FloatArray:
    """Return the smallest ``x`` with ``cdf(x) >= u``, measured from what is near.

    Near a bound ``c0 + b log1p(u m e^a)``, else ``position + b log(u m + e^-a)`` with
    ``m = P_1(a) + P_1(d)``; mirrored above the position.

    Args:
        u: Probabilities.
        nearest: The values, moved to the nearest point of the bounds.
        distances: ``a`` and ``d``, from there to the lower and the upper bound, over
            the scale.
        ends: The lower and the upper bound, ``c0`` and ``c1``.
        noise: The scale ``b``, positive and finite.

    """
    (a, d), (lower, upper) = distances, ends
    whole = mass(a, d)
    from_below = _lower_part(u * whole, nearest, a, lower, noise)
    from_above = _lower_part((1 - u) * whole, -nearest, d, -upper, noise)
    below = u * whole <= one_minus_exp(a)
    return np.clip(np.where(below, from_below, -from_above), lower, upper)


def _lower_part(
    mass: FloatArray, nearest: FloatArray, a: FloatArray, bound: Numbers, noise: Numbers
) -> FloatArray:
    """Return where the unnormalised lower tail reaches ``mass``."""
    with np.errstate(divide="ignore", over="ignore"):
        from_bound = bound + noise * np.log1p(mass * np.exp(np.minimum(a, _NEAR)))
        from_value = nearest + noise * np.log(mass + np.exp(-a))
    return np.where(a < _NEAR, from_bound, from_value)
