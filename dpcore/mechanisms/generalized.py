"""The generalized Gaussian mechanism of order p: Laplace, Gaussian and beyond.

``|X|^p`` has a Gamma law of shape ``1/p``, so that its tails are regularised incomplete
gamma functions.

With all lengths over the scale, a shift by ``r`` has the loss ``|w + r|^p - |w|^p`` at
noise ``w``, which increases in ``w``. Outside ``|w| <= u`` its size may exceed
``(u + r)^p - u^p``, inside it cannot (Liu 2016, eq. 3; for a scalar the condition
telescopes to this). Outside has the probability ``Q(1/p, u^p)``, ``Q`` the regularised
upper incomplete gamma function.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincc, gammainccinv

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.laplace import least_scale as laplace_scale
from dpcore.mechanisms.mechanism import Sensitivity, require_budget, require_noise
from dpcore.mechanisms.pairs import ExactForOne, distances
from dpcore.mechanisms.search import ROUND_UP
from dpcore.mechanisms.symmetric import SymmetricMechanism
from dpcore.privacy.events import PrivacyEvent, PureEvent

ORDER = 3.0
"""The order unless said otherwise."""
_GAUSSIAN = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizedGaussian(SymmetricMechanism):
    """Release ``value`` plus noise of density ``exp(-(|x|/b)^p)`` (Liu 2019).

    Order 1 is the Laplace mechanism, order 2 the Gaussian one with ``sigma = b /
    sqrt(2)``, for which all answers about privacy are theirs. Above order 1 no epsilon
    holds at ``delta = 0``. Nothing is known here about its zCDP level, which is
    infinite above order 2: the event says nothing.

    Attributes:
        noise: The scale ``b``, in the units of the statistic.
        order: The exponent ``p``, at least 1 and finite.

    Raises:
        ParameterError: ``noise`` is not in [0, inf), or ``order`` not in [1, inf).

    >>> from dpcore.data.bounds import Interval
    >>> from dpcore.mechanisms.mechanism import Sensitivity
    >>> unit = Interval(lower=0.0, upper=1.0)
    >>> made = GeneralizedGaussian.calibrate(
    ...     sensitivity=Sensitivity.scalar(1.0), epsilon=1.0, delta=1e-5, bounds=unit
    ... )
    >>> round(made.noise, 9)
    13.447343219

    """

    order: float = ORDER

    def __post_init__(self) -> None:
        require_noise(self.noise)
        if not 1 <= self.order < math.inf:
            raise ParameterError(f"the order must be at least 1 and finite, got {self.order}.")

    @classmethod
    def calibrate(
        cls,
        *,
        sensitivity: Sensitivity,
        epsilon: float,
        delta: float = 0.0,
        bounds: Interval,  # noqa: ARG003 - the release is not bounded
        order: float = ORDER,
    ) -> Self:
        """Return the scale that is (epsilon, delta)-probabilistically DP, rounded up.

        For a scalar Liu's condition in closed form (``pairs.least_scale``).
        Order 1 needs no delta. Order 2 goes by the l2 sensitivity. Otherwise, where
        ``c`` coordinates change, each gets ``delta / c`` and the share of epsilon that
        the largest change has of ``l1``; as the level is convex in the change, no other
        split of ``l1`` costs more.

        Raises:
            ParameterError: ``delta`` is 0 and the order above 1.

        """
        require_budget(epsilon, delta)
        cls(noise=0.0, order=order)  # the order is checked before it is used
        if order == 1:
            return cls(noise=laplace_scale(sensitivity.l1, epsilon), order=order)
        if delta == 0:
            raise ParameterError("the generalized Gaussian mechanism needs a delta above 0.")
        if order == _GAUSSIAN or sensitivity.coordinates == 1:
            noise = least_scale(sensitivity.l2, epsilon, delta, order)
        elif sensitivity.largest == 0:
            noise = 0.0
        else:
            share = epsilon * (sensitivity.largest / sensitivity.l1)
            part = delta / sensitivity.coordinates
            noise = least_scale(sensitivity.largest, share, part, order)
        return cls(noise=noise, order=order)

    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the smallest ``x`` with ``cdf(x) >= u``."""
        u = np.asarray(u, dtype=np.float64)
        moved = self.noise * self._standard.quantile(u)
        return np.asarray(np.asarray(position, dtype=np.float64) + moved)

    def variance(self, position: ArrayLike) -> FloatArray:
        """Return ``b^2 Gamma(3/p) / Gamma(1/p)``."""
        variance = self.noise * self.noise * self._standard.variance
        return np.full(np.shape(position), variance)

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the exact epsilon at ``delta`` where one coordinate changes.

        At ``delta = 0`` it is ``inf`` where anything moves. For several coordinates an
        upper bound (``pairs.vector_epsilon``).
        """
        if (known := self._known) is not None:
            return known.pairwise_epsilon(first, second, delta=delta)
        return ExactForOne.pairwise_epsilon(self, first, second, delta=delta)

    def pairwise_delta(self, first: ArrayLike, second: ArrayLike, *, epsilon: float) -> FloatArray:
        """Return the delta at ``epsilon``, as exact as ``pairwise_epsilon``."""
        if (known := self._known) is not None:
            return known.pairwise_delta(first, second, epsilon=epsilon)
        return ExactForOne.pairwise_delta(self, first, second, epsilon=epsilon)

    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Return the exact epsilon at ``delta`` for a scalar.

        For several coordinates the largest that ``pairwise_epsilon`` can be: as it is
        convex in each change, that of as many largest changes as ``l1`` has room for.
        """
        if (known := self._known) is not None:
            return known.epsilon(sensitivity, delta=delta)
        if sensitivity.largest == 0:
            return 0.0
        if delta == 0 or self.noise == 0:
            return math.inf
        if sensitivity.coordinates == 1:
            moved = np.array([sensitivity.l1])
            return float(self.pairwise_epsilon(moved, np.zeros(1), delta=delta))
        ratio = np.array(sensitivity.largest / self.noise)
        part = delta / sensitivity.coordinates
        level = float(one_sided_epsilon(ratio, part, self.order))
        return level * (sensitivity.l1 / sensitivity.largest)

    def event(self, sensitivity: Sensitivity) -> PrivacyEvent:
        """Return the event of orders 1 and 2; otherwise one that guarantees nothing.

        Its ``rho`` is then ``inf`` too.
        """
        if (known := self._known) is not None:
            return known.event(sensitivity)
        return PureEvent.from_ratio(0.0 if sensitivity.largest == 0 else math.inf)

    @property
    def _standard(self) -> GeneralizedNoise:
        return GeneralizedNoise(order=self.order)

    @property
    def _known(self) -> Laplace | Gaussian | None:
        """Return the same mechanism under its own name, if it has one."""
        if self.order == 1:
            return Laplace(noise=self.noise)
        if self.order == _GAUSSIAN:
            return Gaussian(noise=self.noise / math.sqrt(2))
        return None

    def _pure(self, x: FloatArray, y: FloatArray) -> FloatArray:
        moved = distances(x, y).max(axis=-1)
        return np.where(moved > 0, np.inf, moved)

    def _vector_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        """Return an epsilon for independent noise in several coordinates.

        Each of ``c`` shifts gets ``delta / c`` for passing its own level; but for delta,
        the losses then add up to at most the sum of the levels.
        """
        ratios, order = self._ratios(x, y), self.order
        moved = np.maximum(np.count_nonzero(ratios, axis=-1), 1)[..., np.newaxis]
        power = gammainccinv(1 / order, np.minimum(2 * delta / moved, 1.0))
        levels = _loss(power ** (1 / order), ratios, order)
        return np.asarray(levels.sum(axis=-1) * ROUND_UP)

    def _vector_delta(self, x: FloatArray, y: FloatArray, epsilon: float) -> FloatArray:
        """Return a delta for independent noise in several coordinates.

        The inverse of ``_vector_epsilon``: ``c Q(1/p, u^p) / 2`` where the levels at ``u``
        add up to epsilon, found by halving.
        """
        ratios, order = self._ratios(x, y), self.order
        low = np.zeros(np.shape(ratios)[:-1])
        high = np.full_like(low, _FARTHEST ** (1 / order))
        target = epsilon / ROUND_UP
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            levels = _loss(middle[..., np.newaxis], ratios, order).sum(axis=-1)
            within = levels <= target
            low, high = np.where(within, middle, low), np.where(within, high, middle)
        moved = np.count_nonzero(ratios, axis=-1)
        tail = moved * gammaincc(1 / order, low**order) / 2
        # At u = 0 half of the noise still passes: nothing better than 1 is known.
        return np.where(low > 0, np.minimum(tail, 1.0), np.where(moved > 0, 1.0, 0.0))


