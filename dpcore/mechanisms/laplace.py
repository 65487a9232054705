"""The Laplace mechanism.

A sum of k independent Laplace variables is a difference of two Gammas. Its density is
``e^-x`` times a polynomial in ``x = |value|`` with positive coefficients, and so is its
survival function (a mixture of Erlang tails). Both polynomials are evaluated divided by
``(1 + x)^{k-1}``, in ``x/(1 + x)`` and ``1/(1 + x)``: nothing overflows, and nothing
cancels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms import symmetric
from dpcore.mechanisms.mechanism import AdditiveNoise, Sensitivity, require_budget, require_noise
from dpcore.mechanisms.pairs import distances, over_scale, total
from dpcore.mechanisms.symmetric import SymmetricMechanism
from dpcore.privacy import laplace as profile
from dpcore.privacy.conversions import pure_epsilon_of
from dpcore.privacy.events import LaplaceEvent
from dpcore.privacy_filter import PrivacyCost, float_below
from dpcore.secure_noise import covering, covering_scale, drawn_by, measurement


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
    >>> from dpcore.mechanisms.mechanism import Sensitivity
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

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return ``max(0, r + 2 log(1 - delta))``, ``r`` the l1 distance over ``b``.

        Exact where one coordinate changes, or two by the same amount, and for
        ``delta = 0``; else an upper bound (``privacy.laplace.product_epsilon_of``).
        """
        ratios = self._ratios(first, second)
        return total(ratios) if delta == 0 else profile.product_epsilon_of(ratios, delta)

    def pairwise_delta(self, first: ArrayLike, second: ArrayLike, *, epsilon: float) -> FloatArray:
        """Return ``1 - exp((epsilon - r)/2)``, as exact as ``pairwise_epsilon``."""
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

    def secure_draw(
        self, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
    ) -> FloatArray:
        """Return OpenDP's Laplace noise around ``value``."""
        scale = self.secure_scale(len(value), sensitivity=sensitivity, cost=cost)
        return drawn_by(measurement("laplace", len(value), scale), value)

    def secure_scale(self, size: int, *, sensitivity: Sensitivity, cost: PrivacyCost) -> float:
        """Return the scale of a secure draw of ``size`` numbers, to the last bit.

        Raises:
            ClaimError: The noise is too small for ``cost``.

        """
        level = float_below(cost.epsilon)
        return covering_scale("laplace", size, self.noise, sensitivity.l1, level)

    def event(self, sensitivity: Sensitivity) -> LaplaceEvent:
        """Return Laplace noise of ``b / l1`` times the sensitivity."""
        return LaplaceEvent.from_ratio(self.epsilon(sensitivity))

    def _ratios(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        return over_scale(distances(first, second), self.noise)


MOST_DRAWS = 100
_NO_PROBABILITY = 760.0
_PER_DRAW = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceSum:
    """The sum of ``draws`` standard Laplace variables, a ``symmetric.StandardNoise``.

    Attributes:
        draws: Their number ``k``.

    Raises:
        ParameterError: ``draws`` is not a whole number from 1 to ``MOST_DRAWS``.

    """

    draws: int

    def __post_init__(self) -> None:
        if self.draws != int(self.draws) or not 1 <= self.draws <= MOST_DRAWS:
            raise ParameterError(
                f"the number of draws must be a whole number from 1 to {MOST_DRAWS}, "
                f"got {self.draws}."
            )

    @property
    def farthest(self) -> float:
        """Return a point beyond which the noise has no probability in floats."""
        return _NO_PROBABILITY + _PER_DRAW * self.draws

    def density(self, x: FloatArray) -> FloatArray:
        """Return ``e^-x sum_j a_j x^(k-1-j)``.

        ``a_j = (k-1+j)! / ((k-1-j)! j! 2^(k+j) (k-1)!)``: a Bessel function of the
        second kind of half-integer order.
        """
        return np.asarray(np.exp(self._log_polynomial(_density(self.draws), x) - x))

    def survival(self, x: FloatArray) -> FloatArray:
        """Return the probability of more than ``x``."""
        return np.asarray(np.exp(self._log_polynomial(_survival(self.draws), x) - x))

    def mills(self, x: FloatArray) -> FloatArray:
        """Return ``survival / density``, the ratio of the two polynomials."""
        above = _homogeneous(_survival(self.draws), x)
        return np.asarray(above / _homogeneous(_density(self.draws), x))

    def log_ratio(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return ``log density(x) - log density(y)`` for ``0 <= x <= y``."""
        coefficients = _density(self.draws)
        ahead = self._log_polynomial(coefficients, x)
        return np.asarray(y - x + ahead - self._log_polynomial(coefficients, y))

    def _log_polynomial(self, coefficients: tuple[float, ...], x: FloatArray) -> FloatArray:
        factor = np.log(_homogeneous(coefficients, x))
        return np.asarray((self.draws - 1) * np.log1p(x) + factor)


def _homogeneous(coefficients: tuple[float, ...], x: FloatArray) -> FloatArray:
    """Return ``sum_i c_i x^i / (1 + x)^(k-1)`` by Horner's rule."""
    rest = 1 / (1 + np.asarray(x, dtype=np.float64))
    share, power = 1 - rest, np.ones_like(rest)
    value = np.full_like(rest, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        power *= rest
        value = value * share + coefficient * power
    return value


@lru_cache(maxsize=MOST_DRAWS)
def _exact(k: int) -> tuple[Fraction, ...]:
    """Return the coefficients of the density, in ascending powers."""
    return tuple(
        Fraction(
            factorial(k - 1 + j),
            factorial(k - 1 - j) * factorial(j) * 2 ** (k + j) * factorial(k - 1),
        )
        for j in reversed(range(k))
    )


@lru_cache(maxsize=MOST_DRAWS)
def _density(k: int) -> tuple[float, ...]:
    return tuple(map(float, _exact(k)))


@lru_cache(maxsize=MOST_DRAWS)
def _survival(k: int) -> tuple[float, ...]:
    """Return the coefficients of the integral: ``sum_{m >= i} c_m m! / i!``."""
    sums, above = [], Fraction(0)
    for i, coefficient in reversed(list(enumerate(_exact(k)))):
        above += coefficient * factorial(i)
        sums.append(float(above / factorial(i)))
    return tuple(reversed(sums))


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

    >>> from dpcore.mechanisms.mechanism import Sensitivity
    >>> averaged = AveragedLaplace(noise=1.0, draws=10)
    >>> round(averaged.epsilon(Sensitivity.scalar(1.0), delta=1e-6), 7)
    0.6500862

    """

    drawn_at_once = 600

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
            return float(self.pairwise_epsilon(moved, np.zeros(1), delta=delta))
        largest = float(law.scaled(sensitivity.largest, self.noise))
        return level_at(np.full(sensitivity.coordinates, largest), level, delta)

    def secure_draw(
        self, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
    ) -> FloatArray:
        """Return the mean of ``draws`` Laplace draws around each value."""
        k, level = self.draws, float_below(cost.epsilon)
        distance = k * sensitivity.l1
        measure = covering("laplace", k * len(value), k * self.noise, distance, level)
        table = drawn_by(measure, np.repeat(value, k)).reshape(-1, k)
        return np.asarray(table.mean(axis=1))

    def event(self, sensitivity: Sensitivity) -> LaplaceEvent:
        """Return one Laplace draw of scale ``b``; more noise is post-processing."""
        return LaplaceEvent.from_ratio(self.epsilon(sensitivity))

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
