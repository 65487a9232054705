"""The folded Laplace mechanism: draw, then reflect at the bounds until inside.

With all lengths over the scale, ``a`` and ``d`` the distances of a value to the two
bounds and ``W = a + d``, the folded density at a distance ``x`` from the lower bound is
``cosh(min(x, a)) cosh(W - max(x, a)) / sinh W``. Everything follows from one function,
``growth(y, h) = log(cosh(y + h) / cosh y)``. For ``m0 < m1``, ``h`` apart, the loss of
seeing the output of m0 falls along the axis from ``growth(d1, h)`` on, so that the best
test is a threshold ``s`` above m0, and working out its two probabilities leaves

    delta(m0 || m1) = 1 - exp(-growth(a0, s)),
    epsilon = growth(d1, h - s) - growth(a0, s).

Either equation can be solved for ``s``. The other direction is the mirror image.

A real release is folded on a grid of whole numbers, so that the law stays exact:
folding reveals less than the noise that is folded, because each answer has several
origins. Floats would spoil that: they are denser near 0, so that an answer with many
digits would tell its origin. Hence the value and the width of the bounds are rounded to
a fixed grid, the noise is OpenDP's discrete Laplace noise on it, and the reflections
are exact. On the grid the same hyperbolic functions hold as on the line (the sum over
the reflections is geometric there too); rounding moves two values apart by at most one
step more, which a slightly larger scale pays for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ClaimError, ParameterError
from dpcore.formatting import significant
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.bounded import ConcaveLevel, place
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.laplace_law import one_minus_exp, scaled
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.mechanisms.pairs import distances, over_scale
from dpcore.mechanisms.search import ROUND_UP, largest_over_positions
from dpcore.privacy.events import LaplaceEvent, PrivacyEvent, PureEvent
from dpcore.privacy.halving import halved
from dpcore.privacy_filter import PrivacyCost, float_below
from dpcore.secure_noise import MOST_RAISED, TOLERANCE, measurement

UNIFORM_BELOW = 1e-8
"""Width over scale below which the law is uniform to the last bit."""
_SERIES_BELOW = 1.0
# Below this distance (over the scale) from a bound, quantiles are measured from it.
_NEAR = 0.5
_BITS = 61  # leaves the sum of value and noise within 64 bits
_FARTHEST = 512.0  # noise farther out, over the scale, has probability e^-512


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedLaplace(ConcaveLevel):
    """Release ``value + Lap(b)``, reflected at the bounds until it lies inside.

    Folding looks at the noisy number only: it is post-processing, and its pure level
    ``log cosh(R/b) - log cosh((R - D)/b)`` is even below that of the Laplace noise,
    ``D/b``. ``calibrate`` uses up the difference: it takes a smaller scale. (On a
    half-line there is no difference.) Folding commutes with reflection, so that a value
    outside the bounds has exactly the law of its own reflection inside.

    The law is a closed form: a sum over all reflections is geometric and leaves
    hyperbolic functions (see above).

    >>> from dpcore.data.bounds import Interval
    >>> unit = FoldedLaplace(noise=0.2, bounds=Interval(lower=0.0, upper=1.0))
    >>> round(float(0.3 + unit.bias(0.3)), 12)
    0.338328301283

    """

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

    def secure_draw(
        self, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
    ) -> FloatArray:
        """Reflect a Laplace draw: on a grid, as the level is below that of the draw."""
        bounds = self.bounds
        if math.isinf(bounds.width):  # there the level is that of the draw
            end = bounds.lower if math.isfinite(bounds.lower) else bounds.upper
            end = end if math.isfinite(end) else 0.0
            noise = Laplace(noise=self.noise)
            drawn = noise.secure_draw(value - end, sensitivity=sensitivity, cost=cost)
            around = Interval(lower=bounds.lower - end, upper=bounds.upper - end)
            return bounds.clip(end + fold(drawn, around))
        grid = Grid.of(self, sensitivity, float_below(cost.epsilon))
        start = grid.numbers(fold(value, bounds) - bounds.lower)
        measure = measurement("discrete", len(start), grid.scale)
        return bounds.clip(bounds.lower + grid.folded(measure(start)))

    def event(self, sensitivity: Sensitivity) -> PrivacyEvent:
        """Return the pure level; on a half-line the Laplace noise that reaches it."""
        level = self.epsilon(sensitivity)
        if math.isinf(self.bounds.width):
            return LaplaceEvent.from_ratio(level)
        return PureEvent.from_ratio(level)

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

    @staticmethod
    def _least_scale(shift: float, epsilon: float, bounds: Interval) -> float:
        return least_scale_folded(shift, epsilon, bounds)

    def _worst_epsilon(self, shift: float, delta: float) -> float:
        """Return the epsilon at ``delta`` over all values at most ``shift`` apart.

        The family has a monotone likelihood ratio, so that only pairs ``D`` apart count.
        Where they lie is searched near both bounds; in between, the answer is constant.
        """
        bounds, noise = self.bounds, self.noise
        level = worst_level(shift, bounds, noise)
        if delta == 0 or level == 0 or math.isinf(level):
            return level
        h = np.array(min(shift, bounds.width) / noise)
        rest = bounds.width / noise - float(h)
        if math.isinf(bounds.lower) and math.isinf(bounds.upper):
            free = np.array(math.inf)
            return float(epsilon_at(free, free, free, h, delta))
        largest = largest_over_positions(lambda a, c: epsilon_at(a, c + h, c, h, delta), rest)
        return min(largest * ROUND_UP, level)

    def _levels(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the pure level: the larger of ``growth(a0, h)`` and ``growth(d1, h)``."""
        h = over_scale(distances(x, y), self.noise)
        if self.noise == 0 or math.isinf(self.bounds.width):
            return h  # on a half-line the open side reaches the level of plain noise
        low, high = np.minimum(x, y), np.maximum(x, y)
        farther = np.maximum(low - self.bounds.lower, self.bounds.upper - high)
        return growth(scaled(farther, self.noise), h)

    def _scalar_delta(self, x: FloatArray, y: FloatArray, epsilon: float) -> FloatArray:
        if self._fixed or math.isinf(self.noise):
            level = self._levels(x, y)
            return np.where(np.isnan(level), level, np.where(level > epsilon, 1.0, 0.0))
        up, down = self._both_ways(x, y)
        return np.maximum(delta_at(*up, epsilon), delta_at(*down, epsilon))

    def _scalar_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        if self._fixed or math.isinf(self.noise):
            return self._levels(x, y)
        up, down = self._both_ways(x, y)
        return np.maximum(epsilon_at(*up, delta), epsilon_at(*down, delta))

    def _both_ways(self, x: FloatArray, y: FloatArray) -> tuple[Direction, Direction]:
        """Return the first four arguments of ``delta_at`` for both directions."""
        low, high, noise = np.minimum(x, y), np.maximum(x, y), self.noise
        lower, upper = self.bounds.lower, self.bounds.upper
        a0, d0 = scaled(low - lower, noise), scaled(upper - low, noise)
        a1, d1 = scaled(high - lower, noise), scaled(upper - high, noise)
        h = scaled(high - low, noise)
        return (a0, d0, d1, h), (d1, a1, a0, h)


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


