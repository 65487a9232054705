"""What a shift of symmetric, log-concave noise reveals.

The density ``f`` of such noise satisfies ``f(-z) = f(z)``, and the loss ``log f(z) -
log f(z + r)`` of seeing ``z`` increases in ``z`` from 0 at ``z = -r/2`` on. So the
best test of a shift by ``r`` is a threshold ``z``, both directions have the same
profile, and

    epsilon = loss(z, r),   delta = P(Z > z) - e^epsilon P(Z > z + r)

describe the whole profile, ``z`` from ``-r/2`` on. With the Mills ratio ``M(x) = P(Z >
x) / f(x)`` the second product is ``f(z) M(z + r)``, so that nothing overflows. Along
the curve of one delta, epsilon grows with ``r`` at the rate ``1/M(z + r)``.

Lengths here are in units of the scale of the noise.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.mechanisms.laplace_law import scaled
from dpcore.mechanisms.mechanism import AdditiveNoise
from dpcore.mechanisms.pairs import ExactForOne
from dpcore.mechanisms.search import first_where

TABLE_FROM = 2_000
"""Number of values from which ``epsilon_of`` interpolates."""

_ROUNDING = 8 * float(np.finfo(np.float64).eps)
_VERY_FAR = 1e6
_HUGE = 1e60  # shifts over the scale whose powers may overflow
_KNOT_SPACING = 0.02
_TABLE_START = 1e-3


class StandardNoise(Protocol):
    """Symmetric log-concave noise of scale 1; every argument here is at least 0."""

    @property
    def farthest(self) -> float:
        """Return a point beyond which the noise has no probability in floats."""

    def density(self, x: FloatArray) -> FloatArray:
        """Return the density at ``x``, and at ``-x``."""

    def survival(self, x: FloatArray) -> FloatArray:
        """Return the probability of more than ``x``."""

    def mills(self, x: FloatArray) -> FloatArray:
        """Return ``survival(x) / density(x)``, which neither overflows nor is 0/0."""

    def log_ratio(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return ``log density(x) - log density(y)`` for ``x <= y``."""


def pdf(noise: StandardNoise, x: ArrayLike, position: ArrayLike, scale: float) -> FloatArray:
    """Return the density at ``x`` of ``position`` plus ``scale`` times the noise."""
    distance = np.abs(np.subtract(x, position))
    if scale == 0:
        return np.where(distance == 0, np.inf, 0.0)
    return np.asarray(noise.density(np.minimum(distance / scale, _VERY_FAR)) / scale)


def cdf(noise: StandardNoise, x: ArrayLike, position: ArrayLike, scale: float) -> FloatArray:
    """Return the probability of at most ``x``."""
    if scale == 0:
        return np.greater_equal(x, position).astype(np.float64)
    t = scaled(np.subtract(x, position), scale)
    tail = noise.survival(np.minimum(np.abs(t), _VERY_FAR))
    return np.where(t < 0, tail, 1 - tail)


def upper_quantile(noise: StandardNoise, tail: ArrayLike) -> FloatArray:
    """Return the ``x >= 0`` with ``P(Z > x) = tail``, for ``tail <= 1/2``."""
    tail = np.asarray(tail, dtype=np.float64)
    high = np.full_like(tail, noise.farthest)
    return first_where(lambda x: noise.survival(x) <= tail, np.zeros_like(tail), high)


def delta_of(noise: StandardNoise, r: FloatArray, epsilon: float) -> FloatArray:
    """Return the smallest delta at ``epsilon`` of shifts ``r``, elementwise.

    0 where no loss exceeds ``epsilon``, 1 for an infinite shift.
    """
    r = np.asarray(r, dtype=np.float64)
    finite = np.where(np.isfinite(r), r, 0.0)
    low, high = _bracket(noise, finite)
    never = ~(_loss(noise, high, finite) > epsilon)
    z = first_where(lambda z: _loss(noise, z, finite) >= epsilon, low, high)
    inside = np.where(never, 0.0, _delta(noise, z, finite))
    return np.where(np.isfinite(r), inside, np.where(np.isnan(r), np.nan, 1.0))


def epsilon_of(noise: StandardNoise, r: FloatArray, delta: float) -> FloatArray:
    """Return the smallest epsilon with ``delta_of(epsilon) <= delta``, elementwise.

    ``delta`` must be in (0, 1). Large arrays go through an interpolation table
    (relative error below 1e-8).
    """
    r = np.asarray(r, dtype=np.float64)
    flat = r.ravel()
    if flat.size < TABLE_FROM:
        return _solved(noise, flat, delta)[0].reshape(r.shape)
    return _interpolated(noise, flat, delta).reshape(r.shape)


