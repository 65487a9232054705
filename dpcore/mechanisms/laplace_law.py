"""The Laplace law, and the incomplete gamma functions that bounding it leads to.

``P_j`` is the regularised lower incomplete gamma function of order j: ``P_1(t) = 1 -
e^-t``, ``P_2(t) = 1 - (1 + t) e^-t``, ``P_3(t) = 1 - (1 + t + t^2/2) e^-t``. With ``a``
and ``d`` the distances from the true value to the two bounds, in units of the scale,
every moment of a bounded Laplace release is a ratio of sums of ``P_j(a)``, ``P_j(d)``
(Liu 2016, arXiv 1607.08554).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc, gammaincc

from dpcore.arrays import FloatArray

TINY = float(np.finfo(np.float64).tiny)
LOG_TWO = math.log(2)


def scaled(length: ArrayLike, noise: float) -> FloatArray:
    """Return ``length / noise``; where both are 0, or both infinite, return 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.divide(length, noise, dtype=np.float64)
    undefined = np.isnan(ratio) & ~np.isnan(length)
    return np.asarray(np.where(undefined, 0.0, ratio))


def one_minus_exp(t: ArrayLike) -> FloatArray:
    """Return ``P_1(t) = 1 - e^-t`` without cancellation."""
    return np.asarray(-np.expm1(np.negative(t)))


def incomplete_sum(order: float, a: FloatArray, d: FloatArray) -> FloatArray:
    """Return ``P_order(a) + P_order(d)``."""
    return np.asarray(gammainc(order, a) + gammainc(order, d))


def incomplete_difference(order: float, d: FloatArray, a: FloatArray) -> FloatArray:
    """Return ``P_order(d) - P_order(a)``, from the upper tails if small."""
    lower = gammainc(order, d) - gammainc(order, a)
    upper = gammaincc(order, a) - gammaincc(order, d)
    return np.where(np.minimum(a, d) > 1, upper, lower)


def pdf(x: ArrayLike, position: ArrayLike, noise: float) -> FloatArray:
    """Return ``exp(-|x - position|/b) / (2b)``; for ``b = 0`` all mass on one point."""
    distance = np.abs(np.subtract(x, position))
    if noise == 0:
        return np.where(distance == 0, np.inf, 0.0)
    return np.asarray(np.exp(-scaled(distance, noise)) / (2 * noise))


def cdf(x: ArrayLike, position: ArrayLike, noise: float) -> FloatArray:
    """Return the probability of at most ``x``.

    The upper tail is the cdf of the mirrored question: ``cdf(-x, -position)``.
    """
    if noise == 0:
        return np.greater_equal(x, position).astype(np.float64)
    t = scaled(np.subtract(x, position), noise)
    half = np.exp(-np.abs(t)) / 2
    return np.where(t < 0, half, 1 - half)


def log_cdf(x: ArrayLike, position: ArrayLike, noise: float) -> FloatArray:
    """Return the logarithm of ``cdf`` for positive noise, exact in the far tail."""
    t = scaled(np.subtract(x, position), noise)
    upper = np.log1p(-np.exp(-np.maximum(t, 0.0)) / 2)
    return np.where(t < 0, t - LOG_TWO, upper)


def quantile(u: ArrayLike, position: ArrayLike, noise: float) -> FloatArray:
    """Return ``position + b log(2u)`` below the median, mirrored above."""
    u, position = np.broadcast_arrays(
        np.asarray(u, dtype=np.float64), np.asarray(position, dtype=np.float64)
    )
    if noise == 0:
        return position.copy()
    if np.isinf(noise):
        return np.where(u <= 0.5, -np.inf, np.inf)  # noqa: PLR2004 - the median
    with np.errstate(divide="ignore"):
        tail = np.log(2 * np.minimum(u, 1 - u))
    return np.asarray(position + np.where(u < 0.5, tail, -tail) * noise)  # noqa: PLR2004 - the median


def uniform(rng: np.random.Generator, size: tuple[int, ...]) -> FloatArray:
    """Return uniform draws from the open unit interval."""
    return rng.uniform(TINY, 1.0, size)
