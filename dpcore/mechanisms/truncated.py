"""The truncated Laplace mechanism: redraw until the release lies in the bounds.

Truncation divides the Laplace density by ``Z(m)``, the probability of landing inside
the bounds, which itself depends on the secret. With ``m0 < m1`` in the bounds, ``h`` =
``(m1 - m0)/b``, ``a0``, ``d0`` the distances of ``m0`` to the bounds over ``b`` and
``kappa = log Z(m1)/Z(m0)``, the loss of seeing the output of m0 is at most ``h +
kappa``. The best test is a threshold between ``m0`` and ``m1``, where the densities
have ratio e^epsilon, and working out its two probabilities leaves, with ``u = (h +
kappa - epsilon)/2``::

    delta(m0 || m1) = P_1(u) [P_1(a0) + P_1(a0 + u)] / [P_1(a0) + P_1(d0)]

and 0 for ``u <= 0``. As ``P_1(a0 + u) = 1 - e^-a0 (1 - w)`` for ``w = P_1(u)``, a
quadratic equation in ``w`` inverts it. The other direction is the mirror image. Values
outside the bounds release what the nearest bound would release.

The family is ordered by likelihood ratio, so that what a pair reveals grows as the two
values move apart: only pairs ``D = min(Delta, R)`` apart count. The pure level is
largest when one of them lies on a bound; the profile is largest a little inside.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.bounded import ConcaveLevel, is_flat, place
from dpcore.mechanisms.laplace import least_scale
from dpcore.mechanisms.laplace_law import one_minus_exp, scaled
from dpcore.mechanisms.mechanism import Sensitivity, require_budget
from dpcore.mechanisms.pairs import distances, over_scale
from dpcore.mechanisms.search import ROUND_UP, largest_over_positions
from dpcore.privacy.conversions import pure_delta_of
from dpcore.privacy.events import PureEvent
from dpcore.privacy.halving import halved
from dpcore.privacy_filter import PrivacyCost
from dpcore.secure_noise import truncated


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedLaplace(ConcaveLevel):
    """Release ``value + Lap(b)``, conditioned on lying in the bounds.

    The probability of lying there depends on the secret, so that this is no
    post-processing: the pure level is up to twice ``l1 / b``. ``calibrate`` pays for
    that with a larger scale (``least_private_scale``),
    ``calibrate_as_published`` does not (Liu 2016, eq. 4).
    A value outside the bounds counts as the nearest point in them, which has the same
    law.
    """

    drawn_at_once = 100

    _post_processing = False

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
        mass = self.noise * mass_within(at.a, at.d)
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
        mass = mass_within(at.a, at.d)
        tail = np.exp(-law.scaled(np.abs(x - at.nearest), self.noise)) / mass
        below = tail * law.one_minus_exp(law.scaled(x - self.bounds.lower, self.noise))
        above = tail * law.one_minus_exp(law.scaled(self.bounds.upper - x, self.noise))
        return np.clip(np.where(x <= at.nearest, below, 1 - above), 0.0, 1.0)

    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the smallest ``x`` with ``cdf(x) >= u`` (``truncated_quantile``)."""
        u = np.asarray(u, dtype=np.float64)
        at = place(position, self.bounds, self.noise)
        if self._fixed:
            return np.asarray(at.nearest + 0 * u)
        if is_flat(self.bounds, self.noise):
            return self.bounds.lower + u * self.bounds.width + 0 * at.a
        ends = self.bounds.lower, self.bounds.upper
        return truncated_quantile(u, at.nearest, (at.a, at.d), ends, self.noise)

    def delta_at(self, sensitivity: Sensitivity, *, epsilon: float) -> float:
        """Return the delta at which the mechanism is ``epsilon``-close after all.

        Exact for a scalar. This is how to read the published scale: at its nominal
        epsilon it is only (epsilon, delta)-DP.
        """
        if sensitivity.coordinates == 1:
            return worst_delta(sensitivity.l1, self.bounds, self.noise, epsilon)
        return float(pure_delta_of(self.epsilon(sensitivity), epsilon))

    def secure_draw(
        self,
        value: FloatArray,
        *,
        sensitivity: Sensitivity,  # noqa: ARG002 - the law's own level is not l1/b
        cost: PrivacyCost,  # noqa: ARG002 - as above
    ) -> FloatArray:
        """Return a Laplace draw, redrawn until inside the bounds."""
        return truncated("laplace", value, noise=self.noise, bounds=self.bounds)

    def event(self, sensitivity: Sensitivity) -> PureEvent:
        """Return the pure level: no accountant knows this noise."""
        return PureEvent.from_ratio(self.epsilon(sensitivity))

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
        mass = mass_within(at.a, at.d)
        first = b * (law.incomplete_difference(2, at.d, at.a) / mass)
        return moved, first, 2 * b * (b * (law.incomplete_sum(3, at.a, at.d) / mass))

    @staticmethod
    def _least_scale(shift: float, epsilon: float, bounds: Interval) -> float:
        return least_private_scale(shift, epsilon, bounds)

    def _worst_epsilon(self, shift: float, delta: float) -> float:
        bounds, noise = self.bounds, self.noise
        if delta == 0 or not 0 < noise < math.inf:
            return worst_level(shift, bounds, noise)
        largest = _over_positions(
            lambda a, d, level: epsilon_at(a, d, level, delta), shift, bounds, noise
        )
        return largest * ROUND_UP

    def _levels(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the pure level ``h + |kappa|``, elementwise, without cancellation.

        With ``near`` and ``far`` the smaller and the larger of ``a`` at the lower value and
        ``d`` at the higher one, ``t = R/b``, and ``t = near + h + far``::

            |kappa| = log1p(P_1(h) e^-near P_1(far - near) / [P_1(near) + P_1(t - near)])

        Computed in blocks, whose temporaries stay in the cache.
        """
        first, second = np.broadcast_arrays(x, y)
        result = np.empty(first.shape)
        flat, x, y = result.reshape(-1), first.reshape(-1), second.reshape(-1)
        for start in range(0, flat.size, _BLOCK):
            part = slice(start, start + _BLOCK)
            flat[part] = self._level(self.bounds.clip(x[part]), self.bounds.clip(y[part]))
        return result

    def _scalar_delta(self, x: FloatArray, y: FloatArray, epsilon: float) -> FloatArray:
        x, y = self.bounds.clip(x), self.bounds.clip(y)
        if self.noise == 0 or is_flat(self.bounds, self.noise):
            return np.where(self._level(x, y) > epsilon, 1.0, 0.0)
        up, down = self._both_ways(x, y)
        return np.maximum(delta_at(*up, epsilon), delta_at(*down, epsilon))

    def _scalar_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        x, y = self.bounds.clip(x), self.bounds.clip(y)
        if self.noise == 0 or is_flat(self.bounds, self.noise):
            return self._level(x, y)
        up, down = self._both_ways(x, y)
        return np.maximum(epsilon_at(*up, delta), epsilon_at(*down, delta))

    def _both_ways(self, x: FloatArray, y: FloatArray) -> tuple[Direction, Direction]:
        """Return the first three arguments of ``delta_at`` for both directions."""
        low, high = np.minimum(x, y), np.maximum(x, y)
        lower, upper = self.bounds.lower, self.bounds.upper
        a0, d0 = scaled(low - lower, self.noise), scaled(upper - low, self.noise)
        a1, d1 = scaled(high - lower, self.noise), scaled(upper - high, self.noise)
        h = scaled(high - low, self.noise)
        kappa = np.where(a0 <= d1, 1.0, -1.0) * (self._level(low, high) - h)
        return (a0, d0, h + kappa), (d1, a1, h - kappa)

    def _level(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return the pure level of values inside the bounds."""
        bounds, noise = self.bounds, self.noise
        h = over_scale(distances(first, second), noise)
        if noise == 0 or (np.isinf(bounds.lower) and np.isinf(bounds.upper)):
            return h
        t = float(scaled(bounds.width, noise))
        if is_flat(bounds, noise):
            return h
        low, high = np.minimum(first, second), np.maximum(first, second)
        near = np.minimum(low - bounds.lower, bounds.upper - high)
        near = over_scale(near, noise)
        gap = np.maximum(t - h - 2 * near, 0.0)  # far - near
        at_near = one_minus_exp(near)
        change = one_minus_exp(h) * (1 - at_near) * one_minus_exp(gap)
        h += np.log1p(change / (at_near + one_minus_exp(t - near)))
        return h


Numbers = float | FloatArray

# Below this distance (over the scale) from a bound, quantiles are measured from it.
_NEAR = 0.5


def mass_within(a: FloatArray, d: FloatArray) -> FloatArray:
    """Return twice the probability of noise inside the bounds, ``P_1(a) + P_1(d)``."""
    return np.asarray(one_minus_exp(a) + one_minus_exp(d))


def truncated_quantile(
    u: FloatArray,
    nearest: FloatArray,
    distances: tuple[FloatArray, FloatArray],
    ends: tuple[Numbers, Numbers],
    noise: Numbers,
) -> FloatArray:
    """Return the smallest ``x`` with ``cdf(x) >= u``, measured from what is near.

    Near a bound ``c0 + b log1p(u m e^a)``, else ``position + b log(u m + e^-a)`` with
    ``m = P_1(a) + P_1(d)``; mirrored above the position.

    Args:
        u: Probabilities.
        nearest: The values, moved to the nearest point of the bounds.
        distances: ``a`` and ``d``, from there to the lower and the upper bound, over
            the scale.
        ends: The lower and the upper bound, ``c0`` and ``c1``.
        noise: The scale ``b``, positive and finite.

    """
    (a, d), (lower, upper) = distances, ends
    whole = mass_within(a, d)
    from_below = _lower_part(u * whole, nearest, a, lower, noise)
    from_above = _lower_part((1 - u) * whole, -nearest, d, -upper, noise)
    below = u * whole <= one_minus_exp(a)
    return np.clip(np.where(below, from_below, -from_above), lower, upper)


def _lower_part(
    mass: FloatArray, nearest: FloatArray, a: FloatArray, bound: Numbers, noise: Numbers
) -> FloatArray:
    """Return where the unnormalised lower tail reaches ``mass``."""
    with np.errstate(divide="ignore", over="ignore"):
        from_bound = bound + noise * np.log1p(mass * np.exp(np.minimum(a, _NEAR)))
        from_value = nearest + noise * np.log(mass + np.exp(-a))
    return np.where(a < _NEAR, from_bound, from_value)


_BLOCK = 1 << 15

Direction = tuple[FloatArray, FloatArray, FloatArray]


def delta_at(a: FloatArray, d: FloatArray, level: FloatArray, epsilon: float) -> FloatArray:
    """Return the delta of one direction.

    Args:
        a: Distance over the scale of the value that was released from, to the bound
            that lies away from the other value.
        d: Its distance to the bound behind the other value.
        level: Largest loss ``h + kappa`` in that direction.
        epsilon: Where the profile is asked.

    """
    u = np.maximum(level - epsilon, 0.0) / 2
    near = one_minus_exp(a)
    with np.errstate(invalid="ignore"):
        ratio = (near + one_minus_exp(a + u)) / (near + one_minus_exp(d))
    return np.where(u > 0, one_minus_exp(u) * ratio, 0.0 * level)


def epsilon_at(a: FloatArray, d: FloatArray, level: FloatArray, delta: float) -> FloatArray:
    """Return the epsilon of one direction, the inverse of ``delta_at``.

    ``w = P_1(u)`` solves ``e^-a w^2 + 2 P_1(a) w = delta [P_1(a) + P_1(d)]``.
    """
    near = one_minus_exp(a)
    mass = delta * (near + one_minus_exp(d))
    w = mass / (near + np.sqrt(near * near + np.exp(-a) * mass))
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = level + 2 * np.log1p(-np.minimum(w, 1.0))
    return np.where(w < 1, np.maximum(rest, 0.0), 0.0 * level)


def worst_level(shift: float, bounds: Interval, noise: float) -> float:
    """Return the exact pure level over all values at most ``shift`` apart.

    ``D t + log1p(P_1(D t) P_1((R - D) t) / P_1(R t))`` with ``t = 1/b``: between one
    and two times ``D/b``. On a half-line ``D t + log(2 - e^{-D t})``.
    """
    distance = min(shift, bounds.width)
    if distance == 0 or math.isinf(noise):
        return 0.0
    if noise == 0:
        return math.inf
    if math.isinf(bounds.lower) and math.isinf(bounds.upper):
        return distance / noise
    return _level_at_bound(1 / noise, distance, bounds.width)


def least_private_scale(shift: float, epsilon: float, bounds: Interval) -> float:
    """Return the smallest scale that is ``epsilon``-DP for values ``shift`` apart.

    The level increases in ``t = 1/b`` with ``D t <= level <= 2 D t``, which brackets
    the root. The result is rounded up by 1e-12.

    >>> from dpcore.data.bounds import Interval
    >>> unit = Interval(lower=0.0, upper=4.0)
    >>> round(least_private_scale(1.0, 1.0, unit), 11)
    1.56723921377
    """
    width = bounds.width
    distance = min(shift, width)
    if distance == 0:
        return 0.0
    if distance == width or (math.isinf(bounds.lower) and math.isinf(bounds.upper)):
        return least_scale(distance, epsilon)
    if math.isinf(width):
        # The root of D t + log(2 - e^{-D t}) = epsilon: D t = log((1 + e^epsilon)/2).
        half = math.log1p(-math.expm1(-epsilon) / -2) if epsilon > 1 else None
        exponent = epsilon + half if half is not None else math.log1p(math.expm1(epsilon) / 2)
        return distance / exponent * ROUND_UP
    low, _ = halved(
        lambda t: _level_at_bound(t, distance, width) > epsilon,
        epsilon / (2 * distance),
        epsilon / distance,
    )
    return ROUND_UP / low


def worst_delta(shift: float, bounds: Interval, noise: float, epsilon: float) -> float:
    """Return the delta at ``epsilon`` over all values at most ``shift`` apart."""
    if not 0 < noise < math.inf:
        return 1.0 if worst_level(shift, bounds, noise) > epsilon else 0.0
    largest = _over_positions(
        lambda a, d, level: delta_at(a, d, level, epsilon), shift, bounds, noise
    )
    return min(largest * ROUND_UP, 1.0)


def _level_at_bound(t: float, distance: float, width: float) -> float:
    def p(x: float) -> float:
        return -math.expm1(-x)

    if width * t == 0:
        return distance * t
    change = p(distance * t) * p((width - distance) * t) / p(width * t)
    return distance * t + math.log1p(change)


def _over_positions(
    asked: Callable[[FloatArray, FloatArray, FloatArray], FloatArray],
    shift: float,
    bounds: Interval,
    noise: float,
) -> float:
    """Return the largest answer to ``delta_at`` or ``epsilon_at`` over all pairs."""
    h = min(shift, bounds.width) / noise
    rest = bounds.width / noise - h
    if math.isinf(bounds.lower) and math.isinf(bounds.upper):
        free = np.array([math.inf])
        return float(asked(free, free, np.array([h]))[0])

    return largest_over_positions(lambda a, c: asked(a, h + c, h + _kappa(a, c, h)), rest)


def _kappa(a: FloatArray, c: FloatArray, h: float) -> FloatArray:
    """Return ``log Z(other)/Z(own)``, where at most one of a, c is infinite."""
    near, far = np.minimum(a, c), np.maximum(a, c)
    change = one_minus_exp(h) * np.exp(-near) * one_minus_exp(far - near)
    size = np.log1p(change / (one_minus_exp(near) + one_minus_exp(h + far)))
    return np.where(a <= c, size, -size)