def free_shift(noise: StandardNoise, delta: float) -> float:
    """Return the largest shift whose total variation distance is at most ``delta``.

    ``1 - 2 P(Z > r/2) = delta``.
    """
    low, high = np.array(0.0), np.array(2 * noise.farthest)
    least = first_where(lambda r: 1 - 2 * noise.survival(r / 2) >= delta, low, high)
    return float(least)


def _bracket(noise: StandardNoise, r: FloatArray) -> tuple[FloatArray, FloatArray]:
    return -r / 2, np.full_like(r, noise.farthest)


def _loss(noise: StandardNoise, z: FloatArray, r: FloatArray) -> FloatArray:
    """Return ``log f(z) - log f(z + r)`` for ``z >= -r/2``."""
    return noise.log_ratio(np.abs(z), z + r)


def _delta(noise: StandardNoise, z: FloatArray, r: FloatArray) -> FloatArray:
    """Return ``P(Z > z) - e^loss P(Z > z + r)`` for ``z >= -r/2``, rounded up."""
    x = np.abs(z)
    density, beyond = noise.density(x), noise.mills(z + r)
    below = 1 - noise.survival(x) - density * beyond + _ROUNDING
    above = density * (noise.mills(x) * (1 + _ROUNDING) - beyond)
    return np.clip(np.where(z < 0, below, above), 0.0, 1.0)


def _solved(noise: StandardNoise, r: FloatArray, delta: float) -> tuple[FloatArray, FloatArray]:
    """Return epsilon and its slope in ``r``; the threshold is on the private side."""
    finite = np.where(np.isfinite(r), r, 0.0)
    low, high = _bracket(noise, finite)
    z = first_where(lambda z: _delta(noise, z, finite) <= delta, low, high)
    epsilon = np.maximum(_loss(noise, z, finite), 0.0)
    with np.errstate(divide="ignore"):
        rate = 1 / noise.mills(z + finite)
    return np.where(np.isfinite(r), epsilon, r), rate


def _interpolated(noise: StandardNoise, r: FloatArray, delta: float) -> FloatArray:
    """Interpolate ``log(epsilon/w)`` in ``log w``, ``w = r - free_shift``.

    That function is smooth: near ``w = 0`` epsilon grows like ``w``, far out like a
    power of it. Its slope is known, so that cubic Hermite pieces on an even grid do.
    """
    free = free_shift(noise, delta)
    excess = r - free
    tabled = (r < _HUGE) & (excess > _TABLE_START * free)
    result = np.empty_like(r)
    result[~tabled] = _solved(noise, r[~tabled], delta)[0]
    if not tabled.any():
        return result
    s = np.log(excess[tabled])
    start, stop = float(s.min()), float(s.max())
    count = max(2, int((stop - start) / _KNOT_SPACING) + 2)
    step = max((stop - start) / (count - 1), 1e-12)
    w = np.exp(start + step * np.arange(count, dtype=np.float64))
    epsilon, rate = _solved(noise, free + w, delta)
    value, slope = np.log(epsilon / w), (w * rate / epsilon - 1) * step
    t = (s - start) / step
    piece = np.minimum(t.astype(np.intp), count - 2)
    t -= piece
    rise = value[piece + 1] - value[piece]
    first, last = slope[piece], slope[piece + 1]
    bend = 3 * rise - 2 * first - last + t * (first + last - 2 * rise)
    result[tabled] = np.exp(s + value[piece] + t * (first + t * bend))
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class SymmetricMechanism(AdditiveNoise, ExactForOne):
    """Release the value plus symmetric, log-concave noise."""

    @property
    @abstractmethod
    def _standard(self) -> StandardNoise:
        """Return the noise at scale 1."""

    def pdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the density at ``x``."""
        return pdf(self._standard, x, position, self.noise)

    def cdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the probability of releasing at most ``x``."""
        return cdf(self._standard, x, position, self.noise)

    def _scalar_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        return epsilon_of(self._standard, self._shift(x, y), delta)

    def _scalar_delta(self, x: FloatArray, y: FloatArray, epsilon: float) -> FloatArray:
        return delta_of(self._standard, self._shift(x, y), epsilon)

    def _shift(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return scaled(np.abs(x - y), self.noise)
