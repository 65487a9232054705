"""Some people behind a model, and what they lose at any precision. CONFIDENTIAL.

Losses at many precisions are drawn for a sample of the people: at most 2,000, evenly
spaced in the order in which they are exposed, and the 100 who are exposed most by each
cause.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dpcore.errors import DataError, ParameterError
from dpcore.individual.nonlinear_losses import perturbed_bound
from dpcore.models import posterior_profile
from dpcore.models.glm import GlmFit
from dpcore.models.glm_removals import newton_steps, step_shifts
from dpcore.models.loss_tables import perturbed_epsilon, sampled_epsilon
from dpcore.models.metrics import DEMOCRATIC
from dpcore.models.objective_perturbation import PerturbedPairs
from dpcore.models.release_laws import NoisyFit, PerturbedObjective
from dpcore.models.removals import removals
from dpcore.privacy import gaussian

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.data.bounds import FloatArray
    from dpcore.models.release_laws import SampledFit
    from dpcore.models.ridge import RidgeFit

MOST = 2000
_TOP = 100


class People(Protocol):
    """Some people, the evenly spread ones first."""

    @property
    def spread(self) -> int:
        """How many of them are evenly spread."""
        ...

    def losses(self, gamma: FloatArray, delta: float) -> FloatArray:
        """Return their epsilon at each precision, shape ``(points, people)``."""
        ...


def people_of(
    fit: RidgeFit | GlmFit, law: NoisyFit | SampledFit | PerturbedObjective
) -> People:
    """Return some people behind a fit that is released by a law.

    Raises:
        DataError: There is no fit without somebody.
        ParameterError: There is no fast way to everybody's loss.

    """
    if isinstance(law, NoisyFit) and law.metric.public:
        shift = (
            step_shifts(fit, newton_steps(fit), law.metric)
            if isinstance(fit, GlmFit)
            else removals(fit, law.metric).shifts
        )
        kept, spread = _chosen(shift, shift)
        return _Moved(shift=shift[kept], spread=spread)
    if isinstance(law, PerturbedObjective):
        return _perturbed(fit)
    if isinstance(fit, GlmFit):
        message = "only a linear model has a normal posterior."
        raise ParameterError(message)
    found = removals(fit)
    leverage, residual = found.outside_leverages, np.abs(found.residuals)
    _check(leverage, residual)
    kept, spread = _chosen(residual * np.sqrt(leverage), leverage, residual)
    return _Sampled(
        leverage=leverage[kept],
        residual=residual[kept],
        samples=1 if isinstance(law, NoisyFit) else law.samples,
        spread=spread,
    )


def _perturbed(fit: RidgeFit | GlmFit) -> People:
    squares = np.einsum("ij,ij->i", fit.features, fit.features)
    if isinstance(fit, GlmFit):
        kept, spread = _chosen(squares, squares)
        strength = fit.penalty.convexity(fit.people)
        return _Bounded(square=squares[kept], strength=strength, spread=spread)
    found = removals(fit, DEMOCRATIC)
    pull = np.abs(found.residuals)
    _check(found.outside_leverages, pull)
    kept, spread = _chosen(
        pull * np.sqrt(squares), found.leverages, pull, found.leverages * pull
    )
    solved = fit.factor.solve(fit.features[kept].T).T
    rest = 1 - found.leverages[kept]
    return _Perturbed(
        leverage=found.leverages[kept] / rest,
        length=np.einsum("ij,ij->i", solved, solved) / rest**2,
        square=squares[kept],
        residual=pull[kept],
        spread=spread,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Moved:
    """Noise of a public shape: how far each moves the coefficients."""

    shift: FloatArray = field(repr=False)
    spread: int

    def losses(self, gamma: FloatArray, delta: float) -> FloatArray:
        return gaussian.epsilon_of(np.sqrt(gamma)[:, np.newaxis] * self.shift, delta)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Sampled:
    """Posterior samples: leverage and residual without each."""

    leverage: FloatArray = field(repr=False)
    residual: FloatArray = field(repr=False)
    samples: int
    spread: int

    def losses(self, gamma: FloatArray, delta: float) -> FloatArray:
        scaled = np.sqrt(gamma)[:, np.newaxis] * self.residual
        if self.samples == 1:
            return np.stack(
                [
                    posterior_profile.epsilon_of(self.leverage, row, delta)
                    for row in scaled
                ]
            )
        # One table of exact losses serves all precisions.
        leverage = np.broadcast_to(self.leverage, scaled.shape)
        found = sampled_epsilon(
            leverage.ravel(), scaled.ravel(), delta=delta, samples=self.samples
        )
        return found.reshape(scaled.shape)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Perturbed:
    """A perturbed ridge objective: the numbers of ``PerturbedPairs``."""

    leverage: FloatArray = field(repr=False)
    length: FloatArray = field(repr=False)
    square: FloatArray = field(repr=False)
    residual: FloatArray = field(repr=False)
    spread: int

    def losses(self, gamma: FloatArray, delta: float) -> FloatArray:
        # A residual is measured in deviations of the noise, nothing else is.
        scaled = np.sqrt(gamma)[:, np.newaxis] * self.residual
        parts = (
            np.broadcast_to(part, scaled.shape).ravel()
            for part in (self.leverage, self.length, self.square)
        )
        leverage, length, square = parts
        pairs = PerturbedPairs(
            leverage=leverage,
            spread=length,
            square=square,
            residual=scaled.ravel(),
            sigma=1.0,
        )
        return perturbed_epsilon(pairs, delta=delta).reshape(scaled.shape)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Bounded:
    """A perturbed logistic objective: upper bounds, from the length of each row."""

    square: FloatArray = field(repr=False)
    strength: float
    spread: int

    def losses(self, gamma: FloatArray, delta: float) -> FloatArray:
        return np.stack(
            [
                perturbed_bound(
                    self.square,
                    strength=self.strength,
                    sigma=1 / math.sqrt(precision),
                    delta=delta,
                )
                for precision in gamma.tolist()
            ]
        )


def _check(leverage: FloatArray, residual: FloatArray) -> None:
    if not (np.isfinite(leverage).all() and np.isfinite(residual).all()):
        message = "the fit does not exist without somebody: raise the penalty."
        raise DataError(message)


def _chosen(order: FloatArray, *causes: FloatArray) -> tuple[NDArray[np.intp], int]:
    """Return people evenly spread in an order, then the largest by it and each cause.

    The second number says how many are spread.
    """
    n = len(order)
    if n <= MOST:
        return np.arange(n), n
    ranks = np.argsort(order)
    even = ranks[((np.arange(MOST) + 0.5) * n / MOST).astype(np.intp)]
    tops = [np.argpartition(cause, n - _TOP)[n - _TOP :] for cause in (order, *causes)]
    return np.concatenate([even, *tops]), MOST