_LARGE = 1.0

Direction = tuple["FloatArray", "FloatArray", "FloatArray", "FloatArray"]


def growth(y: FloatArray, h: FloatArray) -> FloatArray:
    """Return ``log(cosh(y + h) / cosh(y))`` for ``y, h >= 0``, without cancellation.

    ``cosh(y + h)/cosh(y) = cosh h + tanh(y) sinh h``; for large ``h`` the exponential
    is factored out. ``y`` may be infinite: then it is ``h``.

    >>> round(float(growth(np.array(3.0), np.array(1.0))), 10)
    0.9978597212
    """
    small = np.minimum(h, _LARGE)
    near = np.log1p(2 * np.sinh(small / 2) ** 2 + np.tanh(y) * np.sinh(small))
    fade = np.exp(-2 * y)
    far = h + np.log1p(fade * np.expm1(-2 * h) / (1 + fade))
    return np.asarray(np.where(h < _LARGE, near, far))


def delta_at(
    a: FloatArray, d: FloatArray, rest: FloatArray, h: FloatArray, epsilon: float
) -> FloatArray:
    """Return the delta of one direction.

    Args:
        a: Distance over the scale of the value that was released from, to the bound
            that lies away from the other value.
        d: Its distance to the bound behind the other value.
        rest: The distance of the other value to that bound.
        h: How far apart the two are, over the scale.
        epsilon: Where the profile is asked.

    The threshold, with ``g = growth(rest, h) - epsilon``:
    ``e^{2s} - 1 = 2 (e^g - 1) / (1 + tanh a - e^{-d - epsilon}/cosh rest)``.

    """
    g = np.maximum(growth(rest, h) - epsilon, 0.0)
    below = 2 * np.exp(-(d + epsilon) - rest) / (1 + np.exp(-2 * rest))
    slope = 2 / (1 + np.tanh(a) - below)
    small = np.minimum(g, _LARGE)
    near = np.log1p(slope * np.expm1(small))
    far = g + np.log(np.exp(-g) - slope * np.expm1(-g))
    threshold = np.where(g < _LARGE, near, far) / 2
    return np.asarray(-np.expm1(-growth(a, threshold)))


