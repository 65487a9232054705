"""What every mechanism can say about itself.

A mechanism adds noise to each coordinate of a statistic independently, and is fixed by
public numbers alone. Its *law* is elementwise: ``position`` is where the true value
lies, and every method broadcasts. Its *privacy* is a question about a pair of values
(the statistic with and without a person); there the last axis is the coordinate axis,
of length 1 for a scalar statistic.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.laplace_law import uniform
from dpcore.privacy.events import PrivacyEvent
from dpcore.privacy_filter import PrivacyCost


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """The most that one unit can change a statistic, over all neighboring tables.

    Attributes:
        coordinates: How many coordinates can change at once (l0).
        l1: Largest sum of absolute changes.
        l2: Largest Euclidean length of the change.
        largest: Largest change of a single coordinate (l-infinity).

    """

    coordinates: int
    l1: float
    l2: float
    largest: float

    def __post_init__(self) -> None:
        numbers = (self.l1, self.l2, self.largest)
        if not all(np.isfinite(number) and number >= 0 for number in numbers):
            raise ParameterError("a sensitivity must be finite and at least 0.")

    @classmethod
    def scalar(cls, largest: float) -> Sensitivity:
        """Return the sensitivity of a statistic with one coordinate."""
        return cls(coordinates=1, l1=largest, l2=largest, largest=largest)

    def times(self, rows: int, *, coordinates: int) -> Sensitivity:
        """Return the sensitivity to ``rows`` changed rows (group privacy).

        ``coordinates`` is how many the statistic has: no more than that can change.
        """
        return Sensitivity(
            coordinates=min(self.coordinates * rows, coordinates),
            l1=self.l1 * rows,
            l2=self.l2 * rows,
            largest=self.largest * rows,
        )


def require_budget(epsilon: float, delta: float = 0.0) -> None:
    """Raise ParameterError unless ``epsilon`` is in (0, inf), ``delta`` in [0, 1)."""
    if not (0 < epsilon < np.inf):
        raise ParameterError(f"epsilon must be positive and finite, got {epsilon}.")
    if not (0 <= delta < 1):
        raise ParameterError(f"delta must be at least 0 and below 1, got {delta}.")


def require_noise(noise: float, bounds: Interval | None = None) -> None:
    """Raise ParameterError unless ``noise`` is in [0, inf).

    Finite ``bounds`` allow ``inf`` too: the law on them has a limit.
    """
    bounded = bounds is not None and np.isfinite(bounds.width)
    if not (0 <= noise < np.inf or (bounded and noise == np.inf)):
        raise ParameterError(f"the scale of the noise must be finite and at least 0, got {noise}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism(ABC):
    """The law of a release, and what it reveals.

    Attributes:
        noise: Scale of the noise, in the units of the statistic: Laplace ``b`` or
            Gaussian ``sigma``.

    """

    drawn_at_once: ClassVar[int] = 2000
    """How many numbers an audit draws securely before it shows how far it is."""

    noise: float

    @classmethod
    @abstractmethod
    def calibrate(
        cls, *, sensitivity: Sensitivity, epsilon: float, delta: float = 0.0, bounds: Interval
    ) -> Self:
        """Return the least noise that gives (epsilon, delta)-DP for ``sensitivity``."""

    @abstractmethod
    def pdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Density at ``x`` of the part of the law that has one."""

    def atoms(self, position: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Probability of releasing exactly the lower and the upper bound.

        Zeros where the law has a density, so that no single number has a positive one.
        """
        none = np.zeros(np.shape(position))
        return none, none.copy()

    @abstractmethod
    def cdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Probability of releasing at most ``x``."""

    @abstractmethod
    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Smallest ``x`` with ``cdf(x) >= u``."""

    @abstractmethod
    def bias(self, position: ArrayLike) -> FloatArray:
        """Mean of the release less ``position``."""

    @abstractmethod
    def variance(self, position: ArrayLike) -> FloatArray:
        """Variance of the release."""

    @abstractmethod
    def mse(self, position: ArrayLike) -> FloatArray:
        """Mean squared distance of the release from ``position``."""

    def simulate(
        self, position: ArrayLike, *, rng: np.random.Generator, size: tuple[int, ...]
    ) -> FloatArray:
        """Draw simulated releases, of shape ``size`` (``position`` broadcasts to it).

        By the inverse cdf, which takes equally long for every position. Not for real
        releases: floating-point noise leaks.
        """
        return self.quantile(uniform(rng, size), position)

    def secure_draw(
        self,
        value: FloatArray,  # noqa: ARG002 - the common signature
        *,
        sensitivity: Sensitivity,  # noqa: ARG002 - the common signature
        cost: PrivacyCost,  # noqa: ARG002 - the common signature
    ) -> FloatArray:
        """Return one draw for a real release around ``value``, shape ``(k,)``.

        Of exact samplers alone (``dpcore.secure_noise``). ``analyses.secure.draw`` is the only
        caller. For Laplace and Gaussian noise OpenDP's own accounting confirms ``cost``.

        Raises:
            ParameterError: The mechanism has no secure sampler.
            ClaimError: The noise is too small for ``cost``.

        """
        raise ParameterError(f"there is no secure sampler for {type(self).__name__}.")

    @abstractmethod
    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Smallest epsilon at which the two outputs are (epsilon, delta)-close.

        ``first`` and ``second`` have shape ``(..., k)``; the result ``(...)``. Both
        directions are covered: the larger one counts. ``inf`` where none exists.
        """

    @abstractmethod
    def pairwise_delta(self, first: ArrayLike, second: ArrayLike, *, epsilon: float) -> FloatArray:
        """Smallest delta at which the two outputs are (epsilon, delta)-close."""

    @abstractmethod
    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Worst case of ``pairwise_epsilon`` over all pairs within ``sensitivity``."""

    def rho(self, sensitivity: Sensitivity) -> float:
        """Zero-concentrated DP level over all pairs within ``sensitivity``."""
        return self.event(sensitivity).rho

    @abstractmethod
    def event(self, sensitivity: Sensitivity) -> PrivacyEvent:
        """Return what the accountant has to know of one release."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditiveNoise(Mechanism):
    """Release the value plus noise that has a density, symmetric about 0.

    So the release is unbiased wherever the value lies, and its error is its variance.

    Raises:
        ParameterError: ``noise`` is not in [0, inf).

    """

    def __post_init__(self) -> None:
        require_noise(self.noise)

    def bias(self, position: ArrayLike) -> FloatArray:
        """Return zeros."""
        return np.zeros(np.shape(position))

    def mse(self, position: ArrayLike) -> FloatArray:
        """Return the variance: there is no bias."""
        return self.variance(position)
