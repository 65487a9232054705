"""The Gaussian mechanism with its exact (analytic) calibration."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.base import AdditiveNoise, Sensitivity, require_budget
from dpcore.mechanisms.pairs import distances
from dpcore.privacy import gaussian as profile
from dpcore.privacy.events import GaussianEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian(AdditiveNoise):
    """Release ``value + N(0, sigma^2)`` in each coordinate (Balle and Wang 2018).

    What it reveals depends on ``mu``, the l2 distance over ``sigma``, alone; every
    answer about privacy is exact, for vectors too. No epsilon holds at ``delta = 0``.
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
        """Return the least ``sigma`` that is (epsilon, delta)-DP, rounded up.

        Raises:
            ParameterError: ``delta`` is 0; Gaussian noise needs a positive one.

        """
        require_budget(epsilon, delta)
        if delta == 0:
            raise ParameterError("the Gaussian mechanism needs a delta above 0.")
        return cls(noise=sensitivity.l2 / profile.mu_for(epsilon, delta))

    def pdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the normal density."""
        distance = np.abs(np.subtract(x, position))
        if self.noise == 0:
            return np.where(distance == 0, np.inf, 0.0)
        z = distance / self.noise
        return np.asarray(np.exp(-z * z / 2) / (self.noise * math.sqrt(2 * math.pi)))

    def cdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the probability of releasing at most ``x``."""
        if self.noise == 0:
            return np.greater_equal(x, position).astype(np.float64)
        return np.asarray(ndtr(np.subtract(x, position) / self.noise))

    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return ``position + sigma Phi^-1(u)``."""
        z = ndtri(np.asarray(u, dtype=np.float64))
        noise = z * self.noise if self.noise > 0 else 0 * np.asarray(u)
        return np.asarray(np.asarray(position, dtype=np.float64) + noise)

    def variance(self, position: ArrayLike) -> FloatArray:
        """Return ``sigma^2``."""
        return np.full(np.shape(position), self.noise * self.noise)

    def pair_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the exact epsilon at ``delta``; ``inf`` at 0 where anything moves."""
        return profile.epsilon_of(self._mu(first, second), delta)

    def pair_delta(self, first: ArrayLike, second: ArrayLike, *, epsilon: float) -> FloatArray:
        """Return the exact delta at ``epsilon``."""
        return profile.delta_of(self._mu(first, second), epsilon)

    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Return the exact epsilon at ``delta`` of a shift by ``l2``."""
        mu = law.scaled(sensitivity.l2, self.noise)
        return float(profile.epsilon_of(mu, delta))

    def event(self, sensitivity: Sensitivity) -> GaussianEvent:
        """Return Gaussian noise of ``sigma / l2`` times the sensitivity.

        Its zCDP level ``rho`` is ``(l2 / sigma)^2 / 2``.
        """
        mu = float(law.scaled(sensitivity.l2, self.noise))
        return GaussianEvent.of(mu)

    def _mu(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        moved = distances(first, second)
        length = moved[..., 0] if moved.shape[-1] == 1 else np.hypot.reduce(moved, -1)
        return law.scaled(length, self.noise)
