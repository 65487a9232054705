"""How much generalized Gaussian noise of order p a change needs, and what several cost.

With all lengths over the scale, a shift by ``r`` has the loss ``|w + r|^p - |w|^p`` at
noise ``w``, which increases in ``w``. Outside ``|w| <= u`` its size may exceed
``(u + r)^p - u^p``, inside it cannot (Liu 2016, eq. 3; for a scalar the condition
telescopes to this). Outside has the probability ``Q(1/p, u^p)``, ``Q`` the regularised
upper incomplete gamma function.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import gammaincc, gammainccinv

from dpcore.arrays import FloatArray
from dpcore.mechanisms.search import ROUND_UP

_HALVINGS = 64
_FARTHEST = 750.0


def least_scale(shift: float, epsilon: float, delta: float, order: float) -> float:
    """Return the scale at which the size of the loss passes epsilon at most at delta.

    ``b = shift / (u expm1(log1p(epsilon/u^p)/p))`` with ``Q(1/p, u^p) = delta``: the
    root of ``(u + shift/b)^p - u^p = epsilon`` without cancellation.

    >>> round(least_scale(1.0, 1.0, 0.01, 4.0), 9)
    8.909431894
    """
    power = float(gammainccinv(1 / order, delta))
    if power == 0:
        return float(shift / epsilon ** (1 / order) * ROUND_UP)
    u = float(power ** (1 / order))
    return shift / (u * math.expm1(math.log1p(epsilon / power) / order)) * ROUND_UP


def one_sided_epsilon(r: FloatArray, delta: float, order: float) -> FloatArray:
    """Return an epsilon that the loss of a shift ``r`` passes at most at ``delta``.

    ``(u + r)^p - u^p``, where the noise is above ``u`` with probability ``delta``, or
    ``u = 0``. Convex in ``r``, and 0 at 0.
    """
    power = float(gammainccinv(1 / order, min(2 * delta, 1.0)))
    return _loss(power ** (1 / order), r, order)


def vector_epsilon(ratios: FloatArray, delta: float, order: float) -> FloatArray:
    """Return an epsilon for independent noise in several coordinates.

    Each of ``c`` shifts gets ``delta / c`` for passing its own level; but for delta,
    the losses then add up to at most the sum of the levels. ``ratios`` has shape
    ``(..., k)``.
    """
    moved = np.maximum(np.count_nonzero(ratios, axis=-1), 1)[..., np.newaxis]
    power = gammainccinv(1 / order, np.minimum(2 * delta / moved, 1.0))
    levels = _loss(power ** (1 / order), ratios, order)
    return np.asarray(levels.sum(axis=-1) * ROUND_UP)


def vector_delta(ratios: FloatArray, epsilon: float, order: float) -> FloatArray:
    """Return a delta for independent noise in several coordinates.

    The inverse of ``vector_epsilon``: ``c Q(1/p, u^p) / 2`` where the levels at ``u``
    add up to epsilon, found by halving.
    """
    low = np.zeros(np.shape(ratios)[:-1])
    high = np.full_like(low, _FARTHEST ** (1 / order))
    target = epsilon / ROUND_UP
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        levels = _loss(middle[..., np.newaxis], ratios, order).sum(axis=-1)
        within = levels <= target
        low, high = np.where(within, middle, low), np.where(within, high, middle)
    moved = np.count_nonzero(ratios, axis=-1)
    tail = moved * gammaincc(1 / order, low**order) / 2
    # At u = 0 half of the noise still passes: nothing better than 1 is known.
    return np.where(low > 0, np.minimum(tail, 1.0), np.where(moved > 0, 1.0, 0.0))


def _loss(u: FloatArray | float, r: FloatArray, order: float) -> FloatArray:
    """Return ``(u + r)^p - u^p``, without cancellation where ``r`` is small."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        growth = np.expm1(order * np.log1p(r / u))
        near = np.asarray(u) ** order * growth
        whole = np.asarray(u + r) ** order
    small = np.asarray(r) < u
    return np.where(small, near, whole - np.asarray(u) ** order)
