"""The folded Laplace mechanism: draw, then reflect at the bounds until inside."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import ModuleType
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.base import Sensitivity
from dpcore.mechanisms.bounded import folded_calibration
from dpcore.mechanisms.bounded.base import ConcaveLevel, place
from dpcore.mechanisms.laplace_law import one_minus_exp, scaled
from dpcore.privacy.events import LaplaceEvent, PrivacyEvent, PureEvent

UNIFORM_BELOW = 1e-8
"""Width over scale below which the law is uniform to the last bit."""
_SERIES_BELOW = 1.0
# Below this distance (over the scale) from a bound, quantiles are measured from it.
_NEAR = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedLaplace(ConcaveLevel):
    """Release ``value + Lap(b)``, reflected at the bounds until it lies inside.

    Folding looks at the noisy number only: it is post-processing, and its pure level
    ``log cosh(R/b) - log cosh((R - D)/b)`` is even below that of the Laplace noise,
    ``D/b``. ``calibrate`` uses up the difference: it takes a smaller scale. (On a
    half-line there is no difference.) Folding commutes with reflection, so that a value
    outside the bounds has exactly the law of its own reflection inside.

    The law is a closed form: a sum over all reflections is geometric and leaves
    hyperbolic functions (``folded_calibration``).

    >>> from dpcore.data.bounds import Interval
    >>> unit = FoldedLaplace(noise=0.2, bounds=Interval(lower=0.0, upper=1.0))
    >>> round(float(0.3 + unit.bias(0.3)), 12)
    0.338328301283

    """

    _pairs: ClassVar[ModuleType] = folded_calibration

    def pdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return ``cosh(near/b) cosh(far/b) / (b sinh(R/b))`` inside the bounds.

        ``near`` is how far the smaller of ``x`` and ``position`` lies above the lower
        bound, ``far`` how far the larger one lies below the upper.
        """
        x = np.asarray(x, dtype=np.float64)
        at = place(fold(position, self.bounds), self.bounds, self.noise)
        inside = (x >= self.bounds.lower) & (x <= self.bounds.upper)
        if self._fixed:
            return np.where(x == at.nearest, np.inf, 0.0)
        if is_uniform(self.bounds, self.noise):
            return np.where(inside, 1 / self.bounds.width, 0.0 * at.nearest)
        distance = law.scaled(np.abs(x - at.nearest), self.noise)
        low = np.minimum(x, at.nearest) - self.bounds.lower
        high = self.bounds.upper - np.maximum(x, at.nearest)
        with np.errstate(over="ignore"):
            mirrored = 1 + np.exp(-2 * law.scaled(np.maximum(low, 0.0), self.noise))
            mirrored *= 1 + np.exp(-2 * law.scaled(np.maximum(high, 0.0), self.noise))
        density = np.exp(-distance) * mirrored / (2 * self.noise * self._mass)
        return np.where(inside, density, 0.0)

    def cdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the probability of releasing at most ``x``.

        Below the position ``sinh((x - c0)/b) cosh(d) / sinh(R/b)``; above it, one less
        the mirror image.
        """
        x = self.bounds.clip(x) if not self._fixed else np.asarray(x, dtype=np.float64)
        at = place(fold(position, self.bounds), self.bounds, self.noise)
        if self._fixed:
            return np.greater_equal(x, at.nearest).astype(np.float64)
        if is_uniform(self.bounds, self.noise):
            return np.asarray((x - self.bounds.lower) / self.bounds.width + 0 * at.a)
        tail = np.exp(-law.scaled(np.abs(x - at.nearest), self.noise)) / 2 / self._mass
        from_lower = law.scaled(x - self.bounds.lower, self.noise)
        from_upper = law.scaled(self.bounds.upper - x, self.noise)
        below = tail * law.one_minus_exp(2 * from_lower) * (1 + np.exp(-2 * at.d))
        above = tail * law.one_minus_exp(2 * from_upper) * (1 + np.exp(-2 * at.a))
        return np.asarray(np.where(x <= at.nearest, below, 1 - above))

    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the smallest ``x`` with ``cdf(x) >= u``, by inverting sinh.

        With ``v = u (1 - e^{-2R/b}) / (1 + e^{-2d})``: near a bound ``c0 + b
        asinh(v e^a)``, else ``position + b log(v + sqrt(v^2 + e^{-2a}))``; mirrored
        above the position.
        """
        u = np.asarray(u, dtype=np.float64)
        at = place(fold(position, self.bounds), self.bounds, self.noise)
        if self._fixed:
            return np.asarray(at.nearest + 0 * u)
        if is_uniform(self.bounds, self.noise):
            return self.bounds.lower + u * self.bounds.width + 0 * at.a
        share = u * self._mass / (1 + np.exp(-2 * at.d))
        other = (1 - u) * self._mass / (1 + np.exp(-2 * at.a))
        lower = self._lower_part(share, at.nearest, at.a, self.bounds.lower)
        upper = self._lower_part(other, -at.nearest, at.d, -self.bounds.upper)
        below = 2 * share <= law.one_minus_exp(2 * at.a)
        return self.bounds.clip(np.where(below, lower, -upper))

    def event(self, sensitivity: Sensitivity) -> PrivacyEvent:
        """Return the pure level; on a half-line the Laplace noise that reaches it."""
        level = self.epsilon(sensitivity)
        if math.isinf(self.bounds.width):
            return LaplaceEvent.of(level)
        return PureEvent.of(level)

    @property
    def _mass(self) -> float:
        return float(law.one_minus_exp(2 * law.scaled(self.bounds.width, self.noise)))

    def _moments(self, position: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        return moments(position, self.bounds, self.noise)

    def _lower_part(
        self, share: FloatArray, nearest: FloatArray, a: FloatArray, bound: float
    ) -> FloatArray:
        """Return where the unnormalised lower tail reaches ``share``."""
        with np.errstate(divide="ignore"):
            from_bound = bound + self.noise * np.arcsinh(share * np.exp(np.minimum(a, _NEAR)))
            root = np.sqrt(share * share + np.exp(-2 * a))
            from_value = nearest + self.noise * np.log(share + root)
        return np.where(a < _NEAR, from_bound, from_value)

    def _counted(self, first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
        return fold(first, self.bounds), fold(second, self.bounds)


def fold(values: ArrayLike, bounds: Interval) -> FloatArray:
    """Return ``values`` reflected at the bounds until they lie inside.

    >>> from dpcore.data.bounds import Interval
    >>> fold([-0.25, 0.5, 1.25, 2.25], Interval(lower=0.0, upper=1.0)).tolist()
    [0.25, 0.5, 0.75, 0.25]
    """
    values = np.asarray(values, dtype=np.float64)
    inside = (values >= bounds.lower) & (values <= bounds.upper) | np.isnan(values)
    if inside.all():
        return values
    if bounds.width == 0:
        return bounds.clip(values)
    if math.isinf(bounds.upper):
        folded = bounds.lower + np.abs(values - bounds.lower)
    elif math.isinf(bounds.lower):
        folded = bounds.upper - np.abs(bounds.upper - values)
    else:
        round_trip = np.mod(values - bounds.lower, 2 * bounds.width)
        back = bounds.width - np.abs(bounds.width - round_trip)
        folded = bounds.lower + back
    return np.where(inside, values, bounds.clip(folded))


def is_uniform(bounds: Interval, noise: float) -> bool:
    """Return whether the noise dwarfs the bounds, so that its limit law applies."""
    return bool(scaled(bounds.width, noise) < UNIFORM_BELOW)


def moments(
    position: ArrayLike, bounds: Interval, noise: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the way to the folded position, and two moments about it.

    With ``a`` and ``d`` its distances to the bounds over the scale and ``W = a + d``::

        first  = b (e^-a - e^-d) / (1 + e^-W)
        second = 2 b^2 [cosh(d) (sinh a - a) + cosh(a) (sinh d - d)] / sinh W

    All summands of the second are positive, so that nothing cancels; each factor is
    multiplied by its own decaying exponential, so that nothing overflows.
    """
    position = np.asarray(position, dtype=np.float64)
    folded = fold(position, bounds)
    at, b = place(folded, bounds, noise), noise
    moved = folded - position
    if noise == 0 or bounds.width == 0:
        return moved, 0 * folded, 0 * folded
    if is_uniform(bounds, noise):
        low, high = folded - bounds.lower, bounds.upper - folded
        return moved, (high - low) / 2, (low**2 - low * high + high**2) / 3
    near, far = np.minimum(at.a, at.d), np.maximum(at.a, at.d)
    with np.errstate(invalid="ignore"):
        gap = np.where(near < far, far - near, 0.0)
    size = np.exp(-near) * one_minus_exp(gap) / (1 + np.exp(-at.a - at.d))
    first = b * np.where(at.a <= at.d, size, -size)
    second = (1 + np.exp(-2 * at.d)) * _excess(at.a)
    second += (1 + np.exp(-2 * at.a)) * _excess(at.d)
    return moved, first, 2 * b * (b * (second / one_minus_exp(2 * (at.a + at.d))))


def _excess(x: FloatArray) -> FloatArray:
    """Return ``e^-x (sinh x - x)``, by its series where the difference would cancel."""
    small = np.minimum(x, _SERIES_BELOW)
    series = np.ones_like(small)
    for k in range(18, 2, -2):
        series = 1 + small * small / (k * (k + 1)) * series
    series *= small**3 / 6 * np.exp(-small)
    large = np.minimum(x, 1e3)  # what is subtracted vanishes long before
    direct = one_minus_exp(2 * x) / 2 - large * np.exp(-large)
    return np.where(x < _SERIES_BELOW, series, direct)