_ASYMPTOTIC_FROM = 50.0
_TERMS = 18
_NO_PROBABILITY = 750.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizedNoise:
    """Generalized Gaussian noise of scale 1, a ``symmetric.StandardNoise``.

    Attributes:
        order: The exponent ``p``, at least 1: 1 is Laplace, 2 is Gaussian.

    """

    order: float

    @property
    def variance(self) -> float:
        """Return ``Gamma(3/p) / Gamma(1/p)``."""
        p = self.order
        return math.exp(math.lgamma(3 / p) - math.lgamma(1 / p))

    @property
    def farthest(self) -> float:
        """Return a point beyond which the noise has no probability in floats."""
        return float(_NO_PROBABILITY ** (1 / self.order))

    def density(self, x: FloatArray) -> FloatArray:
        """Return ``p exp(-x^p) / (2 Gamma(1/p))``."""
        height = self.order / (2 * math.gamma(1 / self.order))
        return np.asarray(height * np.exp(-self._power(x)))

    def survival(self, x: FloatArray) -> FloatArray:
        """Return the probability of more than ``x``."""
        return np.asarray(gammaincc(1 / self.order, self._power(x)) / 2)

    def mills(self, x: FloatArray) -> FloatArray:
        """Return ``survival / density``: ``e^t Gamma(1/p, t) / p`` with ``t = x^p``.

        Far out its asymptotic series ``t^{1/p - 1} (1 + (1/p - 1)/t + ...) / p``.
        """
        a, t = 1 / self.order, self._power(x)
        near = np.minimum(t, _ASYMPTOTIC_FROM)
        direct = gammaincc(a, near) * np.exp(near) * math.gamma(a)
        far = np.maximum(t, _ASYMPTOTIC_FROM)
        series = np.ones_like(far)
        for k in range(_TERMS, 0, -1):
            series = 1 + (a - k) / far * series
        tail = far ** (a - 1) * series
        return np.asarray(np.where(t < _ASYMPTOTIC_FROM, direct, tail) / self.order)

    def log_ratio(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return ``y^p - x^p`` for ``0 <= x <= y``, without cancellation."""
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(y > 0, (x - y) / y, 0.0)
            less = np.expm1(self.order * np.log1p(share))
        return np.asarray(-self._power(y) * less)

    def quantile(self, u: FloatArray) -> FloatArray:
        """Return the ``u``-quantile."""
        tail = gammainccinv(1 / self.order, 2 * np.minimum(u, 1 - u))
        return np.asarray(np.sign(u - 0.5) * tail ** (1 / self.order))

    def _power(self, x: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(np.asarray(x, dtype=np.float64) ** self.order)


_HALVINGS = 64
_FARTHEST = 750.0


def least_scale(shift: float, epsilon: float, delta: float, order: float) -> float:
    """Return the scale at which the size of the loss passes epsilon at most at delta.

    ``b = shift / (u expm1(log1p(epsilon/u^p)/p))`` with ``Q(1/p, u^p) = delta``: the
    root of ``(u + shift/b)^p - u^p = epsilon`` without cancellation.

    >>> round(least_scale(1.0, 1.0, 0.01, 4.0), 9)
    8.909431894
    """
    power = float(gammainccinv(1 / order, delta))
    if power == 0:
        return float(shift / epsilon ** (1 / order) * ROUND_UP)
    u = float(power ** (1 / order))
    return shift / (u * math.expm1(math.log1p(epsilon / power) / order)) * ROUND_UP


def one_sided_epsilon(r: FloatArray, delta: float, order: float) -> FloatArray:
    """Return an epsilon that the loss of a shift ``r`` passes at most at ``delta``.

    ``(u + r)^p - u^p``, where the noise is above ``u`` with probability ``delta``, or
    ``u = 0``. Convex in ``r``, and 0 at 0.
    """
    power = float(gammainccinv(1 / order, min(2 * delta, 1.0)))
    return _loss(power ** (1 / order), r, order)


def _loss(u: FloatArray | float, r: FloatArray, order: float) -> FloatArray:
    """Return ``(u + r)^p - u^p``, without cancellation where ``r`` is small."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        growth = np.expm1(order * np.log1p(r / u))
        near = np.asarray(u) ** order * growth
        whole = np.asarray(u + r) ** order
    small = np.asarray(r) < u
    return np.where(small, near, whole - np.asarray(u) ** order)
