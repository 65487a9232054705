"""The Laplace mechanism."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.base import AdditiveNoise, Sensitivity, require_budget
from dpcore.mechanisms.pairs import distances, over_scale, total
from dpcore.privacy import laplace as profile
from dpcore.privacy.conversions import pure_epsilon_of
from dpcore.privacy.events import LaplaceEvent


def least_scale(shift: float, epsilon: float) -> float:
    """Return ``shift / epsilon``, rounded so that ``shift / scale <= epsilon``.

    >>> least_scale(0.1, 0.5)
    0.2
    """
    scale = shift / epsilon
    while scale > 0 and shift / scale > epsilon:
        scale = math.nextafter(scale, math.inf)
    return scale


def level_at(ratios: FloatArray, level: float, delta: float) -> float:
    """Return the epsilon at ``delta`` of all shifts within a sensitivity.

    Args:
        ratios: The largest shift of each coordinate that can change, over the scale.
        level: The largest sum of such ratios.
        delta: The delta of the answer.

    Where all coordinates can reach their maximum at once, that pair is the worst and
    its profile counts; otherwise the answer is what the pure level allows.

    """
    if delta == 0:
        return level
    if ratios.sum() <= level * (1 + profile.EQUAL_SHIFTS):
        return float(profile.product_epsilon_of(ratios, delta))
    return float(pure_epsilon_of(level, delta))


@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace(AdditiveNoise):
    """Release ``value + Lap(b)`` in each coordinate (Dwork et al. 2006).

    Pure DP with ``epsilon = l1 / b``; unbiased with variance ``2 b^2``.

    >>> from dpcore.data.bounds import Interval
    >>> from dpcore.mechanisms.base import Sensitivity
    >>> mean = Sensitivity.scalar(0.1)
    >>> unit = Interval(lower=0.0, upper=1.0)
    >>> Laplace.calibrate(sensitivity=mean, epsilon=0.5, bounds=unit)
    Laplace(noise=0.2)

    """

    @classmethod
    def calibrate(
        cls,
        *,
        sensitivity: Sensitivity,
        epsilon: float,
        delta: float = 0.0,
        bounds: Interval,  # noqa: ARG003 - the release is not bounded
    ) -> Self:
        """Return the scale ``l1 / epsilon``: pure DP, whatever ``delta`` is allowed."""
        require_budget(epsilon, delta)
        return cls(noise=least_scale(sensitivity.l1, epsilon))

    def pdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return ``exp(-|x - position|/b) / (2b)``."""
        return law.pdf(x, position, self.noise)

    def cdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the probability of releasing at most ``x``."""
        return law.cdf(x, position, self.noise)

    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return ``position + b log(2u)`` for ``u < 1/2``, mirrored above."""
        return law.quantile(u, position, self.noise)

    def variance(self, position: ArrayLike) -> FloatArray:
        """Return ``2 b^2``."""
        return np.full(np.shape(position), 2 * self.noise * self.noise)

    def pair_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return ``max(0, r + 2 log(1 - delta))``, ``r`` the l1 distance over ``b``.

        Exact where one coordinate changes, or two by the same amount, and for
        ``delta = 0``; else an upper bound (``privacy.laplace.product_epsilon_of``).
        """
        ratios = self._ratios(first, second)
        return total(ratios) if delta == 0 else profile.product_epsilon_of(ratios, delta)

    def pair_delta(self, first: ArrayLike, second: ArrayLike, *, epsilon: float) -> FloatArray:
        """Return ``1 - exp((epsilon - r)/2)``, as exact as ``pair_epsilon``."""
        return profile.product_delta_of(self._ratios(first, second), epsilon)

    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Return ``l1 / b``, or what is left of it at ``delta``."""
        level = float(law.scaled(sensitivity.l1, self.noise))
        largest = float(law.scaled(sensitivity.largest, self.noise))
        return level_at(np.full(sensitivity.coordinates, largest), level, delta)

    def rho(self, sensitivity: Sensitivity) -> float:
        """Return ``r + e^-r - 1`` with ``r = l1 / b``.

        That is convex and 0 at 0, so that no split over coordinates costs more.
        """
        return float(profile.rho_of(law.scaled(sensitivity.l1, self.noise)))

    def event(self, sensitivity: Sensitivity) -> LaplaceEvent:
        """Return Laplace noise of ``b / l1`` times the sensitivity."""
        return LaplaceEvent.of(self.epsilon(sensitivity))

    def _ratios(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        return over_scale(distances(first, second), self.noise)
