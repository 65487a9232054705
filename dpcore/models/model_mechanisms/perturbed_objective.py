"""The minimum of a perturbed objective (Wang 2019, equation 5).

Its covariance depends on the table: see ``models.objective_perturbation`` for a linear
model. For a logistic one a bound on the loss is known that holds for every table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, ndtr, ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.formatting import significant
from dpcore.mechanisms.person_laws import POINTS, Line, PersonLaws
from dpcore.models import guarantees
from dpcore.models.glm import GlmFit
from dpcore.models.influence import Influence, given_away
from dpcore.models.loss_tables import (
    TABLE_FROM,
    PerturbedTable,
    Span,
    perturbed_epsilon,
    perturbed_span,
)
from dpcore.models.metrics import DEMOCRATIC, ISOTROPIC, Metric
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism, check
from dpcore.models.objective_perturbation import PerturbedPairs
from dpcore.models.question import Fit, ModelQuestion
from dpcore.models.ridge import RidgeFit
from dpcore.privacy.conversions import variation_bound

_TRIMMED: Final = 0.01


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PerturbedObjective(ModelMechanism):
    """The minimum of the objective plus ``b^T theta``, ``b`` normal."""

    sigma: float
    """Standard deviation of ``b``, in (0, inf)."""
    metric: ClassVar[Metric] = DEMOCRATIC
    tables: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check(self.sigma, "sigma")

    @property
    def noise(self) -> float:
        """Return ``sigma``."""
        return self.sigma

    def calibrated(self, question: ModelQuestion, *, epsilon: float, delta: float) -> Self | None:
        """Return the noise of the theorem for these epsilon and delta."""
        sigma = guarantees.objective_sigma(question, epsilon=epsilon, delta=delta)
        return self.at(sigma**-2)

    def shortfall(self, question: ModelQuestion, epsilon: float) -> str:
        """Return, as a part of a sentence, what the theorem needs."""
        least = guarantees.objective_penalty(question, epsilon=epsilon)
        return (
            f"the penalty must be at least {significant(least, 4)}, with the noise of the theorem. "
            "Raise the penalty, or use that noise"
        )

    def guarantee(
        self, question: ModelQuestion, *, delta: float, asked: float, calibrated: bool
    ) -> float:
        """Return the epsilon asked for, with noise and penalty of the theorem."""
        noise = guarantees.objective_sigma(question, epsilon=asked, delta=delta)
        least = guarantees.objective_penalty(question, epsilon=asked)
        enough = self.sigma >= noise * (1 - 1e-12)
        return asked if enough and guarantees.strength_of(question) >= least else math.inf

    def guarantees(
        self, question: ModelQuestion, precisions: FloatArray, *, delta: float
    ) -> FloatArray:
        """Return what the theorem gives for each noise."""
        sigmas = (1 / np.sqrt(precisions)).tolist()
        return np.array([guarantees.objective_epsilon(question, each, delta) for each in sigmas])

    def half_widths(self, columns: int, *, strength: float, level: float) -> FloatArray:
        """Return how far off the coefficients are, all together.

        ``|theta' - theta| <= |b| / lambda``, and ``|b|^2`` is chi-square.
        """
        longest = self.sigma * math.sqrt(float(chdtri(columns, 1 - level)))
        return np.full(columns, longest / strength)

    def deviation(self, curvature: float) -> float:
        """Return the deviation where that is the curvature of ``H``."""
        return self.sigma / curvature

    def at(self, precision: float) -> Self:
        """Return the law at another precision ``sigma^-2``."""
        return replace(self, sigma=1 / math.sqrt(precision))

    def nonlinear(self, fit: GlmFit) -> ModelMechanism:
        """Return what is known of a perturbed logistic objective: a bound."""
        if fit.loss.steepest > 1:
            raise ParameterError("objective perturbation needs a logistic model here.")
        strength = fit.penalty.convexity(fit.people)
        return BoundedObjective(sigma=self.sigma, strength=strength)

    def transformed(self, fit: Fit, normal: FloatArray) -> FloatArray:
        """Return releases from standard normal numbers, both of shape ``(m, d)``."""
        return fit.pulled(self.sigma * normal)

    def linear_influence(
        self, fit: RidgeFit, *, rows: int = 1, people: NDArray[np.intp] | None = None
    ) -> Influence:
        """Return what people are to a linear fit, with ``spread``."""
        found = ModelMechanism.linear_influence(self, fit, rows=rows, people=people)
        x = fit.features if people is None else fit.table.some(people)[0]
        solved = x @ fit.factor.solve(np.eye(len(fit.theta)))
        length = np.einsum("ij,ij->i", solved, solved)
        rest = np.where(found.leverage < 1, 1 - found.leverage, np.nan)
        return replace(found, spread=length / rest**2)

    def losses(self, people: Influence, *, delta: float) -> FloatArray:
        """Return the epsilon of everybody's profile."""
        usual = np.flatnonzero(~people.alone)
        epsilon = np.full(len(people.move), np.inf)
        epsilon[usual] = perturbed_epsilon(self.pairs(people.of(usual)), delta=delta)
        return epsilon

    def span(self, people: Influence) -> Span:
        """Return that of the three numbers of each person who is not given away."""
        return perturbed_span(self.pairs(people.of(np.flatnonzero(~people.alone))))

    def tabled(self, span: Span, *, delta: float) -> ModelMechanism:
        """Return the law that reads losses from a table, where many people are."""
        if span.people < TABLE_FROM:
            return self
        table = PerturbedTable.of(span, delta=delta)
        return _TabledObjective(sigma=self.sigma, table=table)

    def losses_at(self, people: Influence, precisions: FloatArray, *, delta: float) -> FloatArray:
        """Return everybody's epsilon at each precision, shape ``(points, m)``.

        A residual is measured in deviations of the noise, nothing else is.
        """
        pairs = self.pairs(people)
        scaled = np.sqrt(precisions)[:, np.newaxis] * pairs.residual
        leverage, spread, square = (
            np.broadcast_to(part, scaled.shape).ravel()
            for part in (pairs.leverage, pairs.spread, pairs.square)
        )
        many = PerturbedPairs(
            leverage=leverage, spread=spread, square=square, residual=scaled.ravel(), sigma=1.0
        )
        return perturbed_epsilon(many, delta=delta).reshape(scaled.shape)

    def pairs(self, people: Influence) -> PerturbedPairs:
        """Return everybody's two laws, without anybody who is given away."""
        return PerturbedPairs(
            leverage=people.outside,
            spread=people.spreads,
            square=people.rows * people.square,
            residual=people.missed,
            sigma=self.sigma,
        )

    def pair(self, person: Influence) -> PersonLaws:
        """Return the two laws of the minimum."""
        if person.alone[0]:
            raise given_away()
        return PerturbedLaws(pairs=self.pairs(person))

    def evidence(self, fit: RidgeFit, person: int, released: FloatArray) -> float:
        """Return the sum of the logarithms of the ratios of both densities."""
        here = self.influence(fit, people=np.array([person]))
        h, error = float(here.leverage[0]), float(here.residual[0])
        if here.alone[0]:
            raise given_away()
        rows, targets = fit.table.some(np.array([person]))
        x, square = rows[0], float(here.square[0])
        missed = float(targets[0]) - released @ x
        # The perturbation that makes this the minimum without the person.
        away = fit.theta - fit.factor.solve(x) * error - released
        pull = away @ fit.factor.hessian @ x - (away @ x) * square
        ahead = (2 * missed * pull + square * missed**2) / (2 * self.sigma**2)
        return float(-(np.log1p(-h) + ahead).sum())

    def variation(self, people: Influence, *, delta: float) -> FloatArray:
        """Return the profiles at an epsilon of 0."""
        found = np.where(people.leverage > 0, 1.0, 0.0)
        usual = np.flatnonzero(~people.alone & (people.leverage > 0))
        found[usual] = self.pairs(people.of(usual)).delta(0.0)
        return found

    def causes(self, people: Influence) -> tuple[FloatArray, ...]:
        """Return the gradient, the leverage, the residual, and these two together."""
        h, missed = people.leverage, people.missed
        return missed * np.sqrt(people.square), people.outside, missed, h * missed

    def error(self, fit: Fit) -> float:
        """Return ``sigma^2 tr(H^-2)``, for a nonlinear model about that."""
        inverse = fit.factor.solve(np.eye(len(fit.theta)))
        return self.sigma**2 * float(np.sum(inverse**2))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _TabledObjective(PerturbedObjective):
    """A perturbed objective whose losses are read from a table. CONFIDENTIAL."""

    table: PerturbedTable = field(repr=False)

    def losses(self, people: Influence, *, delta: float) -> FloatArray:
        """Return the epsilons of the table, which is for this delta."""
        del delta
        usual = np.flatnonzero(~people.alone)
        epsilon = np.full(len(people.move), np.inf)
        epsilon[usual] = self.table.epsilon(self.pairs(people.of(usual)))
        return epsilon


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundedObjective(PerturbedObjective):
    """A perturbed logistic objective, of which a bound on losses is known."""

    strength: float
    """``lambda``, at least 0."""
    metric: ClassVar[Metric] = ISOTROPIC
    tables: ClassVar[bool] = False
    upper: ClassVar[bool] = True
    note: ClassVar[str] = "upper bounds that hold for every table, from the person's own record"
    obstacle: ClassVar[str] = (
        "For a nonlinear model released by objective perturbation only upper bounds on "
        "losses are known, and no law that could be drawn for one person. Choose "
        "output perturbation, or a linear model."
    )

    def losses(self, people: Influence, *, delta: float) -> FloatArray:
        """Return bounds on everybody's epsilon."""
        return perturbed_bound(
            people.square, strength=self.strength, sigma=self.sigma, delta=delta, rows=people.rows
        )

    def losses_at(self, people: Influence, precisions: FloatArray, *, delta: float) -> FloatArray:
        """Return bounds at each precision, shape ``(points, m)``."""
        return ModelMechanism.losses_at(self, people, precisions, delta=delta)

    def pair(self, person: Influence) -> PersonLaws:
        """Refuse: the two laws have no closed form."""
        raise ParameterError(
            "for this release of a nonlinear model the two laws have no closed form; "
            "choose noise of a public shape."
        )

    def variation(self, people: Influence, *, delta: float) -> FloatArray:
        """Return the largest that a pair with these losses can have."""
        return variation_bound(self.losses(people, delta=delta), delta)

    def causes(self, people: Influence) -> tuple[FloatArray, ...]:
        """Return the length of the row."""
        return people.square, people.square


