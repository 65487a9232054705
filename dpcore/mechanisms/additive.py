"""What all mechanisms that only add noise have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.mechanisms.base import NoiseMechanism, require_noise

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class AdditiveNoise(NoiseMechanism):
    """Release the value plus noise that has a density, symmetric about 0.

    So the release is unbiased wherever the value lies, its error is its variance, and
    no single number has a positive probability.

    Attributes:
        noise: The scale of the noise, in the units of the statistic.

    Raises:
        ParameterError: ``noise`` is not in [0, inf).

    """

    def __post_init__(self) -> None:
        require_noise(self.noise)

    def bias(self, position: ArrayLike) -> FloatArray:
        """Return zeros."""
        return np.zeros(np.shape(position))

    @abstractmethod
    def variance(self, position: ArrayLike) -> FloatArray:
        """Return the variance of the noise."""

    def mse(self, position: ArrayLike) -> FloatArray:
        """Return the variance: there is no bias."""
        return self.variance(position)
