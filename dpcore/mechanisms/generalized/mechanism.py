"""The generalized Gaussian mechanism of order p: Laplace, Gaussian and beyond."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms import symmetric
from dpcore.mechanisms.base import Sensitivity, require_budget, require_noise
from dpcore.mechanisms.gaussian.mechanism import Gaussian
from dpcore.mechanisms.generalized import pairs
from dpcore.mechanisms.generalized.noise import GeneralizedNoise
from dpcore.mechanisms.laplace.mechanism import Laplace, least_scale
from dpcore.mechanisms.pairs import ExactForOne, distances
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
    >>> from dpcore.mechanisms.base import Sensitivity
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
            return cls(noise=least_scale(sensitivity.l1, epsilon), order=order)
        if delta == 0:
            raise ParameterError("the generalized Gaussian mechanism needs a delta above 0.")
        if order == _GAUSSIAN or sensitivity.coordinates == 1:
            noise = pairs.least_scale(sensitivity.l2, epsilon, delta, order)
        elif sensitivity.largest == 0:
            noise = 0.0
        else:
            share = epsilon * (sensitivity.largest / sensitivity.l1)
            part = delta / sensitivity.coordinates
            noise = pairs.least_scale(sensitivity.largest, share, part, order)
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

    def pair_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the exact epsilon at ``delta`` where one coordinate changes.

        At ``delta = 0`` it is ``inf`` where anything moves. For several coordinates an
        upper bound (``pairs.vector_epsilon``).
        """
        if (known := self._known) is not None:
            return known.pair_epsilon(first, second, delta=delta)
        return ExactForOne.pair_epsilon(self, first, second, delta=delta)

    def pair_delta(self, first: ArrayLike, second: ArrayLike, *, epsilon: float) -> FloatArray:
        """Return the delta at ``epsilon``, as exact as ``pair_epsilon``."""
        if (known := self._known) is not None:
            return known.pair_delta(first, second, epsilon=epsilon)
        return ExactForOne.pair_delta(self, first, second, epsilon=epsilon)

    def loss_exceeds(self, shift: float, *, epsilon: float) -> float:
        """Return the probability that a scalar's loss leaves ``[-epsilon, epsilon]``.

        This is the delta of probabilistic DP, exactly, for a change by ``shift``.
        """
        ratio = law.scaled(shift, self.noise)
        return float(symmetric.loss_exceeds(self._standard, ratio, epsilon))

    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Return the exact epsilon at ``delta`` for a scalar.

        For several coordinates the largest that ``pair_epsilon`` can be: as it is
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
            return float(self.pair_epsilon(moved, np.zeros(1), delta=delta))
        ratio = np.array(sensitivity.largest / self.noise)
        part = delta / sensitivity.coordinates
        level = float(pairs.one_sided_epsilon(ratio, part, self.order))
        return level * (sensitivity.l1 / sensitivity.largest)

    def event(self, sensitivity: Sensitivity) -> PrivacyEvent:
        """Return the event of orders 1 and 2; otherwise one that guarantees nothing.

        Its ``rho`` is then ``inf`` too.
        """
        if (known := self._known) is not None:
            return known.event(sensitivity)
        return PureEvent.of(0.0 if sensitivity.largest == 0 else math.inf)

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
        return pairs.vector_epsilon(self._ratios(x, y), delta, self.order)

    def _vector_delta(self, x: FloatArray, y: FloatArray, epsilon: float) -> FloatArray:
        return pairs.vector_delta(self._ratios(x, y), epsilon, self.order)