def epsilon_at(
    a: FloatArray, d: FloatArray, rest: FloatArray, h: FloatArray, delta: float
) -> FloatArray:
    """Return the epsilon of one direction, the inverse of ``delta_at``.

    The threshold solves ``cosh s + tanh(a) sinh s = 1/(1 - delta)``, a quadratic
    equation in ``e^s``.
    """
    del d  # the common signature
    m, slope = delta / (1 - delta), np.tanh(a)
    square = m * (2 + m)
    root = np.sqrt(slope * slope + square)
    threshold = np.log1p((m + square / (root + slope)) / (1 + slope)) if m else 0.0
    left = growth(rest, np.maximum(h - threshold, 0.0))
    return np.maximum(left + math.log1p(-delta), 0.0)


def worst_level(shift: float, bounds: Interval, noise: float) -> float:
    """Return the exact pure level over all values at most ``shift`` apart.

    ``log cosh(R/b) - log cosh((R - D)/b)`` with ``D = min(shift, R)``, at a bound; less
    than ``D/b``, which is reached on a half-line.
    """
    distance = min(shift, bounds.width)
    if distance == 0 or math.isinf(noise):
        return 0.0
    if noise == 0:
        return math.inf
    return _level(1 / noise, distance, bounds.width)


def least_scale_folded(shift: float, epsilon: float, bounds: Interval) -> float:
    """Return the smallest scale that is ``epsilon``-DP for values ``shift`` apart.

    The level increases in ``t = 1/b``, and ``D t - log 2 <= level <= D t`` brackets the
    root. The result is rounded up by 1e-12.

    >>> from dpcore.data.bounds import Interval
    >>> unit = Interval(lower=0.0, upper=1.0)
    >>> round(least_scale_folded(0.5, 0.25, unit), 9)
    1.140972028
    """
    distance = min(shift, bounds.width)
    if distance == 0:
        return 0.0
    low = epsilon / distance
    if math.isfinite(bounds.width):
        low, _ = halved(
            lambda t: _level(t, distance, bounds.width) > epsilon,
            low,
            (epsilon + math.log(2)) / distance,
        )
    return ROUND_UP / low


def _level(t: float, distance: float, width: float) -> float:
    near, h = np.array((width - distance) * t), np.array(distance * t)
    return float(growth(near, h))


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Whole numbers from 0 to ``steps`` for the bounds, and the noise among them.

    Attributes:
        exponent: A step is ``2^exponent``.
        steps: The width of the bounds in steps, rounded up.
        scale: The scale of the noise in steps.

    """

    exponent: int
    steps: int
    scale: float

    @classmethod
    def of(cls, mechanism: FoldedLaplace, sensitivity: Sensitivity, level: float) -> Self:
        """Return the finest grid, with noise that gives ``level`` on it.

        Raises:
            ClaimError: The mechanism does not give ``level``.
            ParameterError: The bounds are too wide for the grid.

        """
        noise, width = mechanism.noise, mechanism.bounds.width
        if mechanism.epsilon(sensitivity) > level * (1 + TOLERANCE):
            raise ClaimError(
                f"folded noise of scale {significant(noise)} does not give the level "
                f"{significant(level)}."
            )
        exponent = math.frexp(max(width, _FARTHEST * noise))[1] - _BITS
        step = math.ldexp(1.0, exponent)
        steps = math.ceil(width / step)
        cells = sensitivity.coordinates
        needed = least_scale_folded(
            sensitivity.l1 / cells + step, level / cells, Interval(lower=0.0, upper=steps * step)
        )
        if needed > noise * (1 + MOST_RAISED):
            raise ParameterError(
                f"bounds {significant(width)} apart are too wide for folding noise of scale "
                f"{significant(noise)}; use the BIT Laplace mechanism."
            )
        return cls(exponent=exponent, steps=steps, scale=max(noise, needed) / step)

    def numbers(self, distances: FloatArray) -> list[int]:
        """Return the whole numbers nearest to distances from the lower bound."""
        return [round(math.ldexp(d, -self.exponent)) for d in distances.tolist()]

    def folded(self, numbers: list[int]) -> FloatArray:
        """Return whole numbers reflected into the bounds, as distances."""
        turns = [number % (2 * self.steps) for number in numbers]
        inside = [min(turn, 2 * self.steps - turn) for turn in turns]
        return np.array([math.ldexp(float(y), self.exponent) for y in inside])
