"""What the mechanisms with bounded releases have in common.

``draw`` serves scales and bounds that differ from element to element. A mechanism is
fixed by one scale and one interval. A procedure that releases the parts of a whole one
after another narrows the interval with every release, and a simulation study walks over
many scales at once: both need the same laws, elementwise.

With ``w`` uniform on (-1, 1), ``position - sign(w) b log(1 - |w|)`` is a Laplace draw.
Clamping it gives the BIT law. Drawing ``w`` between ``-P_1(a)`` and ``P_1(d)`` only,
where ``P_1(t) = 1 - e^-t`` and ``a``, ``d`` are the distances to the bounds over ``b``,
gives the truncated law without a single rejection.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.laplace_law import one_minus_exp, scaled
from dpcore.mechanisms.mechanism import Sensitivity, require_budget, require_noise
from dpcore.mechanisms.pairs import ExactForOne, total
from dpcore.privacy import laplace as profile
from dpcore.privacy.conversions import pure_delta_of, pure_epsilon_of

FLAT_BELOW = 1e-150
"""Width over scale below which the law equals its limit for infinite noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where true values lie in their bounds, in units of the scale.

    Attributes:
        nearest: The point of the bounds nearest to each value.
        a: Distance from there to the lower bound, over the scale.
        d: Distance from there to the upper bound, over the scale.
        outside: Distance from the value to the bounds, over the scale.

    """

    nearest: FloatArray
    a: FloatArray
    d: FloatArray
    outside: FloatArray


def place(position: ArrayLike, bounds: Interval, noise: float) -> Placement:
    """Return where ``position`` lies."""
    position = np.asarray(position, dtype=np.float64)
    nearest = bounds.clip(position)
    return Placement(
        nearest=nearest,
        a=scaled(nearest - bounds.lower, noise),
        d=scaled(bounds.upper - nearest, noise),
        outside=scaled(np.abs(position - nearest), noise),
    )


def is_flat(bounds: Interval, noise: float) -> bool:
    """Return whether the noise dwarfs the bounds, so that its limit law applies."""
    return bool(bounds.width == 0 or scaled(bounds.width, noise) < FLAT_BELOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounded(ExactForOne):
    """Noise that is kept within public bounds in one way or another.

    Attributes:
        noise: The scale of the noise before it is bounded.
        bounds: The public interval; either end may be infinite.

    Raises:
        ParameterError: ``noise`` is negative or NaN, or infinite on infinite bounds.

    """

    bounds: Interval

    def __post_init__(self) -> None:
        require_noise(self.noise, self.bounds)

    def bias(self, position: ArrayLike) -> FloatArray:
        """Return the mean of the release less ``position``."""
        moved, first, _ = self._moments(position)
        return moved + first

    def variance(self, position: ArrayLike) -> FloatArray:
        """Return the MSE less the squared bias, taken about a point of the bounds."""
        _, first, second = self._moments(position)
        return second - first * first

    def mse(self, position: ArrayLike) -> FloatArray:
        """Return the mean squared distance of the release from ``position``."""
        moved, first, second = self._moments(position)
        return second + moved * (2 * first + moved)

    @abstractmethod
    def _moments(self, position: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the way from ``position`` to a point of the bounds near it.

        With it the mean distance of the release from that point, with its sign, and
        the mean squared one.
        """

    @property
    def _fixed(self) -> bool:
        """Return whether the release is one known point."""
        return self.noise == 0 or self.bounds.width == 0

    @abstractmethod
    def _levels(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the pure level of each coordinate."""

    def _pure(self, x: FloatArray, y: FloatArray) -> FloatArray:
        return total(self._levels(x, y))


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedLaplace(Bounded):
    """Laplace noise within public bounds; its scale is ``b``."""

    _post_processing: ClassVar[bool] = True
    """Whether bounding looks at the noisy number only."""

    def _vector_epsilon(self, x: FloatArray, y: FloatArray, delta: float) -> FloatArray:
        """Return what the pure level allows, or the noise before it is bounded."""
        allowed = pure_epsilon_of(self._pure(x, y), delta)
        if not self._post_processing:
            return allowed
        return np.minimum(profile.product_epsilon_of(self._ratios(x, y), delta), allowed)

    def _vector_delta(self, x: FloatArray, y: FloatArray, epsilon: float) -> FloatArray:
        allowed = pure_delta_of(self._pure(x, y), epsilon)
        if not self._post_processing:
            return allowed
        return np.minimum(profile.product_delta_of(self._ratios(x, y), epsilon), allowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcaveLevel(BoundedLaplace):
    """Bounded noise whose pure level is concave in the change of one coordinate."""

    @classmethod
    def calibrate(
        cls, *, sensitivity: Sensitivity, epsilon: float, delta: float = 0.0, bounds: Interval
    ) -> Self:
        """Return the least scale that is truly ``epsilon``-DP, whatever ``delta`` is.

        Where ``c`` coordinates change, each gets ``epsilon / c`` for a change of
        ``l1 / c``. The level is concave in the change, so that by Jensen's inequality
        no other split of ``l1`` costs more.
        """
        require_budget(epsilon, delta)
        cells = sensitivity.coordinates
        shift = sensitivity.l1 / cells
        noise = cls._least_scale(shift, epsilon / cells, bounds)
        return cls(noise=noise, bounds=bounds)

    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Return the exact level for a scalar, at any ``delta``.

        For several coordinates the level that ``calibrate`` pays for, and with
        ``delta > 0`` what that pure level allows: an upper bound.
        """
        cells = sensitivity.coordinates
        if cells == 1:
            return self._worst_epsilon(sensitivity.l1, delta)
        level = cells * self._worst_epsilon(sensitivity.l1 / cells, 0.0)
        return float(pure_epsilon_of(level, delta) if delta else level)

    @staticmethod
    @abstractmethod
    def _least_scale(shift: float, epsilon: float, bounds: Interval) -> float:
        """Return the smallest scale that is ``epsilon``-DP for values ``shift`` apart."""

    @abstractmethod
    def _worst_epsilon(self, shift: float, delta: float) -> float:
        """Return the epsilon at ``delta`` over all values at most ``shift`` apart."""


_BELOW_ONE = float(np.nextafter(1.0, 0.0))


class Bounding(StrEnum):
    """How a release is kept within its bounds."""

    TRUNCATED = "truncated"
    INFLATED = "boundary inflated"


def draw(
    position: ArrayLike,
    *,
    noise: ArrayLike,
    bounding: Bounding,
    rng: np.random.Generator,
    lower: ArrayLike = 0.0,
    upper: ArrayLike = 1.0,
) -> FloatArray:
    """Return one simulated release of every element; all arguments broadcast.

    Not for real releases: floating-point noise leaks.

    Args:
        position: Where the true values lie. One outside its bounds counts, for
            truncation, as the nearest point within, which has the same law.
        noise: The Laplace scales ``b``, in [0, inf).
        bounding: Redraw until inside, or clamp (Liu 2016, eq. 4 and 5).
        rng: Source of the simulation.
        lower: Lower bounds.
        upper: Upper bounds, none below its lower one.

    Raises:
        ParameterError: A scale is outside [0, inf), or bounds are in the wrong order.

    """
    position, noise, lower, upper = np.broadcast_arrays(
        np.asarray(position, dtype=np.float64), noise, lower, upper
    )
    if not np.all((noise >= 0) & (noise < np.inf)):
        raise ParameterError("the scale of the noise must be finite and at least 0.")
    if not np.all(lower <= upper):
        raise ParameterError("every lower bound must be at most its upper bound.")
    center = position
    below = above = np.ones(())
    if bounding is Bounding.TRUNCATED:
        center = np.clip(position, lower, upper)
        below = one_minus_exp(_over(center - lower, noise))
        above = one_minus_exp(_over(upper - center, noise))
    w = rng.random(position.shape) * (below + above) - below
    tail = np.log1p(-np.minimum(np.abs(w), _BELOW_ONE))
    return np.asarray(np.clip(center + np.copysign(noise * tail, w), lower, upper))


def _over(length: FloatArray, noise: FloatArray) -> FloatArray:
    """Return ``length / noise``, elementwise; without noise 0 or infinity."""
    without = np.where(length > 0, np.inf, 0.0)
    with np.errstate(over="ignore"):
        return np.divide(length, noise, out=without, where=noise > 0)
