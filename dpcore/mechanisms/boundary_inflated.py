"""The boundary-inflated truncated (BIT) Laplace mechanism: draw, then clamp.

What a scalar reveals about a pair of values inside the bounds is exactly what unclamped
noise reveals. Only values outside (which a released bound may produce) need more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.bounded import BoundedLaplace, is_flat, place
from dpcore.mechanisms.laplace import Laplace, least_scale, level_at
from dpcore.mechanisms.laplace_law import log_cdf, scaled
from dpcore.mechanisms.mechanism import Sensitivity, require_budget
from dpcore.mechanisms.pairs import floats
from dpcore.mechanisms.search import first_where
from dpcore.privacy import laplace as profile
from dpcore.privacy.events import LaplaceEvent
from dpcore.privacy_filter import PrivacyCost


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryInflatedLaplace(BoundedLaplace):
    """Release ``value + Lap(b)`` moved to the nearest point of the bounds.

    Clamping looks at the noisy number only, so that it is post-processing: the level
    is that of the Laplace mechanism. Each bound is released with positive probability
    (``e^-a / 2``, ``a`` its distance over ``b``). See Liu 2016, eq. 5, 7 and 10.
    """

    @classmethod
    def calibrate(
        cls, *, sensitivity: Sensitivity, epsilon: float, delta: float = 0.0, bounds: Interval
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

    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Return ``min(l1, R) / b`` for a scalar, or what is left of it at ``delta``.

        The worst case is over values inside the bounds, ``R`` apart at most.
        """
        width, cells = self.bounds.width, sensitivity.coordinates
        reach = min(sensitivity.l1, cells * width)
        largest = float(law.scaled(min(sensitivity.largest, width), self.noise))
        level = float(law.scaled(reach, self.noise))
        return level_at(np.full(cells, largest), level, delta)

    def secure_draw(
        self, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
    ) -> FloatArray:
        """Return a Laplace draw around the clamped value, clamped."""
        noise, reach = Laplace(noise=self.noise), self._reach(sensitivity)
        inside = self.bounds.clip(value)
        return self.bounds.clip(noise.secure_draw(inside, sensitivity=reach, cost=cost))

    def secure_scale(self, size: int, *, sensitivity: Sensitivity, cost: PrivacyCost) -> float:
        """Return the scale of a secure draw, as ``Laplace.secure_scale``."""
        noise, reach = Laplace(noise=self.noise), self._reach(sensitivity)
        return noise.secure_scale(size, sensitivity=reach, cost=cost)

    def _reach(self, sensitivity: Sensitivity) -> Sensitivity:
        """Return a sensitivity of values within the bounds: never farther apart than these."""
        width = self.bounds.width
        return Sensitivity(
            coordinates=sensitivity.coordinates,
            l1=min(sensitivity.l1, sensitivity.coordinates * width),
            l2=sensitivity.l2,
            largest=min(sensitivity.largest, width),
        )

    def event(self, sensitivity: Sensitivity) -> LaplaceEvent:
        """Return the Laplace noise that is clamped; its rho is ``r + e^-r - 1``."""
        return LaplaceEvent.from_ratio(self.epsilon(sensitivity))

    def _moments(self, position: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
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

    def _counted(self, first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the values themselves; without noise, what is released of them."""
        x, y = floats(first, second)
        return (self.bounds.clip(x), self.bounds.clip(y)) if self.noise == 0 else (x, y)

    def _levels(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the pure level of each coordinate.

        It is ``|x - y| / b`` unless one value lies below and the other above the
        bounds. Then the two atoms have the extreme probability ratios, at ``c0``
        ``log(2 - e^{-(c0-m0)/b}) + (m1-c0)/b``, and the mirror image at ``c1``.
        """
        level, bounds = self._ratios(x, y), self.bounds
        if _inside(x, bounds) or _inside(y, bounds):
            return level
        low, high = np.minimum(x, y), np.maximum(x, y)
        below = scaled(bounds.lower - low, self.noise)
        above = scaled(high - bounds.upper, self.noise)
        straddling = (below > 0) & (above > 0)
        to_lower = scaled(high - bounds.lower, self.noise)
        to_upper = scaled(bounds.upper - low, self.noise)
        with np.errstate(invalid="ignore", over="ignore"):
            at_lower = np.log1p(-np.expm1(-below)) + to_lower
            at_upper = np.log1p(-np.expm1(-above)) + to_upper
        return np.where(straddling, np.maximum(at_lower, at_upper), level)

    def _scalar_delta(
        self, x: FloatArray, y: FloatArray, epsilon: float | FloatArray
    ) -> FloatArray:
        """Return the larger delta of both directions, elementwise.

        The likelihood ratio is monotone, so that the best test is a threshold ``tau =
        clip((m0 + m1 - b epsilon)/2)``: ``delta = F(tau; m0) - e^epsilon F(tau; m1)``
        for ``m0 < m1``, ``F`` the Laplace cdf.
        """
        bounds, noise = self.bounds, self.noise
        plain = profile.delta_of(self._ratios(x, y), epsilon)
        if np.isinf(noise) or (_inside(x, bounds) and _inside(y, bounds)):
            return plain
        low, high = np.minimum(x, y), np.maximum(x, y)
        mirrored = Interval(lower=-bounds.upper, upper=-bounds.lower)
        upwards = _one_direction(low, high, noise, bounds, epsilon)
        downwards = _one_direction(-high, -low, noise, mirrored, epsilon)
        both = (low >= bounds.lower) & (high <= bounds.upper)
        return np.where(both, plain, np.maximum(upwards, downwards))

    def _scalar_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        x, y = np.broadcast_arrays(x, y)
        level = self._levels(x, y)
        result = profile.epsilon_of(self._ratios(x, y), delta)
        low, high = np.minimum(x, y), np.maximum(x, y)
        outside = (low < self.bounds.lower) | (high > self.bounds.upper)
        outside &= np.isfinite(level)
        if outside.any():
            most = level[outside]
            result[outside] = first_where(
                lambda epsilon: self._scalar_delta(x[outside], y[outside], epsilon) <= delta,
                np.zeros_like(most),
                most,
            )
        return result


def _one_direction(
    low: FloatArray, high: FloatArray, noise: float, bounds: Interval, epsilon: float | FloatArray
) -> FloatArray:
    threshold = bounds.clip((low + high - noise * epsilon) / 2)
    log_first = log_cdf(threshold, low, noise)
    log_second = log_cdf(threshold, high, noise) + epsilon
    ahead = np.minimum(log_second - log_first, 0.0)
    return np.asarray(np.exp(log_first) * -np.expm1(ahead))


def _inside(values: FloatArray, bounds: Interval) -> bool:
    return bool(
        values.min(initial=bounds.lower) >= bounds.lower
        and values.max(initial=bounds.upper) <= bounds.upper
    )
