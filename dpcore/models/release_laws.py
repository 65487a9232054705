"""The law of a released model, given its fit: what a mechanism does, and no claim.

Wang 2019 releases coefficients in three ways: with added noise (equation 2), as a
sample of the posterior (equation 6), and as the minimum of a perturbed objective
(equation 5). A law is fixed by public numbers; where they come from, and what they
guarantee, is said elsewhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError
from dpcore.models.adaptive_posterior import AdaptivePosterior
from dpcore.models.glm import GlmFit
from dpcore.models.metrics import ISOTROPIC

if TYPE_CHECKING:
    from dpcore.data.bounds import FloatArray
    from dpcore.models.metrics import Metric
    from dpcore.models.ridge import RidgeFit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoisyFit:
    """``theta + N(0, A^-1/gamma)``; where ``A`` comes from the data, so does the noise.

    Attributes:
        gamma: How many times narrower than ``A^-1`` the covariance is, in (0, inf).
        metric: The norm of ``A``.

    """

    gamma: float
    metric: Metric = ISOTROPIC

    def __post_init__(self) -> None:
        _check(self.gamma, "gamma")

    @property
    def noise(self) -> float:
        """Return ``1/sqrt(gamma)``."""
        return 1 / math.sqrt(self.gamma)

    def transformed(self, fit: RidgeFit | GlmFit, normal: FloatArray) -> FloatArray:
        """Return releases from standard normal numbers, both of shape ``(m, d)``."""
        # With A = F^T F, the covariance of g F^-T is A^-1.
        moved = np.linalg.solve(self.metric.root(fit.factor), normal.T).T
        return np.asarray(fit.theta + moved * self.noise)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampledFit:
    """Draws from the posterior ``N(theta, (gamma H)^-1)`` of a linear model.

    Attributes:
        gamma: Precision, in (0, inf).
        samples: Number of draws, at least 1.

    """

    gamma: float
    samples: int = 1

    def __post_init__(self) -> None:
        _check(self.gamma, "gamma")
        if self.samples < 1:
            message = f"the number of samples must be at least 1, got {self.samples}."
            raise ParameterError(message)

    @property
    def noise(self) -> float:
        """Return ``1/sqrt(gamma)``."""
        return 1 / math.sqrt(self.gamma)

    def transformed(self, fit: RidgeFit | GlmFit, normal: FloatArray) -> FloatArray:
        """Return single draws from standard normal numbers, shape ``(m, d)``."""
        _check_linear(fit)
        return np.asarray(fit.theta + normal @ fit.factor.inverse_root.T * self.noise)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PerturbedObjective:
    """The minimum of the objective plus ``b^T theta``, ``b`` normal.

    Attributes:
        sigma: Standard deviation of ``b``, in (0, inf).

    """

    sigma: float

    def __post_init__(self) -> None:
        _check(self.sigma, "sigma")

    @property
    def noise(self) -> float:
        """Return ``sigma``."""
        return self.sigma

    def transformed(self, fit: RidgeFit | GlmFit, normal: FloatArray) -> FloatArray:
        """Return releases from standard normal numbers, both of shape ``(m, d)``."""
        pulls = self.sigma * normal
        if isinstance(fit, GlmFit):
            return np.array([fit.pulled(pull) for pull in pulls])
        return np.asarray(fit.theta - fit.factor.solve(pulls.T).T)


Law = NoisyFit | SampledFit | PerturbedObjective | AdaptivePosterior


def simulate(
    law: Law, fit: RidgeFit | GlmFit, *, rng: np.random.Generator, draws: int = 1
) -> FloatArray:
    """Return simulated releases, shape ``(draws, d)``; of several samples their mean.

    Raises:
        ParameterError: The law is not for such a model.

    """
    if isinstance(law, AdaptivePosterior):
        _check_linear(fit)
        x, y = fit.features, fit.target
        return np.array([law.simulate(x, y, rng=rng).theta for _ in range(draws)])
    samples = law.samples if isinstance(law, SampledFit) else 1
    normal = rng.standard_normal((draws * samples, len(fit.theta)))
    released = law.transformed(fit, normal)
    return np.asarray(released.reshape(draws, samples, -1).mean(axis=1))


def _check(number: float, name: str) -> None:
    if not 0 < number < math.inf:
        message = f"{name} must lie in (0, inf), got {number}."
        raise ParameterError(message)


def _check_linear(fit: RidgeFit | GlmFit) -> None:
    if isinstance(fit, GlmFit):
        message = "only a linear model has a normal posterior: choose another release."
        raise ParameterError(message)
