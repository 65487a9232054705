"""Noise on fitted coefficients (Wang 2019, equation 2).

A move ``v`` of coefficients is hidden as by a Gaussian mechanism with ``mu =
sqrt(gamma) |v|_A``, whose exact profile replaces the bound of Wang's lemma 4. Where the
shape ``A`` comes from the data, so does the noise: a linear model is then released as
by a posterior sample (``A = H``) or by objective perturbation (``A = H^2``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from dpcore.arrays import FloatArray
from dpcore.mechanisms.person_laws import PersonLaws, gaussian_laws
from dpcore.models import guarantees
from dpcore.models.added_records import largest_moves
from dpcore.models.design import Design
from dpcore.models.glm import GlmFit
from dpcore.models.influence import Influence, given_away
from dpcore.models.metrics import ISOTROPIC, Metric, Shape
from dpcore.models.model_mechanisms.model_mechanism import (
    Drawn,
    LossAt,
    ModelMechanism,
    Source,
    check,
    together,
)
from dpcore.models.model_mechanisms.perturbed_objective import PerturbedObjective
from dpcore.models.model_mechanisms.posterior_samples import SampledFit
from dpcore.models.question import Fit, ModelQuestion
from dpcore.models.ridge import RidgeFit
from dpcore.models.ridge_influence import group_removals, moves
from dpcore.privacy import gaussian


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NoisyFit(ModelMechanism):
    """``theta + N(0, A^-1/gamma)``; with an ``A`` from the data, so is the noise."""

    gamma: float
    """How many times narrower than ``A^-1`` the covariance is, in (0, inf)."""
    metric: Metric = ISOTROPIC

    def __post_init__(self) -> None:
        check(self.gamma, "gamma")

    @property
    def noise(self) -> float:
        """Return ``1/sqrt(gamma)``."""
        return 1 / math.sqrt(self.gamma)

    @property
    def public(self) -> bool:
        """Return whether the noise has a public shape."""
        return self.metric.public

    @property
    def units_known(self) -> bool:
        """Return whether moves of units are hidden by known noise."""
        return self.metric.public or self.metric.shape is Shape.FISHER

    def calibrated(self, question: ModelQuestion, *, epsilon: float, delta: float) -> Self | None:
        """Return the noise that hides the largest move in any table."""
        shift = guarantees.max_influence(question, self.metric)
        if math.isinf(shift):
            return None
        return self.at(guarantees.gaussian_gamma(shift, epsilon=epsilon, delta=delta))

    def guarantee(
        self, question: ModelQuestion, *, delta: float, asked: float, calibrated: bool
    ) -> float:
        """Return the exact epsilon of the largest move in any table."""
        return float(gaussian.epsilon_of(self.mu(question), delta))

    def mu(self, question: ModelQuestion) -> float:
        """Return that of the largest move in any table."""
        return math.sqrt(self.gamma) * guarantees.max_influence(question, self.metric)

    def half_widths(self, columns: int, *, strength: float, level: float) -> FloatArray:
        """Return how far off the coefficients are, all together."""
        spread = np.ones(columns)
        if self.metric.matrix is not None:
            spread = np.sqrt(np.diag(np.linalg.inv(self.metric.matrix)))
        return np.asarray(self.noise * spread * together(columns, level))

    def deviation(self, curvature: float) -> float:
        """Return the deviation in the direction of the least precision."""
        least = 1.0
        if self.metric.matrix is not None:
            least = float(np.linalg.eigvalsh(self.metric.matrix)[0])
        return self.noise / math.sqrt(least)

    def draw(self, fit: Fit, source: Source, question: ModelQuestion, *, level: float) -> Drawn:
        """Add noise to ``F theta``, whose moves have the length of the norm."""
        root = self.metric.root(fit.factor)
        reach = self.mu(question) * self.noise
        drawn = source.added(root @ fit.theta, noise=self.noise, reach=reach)
        theta = np.asarray(np.linalg.solve(root, drawn))
        widths = self.half_widths(len(theta), strength=0.0, level=level)
        return Drawn(theta=theta[np.newaxis], widths=widths)

    def at(self, precision: float) -> Self:
        """Return the law at another precision ``gamma``."""
        return replace(self, gamma=precision)

    def linear(self, fit: RidgeFit) -> ModelMechanism:
        """Return the posterior sample or perturbed objective that it may be."""
        if self.metric.shape is Shape.FISHER:
            return SampledFit(gamma=self.gamma)
        if self.metric.shape is Shape.DEMOCRATIC:
            return PerturbedObjective(sigma=self.noise)
        return self

    def nonlinear(self, fit: GlmFit) -> ModelMechanism:
        """Return the law itself, for noise of a public shape."""
        return self if self.public else ModelMechanism.nonlinear(self, fit)

    def transformed(self, fit: Fit, normal: FloatArray) -> FloatArray:
        """Return releases from standard normal numbers, both of shape ``(m, d)``."""
        # With A = F^T F, the covariance of g F^-T is A^-1.
        moved = np.linalg.solve(self.metric.root(fit.factor), normal.T).T
        return np.asarray(fit.theta + moved * self.noise)

    def losses(self, people: Influence, *, delta: float) -> FloatArray:
        """Return the exact epsilon of everybody's move."""
        return gaussian.epsilon_of(math.sqrt(self.gamma) * people.move, delta)

    def loss_by(self, delta: float) -> LossAt:
        """Return the epsilon by pull, the move per unit of residual, and residual."""
        root = math.sqrt(self.gamma)
        return lambda p, e: gaussian.epsilon_of(root * p * np.abs(e), delta)

    def unit_losses(
        self, fit: RidgeFit, codes: NDArray[np.intp], *, delta: float
    ) -> tuple[FloatArray, FloatArray, str]:
        """Return the exact epsilon of the move when all rows of a unit leave."""
        lengths = group_removals(fit, codes, self.metric)[codes]
        return gaussian.epsilon_of(math.sqrt(self.gamma) * lengths, delta), lengths, ""

    def pair(self, person: Influence) -> PersonLaws:
        """Return the two laws of the release along the move."""
        move = float(person.move[0])
        if not math.isfinite(move):
            raise given_away()
        return gaussian_laws(math.sqrt(self.gamma) * move)

    def evidence(self, fit: RidgeFit, person: int, released: FloatArray) -> float:
        """Return ``gamma (|theta - theta_-|_A^2 - |theta - theta_+|_A^2)/2``."""
        without = fit.theta - moves(fit, np.array([person]))[0]
        present, absent = (
            self.metric.lengths(released - center, fit.factor) ** 2
            for center in (fit.theta, without)
        )
        return float((self.gamma * (absent - present) / 2).sum())

    def variation(self, people: Influence, *, delta: float) -> FloatArray:
        """Return ``2 Phi(mu/2) - 1``."""
        return np.asarray(erf(math.sqrt(self.gamma) * people.move / math.sqrt(8)))

    def added_record_losses(self, fit: Fit, design: Design, *, delta: float) -> tuple[float, float]:
        """Return the loss of the largest move that was found, and a bound on all."""
        moves = Influence.of_moves(np.array(largest_moves(fit, self.metric, design)))
        found, bound = self.losses(moves, delta=delta).tolist()
        return found, bound

    def error(self, fit: Fit) -> float:
        """Return ``tr(A^-1)/gamma``."""
        root = self.metric.root(fit.factor)
        return float(np.sum(np.linalg.inv(root) ** 2)) / self.gamma
