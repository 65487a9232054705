"""Gaussian noise within public bounds: clamped, or redrawn until inside.

Both have the likelihood ratio of their releases monotone, so that the best test is a
threshold. With ``h`` the distance of two values, ``a`` and ``d`` those of the lower one
to the bounds, all over sigma, and ``Z`` the probabilities of landing inside, the
densities have the ratio ``e^epsilon`` at ``t = h/2 + (epsilon + log Z1/Z0)/h`` above the
lower value (``Z = 1`` where releases are clamped). Moved into the bounds, ``t`` gives
the exact ``delta = P1(X > t) - e^epsilon P0(X > t)``. On finite bounds even the pure
level is finite (Chen and Hale 2022 use it).

**The scale of plain noise holds for both.** Clamping is post-processing. Redrawing is
not, but needs no larger scale, unlike for Laplace noise: as the release ``X`` has a
density that is more log-concave than that of ``N(m, sigma^2)``, it is ``T(N)`` with ``N``
standard normal and ``T`` increasing with slope at most ``sigma`` (Caffarelli 2000). With
``P(X > t) = P(N > -s)`` this gives::

    d P(X > t) / dm = Cov(X, 1[X > t]) / sigma^2 <= Cov(N, 1[N > -s]) / sigma = phi(s) / sigma

because ``sigma N - T(N)`` increases in ``N``. So ``s`` moves by at most ``1/sigma`` for
each unit of ``m``: no test of two values does better than with plain noise, at any
epsilon, and neither does one of several coordinates (Gopi, Lee and Liu 2022 show it for
all convex sets). Hence the event is that of plain noise, too.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erf, erfinv, gammainc, log_ndtr, ndtr, ndtri

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.bounded import Bounded, place
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace_law import incomplete_difference, incomplete_sum, scaled
from dpcore.mechanisms.mechanism import Sensitivity, require_budget, require_noise
from dpcore.mechanisms.pairs import floats
from dpcore.mechanisms.search import ROUND_UP, first_where, first_where_of_each
from dpcore.privacy import gaussian as profile
from dpcore.privacy.events import PrivacyEvent, PureEvent
from dpcore.privacy.halving import halved
from dpcore.privacy_filter import PrivacyCost
from dpcore.secure_noise import truncated

_ROOT_2 = math.sqrt(2.0)
_ROOT_2_PI = math.sqrt(2 * math.pi)
_TAIL = 0.25  # below that probability, a tail is more exact than the middle
_POINTS, _ZOOMS = 128, 3
_FAR = 10.0  # beyond so many sigma, normal noise is not noticed


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedGaussian(Bounded):
    """Gaussian noise within public bounds; its scale is ``sigma``."""

    def __post_init__(self) -> None:
        require_noise(self.noise)

    @classmethod
    def calibrate(
        cls, *, sensitivity: Sensitivity, epsilon: float, delta: float = 0.0, bounds: Interval
    ) -> Self:
        """Return the scale of plain Gaussian noise, which is enough.

        Raises:
            ParameterError: ``delta`` is 0.

        """
        plain = Gaussian.calibrate(
            sensitivity=sensitivity, epsilon=epsilon, delta=delta, bounds=bounds
        )
        return cls(noise=plain.noise, bounds=bounds)

    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Return the exact level of a scalar; for several coordinates an upper bound.

        At ``delta = 0`` the worst pair has one value on a bound: the pure level falls as
        both move away from it. Otherwise the place of the pair is searched.
        """
        plain = self._plain.epsilon(sensitivity, delta=delta)
        shift, width = min(sensitivity.largest, self.bounds.width), self.bounds.width
        if plain == 0 or self.noise == 0:
            return plain
        if delta == 0:
            return sensitivity.coordinates * self._pure_level(shift)
        h, rest = shift / self.noise, (width - shift) / self.noise
        most = float(profile.epsilon_of(h, delta))
        if sensitivity.coordinates > 1 or rest / 2 > h / 2 + most / h + _FAR:
            return plain if sensitivity.coordinates > 1 else most
        return min(self._worst(h, rest, delta, most) * ROUND_UP, most)

    def _worst(self, h: float, rest: float, delta: float, most: float) -> float:
        """Return the largest level over where a pair lies, by zooming into a grid."""
        step = min(rest, _FAR * 4) / _POINTS
        grid = step * np.arange(_POINTS + 1)
        places, level = np.concatenate([grid, rest - grid]), np.zeros(())
        for _ in range(_ZOOMS):
            holds = partial(self._holds, places, rest + h - places, np.array(h), delta)
            levels = first_where(holds, np.zeros_like(places), np.full_like(places, most))
            level, around = levels.max(), places[levels.argmax()]
            places = np.clip(around + step * np.linspace(-1, 1, _POINTS), 0.0, rest)
            step *= 2 / _POINTS
        return float(level)

    def _holds(
        self, a: FloatArray, d: FloatArray, h: FloatArray, delta: float, epsilon: FloatArray
    ) -> NDArray[np.bool_]:
        return self._upwards(a, d, h, epsilon) <= delta

    def event(self, sensitivity: Sensitivity) -> PrivacyEvent:
        """Return the event of plain noise, which reveals at least as much."""
        return self._plain.event(sensitivity)

    @property
    def _plain(self) -> Gaussian:
        return Gaussian(noise=self.noise)

    def _pure_level(self, shift: float) -> float:
        if math.isinf(self.bounds.width):
            return math.inf
        ends = np.array([self.bounds.lower]), np.array([self.bounds.lower + shift])
        return float(self._levels(*ends)[0]) * ROUND_UP

    @abstractmethod
    def _inside(self, a: FloatArray, d: FloatArray) -> FloatArray:
        """Return ``Z``, what the law inside the bounds is divided by."""

    @abstractmethod
    def _beyond(self, t: FloatArray, d: FloatArray) -> FloatArray:
        """Return ``Z`` times the probability of at least ``t``, where ``t <= d``."""

    @abstractmethod
    def _extreme(self, a: FloatArray, d: FloatArray, h: FloatArray) -> FloatArray:
        """Return the log ratio of both laws at the upper bound."""

    def _scalar_delta(
        self, x: FloatArray, y: FloatArray, epsilon: float | FloatArray
    ) -> FloatArray:
        a, d, h = self._distances(x, y)
        most = profile.delta_of(h, epsilon)
        return most if self.noise == 0 else np.minimum(self._both_ways(a, d, h, epsilon), most)

    def _scalar_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        a, d, h = (part.ravel() for part in np.broadcast_arrays(*self._distances(x, y)))
        most = profile.epsilon_of(h, delta)
        if self.noise > 0:
            most = first_where_of_each(
                lambda level: self._both_ways(a, d, h, level) <= delta, 0 * most, most
            )
        return most.reshape(np.broadcast_shapes(x.shape, y.shape))

    def _both_ways(
        self, a: FloatArray, d: FloatArray, h: FloatArray, epsilon: float | FloatArray
    ) -> FloatArray:
        up, down = self._upwards(a, d, h, epsilon), self._upwards(d - h, a + h, h, epsilon)
        return np.maximum(up, down)

    def _vector_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        return self._plain.pairwise_epsilon(x, y, delta=delta)

    def _vector_delta(self, x: FloatArray, y: FloatArray, epsilon: float) -> FloatArray:
        return self._plain.pairwise_delta(x, y, epsilon=epsilon)

    def _levels(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the larger log ratio of both laws at a bound; no other is larger."""
        a, d, h = self._distances(x, y)
        with np.errstate(invalid="ignore", divide="ignore"):
            level = np.maximum(self._extreme(a, d, h), self._extreme(d - h, a + h, h))
        level = np.where(np.isfinite(a) & np.isfinite(d), level, np.inf)
        return np.where(h > 0, level, np.minimum(h, 0.0))

    def _distances(self, x: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        low, high = np.minimum(x, y), np.maximum(x, y)
        ends = low - self.bounds.lower, self.bounds.upper - low, high - low
        a, d, h = (scaled(length, self.noise) for length in ends)
        return a, d, h

    def _upwards(
        self, a: FloatArray, d: FloatArray, h: FloatArray, epsilon: float | FloatArray
    ) -> FloatArray:
        """Return the delta of seeing the release of the higher value."""
        own, other = self._inside(a, d), self._inside(a + h, d - h)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.clip(h / 2 + (epsilon + np.log(other / own)) / h, -a, d)
            first, second = self._beyond(t - h, d - h) / other, self._beyond(t, d) / own
            ahead = np.minimum(epsilon + np.log(second) - np.log(first), 0.0)
            return np.where((h > 0) & (first > 0), first * -np.expm1(ahead), np.minimum(h, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundaryInflatedGaussian(BoundedGaussian):
    """Release ``value + N(0, sigma^2)`` moved to the nearest point of the bounds."""

    def pdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the normal density strictly inside the bounds, 0 elsewhere."""
        x = np.asarray(x, dtype=np.float64)
        inside = (x > self.bounds.lower) & (x < self.bounds.upper)
        return np.where(inside, self._plain.pdf(x, position), 0.0)

    def atoms(self, position: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the probabilities of noise that falls below and above the bounds."""
        position = np.asarray(position, dtype=np.float64)
        below = self._plain.cdf(self.bounds.lower, position)
        return below, self._plain.cdf(-self.bounds.upper, -position)

    def cdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the normal cdf between the bounds, 0 below and 1 from the upper."""
        inner = np.where(np.less(x, self.bounds.lower), 0.0, self._plain.cdf(x, position))
        return np.where(np.greater_equal(x, self.bounds.upper), 1.0, inner)

    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the clamped normal quantile."""
        return self.bounds.clip(self._plain.quantile(u, position))

    def _moments(self, position: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return no way, and both moments about the value itself.

        With ``L(t) = phi(t) - t Phi(-t)`` the bias is ``sigma [L(a) - L(d)]``, the MSE
        ``sigma^2`` times the sum of ``M(t) = P_3/2(t^2/2)/2 + t^2 Phi(-t)`` at both.
        """
        position = np.asarray(position, dtype=np.float64)
        if self._fixed:
            return self.bounds.clip(position) - position, 0 * position, 0 * position
        a = scaled(position - self.bounds.lower, self.noise)
        d = scaled(self.bounds.upper - position, self.noise)
        first = self.noise * (_loss(a) - _loss(d))
        return 0 * position, first, self.noise * (self.noise * (_square(a) + _square(d)))

    def _counted(self, first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the values themselves; where the release is one point, that point."""
        x, y = floats(first, second)
        return (self.bounds.clip(x), self.bounds.clip(y)) if self._fixed else (x, y)

    def secure_draw(
        self, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
    ) -> FloatArray:
        """Return a Gaussian draw around the clamped value, clamped."""
        inside = self.bounds.clip(value)
        drawn = self._plain.secure_draw(inside, sensitivity=sensitivity, cost=cost)
        return self.bounds.clip(drawn)

    def _inside(self, a: FloatArray, d: FloatArray) -> FloatArray:  # noqa: ARG002 - a common signature
        return np.ones(())

    def _beyond(self, t: FloatArray, d: FloatArray) -> FloatArray:  # noqa: ARG002
        return np.asarray(ndtr(-t))

    def _extreme(self, a: FloatArray, d: FloatArray, h: FloatArray) -> FloatArray:  # noqa: ARG002
        return np.asarray(log_ndtr(h - d) - log_ndtr(-d))


@dataclass(frozen=True, slots=True, kw_only=True)
class TruncatedGaussian(BoundedGaussian):
    """Release ``value + N(0, sigma^2)``, conditioned on lying in the bounds.

    A value outside the bounds counts as the nearest point in them.
    """

    drawn_at_once = 50

    def pdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the normal density over the probability of the bounds."""
        nearest, a, d = self._place(position)
        inside = np.equal(self.bounds.clip(x), x)
        mass = 1.0 if self._fixed else _inside(a, d)
        return np.where(inside, Gaussian(noise=self._scale).pdf(x, nearest) / mass, 0.0)

    def cdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the probability of releasing at most ``x``."""
        nearest, a, d = self._place(position)
        if self._fixed:
            return np.greater_equal(x, nearest).astype(np.float64)
        t = scaled(self.bounds.clip(x) - nearest, self.noise)
        return np.clip(_mass(-a, t) / _inside(a, d), 0.0, 1.0)

    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the smallest ``x`` with ``cdf(x) >= u``, from the nearer tail."""
        u = np.asarray(u, dtype=np.float64)
        nearest, a, d = self._place(position)
        if self._fixed:
            return np.asarray(nearest + 0 * u)
        mass = _inside(a, d)
        below = u * mass <= erf(a / _ROOT_2) / 2
        away = np.where(below, -_from_tail(u * mass, a), _from_tail((1 - u) * mass, d))
        return self.bounds.clip(nearest + self.noise * away)

    def _moments(self, position: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the way to the nearest point of the bounds, and two moments there.

        The bias there is ``sigma [phi(a) - phi(d)]/Z``, the MSE ``sigma^2 [P_3/2(a^2/2) +
        P_3/2(d^2/2)]/(2 Z)``, ``P`` the regularised incomplete gamma functions.
        """
        nearest, a, d = self._place(position)
        moved = nearest - np.asarray(position, dtype=np.float64)
        if self._fixed:
            return moved, 0 * nearest, 0 * nearest
        mass, s = _inside(a, d), self.noise
        first = incomplete_difference(1, d * d / 2, a * a / 2) / (_ROOT_2_PI * mass)
        second = incomplete_sum(1.5, a * a / 2, d * d / 2) / (2 * mass)
        return moved, s * first, s * (s * second)

    @property
    def _scale(self) -> float:
        return 0.0 if self._fixed else self.noise

    def _place(self, position: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        at = place(position, self.bounds, self.noise)
        return at.nearest, at.a, at.d

    def _counted(self, first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return the nearest points of the bounds."""
        return self.bounds.clip(first), self.bounds.clip(second)

    def secure_draw(
        self,
        value: FloatArray,
        *,
        sensitivity: Sensitivity,  # noqa: ARG002 - calibration pays for truncation
        cost: PrivacyCost,  # noqa: ARG002 - as above
    ) -> FloatArray:
        """Return a Gaussian draw, redrawn until inside the bounds."""
        return truncated("gaussian", value, noise=self.noise, bounds=self.bounds)

    def _inside(self, a: FloatArray, d: FloatArray) -> FloatArray:
        return _inside(a, d)

    def _beyond(self, t: FloatArray, d: FloatArray) -> FloatArray:
        return _mass(t, d)

    def _extreme(self, a: FloatArray, d: FloatArray, h: FloatArray) -> FloatArray:
        return np.asarray(h * (d - h / 2) + np.log(_inside(a, d) / _inside(a + h, d - h)))


@dataclass(frozen=True, slots=True, kw_only=True)
class PureTruncatedGaussian(TruncatedGaussian):
    """The same with enough noise for pure DP, on finite bounds (Chen and Hale 2022)."""

    @classmethod
    def calibrate(
        cls, *, sensitivity: Sensitivity, epsilon: float, delta: float = 0.0, bounds: Interval
    ) -> Self:
        """Return the least scale whose pure level is ``epsilon``, found by halving.

        With values ``D`` apart on bounds of width ``R`` the level is ``D (R - D/2)/sigma^2 -
        log Z1/Z0``, and ``Z1/Z0`` lies between 1 and 2, which brackets the root.

        Raises:
            ParameterError: A bound is infinite, so that no scale is enough.

        """
        require_budget(epsilon, delta)
        width, cells = bounds.width, sensitivity.coordinates
        shift = min(sensitivity.largest, width)
        if math.isinf(width):
            raise ParameterError("Gaussian noise has a pure level on finite bounds only.")
        if shift == 0:
            return cls(noise=0.0, bounds=bounds)

        def holds(noise: float) -> bool:
            return cells * cls(noise=noise, bounds=bounds)._pure_level(shift) <= epsilon  # noqa: SLF001

        low = math.sqrt(shift * (width - shift / 2) / (epsilon / cells + math.log(2)))
        high = math.sqrt(shift * width * cells / epsilon) * ROUND_UP
        return cls(noise=halved(holds, low, high)[1], bounds=bounds)

    def event(self, sensitivity: Sensitivity) -> PureEvent:
        """Return the pure level."""
        return PureEvent.from_ratio(self.epsilon(sensitivity))


def _inside(a: FloatArray, d: FloatArray) -> FloatArray:
    """Return the probability of normal noise from ``-a`` to ``d``, both at least 0."""
    return np.asarray((erf(a / _ROOT_2) + erf(d / _ROOT_2)) / 2)


def _mass(low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the probability of normal noise between two numbers, low before high."""
    near = (erf(high / _ROOT_2) - erf(low / _ROOT_2)) / 2
    upper, lower = ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low)
    return np.maximum(np.where(low > 1, upper, np.where(high < -1, lower, near)), 0.0)


def _from_tail(mass: FloatArray, a: FloatArray) -> FloatArray:
    """Return how far inside the noise has ``mass`` beyond it, within ``a``."""
    tail = ndtr(-a) + mass
    near = _ROOT_2 * erfinv(np.maximum(erf(a / _ROOT_2) - 2 * mass, 0.0))
    return np.where(tail < _TAIL, -ndtri(tail), near)


def _loss(t: FloatArray) -> FloatArray:
    """Return ``phi(t) - t Phi(-t)``, the mean of noise beyond ``t``; 0 at infinity."""
    finite = np.where(np.isposinf(t), 0.0, t)
    loss = np.exp(-finite * finite / 2) / _ROOT_2_PI - finite * ndtr(-finite)
    return np.where(np.isposinf(t), 0.0, loss)


def _square(t: FloatArray) -> FloatArray:
    """Return the mean square of noise on one side of 0, clamped at ``t``."""
    inner = np.sign(t) * gammainc(1.5, t * t / 2) / 2
    return np.asarray(inner + np.where(np.isposinf(t), 0.0, t * t) * ndtr(-t))
