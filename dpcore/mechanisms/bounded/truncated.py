"""The truncated Laplace mechanism: redraw until the release lies in the bounds."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.base import Sensitivity, require_budget
from dpcore.mechanisms.bounded import truncated_calibration, truncated_law
from dpcore.mechanisms.bounded.base import ConcaveLevel, is_flat, place
from dpcore.mechanisms.laplace.mechanism import least_scale
from dpcore.privacy.conversions import pure_delta_of
from dpcore.privacy.events import PureEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedLaplace(ConcaveLevel):
    """Release ``value + Lap(b)``, conditioned on lying in the bounds.

    The probability of lying there depends on the secret, so that this is no
    post-processing: the pure level is up to twice ``l1 / b``. ``calibrate`` pays for
    that with a larger scale (``truncated_calibration.least_private_scale``),
    ``calibrate_as_published`` does not (Liu 2016, eq. 4).
    A value outside the bounds counts as the nearest point in them, which has the same
    law.
    """

    _post_processing = False
    _pairs: ClassVar[ModuleType] = truncated_calibration

    @classmethod
    def calibrate_as_published(
        cls, *, sensitivity: Sensitivity, epsilon: float, delta: float = 0.0, bounds: Interval
    ) -> Self:
        """Return the published scale ``l1 / epsilon``: its level is up to 2 epsilon."""
        require_budget(epsilon, delta)
        return cls(noise=least_scale(sensitivity.l1, epsilon), bounds=bounds)

    def pdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the Laplace density over the probability of the bounds."""
        x = np.asarray(x, dtype=np.float64)
        at = place(position, self.bounds, self.noise)
        inside = (x >= self.bounds.lower) & (x <= self.bounds.upper)
        if self._fixed:
            return np.where(x == at.nearest, np.inf, 0.0)
        if is_flat(self.bounds, self.noise):
            return np.where(inside, 1 / self.bounds.width, 0.0 * at.nearest)
        distance = law.scaled(np.abs(x - at.nearest), self.noise)
        mass = self.noise * truncated_law.mass(at.a, at.d)
        return np.where(inside, np.exp(-distance) / mass, 0.0)

    def cdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the probability of releasing at most ``x``.

        Below the position ``e^{-(position-x)/b} P_1((x-c0)/b) / [P_1(a) + P_1(d)]``;
        above it, one less the mirror image.
        """
        x = self.bounds.clip(x) if not self._fixed else np.asarray(x, dtype=np.float64)
        at = place(position, self.bounds, self.noise)
        if self._fixed:
            return np.greater_equal(x, at.nearest).astype(np.float64)
        if is_flat(self.bounds, self.noise):
            return np.asarray((x - self.bounds.lower) / self.bounds.width + 0 * at.a)
        mass = truncated_law.mass(at.a, at.d)
        tail = np.exp(-law.scaled(np.abs(x - at.nearest), self.noise)) / mass
        below = tail * law.one_minus_exp(law.scaled(x - self.bounds.lower, self.noise))
        above = tail * law.one_minus_exp(law.scaled(self.bounds.upper - x, self.noise))
        return np.clip(np.where(x <= at.nearest, below, 1 - above), 0.0, 1.0)

    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the smallest ``x`` with ``cdf(x) >= u`` (``truncated_law``)."""
        u = np.asarray(u, dtype=np.float64)
        at = place(position, self.bounds, self.noise)
        if self._fixed:
            return np.asarray(at.nearest + 0 * u)
        if is_flat(self.bounds, self.noise):
            return self.bounds.lower + u * self.bounds.width + 0 * at.a
        ends = self.bounds.lower, self.bounds.upper
        return truncated_law.quantile(u, at.nearest, (at.a, at.d), ends, self.noise)

    def delta_at(self, sensitivity: Sensitivity, *, epsilon: float) -> float:
        """Return the delta at which the mechanism is ``epsilon``-close after all.

        Exact for a scalar. This is how to read the published scale: at its nominal
        epsilon it is only (epsilon, delta)-DP.
        """
        if sensitivity.coordinates == 1:
            return truncated_calibration.worst_delta(
                sensitivity.l1, self.bounds, self.noise, epsilon
            )
        return float(pure_delta_of(self.epsilon(sensitivity), epsilon))

    def event(self, sensitivity: Sensitivity) -> PureEvent:
        """Return the pure level: no accountant knows this noise."""
        return PureEvent.of(self.epsilon(sensitivity))

    def _moments(self, position: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the way to the nearest point of the bounds, and two moments there.

        The bias is ``b [P_2(d) - P_2(a)] / [P_1(a) + P_1(d)]`` inside the bounds, the
        MSE ``2 b^2 [P_3(a) + P_3(d)] / [P_1(a) + P_1(d)]``.
        """
        at = place(position, self.bounds, self.noise)
        moved = at.nearest - np.asarray(position, dtype=np.float64)
        b = self.noise
        if self._fixed:
            return moved, 0 * at.nearest, 0 * at.nearest
        if is_flat(self.bounds, b):
            low, high = at.nearest - self.bounds.lower, self.bounds.upper - at.nearest
            return moved, (high - low) / 2, (low**2 - low * high + high**2) / 3
        mass = truncated_law.mass(at.a, at.d)
        first = b * (law.incomplete_difference(2, at.d, at.a) / mass)
        return moved, first, 2 * b * (b * (law.incomplete_sum(3, at.a, at.d) / mass))
