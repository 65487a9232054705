"""Laplace releases on a range ``[-m, m]`` that is itself a random, released number.

A covariance must lie within ``m = sqrt(v1* v2*)`` of 0, once two variances ``v*`` have
been released. Everything here is elementwise in ``m``, so that a simulation handles all
its ranges at once. The value may lie outside the range: clamped noise then starts from
outside, truncated noise from the nearest end, which has the same law.

What a pair of values ``x``, ``y`` reveals is bounded over all ranges at once. With
``h = |x - y|``, ``M = max(|x|, |y|)`` and ``L(t, h, R)`` the level of two values ``h``
apart, one of them on an end of a range of width ``R``, at scale ``1/t``
(``truncated_calibration.worst_level``), which increases in all three:

- *Fixed scale* (published): for ``m <= M`` one value sits on an end after clipping,
  and the level is ``L`` of a distance and a width that grow with ``m``. For ``m >= M``
  the loss is ``h t + log (1 - q cosh xt) / (1 - q cosh yt)``, ``q = e^-mt``, with
  ``|x| <= |y|``, which falls with ``m``. So the level at ``m = M`` is the largest.
- *Recalibrated scale* ``b(m)``, which grows with ``m``: a pair's level falls as the
  scale grows, because ``E|U - y|``, ``U`` the release of ``y``, changes by at most 1
  when ``y`` changes by 1. So the level at ``M`` bounds those for ``m >= M``. Where
  ``2m <= Delta`` the scale is ``2m / epsilon``, and the level depends on the share of
  the range between the clipped values alone: for values on one side of 0 it is largest
  at ``m = M``. For ``Delta/2 <= m <= M`` it is at most ``L`` at the scale ``Delta /
  epsilon``, the distance ``h`` and the width ``2M``. Together: ``L`` at the scale
  ``min(Delta, 2M) / epsilon``, and at most ``epsilon``. Values on either side of 0
  become the two ends of every narrow range, which reveals ``epsilon`` however near
  they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.mechanisms.bounded import truncated_law
from dpcore.mechanisms.bounded.base import FLAT_BELOW
from dpcore.mechanisms.laplace_law import one_minus_exp
from dpcore.mechanisms.search import ROUND_UP

_STEPS = 12
_CONVERGED = 1e-15
_ONE_DOWN = 1 - 2.0**-52
_SAME_STEP = 1e-9


def worst_levels(shift: ArrayLike, widths: ArrayLike, noise: ArrayLike) -> FloatArray:
    """Return the truncated law's level for values ``shift`` apart, elementwise.

    ``D t + log1p(P_1(D t) P_1((R - D) t) / P_1(R t))`` with ``t = 1/b``, ``R`` the
    width and ``D = min(shift, R)``; 0 where either is 0. Noise must be positive where
    they are not.
    """
    distance = np.minimum(shift, widths).astype(np.float64)
    across = _over(distance, noise)
    rest = _over(np.subtract(widths, distance), noise)
    whole = one_minus_exp(across + rest)
    mass = np.where(whole > 0, whole, 1.0)
    change = one_minus_exp(across) * one_minus_exp(rest) / mass
    return np.asarray(across + np.log1p(change))


def least_private_scales(shift: ArrayLike, epsilon: float, widths: ArrayLike) -> FloatArray:
    """Return the smallest ``epsilon``-DP scale on ranges of each width, elementwise.

    As ``truncated_calibration.least_private_scale``. Newton's method on the level,
    which is concave in ``t = 1/b``, starts at ``epsilon / (2 D)`` and stays on the
    private side; where rounding takes it across, it steps back. 0 on ranges of width 0.
    """
    widths = np.asarray(widths, dtype=np.float64)
    distance = np.minimum(shift, widths)
    narrow = widths <= shift
    k = np.where(narrow, 2.0, widths / shift)
    t = np.full(widths.shape, epsilon / 2)
    for _ in range(_STEPS):
        level, slope = _level_and_slope(t, k)
        before = t
        t = np.clip(t + (epsilon - level) / slope, epsilon / 2, epsilon)
        if np.allclose(t, before, rtol=_CONVERGED, atol=0):
            break
    while (across := _level_and_slope(t, k)[0] > epsilon).any():
        t = np.where(across, t * _ONE_DOWN, t)
    return np.asarray(distance / np.where(narrow, epsilon, t) * ROUND_UP)


def truncated_quantiles(
    u: ArrayLike, position: ArrayLike, noise: ArrayLike, reach: ArrayLike
) -> FloatArray:
    """Return quantiles of the truncated law on ``[-reach, reach]``, elementwise.

    As ``TruncatedLaplace.quantile``; 0 where ``reach`` is 0.
    """
    u, position, noise, reach = (
        np.asarray(x, dtype=np.float64) for x in (u, position, noise, reach)
    )
    nearest = np.clip(position, -reach, reach)
    a = _over(nearest + reach, noise)
    d = _over(reach - nearest, noise)
    drawn = truncated_law.quantile(u, nearest, (a, d), (-reach, reach), noise)
    flat = a + d < FLAT_BELOW
    return np.clip(np.where(flat, (2 * u - 1) * reach, drawn), -reach, reach)


def published_pair_level(
    first: FloatArray, second: FloatArray, noise: float, largest_reach: float
) -> FloatArray:
    """Return the largest level of a pair over all ranges, at one scale of noise.

    Exact; see above. ``largest_reach`` is the widest that a range can be.
    """
    x = np.clip(first, -largest_reach, largest_reach)
    y = np.clip(second, -largest_reach, largest_reach)
    ends = 2 * np.maximum(np.abs(x), np.abs(y))
    return worst_levels(np.abs(x - y), ends, noise)


def calibrated_pair_level(
    first: FloatArray, second: FloatArray, shift: float, epsilon: float
) -> FloatArray:
    """Return a bound on the level of a pair over all ranges, scales recalibrated.

    Proved above. Each step of length ``shift`` costs at most ``epsilon`` (group
    privacy), which caps it; values on either side of 0 cost that much.
    """
    apart = np.abs(first - second)
    steps = np.maximum(np.ceil(apart / shift * (1 - _SAME_STEP)), 1.0)
    cap = np.where(apart == 0, 0.0, steps * epsilon)
    ends = 2 * np.maximum(np.abs(first), np.abs(second))
    level = worst_levels(apart, ends, np.minimum(shift, ends) / epsilon)
    same_side = np.sign(first) * np.sign(second) >= 0
    return np.where(same_side, np.minimum(level, cap), cap)


def _over(length: ArrayLike, noise: ArrayLike) -> FloatArray:
    """Return ``length / noise``, and 0 where both are 0."""
    length, noise = np.asarray(length), np.asarray(noise)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.where(length == 0, 0.0, length / noise))


def _level_and_slope(t: FloatArray, k: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return level and its derivative in ``t``, for a shift of 1 and a width ``k``."""
    ratio = one_minus_exp(t) * one_minus_exp((k - 1) * t) / one_minus_exp(k * t)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        growth = 1 / np.expm1(t) + (k - 1) / np.expm1((k - 1) * t) - k / np.expm1(k * t)
    growth = np.where(np.isfinite(growth), growth, 0.0)
    return t + np.log1p(ratio), 1 + ratio / (1 + ratio) * growth