def perturbed_bound(
    squares: FloatArray, *, strength: float, sigma: float, delta: float, rows: int = 1
) -> FloatArray:
    """Return the bound for logistic losses and rows of some squared lengths.

    ``log(1 + q) + g^2/2 + g z`` with ``q = |x|^2/(4 lambda)``, ``g = |x|/sigma`` and
    the normal quantile ``z`` at ``1 - delta/2``: the loss, as a change of variables
    gives it, stays below it except with chance delta, under both laws.
    """
    with np.errstate(divide="ignore"):
        q = guarantees.CURVATURE * squares / np.float64(strength)
    g = rows * np.sqrt(squares) / sigma
    return np.asarray(rows * np.log1p(q) + g * (g / 2 - float(ndtri(delta / 2))))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PerturbedLaws:
    """The minimizer of a perturbed ridge objective: two numbers matter, not one."""

    pairs: PerturbedPairs = field(repr=False)
    """The two laws of this one person."""

    def __post_init__(self) -> None:
        if len(self.pairs.square) != 1:
            raise ParameterError("the two laws are those of one person.")

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """Return the profile, as exact as the integral behind it."""
        levels = np.atleast_1d(np.asarray(epsilon, dtype=np.float64))
        columns = {
            name: np.repeat(getattr(self.pairs, name), len(levels))
            for name in ("leverage", "spread", "square", "residual")
        }
        pairs = self.pairs
        many = PerturbedPairs(**columns, sigma=pairs.sigma, nodes=pairs.nodes)
        return many.delta(levels)

    def roc(self) -> tuple[FloatArray, FloatArray]:
        """Return the chances of the tests "present if the evidence is large"."""
        levels = self._levels()
        below = [self._below(levels, present=present) for present in (False, True)]
        alarm, detection = (
            np.concatenate([[0.0], np.clip(1 - part[::-1], 0, 1), [1.0]]) for part in below
        )
        return np.maximum.accumulate(alarm), np.maximum.accumulate(detection)

    def evidence(self, draws: int, *, present: bool, rng: np.random.Generator) -> FloatArray:
        """Return the evidence of simulated releases."""
        mean, deviation, weight = self.pairs.mixture(0, present=present)
        nodes = rng.choice(len(weight), size=draws, p=weight / weight.sum())
        loss = mean[nodes] + deviation[nodes] * rng.standard_normal(draws)
        return np.asarray(loss if present else -loss)

    def line(self) -> Line | None:
        """Return the laws of the evidence itself: no single residual says all."""
        found = self._levels()
        low, high = np.quantile(found, (_TRIMMED, 1.0))
        if not high > low:
            return None
        levels = np.linspace(low, high, POINTS // 2)
        middle, steps = (levels[1:] + levels[:-1]) / 2, np.diff(levels)
        absent, present = (
            np.diff(self._below(levels, present=with_person)) / steps
            for with_person in (False, True)
        )
        return Line(
            label="evidence for presence (log of the ratio)",
            x=middle,
            absent=absent,
            present=present,
        )

    def _below(self, levels: FloatArray, *, present: bool) -> FloatArray:
        """Return the chances that the evidence is at most each level."""
        mean, deviation, weight = self.pairs.mixture(0, present=present)
        spread = np.maximum(deviation, 1e-12 * np.maximum(np.abs(mean), 1e-3))
        if present:
            return np.asarray(ndtr((levels[:, np.newaxis] - mean) / spread) @ weight)
        return np.asarray(ndtr((levels[:, np.newaxis] + mean) / spread) @ weight)

    def _levels(self) -> FloatArray:
        """Return levels of the evidence between which either law puts little."""
        rng = np.random.default_rng(1)  # fixes the grid only; chances on it are exact
        drawn = [self.evidence(4000, present=present, rng=rng) for present in (False, True)]
        shares = np.linspace(0, 1, POINTS // 2)
        return np.unique(np.quantile(np.concatenate(drawn), shares))
