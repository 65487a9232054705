"""What all mechanisms that only add noise have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.mechanisms.base import require_noise
from dpcore.mechanisms.laplace_law import uniform

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray
    from dpcore.mechanisms.base import Sensitivity
    from dpcore.privacy.composition import PrivacyEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditiveNoise(ABC):
    """Release the value plus noise that has a density, symmetric about 0.

    So the release is unbiased wherever the value lies, its error is its variance, and
    no single number has a positive probability.

    Attributes:
        noise: The scale of the noise, in the units of the statistic.

    Raises:
        ParameterError: ``noise`` is not in [0, inf).

    """

    noise: float

    def __post_init__(self) -> None:
        require_noise(self.noise)

    def atoms(self, position: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return zeros: the law has a density."""
        none = np.zeros(np.shape(position))
        return none, none.copy()

    @abstractmethod
    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the smallest ``x`` with ``cdf(x) >= u``."""

    def bias(self, position: ArrayLike) -> FloatArray:
        """Return zeros."""
        return np.zeros(np.shape(position))

    @abstractmethod
    def variance(self, position: ArrayLike) -> FloatArray:
        """Return the variance of the noise."""

    def mse(self, position: ArrayLike) -> FloatArray:
        """Return the variance: there is no bias."""
        return self.variance(position)

    def simulate(
        self, position: ArrayLike, *, rng: np.random.Generator, size: tuple[int, ...]
    ) -> FloatArray:
        """Draw by the inverse cdf."""
        return self.quantile(uniform(rng, size), position)

    def rho(self, sensitivity: Sensitivity) -> float:
        """Return the zCDP level of ``event``."""
        return self.event(sensitivity).rho

    @abstractmethod
    def event(self, sensitivity: Sensitivity) -> PrivacyEvent:
        """Return what the accountant has to know of one release."""
