"""The Mills ratio ``R(t) = Phi(-t)/phi(t)`` of the normal law, and how it falls.

Privacy losses that are normal given something else have profiles of the form
``phi(a) [R(a) - c R(a + gap)]``. Written so, nothing overflows, and ``fall`` keeps all
digits of the difference however small the gap.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erfcx, log_ndtr, ndtr

from dpcore.arrays import FloatArray

LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)
COMPLEMENT_BELOW = -5.0
"""Where a tail is so heavy that its complement is the number to compute."""

_ROOT_HALF = math.sqrt(0.5)
_ROOT_HALF_PI = math.sqrt(math.pi / 2)
_SERIES_BELOW, _SERIES_SHARE = 0.02, 0.004
_ASYMPTOTIC_FROM = 30.0


def ratio(t: FloatArray) -> FloatArray:
    """Return ``R(t) = Phi(-t)/phi(t)``; ``inf`` below about -37.

    >>> round(float(ratio(np.array(0.0))), 12)
    1.253314137316
    """
    return _ROOT_HALF_PI * np.asarray(erfcx(_ROOT_HALF * t))


def density(t: FloatArray) -> FloatArray:
    """Return the standard normal density ``phi(t)``."""
    return np.asarray(np.exp(-t * t / 2 - LOG_ROOT_TWO_PI))


def fall(a: FloatArray, gap: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ``R(a) - R(a + gap)`` and ``R(a + gap)``, for ``gap >= 0``.

    A narrow gap uses the Taylor series around its middle, whose terms follow from
    ``R' = t R - 1``; for large ``t`` those cancel, and asymptotic series take over.
    """
    a, gap = np.broadcast_arrays(a, gap)
    narrow = gap < np.maximum(_SERIES_BELOW, _SERIES_SHARE * a)
    if narrow.all():
        return _series(a + gap / 2, gap / 2)
    end = ratio(a + gap)
    fallen = ratio(a) - end
    if narrow.any():
        fallen[narrow], end[narrow] = _series((a + gap / 2)[narrow], gap[narrow] / 2)
    return fallen, end


def excess(a: FloatArray, gap: FloatArray) -> FloatArray:
    """Return ``phi(a) [R(a) - R(a + gap)]``, the profile of a normal privacy loss.

    A loss with mean ``M`` and standard deviation ``S`` has ``E (1 - e^(epsilon -
    loss))_+`` of this form with ``a = (epsilon - M)/S`` and ``gap = S``.
    """
    a, gap = np.broadcast_arrays(a, gap)
    heavy = a <= COMPLEMENT_BELOW
    inner = np.where(heavy, 0.0, a)
    result = density(inner) * fall(inner, gap)[0]
    if heavy.any():
        left, start = a[heavy], (a + gap)[heavy]
        # log phi(a) - log phi(a + gap) is (a + gap/2) gap, which may overflow alone.
        log_rise = gap[heavy] * (left + start) / 2
        result[heavy] = ndtr(-left) - np.exp(log_rise + log_ndtr(-start))
    return result


def _series(middle: FloatArray, h: FloatArray) -> tuple[FloatArray, FloatArray]:
    low = np.minimum(middle, _ASYMPTOTIC_FROM)
    r0 = ratio(low)
    r1 = low * r0 - 1
    r2 = r0 + low * r1
    r3 = low * r2 + 2 * r1
    r4 = low * r3 + 3 * r2
    r5 = low * r4 + 4 * r3
    large = middle > _ASYMPTOTIC_FROM
    if large.any():
        t = middle[large]
        v = (1 / t) ** 2  # the square of t might overflow
        tail = -v * (1 - 3 * v * (1 - 5 * v * (1 - 7 * v * (1 - 9 * v * (1 - 11 * v)))))
        r0[large], r1[large] = (1 + tail) / t, tail
        r2[large] = 2 * v / t * (1 - 6 * v * (1 - 7.5 * v * (1 - 28 / 3 * v)))
        r3[large] = -6 * v * v * (1 - 10 * v * (1 - 10.5 * v * (1 - 12 * v)))
        r4[large] = 24 * v * v / t * (1 - 15 * v)
        r5[large] = -120 * v**3 * (1 - 21 * v)
    square = h * h
    fallen = -2 * h * (r1 + square * (r3 / 6 + square * r5 / 120))
    even = r0 + square * (r2 / 2 + square * r4 / 24)
    return fallen, even - fallen / 2
