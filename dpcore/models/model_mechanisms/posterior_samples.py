"""Samples of the posterior of a linear model (Wang 2019, equation 6).

A person changes the covariance of a sample too, so that the loss is not that of a
Gaussian mechanism: see ``models.leverage_and_residual``.

Posterior samples of a linear model, with several rows of one unit and without them.

In coordinates in which the posterior with everybody is standard, ``U^T U = V diag(s)
V^T`` for the rows ``U = X_G R^-1`` of a unit, and ``p = V^T U^T r`` for their in-sample
residuals ``r``. Without the unit the law is normal, too, with mean ``-p/(1 - s)`` and
variance ``1/(1 - s)``: coordinate by coordinate it is the pair of a single row with
leverage ``s`` and residual ``p/sqrt(s)``. So the unit is as exposed as independent
rows, one for each direction in which its rows differ. CONFIDENTIAL.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import chndtr, ndtr, ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.person_laws import POINTS, Line, PersonLaws
from dpcore.models import guarantees, leverage_and_residual
from dpcore.models.added_records import sampled_losses
from dpcore.models.design import Design
from dpcore.models.guarantees import worst_case
from dpcore.models.influence import UNIQUE_FROM, Influence, given_away, without
from dpcore.models.leverage_and_residual import absence_divergence, presence_divergence
from dpcore.models.loss_tables import TABLE_FROM, SampledTable, Span, sampled_epsilon, sampled_span
from dpcore.models.metrics import FISHER, Metric
from dpcore.models.model_mechanisms.model_mechanism import LossAt, ModelMechanism, check
from dpcore.models.question import Fit, ModelQuestion
from dpcore.models.ridge import RidgeFit
from dpcore.models.ridge_influence import group_moments, removals
from dpcore.privacy import conversions

LINEAR_ONLY: Final = "only a linear model has a normal posterior: choose another release."
_REACH: Final = 4.5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampledFit(ModelMechanism):
    """Draws from the posterior ``N(theta, (gamma H)^-1)`` of a linear model."""

    gamma: float
    """Precision, in (0, inf)."""
    samples: int = 1
    """Number of draws, at least 1."""
    metric: ClassVar[Metric] = FISHER
    units_known: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check(self.gamma, "gamma")
        if self.samples < 1:
            raise ParameterError(f"the number of samples must be at least 1, got {self.samples}.")

    @property
    def noise(self) -> float:
        """Return ``1/sqrt(gamma)``."""
        return 1 / math.sqrt(self.gamma)

    def calibrated(self, question: ModelQuestion, *, epsilon: float, delta: float) -> Self | None:
        """Return the samples under which the worst pair is private enough."""
        gamma = guarantees.posterior_gamma(
            question, epsilon=epsilon, delta=delta, samples=self.samples
        )
        return self.at(gamma) if gamma > 0 else None

    def guarantee(
        self, question: ModelQuestion, *, delta: float, asked: float, calibrated: bool
    ) -> float:
        """Return the epsilon of the worst pair."""
        if calibrated:
            return asked
        return guarantees.posterior_epsilon(
            question, gamma=self.gamma, samples=self.samples, delta=delta
        )

    def guarantees(
        self, question: ModelQuestion, precisions: FloatArray, *, delta: float
    ) -> FloatArray:
        """Return the same as ``guarantee`` for all precisions, if it can, at once."""
        strength = question.penalty.constant
        if self.samples > 1 or question.moves > 1 or strength == 0:
            return ModelMechanism.guarantees(self, question, precisions, delta=delta)
        return worst_case(
            gamma=precisions,
            delta=delta,
            penalty=strength,
            people=question.most_people,
            bounds=guarantees.BOUNDS,
            proved=True,
        )

    def labels(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of all coefficients, sample by sample."""
        if self.samples == 1:
            return names
        return tuple(f"{name}, {k + 1}" for k in range(self.samples) for name in names)

    def at(self, precision: float) -> Self:
        """Return the law at another precision ``gamma``."""
        return replace(self, gamma=precision)

    def transformed(self, fit: Fit, normal: FloatArray) -> FloatArray:
        """Return single draws from standard normal numbers, shape ``(m, d)``."""
        if not fit.linear:
            raise ParameterError(LINEAR_ONLY)
        return np.asarray(fit.theta + normal @ fit.factor.inverse_root.T * self.noise)

    def losses(self, people: Influence, *, delta: float) -> FloatArray:
        """Return the epsilon of everybody's profile."""
        residual = math.sqrt(self.gamma) * people.missed
        return sampled_epsilon(people.outside, residual, delta=delta, samples=self.samples)

    @property
    def tables(self) -> bool:
        """Return whether there are several samples."""
        return self.samples > 1

    def span(self, people: Influence) -> Span:
        """Return that of leverages and residuals without each person."""
        return sampled_span(people.outside, math.sqrt(self.gamma) * people.missed)

    def tabled(self, span: Span, *, delta: float) -> ModelMechanism:
        """Return the law that reads losses from a table, where many people are."""
        if span.people < TABLE_FROM:
            return self
        table = SampledTable.of(span, delta=delta, samples=self.samples)
        return _TabledSamples(gamma=self.gamma, samples=self.samples, table=table)

    def losses_at(self, people: Influence, precisions: FloatArray, *, delta: float) -> FloatArray:
        """Return everybody's epsilon at each precision, shape ``(points, m)``."""
        if self.samples == 1:
            return ModelMechanism.losses_at(self, people, precisions, delta=delta)
        # One table of exact losses serves all precisions.
        scaled = np.sqrt(precisions)[:, np.newaxis] * people.missed
        leverage = np.broadcast_to(people.outside, scaled.shape)
        found = sampled_epsilon(leverage.ravel(), scaled.ravel(), delta=delta, samples=self.samples)
        return found.reshape(scaled.shape)

    def loss_by(self, delta: float) -> LossAt | None:
        """Return the exact epsilon of one sample by both without the person."""
        root = math.sqrt(self.gamma)
        if self.samples > 1:
            return None
        return lambda m, e: leverage_and_residual.epsilon_of(m, root * np.abs(e), delta)

    def unit_losses(
        self, fit: RidgeFit, codes: NDArray[np.intp], *, delta: float
    ) -> tuple[FloatArray, FloatArray, str]:
        """Return epsilons of units, and the moves of single rows."""
        pairs = group_pairs(fit, codes)
        lost = group_epsilon(pairs, gamma=self.gamma, delta=delta, samples=self.samples)
        note = "exact where the rows of a unit are alike, and upper bounds elsewhere"
        exact = bool(pairs.alike.all())
        return lost[codes], removals(fit, FISHER).move, "" if exact else note

    def pair(self, person: Influence) -> PersonLaws:
        """Return the two laws of what the samples miss the person's target by."""
        if person.alone[0]:
            raise given_away()
        return PosteriorLaws(
            leverage=float(person.outside[0]),
            residual=math.sqrt(self.gamma) * float(person.missed[0]),
            samples=self.samples,
        )

    def unit_pair(self, fit: RidgeFit, codes: NDArray[np.intp], person: int) -> PersonLaws:
        """Return the two laws for a unit whose rows are alike."""
        unit = group_pairs(fit, (codes != codes[person]).astype(np.intp))
        if not unit.alike[0]:
            raise ParameterError(
                "the rows of this unit differ, so that no single number says what a "
                "sample tells about it; its loss above is an upper bound."
            )
        if unit.leverage[0, 0] >= UNIQUE_FROM:
            raise given_away()
        m, e = without(unit.leverage[0, :1], unit.residual[0, :1])
        return PosteriorLaws(
            leverage=float(m[0]), residual=math.sqrt(self.gamma) * float(e[0]), samples=self.samples
        )

    def evidence(self, fit: RidgeFit, person: int, released: FloatArray) -> float:
        """Return ``K - u^2/2``, added up over the samples."""
        here = self.influence(fit, people=np.array([person]))
        h, error = float(here.leverage[0]), float(here.residual[0])
        if here.alone[0]:
            raise given_away()
        x, y = fit.table.some(np.array([person]))
        missed = float(y[0]) - released @ x[0]
        grown = -np.log1p(-h) + self.gamma * error * error * (1 - h)
        return float(((grown - self.gamma * missed**2) / 2).sum())

    def variation(self, people: Influence, *, delta: float) -> FloatArray:
        """Return the profiles at an epsilon of 0."""
        m, e = people.outside, math.sqrt(self.gamma) * people.missed
        # Who has no leverage tells nothing, and who is given away everything.
        found = np.where(m == 0, 0.0, 1.0)
        usual = np.isfinite(m) & np.isfinite(e) & (m > 0)
        found[usual] = leverage_and_residual.delta_of(m[usual], e[usual], 0.0, samples=self.samples)
        return found

    def added_record_losses(self, fit: Fit, design: Design, *, delta: float) -> tuple[float, float]:
        """Return the loss of the rows tried, and a bound on all."""
        return sampled_losses(fit, design, gamma=self.gamma, samples=self.samples, delta=delta)

    def causes(self, people: Influence) -> tuple[FloatArray, ...]:
        """Return the move without the person, the leverage, and the residual."""
        outside, missed = people.outside, people.missed
        return missed * np.sqrt(outside), outside, missed

    def error(self, fit: Fit) -> float:
        """Return ``tr(H^-1)/gamma``, over the number of samples: that of their mean."""
        root = fit.factor.inverse_root
        return float(np.sum(root**2)) / (self.gamma * self.samples)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _TabledSamples(SampledFit):
    """Several samples whose losses are read from a table. CONFIDENTIAL."""

    table: SampledTable = field(repr=False)

    def losses(self, people: Influence, *, delta: float) -> FloatArray:
        """Return the epsilons of the table, which is for this delta."""
        del delta
        return self.table.epsilon(people.outside, math.sqrt(self.gamma) * people.missed)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PosteriorLaws:
    """Posterior samples of a ridge regression.

    See ``models.leverage_and_residual``.

    With several samples the sum of the squared residuals says all, which is noncentral
    chi-square in both worlds.
    """

    leverage: float = field(repr=False)
    """``x' H^-1 x`` without the person, in [0, inf)."""
    residual: float = field(repr=False)
    """``sqrt(gamma) |y - x' theta|`` without the person, in [0, inf)."""
    samples: int = 1
    """How many samples are released, at least 1."""

    def __post_init__(self) -> None:
        finite = 0 <= self.leverage < np.inf and 0 <= self.residual < np.inf
        if not finite or self.samples < 1:
            raise ParameterError(
                "the two laws of a posterior sample need a leverage and a residual in "
                "[0, inf), and at least 1 sample."
            )

    @property
    def ceiling(self) -> float:
        """Return the most that the samples can speak for the person's presence."""
        return self.samples * float(leverage_and_residual.ceiling(self.leverage, self.residual))

    def delta(self, epsilon: FloatArray) -> FloatArray:
        """Return the exact profile."""
        if self.leverage == 0:
            return np.zeros(np.shape(epsilon))
        return leverage_and_residual.delta_of(
            self.leverage, self.residual, epsilon, samples=self.samples
        )

    def roc(self, points: int = POINTS) -> tuple[FloatArray, FloatArray]:
        """Return the chances of the tests "present if the residuals are small".

        These are the best tests (Neyman and Pearson), since large residuals speak for
        absence. ``points``: how many of a single sample, about.
        """
        if self.leverage == 0:
            alarm = np.linspace(0, 1, points if self.samples == 1 else 3)
            return alarm, alarm
        if self.samples == 1:
            return self._roc_of_one(points)
        absent, present = (self._sum_below(self._sums(), q) for q in (False, True))
        ends = ([0.0], [1.0])
        alarm, detection = (
            np.maximum.accumulate(np.concatenate([ends[0], part, ends[1]]))
            for part in (absent, present)
        )
        return alarm, detection

    def _roc_of_one(self, points: int) -> tuple[FloatArray, FloatArray]:
        """Return ``P(|u| < c)`` and ``Q(|u| < c)`` for ``c`` from 0 to inf."""
        laws = [self._law(present=present) for present in (False, True)]
        step = ndtri(np.linspace(0, 1, points // 2 + 1)[1:-1])
        cuts = np.concatenate([center + deviation * step for center, deviation in laws])
        c = np.concatenate([[0.0], np.sort(np.abs(cuts)), [np.inf]])
        alarm, detection = (
            np.maximum.accumulate(ndtr((c - center) / deviation) - ndtr((-c - center) / deviation))
            for center, deviation in laws
        )
        return alarm, detection

    def evidence(self, draws: int, *, present: bool, rng: np.random.Generator) -> FloatArray:
        """Return the evidence ``T K - sum(u^2)/2`` of simulated releases."""
        center, deviation = self._law(present=present)
        u = center + deviation * rng.standard_normal((draws, self.samples))
        return np.asarray(self.ceiling - (u * u).sum(axis=1) / 2)

    def line(self) -> Line | None:
        """Return the laws of the residual, or of the sum of its squares."""
        if self.leverage == 0:
            return None
        if self.samples > 1:
            return self._line_of_sums()
        laws = [self._law(present=present) for present in (False, True)]
        low = min(center - _REACH * deviation for center, deviation in laws)
        high = max(center + _REACH * deviation for center, deviation in laws)
        x = np.linspace(low, high, POINTS)
        absent, present = (
            np.exp(-(((x - center) / deviation) ** 2) / 2) / (deviation * np.sqrt(2 * np.pi))
            for center, deviation in laws
        )
        return Line(
            label="miss of the person's target, in units of the noise",
            x=x,
            absent=absent,
            present=present,
        )

    def _line_of_sums(self) -> Line:
        x = self._sums()[::2]
        middle = (x[1:] + x[:-1]) / 2
        absent, present = (
            np.diff(self._sum_below(x, with_person)) / np.diff(x) for with_person in (False, True)
        )
        return Line(
            label="sum of squared misses of the target, × γ",
            x=middle,
            absent=absent,
            present=present,
        )

    def _law(self, *, present: bool) -> tuple[float, float]:
        """Return mean and standard deviation of the residual of one sample."""
        shrunk = 1 + self.leverage if present else 1.0
        return self.residual / shrunk, float(np.sqrt(self.leverage / shrunk))

    def _sums(self) -> FloatArray:
        """Return sums of squares that matter, ascending."""
        size, ends = np.sqrt(self.samples), []
        for present in (False, True):
            center, deviation = self._law(present=present)
            reach = (size + _REACH) * deviation
            ends += [max(size * center - reach, 0.0), size * center + reach]
        return np.asarray(np.linspace(min(ends), max(ends), 2 * POINTS)[1:] ** 2)

    def _sum_below(self, x: FloatArray, present: bool) -> FloatArray:  # noqa: FBT001 - mapped over both
        center, deviation = self._law(present=present)
        variance = deviation * deviation
        off = self.samples * center * center / variance
        return np.asarray(chndtr(x / variance, self.samples, off))


_ORDERS: Final = conversions.ORDERS[::8]
_NEGLIGIBLE: Final = 1e-12
_TOGETHER: Final = 1 << 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupPairs:
    """The directions of each unit, strongest first. CONFIDENTIAL."""

    leverage: FloatArray = field(repr=False)
    """In [0, 1], shape ``(G, k)``: 0 where a unit has fewer directions."""
    residual: FloatArray = field(repr=False)
    """In-sample, shape ``(G, k)``."""

    @property
    def alike(self) -> NDArray[np.bool_]:
        """Return whose rows have one direction, so that the loss is exact, ``(G,)``."""
        return np.asarray((self.leverage[:, 1:] == 0).all(axis=1))

    @property
    def total(self) -> FloatArray:
        """Return the share of its predictions that each unit makes, shape ``(G,)``."""
        return np.asarray(self.leverage.sum(axis=1))


def group_pairs(fit: RidgeFit, codes: NDArray[np.intp]) -> GroupPairs:
    """Return the directions of each unit, of which ``codes`` are everybody's, from 0.

    Raises:
        ParameterError: There is not one code a person, or the penalty is per person.

    """
    sizes = np.bincount(codes) if len(codes) and codes.min() >= 0 else np.ones(1)
    width = max(1, min(fit.features.shape[1], int(sizes.max())))
    leverage, residual = (np.zeros((len(sizes), width)) for _ in range(2))
    for found, grams, pulls in group_moments(fit, codes):
        values, vectors = np.linalg.eigh(grams)
        s = values[:, ::-1][:, :width]
        p = np.einsum("gij,gi->gj", vectors, pulls)[:, ::-1][:, :width]
        real = s > _NEGLIGIBLE * np.maximum(s[:, :1], 0.0)
        s = np.where(real, np.minimum(s, 1.0), 0.0)
        leverage[found] = s
        residual[found] = np.where(real, p / np.sqrt(np.where(real, s, 1.0)), 0.0)
    return GroupPairs(leverage=leverage, residual=residual)


def group_epsilon(pairs: GroupPairs, *, gamma: float, delta: float, samples: int = 1) -> FloatArray:
    """Return the epsilon of each unit, shape ``(G,)``.

    Exact for units whose rows are alike (those of ``alike``). For others an upper
    bound, the smaller of two: the epsilons of the directions at their part of delta,
    added up, and what the sum of their Renyi divergences implies.
    """
    m, e = without(pairs.leverage, math.sqrt(gamma) * pairs.residual)
    epsilon = np.zeros(len(m))
    alike = pairs.alike
    epsilon[alike] = sampled_epsilon(m[alike, 0], e[alike, 0], delta=delta, samples=samples)
    count = np.count_nonzero(pairs.leverage, axis=1)
    for directions in np.unique(count[~alike]).tolist():
        units = np.flatnonzero(~alike & (count == directions))
        each = sampled_epsilon(
            m[units, :directions].ravel(),
            e[units, :directions].ravel(),
            delta=delta / directions,
            samples=samples,
        )
        added = each.reshape(len(units), directions).sum(axis=1)
        epsilon[units] = np.minimum(added, _by_divergences(m[units], e[units], delta, samples))
    return epsilon


def _by_divergences(m: FloatArray, e: FloatArray, delta: float, samples: int) -> FloatArray:
    """Return the epsilons that Renyi divergences imply, shape ``(G,)``."""
    price = np.log1p(-1 / _ORDERS) - (math.log(delta) + np.log(_ORDERS)) / (_ORDERS - 1)
    found = np.full(len(m), np.inf)
    # Of who is given away no divergence is finite.
    usual = np.flatnonzero(np.isfinite(m).all(axis=1))
    for first in range(0, len(usual), _TOGETHER):
        some = usual[first : first + _TOGETHER]
        ends = []
        for kind in (absence_divergence, presence_divergence):
            total = np.zeros((len(some), len(_ORDERS)))
            for k in range(m.shape[1]):
                total += kind(m[some, k, np.newaxis], e[some, k, np.newaxis], _ORDERS)
            ends.append((samples * total + price).min(axis=1))
        found[some] = np.maximum(np.maximum(*ends), 0.0)
    return found
