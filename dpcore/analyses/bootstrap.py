"""Several noisy bootstraps: secure resamples, and secure Gaussian noise on each.

The published procedure splits a resample into the rows drawn once, twice, ..., adds
noise to the sum of each part, and adds up the parts (Brawner and Honaker 2018,
equations 19 to 26). Their noises add up to one Gaussian with the variance of a release
of the table itself, so that the total is drawn here as the statistic of one resample
plus one Gaussian. The parts may never be released: each of them has too little noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dpcore.analyses import secure
from dpcore.analyses.base import Mode, OfQuery
from dpcore.analyses.measurement import Answer, Width
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.codec import NUMBER, WHOLE, Part, Schema, choice, optional
from dpcore.data.bounds import Interval
from dpcore.data.partitions.table import Table, in_memory
from dpcore.errors import ParameterError
from dpcore.formatting import epsilon_text, in_full
from dpcore.inference.bootstrap_intervals import FEWEST_PEOPLE, LEVEL, Method
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.privacy.bootstrap_cost import (
    LEAST_DELTA,
    MOST_RHO,
    Correction,
    claimed_epsilon,
    epsilon_of_step,
    factor_of,
    require_times,
    resampled_step,
    revealed_epsilon,
)
from dpcore.privacy.bootstrap_profiles import Bound
from dpcore.privacy.events import BootstrapEvent
from dpcore.privacy_filter import PrivacyCost, computed, typed
from dpcore.relations import NeighboringRelation
from dpcore.secure_samples import secure_counts
from dpcore.statistics.checks import checked
from dpcore.statistics.kinds import StatisticKind


@dataclass(frozen=True, slots=True, kw_only=True)
class BootstrapPlan:
    """The statistic of several resamples, each with Gaussian noise.

    Attributes:
        bounds: The public interval that holds everybody's term.
        people: Number of people, public; so many rows are drawn for each resample.
        average: Whether the statistic is the mean of the terms, and not their sum.
        sensitivity: What one copy of a row changes, rounding errors included.
        times: How many resamples there are.
        multiple: Standard deviation of the noise of each over ``sensitivity``.
        bound: Which bound counts in the worst case: one that is proved.

    """

    bounds: Interval
    people: int
    average: bool
    sensitivity: float
    times: int
    multiple: float
    bound: Bound = Bound.GENERIC

    @property
    def noise(self) -> float:
        """Return the standard deviation of the noise of each bootstrap."""
        return self.multiple * self.sensitivity

    @property
    def event(self) -> BootstrapEvent:
        """Return the bootstraps as the accountant sees them."""
        return BootstrapEvent(parameter=self.multiple, people=self.people, times=self.times)

    @property
    def rho(self) -> float:
        """Return the exact zCDP level, ``n^2`` times that of one Gaussian release."""
        return self.event.rho

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the epsilon at ``delta`` over all tables, an upper bound.

        Infinite below the least delta that is accounted for.
        """
        if delta < LEAST_DELTA:
            return math.inf
        return epsilon_of_step(
            self.event.ratio, times=self.times, people=self.people, delta=delta, bound=self.bound
        )

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return an upper bound on the epsilon between two statistics, ``(..., 1)``.

        As if it were told how often the person was drawn: that holds for one person's
        own change whatever the rest of the table is. Never more than the worst case.
        """
        moved = np.abs(np.subtract(first, second, dtype=np.float64))[..., 0]
        if delta < LEAST_DELTA:
            return np.where(moved > 0, np.inf, moved)
        own = revealed_epsilon(
            moved / self.noise,
            times=self.times,
            people=self.people,
            delta=delta,
            most=self.event.ratio,
        )
        return np.minimum(own, self.worst_case(delta=delta))

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        return Width(half=math.inf, unit=unit, of="depends on who is drawn")

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:  # noqa: ARG002 - the noise has a cost of its own
        """Return the bootstraps, with their mean, standard error and interval.

        ``value`` holds everybody's term, shape ``(n,)``. What follows from the
        bootstraps costs nothing more. Of fewer than ``FEWEST_PEOPLE`` there is no error
        and no interval: they rest on averages that are normal.
        """
        resampled = np.array([self._resampled(value) for _ in range(self.times)])
        drawn = self._noisy(resampled)
        labels = tuple(f"bootstrap {number}" for number in range(1, self.times + 1))
        derived = {"mean of the bootstraps": float(drawn.mean())}
        if self.times > 1 and self.people >= FEWEST_PEOPLE:
            found = Method().around(drawn, noise=self.noise**2, people=self.people)
            percent = f"{in_full(100 * LEVEL)}%"
            derived |= {
                "standard error": found.standard_error,
                f"lower end of the {percent} interval": found.lower,
                f"upper end of the {percent} interval": found.upper,
            }
        return Answer(labels=labels, values=tuple(drawn.tolist()), derived=derived)

    def _resampled(self, value: FloatArray) -> float:
        """Return the statistic of one secure resample.

        Terms that are not drawn count as exact zeros in a sum whose order does not
        depend on them, so that a person who is not drawn changes no bit of it.
        """
        counts = secure_counts(self.people, self.people)
        center = self.bounds.lower + self.bounds.width / 2
        total = float(np.sum(counts * (value - center)))
        if self.average:
            return self.bounds.clip(np.array(center + total / self.people)).item()
        return self.people * center + total

    def _noisy(self, resampled: FloatArray) -> FloatArray:
        """Return the bootstraps with noise; OpenDP confirms its level for one copy."""
        step = self.sensitivity
        together = Sensitivity(
            coordinates=self.times,
            l1=self.times * step,
            l2=math.sqrt(self.times) * step,
            largest=step,
        )
        level = self.times / (2 * self.multiple**2)
        return secure.draw(
            Gaussian(noise=self.noise),
            resampled,
            sensitivity=together,
            cost=PrivacyCost(rho=computed(level)),
        )


ADDITIVE: Final = (
    StatisticKind.MEAN,
    StatisticKind.SUM,
    StatisticKind.COUNT,
    StatisticKind.PROPORTION,
)
"""What can be bootstrapped: what is a sum of one term a person."""
MOST_DRAWN: Final = 10**9
"""The most rows that all resamples of one release draw together."""
_TOLERANCE = 1e-9
_AVERAGES = (StatisticKind.MEAN, StatisticKind.PROPORTION)
_LABELS: Final = {
    Correction.PUBLISHED: "Bootstrap, as published",
    Correction.ASYMPTOTIC: "Bootstrap, corrected for many resamples",
    Correction.FINITE: "Bootstrap, corrected",
}


@dataclass(frozen=True, kw_only=True)
class BootstrapRequest(OfQuery):
    """A question that several noisy bootstraps shall answer, and the price. PUBLIC.

    Attributes:
        query: A mean, sum, count or share of a table with a public number of people.
        rho: What all bootstraps together shall cost, in zCDP, in (0, 100]. It stands
            for the privacy of Gaussian noise: ``claimed`` is the epsilon that it means.
        delta: At which the claim is made, in [1e-12, 1).
        times: How many bootstraps, from 1.
        correction: How their noise is chosen.
        bound: Finite sample: which bound shall meet the claim, the generic or the mean
            one. The latter is proved for counts and shares, and for numbers it is not.
            Not used by the other corrections.

    Raises:
        ParameterError: One of these is outside its domain, or the question cannot be
            bootstrapped.

    """

    query: Query
    rho: float
    delta: float
    times: int = 50
    correction: Correction = Correction.FINITE
    bound: Bound = Bound.GENERIC
    draw: int = 1

    mechanism_key = "bootstrap"

    def __post_init__(self) -> None:
        self._check_question()
        if not 0 < self.rho <= MOST_RHO:
            raise ParameterError(
                f"rho must be above 0 and at most {in_full(MOST_RHO)}, got {in_full(self.rho)}."
            )
        if not LEAST_DELTA <= self.delta < 1:
            raise ParameterError(
                f"delta must be from {in_full(LEAST_DELTA)} to below 1, got {in_full(self.delta)}."
            )
        require_times(self.times)
        if self.times * self.query.size.people > MOST_DRAWN:
            raise ParameterError(
                f"{self.times} bootstraps of "
                f"{self.query.unit.number(self.query.size.people)} draw more than "
                f"{MOST_DRAWN:,} rows. Take fewer bootstraps."
            )
        if self.bound is Bound.ATTAINED:
            raise ParameterError("only an upper bound can meet a claim: the generic or the mean.")
        if self.claimed <= 0:
            raise ParameterError(
                f"ρ = {in_full(self.rho)} means ε = 0 at δ = {in_full(self.delta)}. Choose a "
                "smaller δ."
            )

    @property
    def title(self) -> str:
        """Return the question in words."""
        return f"{self.query.title}, {self.times} bootstraps"

    @property
    def mechanism_label(self) -> str:
        """Return the name of the mechanism."""
        return _LABELS[self.correction]

    @property
    def claimed(self) -> float:
        """Return the epsilon that is claimed at ``delta``."""
        return claimed_epsilon(self.rho, self.delta)

    @property
    def factor(self) -> float:
        """Return the factor on the published variance; it may take seconds to find.

        It depends on public numbers and is remembered. ``bootstrap_cost.calibration_steps``
        finds the same one step by step.
        """
        return factor_of(
            self.correction,
            rho=self.rho,
            delta=self.delta,
            times=self.times,
            people=self.query.size.people,
            bound=self.bound,
        )

    @property
    def proved(self) -> Bound:
        """Return the bound that the price is computed by: one that is proved.

        Where ``bound`` does not choose the noise it does not choose the price either:
        the same question has the same price.
        """
        if not self.query.kind.of_members:
            return Bound.GENERIC
        return self.bound if self.correction is Correction.FINITE else Bound.MEAN

    @cached_property
    def plan(self) -> BootstrapPlan:
        """Return how the answer is drawn."""
        return self.planned(1 / resampled_step(self.factor, rho=self.rho, times=self.times))

    def planned(self, multiple: float) -> BootstrapPlan:
        """Return the plan whose noise is a known multiple of the sensitivity.

        A release has recorded it, and it need not be searched for again.
        """
        return BootstrapPlan(
            bounds=self._terms,
            people=self.query.size.people,
            average=self.query.kind in _AVERAGES,
            sensitivity=self._sensitivity,
            times=self.times,
            multiple=multiple,
            bound=self.proved,
        )

    @cached_property
    def effective_epsilon(self) -> float:
        """Return the epsilon that is given at ``delta``, by the bound ``proved``."""
        return self.plan.worst_case(delta=self.delta)

    @property
    def claim_holds(self) -> bool:
        """Tell whether the epsilon that is claimed is given."""
        return self.effective_epsilon <= self.claimed * (1 + _TOLERANCE)

    @property
    def cost(self) -> PrivacyCost:
        """Return what the answer costs: what it really gives, rounded up."""
        return PrivacyCost(
            epsilon=computed(self.effective_epsilon),
            delta=typed(self.delta),
            rho=computed(self.plan.rho),
        )

    def refusal(self, mode: Mode) -> str | None:
        """Return why it cannot be released in a mode; ``None`` if it can."""
        if mode is Mode.CLASSROOM or self.claim_holds:
            return None
        if self.correction is Correction.FINITE:
            return (
                "The bound for means is proved for changes from one bound to the other "
                "and checked numerically for those in between. Choose the generic "
                "bound."
            )
        return (
            f"{self.times} bootstraps by {self.mechanism_label} have ε = "
            f"{epsilon_text(self.effective_epsilon)} here, not {epsilon_text(self.claimed)} "
            f"(ρ = {in_full(self.rho)}, δ = {in_full(self.delta)}). Choose the finite-sample "
            "correction."
        )

    def parameters(self) -> dict[str, object]:
        """Return the public parameters that define the analysis, ready for JSON."""
        return {"kind": "bootstrap", "query": self.query.parameters(), **BOOTSTRAP.write(self)}

    def value(self, dataset: Table) -> FloatArray:
        """Return everybody's term, clamped, shape ``(n,)``. CONFIDENTIAL.

        Raises:
            DataError: The column cannot be read as it is declared.
            ParameterError: The number of people is not the public one, or the table
                lies in parts.

        """
        held = in_memory(dataset, "a bootstrap")
        values = checked(self.query.values(held), self.query.size)
        return self._terms.clip(values)

    @property
    def _terms(self) -> Interval:
        """Return the bounds of what one person adds to the sum or to the mean."""
        bounds = self.query.column.bounds
        if self.query.kind.of_members or bounds is None:
            return Interval(lower=0.0, upper=1.0)
        return Interval(lower=bounds.lower, upper=bounds.upper)

    @property
    def _sensitivity(self) -> float:
        largest = max(abs(self.query.bounds.lower), abs(self.query.bounds.upper))
        one = Sensitivity.scalar(self.query.sensitivity.largest)
        return secure.widen(one, largest).largest

    def _check_question(self) -> None:
        if self.query.kind not in ADDITIVE:
            raise ParameterError(
                f"a bootstrap answers for a {', '.join(ADDITIVE)}, not for a {self.query.kind}."
            )
        if self.query.unit.several:
            raise ParameterError(
                f"a bootstrap needs one row for each {self.query.unit.noun}: several "
                "rows of one would be drawn apart."
            )
        public = self.query.size.public
        if self.relation is not NeighboringRelation.SUBSTITUTION or not public:
            raise ParameterError(
                f"a bootstrap needs a public number of {self.query.unit.counted}: use "
                "substitution, and impute missing values."
            )


BOOTSTRAP: Final = Schema(
    BootstrapRequest,
    rho=NUMBER,
    delta=NUMBER,
    times=WHOLE,
    correction=choice(Correction),
    bound=Part(
        codec=optional(choice(Bound)),
        of=lambda asked: asked.bound if asked.correction is Correction.FINITE else None,
    ),
)
