"""Laplace noise of limited range, for (epsilon, delta) (Geng, Ding, Guo and Kumar 2020).

The noise has the density of Laplace noise of scale ``b``, conditioned on lying in ``[-A,
A]``. It is cut off around the value and not at the bounds, so that the release is
unbiased, and its range does not depend on where the value lies.

Over ``b``, two values ``r`` apart give the same release with densities that differ by
``e^r`` at most, but for releases that only one of them can give. These have, with ``q =
e^-A``, the probability ``q (e^r - 1) / [2 (1 - q)]`` for ``r <= A``. The best test is a
threshold; with ``w = max(r - epsilon, 0)/2`` its two probabilities leave::

    delta(epsilon) = [P_1(w) + q (e^min(epsilon, r) - 1)/2] / (1 - q)

while ``r + min(epsilon, r) <= 2 A``; farther apart, all but what both can give.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammainc

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ClaimError, ParameterError
from dpcore.mechanisms.laplace import least_scale
from dpcore.mechanisms.laplace_law import one_minus_exp, scaled
from dpcore.mechanisms.mechanism import AdditiveNoise, Sensitivity, require_budget, require_noise
from dpcore.mechanisms.pairs import ExactForOne, distances
from dpcore.mechanisms.search import ROUND_UP, first_where
from dpcore.privacy.conversions import pure_delta_of, pure_epsilon_of
from dpcore.privacy.events import ApproximateEvent
from dpcore.privacy_filter import PrivacyCost, float_below
from dpcore.secure_noise import MOST_RAISED, TOLERANCE, covering

_LARGEST = 1e300
_LIMITED_BITS = 40  # of the scale, in a secure draw
_FARTHER = 1 + 1e-9
"""By how much the range is widened, so that rounding never makes a delta too large."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedLaplace(AdditiveNoise, ExactForOne):
    """Release ``value`` plus Laplace noise that never exceeds ``limit``.

    Attributes:
        noise: The scale ``b``.
        limit: The largest error ``A``, at least 0.

    Raises:
        ParameterError: ``noise`` or ``limit`` is not in [0, inf).

    """

    limit: float

    def __post_init__(self) -> None:
        require_noise(self.noise)
        require_noise(self.limit)

    @classmethod
    def calibrate(
        cls,
        *,
        sensitivity: Sensitivity,
        epsilon: float,
        delta: float = 0.0,
        bounds: Interval,  # noqa: ARG003 - the release is not bounded
    ) -> Self:
        """Return the scale ``l1/epsilon``, and the least range that gives ``delta``.

        The range is ``b log(1 + (e^epsilon - 1)/(2 delta))`` for a scalar. In several
        coordinates the probability of telling all is convex in the change, so that it is
        at most ``l1/largest`` times that of the largest change.

        Raises:
            ParameterError: ``delta`` is 0.

        """
        require_budget(epsilon, delta)
        if delta == 0:
            raise ParameterError("Laplace noise of limited range needs a delta above 0.")
        noise = least_scale(sensitivity.l1, epsilon)
        if noise == 0:
            return cls(noise=0.0, limit=0.0)
        h = sensitivity.largest / noise
        share = delta * (sensitivity.largest / sensitivity.l1)
        small = math.log1p(math.expm1(min(h, 1.0)) / (2 * share))
        large = h + math.log(-math.expm1(-h) / (2 * share) + math.exp(-h))
        return cls(noise=noise, limit=noise * (small if h <= 1 else large) * _FARTHER)

    def pdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the density, 0 where the error would exceed the limit."""
        away = np.abs(np.subtract(x, position))
        if self.noise == 0:
            return np.where(away == 0, np.inf, 0.0)
        height = np.exp(-away / self.noise) / (2 * self.noise * self._mass)
        return np.where(away <= self.limit, height, 0.0)

    def cdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the probability of releasing at most ``x``."""
        away = np.subtract(x, position)
        if self.noise == 0:
            return np.greater_equal(away, 0).astype(np.float64)
        t = np.minimum(np.abs(away) / self.noise, self._range)
        tail = np.exp(-t) * one_minus_exp(self._range - t) / (2 * self._mass)
        return np.where(away < 0, tail, 1 - tail)

    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return ``position -+ b log(2 m tail + q)``, ``tail`` the nearer one."""
        u = np.asarray(u, dtype=np.float64)
        tail = 2 * self._mass * np.minimum(u, 1 - u) + math.exp(-self._range)
        away = np.copysign(self.noise * np.log(np.minimum(tail, 1.0)), 0.5 - u)
        return np.asarray(np.asarray(position, dtype=np.float64) - away)

    def variance(self, position: ArrayLike) -> FloatArray:
        """Return ``2 b^2 P_3(A/b) / P_1(A/b)``."""
        share = float(gammainc(3, self._range)) / self._mass
        return np.full(np.shape(position), 2 * self.noise * self.noise * share)

    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Return the exact level for a scalar; for several coordinates a bound.

        It is ``inf`` at a delta below the probability of telling all.
        """
        if sensitivity.coordinates == 1:
            return float(self.pairwise_epsilon([sensitivity.l1], [0.0], delta=delta))
        level = float(scaled(sensitivity.l1, self.noise))
        left = delta - self._revealing(sensitivity)
        return float(pure_epsilon_of(level, left)) if left >= 0 else math.inf

    def secure_draw(
        self, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
    ) -> FloatArray:
        """Add whole steps of a fixed grid, drawn again where they exceed the range.

        How often that happens does not depend on the value. Rounding moves two values
        apart by at most one step more. On the grid noise of scale ``b`` and range ``A``
        steps, with ``q = e^(-1/b)``, tells all about a change by ``h`` steps with
        probability ``q^(A-h+1) (1 - q^h) / (1 + q - 2 q^(A+1))``, from which the range
        follows.
        """
        exponent = math.frexp(self.noise)[1] - _LIMITED_BITS
        step, cells = math.ldexp(1.0, exponent), len(value)
        moved = math.ceil(sensitivity.l1 / step) + cells
        largest = min(math.ceil(sensitivity.largest / step) + 1, moved)
        scale = max(self.noise / step, moved / float_below(cost.epsilon))
        share = float_below(cost.delta) * largest / moved
        h, q = largest / scale, math.exp(-1 / scale)
        odds = h + math.log(-math.expm1(-h) + 2 * share * math.exp(-h)) - math.log(share)
        farthest = math.ceil(scale * (odds - math.log1p(q)) * (1 + TOLERANCE))
        if max(scale / self.noise, farthest / self.limit) * step > 1 + MOST_RAISED:
            raise ClaimError("the range of the noise is too short for the cost that is charged.")
        measure = covering("discrete", cells, scale, moved, float_below(cost.epsilon))
        noise = [farthest + 1] * cells
        while any(abs(one) > farthest for one in noise):
            drawn = measure([0] * cells)
            noise = [b if abs(a) > farthest else a for a, b in zip(noise, drawn, strict=True)]
        whole = [round(math.ldexp(one, -exponent)) for one in value.tolist()]
        return np.array([math.ldexp(a + b, exponent) for a, b in zip(whole, noise, strict=True)])

    def event(self, sensitivity: Sensitivity) -> ApproximateEvent:
        """Return the level with the probability of telling all: there is no zCDP level."""
        level = float(scaled(sensitivity.l1, self.noise))
        return ApproximateEvent(parameter=level, delta=self._revealing(sensitivity))

    @property
    def _range(self) -> float:
        return float(scaled(self.limit, self.noise))

    @property
    def _mass(self) -> float:
        """Return ``1 - q``; 1 without noise."""
        return -math.expm1(-self._range) if self.noise > 0 else 1.0

    def _revealing(self, sensitivity: Sensitivity) -> float:
        """Return the probability of a release that tells all, at most."""
        if sensitivity.largest == 0:
            return 0.0
        each = float(self._cut(scaled(sensitivity.largest, self.noise)))
        return min(each * (sensitivity.l1 / sensitivity.largest) * ROUND_UP, 1.0)

    def _cut(self, r: FloatArray) -> FloatArray:
        """Return the probability of releases that the other value cannot give."""
        return self._profile(r, r)

    def _profile(self, r: FloatArray, epsilon: float | FloatArray) -> FloatArray:
        if self.noise == 0:
            return np.where(r > 0, 1.0, r)
        reach, mass = self._range, self._mass
        level = np.minimum(epsilon, r)
        grown = np.exp(np.minimum(level - reach, 0.0)) * one_minus_exp(level) / 2
        near = (one_minus_exp((r - level) / 2) + grown) / mass
        over = np.clip(r - reach, 0.0, reach)
        shared = np.exp(-over) * one_minus_exp(reach - over) / (2 * mass)
        return np.where(r + level > 2 * reach, 1 - shared, near)

    def _pure(self, x: FloatArray, y: FloatArray) -> FloatArray:
        moved = distances(x, y).max(axis=-1)
        return np.where(moved > 0, np.inf, moved)

    def _scalar_delta(self, x: FloatArray, y: FloatArray, epsilon: float) -> FloatArray:
        return self._profile(scaled(np.abs(x - y), self.noise), epsilon)

    def _scalar_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        r = scaled(np.abs(x - y), self.noise)
        low, high = np.minimum(r, 0.0), np.minimum(r, _LARGEST)
        found = first_where(lambda level: self._profile(r, level) <= delta, low, high)
        return np.where(self._cut(r) > delta, np.inf, found)

    def _vector_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        """Return what the pure level allows, but for releases that tell all."""
        ratios = self._ratios(x, y)
        left, level = delta - self._cut(ratios).sum(axis=-1), ratios.sum(axis=-1)
        allowed = pure_epsilon_of(level, np.maximum(left, 0.0))
        return np.where(left >= 0, allowed, np.where(level > 0, np.inf, level))

    def _vector_delta(self, x: FloatArray, y: FloatArray, epsilon: float) -> FloatArray:
        ratios = self._ratios(x, y)
        allowed = pure_delta_of(ratios.sum(axis=-1), epsilon)
        return np.asarray(np.minimum(self._cut(ratios).sum(axis=-1) + allowed, 1.0))
