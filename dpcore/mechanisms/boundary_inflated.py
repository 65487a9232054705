"""The boundary-inflated truncated (BIT) Laplace mechanism: draw, then clamp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.base import require_budget
from dpcore.mechanisms.boundary_inflated_pairs import (
    scalar_delta,
    scalar_epsilon,
    scalar_level,
)
from dpcore.mechanisms.bounded import BoundedLaplace, is_flat, place
from dpcore.mechanisms.laplace import least_scale, level_at
from dpcore.mechanisms.pairs import floats, total, where_one_changes
from dpcore.privacy import laplace as profile
from dpcore.privacy.composition import PrivacyEvent
from dpcore.privacy.conversions import pure_delta_of, pure_epsilon_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray, Interval
    from dpcore.mechanisms.base import Sensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryInflatedLaplace(BoundedLaplace):
    """Release ``value + Lap(b)`` moved to the nearest point of the bounds.

    Clamping looks at the noisy number only, so that it is post-processing: the level
    is that of the Laplace mechanism. Each bound is released with positive probability
    (``e^-a / 2``, ``a`` its distance over ``b``). See Liu 2016, eq. 5, 7 and 10.

    Attributes:
        noise: The scale ``b`` of the Laplace noise before clamping.
        bounds: The public interval; either end may be infinite.

    Raises:
        ParameterError: ``noise`` is negative or NaN, or infinite on infinite bounds.

    """

    @classmethod
    def calibrate(
        cls,
        *,
        sensitivity: Sensitivity,
        epsilon: float,
        delta: float = 0.0,
        bounds: Interval,
    ) -> Self:
        """Return the scale ``l1 / epsilon``: pure DP, whatever ``delta`` is allowed."""
        require_budget(epsilon, delta)
        return cls(noise=least_scale(sensitivity.l1, epsilon), bounds=bounds)

    def pdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the Laplace density strictly inside the bounds, 0 elsewhere."""
        x = np.asarray(x, dtype=np.float64)
        inside = (x > self.bounds.lower) & (x < self.bounds.upper)
        density = law.pdf(x, position, self.noise)
        return np.where(inside, density, 0.0)

    def atoms(self, position: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the Laplace probabilities of falling below and above the bounds."""
        position = np.asarray(position, dtype=np.float64)
        at_lower = law.cdf(self.bounds.lower, position, self.noise)
        at_upper = law.cdf(-self.bounds.upper, -position, self.noise)
        return at_lower, at_upper

    def cdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the Laplace cdf between the bounds, 0 below and 1 from the upper."""
        x = np.asarray(x, dtype=np.float64)
        inner = law.cdf(x, position, self.noise)
        inner = np.where(x < self.bounds.lower, 0.0, inner)
        return np.where(x >= self.bounds.upper, 1.0, inner)

    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the clamped Laplace quantile."""
        return self.bounds.clip(law.quantile(u, position, self.noise))

    def pair_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the exact level of a change in one coordinate.

        Values inside the bounds have the profile of unclamped Laplace noise. For
        several coordinates and ``delta > 0`` an upper bound: the better one of the
        unclamped release and of what the pure level allows.
        """
        first, second = floats(first, second)
        if delta == 0:
            return total(scalar_level(first, second, self.noise, self.bounds))
        return where_one_changes(
            first,
            second,
            scalar=lambda x, y: scalar_epsilon(x, y, self.noise, self.bounds, delta),
            several=lambda: np.minimum(
                profile.product_epsilon_of(self._ratios(first, second), delta),
                pure_epsilon_of(self.pair_epsilon(first, second), delta),
            ),
        )

    def pair_delta(
        self, first: ArrayLike, second: ArrayLike, *, epsilon: float
    ) -> FloatArray:
        """Return the larger delta of both directions, as exact as ``pair_epsilon``."""
        first, second = floats(first, second)
        return where_one_changes(
            first,
            second,
            scalar=lambda x, y: scalar_delta(x, y, self.noise, self.bounds, epsilon),
            several=lambda: np.minimum(
                profile.product_delta_of(self._ratios(first, second), epsilon),
                pure_delta_of(self.pair_epsilon(first, second), epsilon),
            ),
        )

    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Return ``min(l1, R) / b`` for a scalar, or what is left of it at ``delta``.

        The worst case is over values inside the bounds, ``R`` apart at most.
        """
        width, cells = self.bounds.width, sensitivity.coordinates
        reach = min(sensitivity.l1, cells * width)
        largest = float(law.scaled(min(sensitivity.largest, width), self.noise))
        level = float(law.scaled(reach, self.noise))
        return level_at(np.full(cells, largest), level, delta)

    def event(self, sensitivity: Sensitivity) -> PrivacyEvent:
        """Return the Laplace noise that is clamped; its rho is ``r + e^-r - 1``."""
        return PrivacyEvent.of("laplace", self.epsilon(sensitivity))

    def _moments(
        self, position: ArrayLike
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the way to the nearest point of the bounds, and two moments there.

        Inside the bounds the bias is ``(b/2) [P_2(d) - P_2(a)]``, the MSE ``b^2 [P_2(a)
        + P_2(d)]``. A value outside is released inside only with probability
        e^-outside, and then as if it lay on the bound.
        """
        at = place(position, self.bounds, self.noise)
        moved = at.nearest - np.asarray(position, dtype=np.float64)
        weight = np.exp(-at.outside)
        b = self.noise
        if is_flat(self.bounds, b):
            low, high = at.nearest - self.bounds.lower, self.bounds.upper - at.nearest
            return moved, weight * (high - low) / 2, weight * (low**2 + high**2) / 2
        first = weight * (b / 2 * law.incomplete_difference(1, at.d, at.a))
        return moved, first, weight * (b * (b * law.incomplete_sum(2, at.a, at.d)))
