"""The averaged Laplace mechanism: the mean of several Laplace releases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms import symmetric
from dpcore.mechanisms.base import Sensitivity, require_budget, require_noise
from dpcore.mechanisms.laplace.mechanism import least_scale, level_at
from dpcore.mechanisms.laplace.sums import LaplaceSum
from dpcore.mechanisms.symmetric import SymmetricMechanism
from dpcore.privacy import laplace as profile
from dpcore.privacy.events import LaplaceEvent

DRAWS = 10
"""How many Laplace draws are averaged unless said otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AveragedLaplace(SymmetricMechanism):
    """Release the mean of ``k`` Laplace draws, of ``epsilon / k`` each.

    Each draw is ``value + Lap(k b)``, so that the mean is ``value`` plus the sum of
    ``k`` draws of ``Lap(b)``: nearly normal, with exponential tails. The pure level is
    ``l1 / b``, as if there were one draw (the supremum of the loss, not attained), and
    the variance ``2 k b^2`` is ``k`` times that of the Laplace mechanism. What the
    averaging buys is a lower epsilon at a small ``delta``.

    Attributes:
        noise: The scale ``b`` of one summand, in the units of the statistic.
        draws: How many draws ``k`` are averaged, from 1 to 100.

    Raises:
        ParameterError: ``noise`` is not in [0, inf), or ``draws`` is out of range.

    >>> from dpcore.mechanisms.base import Sensitivity
    >>> averaged = AveragedLaplace(noise=1.0, draws=10)
    >>> round(averaged.epsilon(Sensitivity.scalar(1.0), delta=1e-6), 7)
    0.6500862

    """

    draws: int = DRAWS

    def __post_init__(self) -> None:
        require_noise(self.noise)
        LaplaceSum(draws=self.draws)

    @classmethod
    def calibrate(
        cls,
        *,
        sensitivity: Sensitivity,
        epsilon: float,
        delta: float = 0.0,
        bounds: Interval,  # noqa: ARG003 - the release is not bounded
        draws: int = DRAWS,
    ) -> Self:
        """Return the scale ``l1 / epsilon``: pure DP, whatever ``delta`` is allowed."""
        require_budget(epsilon, delta)
        return cls(noise=least_scale(sensitivity.l1, epsilon), draws=draws)

    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the smallest ``x`` with ``cdf(x) >= u``, by halving."""
        u = np.asarray(u, dtype=np.float64)
        size = symmetric.upper_quantile(self._standard, np.minimum(u, 1 - u))
        moved = self.noise * np.sign(u - 0.5) * size
        return np.asarray(np.asarray(position, dtype=np.float64) + moved)

    def variance(self, position: ArrayLike) -> FloatArray:
        """Return ``2 k b^2``."""
        variance = 2 * self.draws * self.noise * self.noise
        return np.full(np.shape(position), variance)

    def simulate(
        self, position: ArrayLike, *, rng: np.random.Generator, size: tuple[int, ...]
    ) -> FloatArray:
        """Draw the difference of two Gamma variables of shape ``k``."""
        difference = rng.gamma(self.draws, size=size) - rng.gamma(self.draws, size=size)
        return np.asarray(np.add(position, self.noise * difference))

    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Return ``l1 / b``; at a ``delta`` the exact epsilon of a scalar."""
        level = float(law.scaled(sensitivity.l1, self.noise))
        if delta == 0:
            return level
        if sensitivity.coordinates == 1:
            moved = np.array([sensitivity.l1])
            return float(self.pair_epsilon(moved, np.zeros(1), delta=delta))
        largest = float(law.scaled(sensitivity.largest, self.noise))
        return level_at(np.full(sensitivity.coordinates, largest), level, delta)

    def event(self, sensitivity: Sensitivity) -> LaplaceEvent:
        """Return one Laplace draw of scale ``b``; more noise is post-processing."""
        return LaplaceEvent.of(self.epsilon(sensitivity))

    @property
    def _standard(self) -> LaplaceSum:
        return LaplaceSum(draws=self.draws)

    def _vector_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        """Return what is known of one Laplace draw of that scale.

        To add more noise to it is post-processing.
        """
        return profile.product_epsilon_of(self._ratios(x, y), delta)

    def _vector_delta(self, x: FloatArray, y: FloatArray, epsilon: float) -> FloatArray:
        return profile.product_delta_of(self._ratios(x, y), epsilon)
