"""Discrete Laplace noise on counts, clamped: the BIT mechanism of whole numbers.

The noise ``K`` has probabilities proportional to ``q^|k|``, ``q = e^(-1/b)`` (Ghosh,
Roughgarden and Sundararajan 2009), so that ``P(K >= t) = q^t / (1 + q)`` for ``t >= 1``.
Clamped to the public bounds of the count it is range-restricted geometric noise.

Two counts ``r`` apart are told apart best by a threshold ``t = ceil((r + epsilon b)/2)``
above the lower one, which lies between them, so that clamping hides nothing::

    delta(epsilon) = P(K >= t - r) - e^epsilon P(K >= t)   for epsilon < r/b

For counts 1 apart there are two likelihood ratios only, ``e^(1/b)`` and its inverse: the
mechanism reveals what randomized response does, and the event is that of its pure level.
The profile of continuous Laplace noise is smaller, and would not do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms.bounded import BoundedLaplace
from dpcore.mechanisms.laplace import least_scale
from dpcore.mechanisms.laplace_law import one_minus_exp, scaled
from dpcore.mechanisms.mechanism import Sensitivity, require_budget, require_noise
from dpcore.mechanisms.pairs import over_scale
from dpcore.mechanisms.search import first_where
from dpcore.privacy.conversions import pure_epsilon_of
from dpcore.privacy.events import PureEvent
from dpcore.privacy_filter import PrivacyCost, float_below
from dpcore.secure_noise import covering_scale, measurement

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryInflatedGeometric(BoundedLaplace):
    """Release a count plus discrete Laplace noise, moved to the nearest bound.

    The bounds are whole numbers, or infinite. A value counts as the nearest whole
    number in them.
    """

    _post_processing = False

    def __post_init__(self) -> None:
        require_noise(self.noise)

    @classmethod
    def calibrate(
        cls, *, sensitivity: Sensitivity, epsilon: float, delta: float = 0.0, bounds: Interval
    ) -> Self:
        """Return the scale ``l1 / epsilon``: pure DP, whatever ``delta`` is allowed."""
        require_budget(epsilon, delta)
        return cls(noise=least_scale(sensitivity.l1, epsilon), bounds=bounds)

    def pdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the probability of the nearest whole number strictly inside the bounds.

        As a density on cells of width 1: there is no other.
        """
        x = np.round(np.asarray(x, dtype=np.float64))
        inside = (x > self.bounds.lower) & (x < self.bounds.upper)
        away = np.abs(x - self._whole(position))
        return np.where(inside, self._ratio(away) * self._top, 0.0)

    def atoms(self, position: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of at most the lower and at least the upper bound."""
        count = self._whole(position)
        ends = count - self.bounds.lower, self.bounds.upper - count
        below, above = (self._at_least(end) for end in ends)
        return below, above

    def cdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the probability of at most ``x``, 0 below and 1 from the upper bound."""
        x = np.asarray(x, dtype=np.float64)
        inner = self._at_least(self._whole(position) - np.floor(x))
        inner = np.where(x < self.bounds.lower, 0.0, inner)
        return np.where(x >= self.bounds.upper, 1.0, inner)

    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the smallest whole number with ``cdf >= u``, from the nearer tail."""
        u, top = np.asarray(u, dtype=np.float64), 1 + float(self._ratio(np.ones(())))
        with np.errstate(divide="ignore", invalid="ignore"):
            low = np.ceil(self.noise * np.log(u * top) - _ROUNDING)
            high = np.ceil(-self.noise * np.log((1 - u) * top) - 1 - _ROUNDING)
        moved = np.where(u <= 1 / top, np.minimum(low, 0.0), np.maximum(high, 0.0))
        return self.bounds.clip(self._whole(position) + (moved if self.noise > 0 else 0 * u))

    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Return ``min(l1, R) / b`` or the exact rest at ``delta``; a bound for several."""
        cells = sensitivity.coordinates
        reach = min(sensitivity.l1, cells * self.bounds.width)
        if cells > 1:
            return float(pure_epsilon_of(scaled(reach, self.noise), delta))
        return float(self._scalar_epsilon(np.asarray(reach), np.zeros(()), delta))

    def secure_draw(
        self, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
    ) -> FloatArray:
        """Return OpenDP's discrete Laplace noise around the clamped count, clamped."""
        counts = self._whole(value).astype(int)
        scale = self.secure_scale(len(counts), sensitivity=sensitivity, cost=cost)
        measure = measurement("discrete", len(counts), scale)
        return self.bounds.clip(measure(counts.tolist()))

    def secure_scale(self, size: int, *, sensitivity: Sensitivity, cost: PrivacyCost) -> float:
        """Return the scale of a secure draw, as ``Laplace.secure_scale``."""
        moved, level = math.ceil(sensitivity.l1), float_below(cost.epsilon)
        return covering_scale("discrete", size, self.noise, moved, level)

    def event(self, sensitivity: Sensitivity) -> PureEvent:
        """Return the pure level, which is all that a step by 1 reveals."""
        return PureEvent.from_ratio(self.epsilon(sensitivity))

    def _moments(self, position: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the way to the bounds, and two moments about the nearest value in them.

        With ``L(t) = q^(t+1) / (1 - q^2)``, the mean of noise beyond ``t``, the bias is
        ``L(a) - L(d)``, and the MSE the sum of ``[q (1 - q^t)/(1 - q)^2 - 2 t L(t)]`` at
        both. Between whole numbers, which no count is, the formulas are continued.
        """
        position = np.asarray(position, dtype=np.float64)
        nearest = self.bounds.clip(position)
        if self._fixed:
            return nearest - position, 0 * position, 0 * position
        q, rest = np.exp(-1 / self.noise), float(one_minus_exp(1 / self.noise))
        ends = nearest - self.bounds.lower, self.bounds.upper - nearest
        beyond = [self._ratio(t + 1) / (rest * (1 + q)) for t in ends]
        inner = [
            q * one_minus_exp(t / self.noise) / rest**2
            - 2 * np.where(np.isfinite(t), t, 0.0) * over
            for t, over in zip(ends, beyond, strict=True)
        ]
        return nearest - position, beyond[0] - beyond[1], np.maximum(inner[0] + inner[1], 0.0)

    @property
    def _top(self) -> float:
        """Return the probability of no noise."""
        return float(np.tanh(1 / (2 * self.noise))) if self.noise > 0 else 1.0

    def _ratio(self, t: FloatArray) -> FloatArray:
        """Return ``q^t`` for ``t >= 0``."""
        return np.exp(-scaled(t, self.noise))

    def _at_least(self, t: FloatArray) -> FloatArray:
        """Return ``P(K >= t)`` for whole numbers ``t``."""
        far = np.where(t > 0, t, 1 - t)
        tail = self._ratio(far) / (1 + self._ratio(np.ones(())))
        return np.where(t > 0, tail, 1 - tail)

    def _whole(self, position: ArrayLike) -> FloatArray:
        # Halves go up, all of them: what is 1 apart stays 1 apart.
        return self.bounds.clip(np.floor(np.asarray(position, dtype=np.float64) + 0.5))

    def _counted(self, first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the whole numbers that the values count as."""
        return self._whole(first), self._whole(second)

    def _levels(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return over_scale(np.abs(x - y), self.noise)

    def _scalar_delta(
        self, x: FloatArray, y: FloatArray, epsilon: float | FloatArray
    ) -> FloatArray:
        r = np.abs(x - y)
        if self.noise == 0:
            return np.where(r > 0, 1.0, r)
        t = np.ceil((r + epsilon * self.noise) / 2)
        with np.errstate(over="ignore", invalid="ignore"):
            found = self._at_least(t - r) - np.exp(epsilon) * self._at_least(t)
        return np.where(r / self.noise > epsilon, np.maximum(found, 0.0), 0.0 * r)

    def _scalar_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        level = scaled(np.abs(x - y), self.noise)
        if delta == 0 or self.noise == 0:
            return level
        return first_where(lambda e: self._scalar_delta(x, y, e) <= delta, 0 * level, level)
