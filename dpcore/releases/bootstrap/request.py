"""A question that several noisy bootstraps shall answer, and the price."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from dpcore.arrays import FloatArray
from dpcore.codec import NUMBER, WHOLE, Part, Schema, choice, optional
from dpcore.data.bounds import Interval
from dpcore.data.partitions.table import Table, in_memory
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import Sensitivity
from dpcore.privacy.bootstrap_cost import (
    LEAST_DELTA,
    MOST_RHO,
    Correction,
    claimed_epsilon,
    factor_of,
    require_times,
    resampled_step,
)
from dpcore.privacy.bootstrap_profiles import Bound
from dpcore.privacy_filter import PrivacyCost, computed, typed
from dpcore.relations import NeighboringRelation
from dpcore.releases import secure
from dpcore.releases.bootstrap.plan import BootstrapPlan
from dpcore.releases.record import Mode
from dpcore.releases.releasable import OfQuery
from dpcore.statistics.checks import checked
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.query import Query

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
            raise ParameterError(f"rho must be above 0 and at most {MOST_RHO:g}, got {self.rho}.")
        if not LEAST_DELTA <= self.delta < 1:
            raise ParameterError(
                f"delta must be from {LEAST_DELTA:g} to below 1, got {self.delta}."
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
                f"at delta {self.delta:g} a rho of {self.rho:g} means an epsilon of 0; "
                "choose a smaller delta."
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
    def real_epsilon(self) -> float:
        """Return the epsilon that is given at ``delta``, by the bound ``proved``."""
        return self.plan.worst_case(delta=self.delta)

    @property
    def claim_holds(self) -> bool:
        """Tell whether the epsilon that is claimed is given."""
        return self.real_epsilon <= self.claimed * (1 + _TOLERANCE)

    @property
    def cost(self) -> PrivacyCost:
        """Return what the answer costs: what it really gives, rounded up."""
        return PrivacyCost(
            epsilon=computed(self.real_epsilon),
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
            f"{self.mechanism_label}, {self.times} bootstraps give epsilon "
            f"{self.real_epsilon:.4g} at delta {self.delta:g} here, not the "
            f"{self.claimed:.4g} that rho {self.rho:g} stands for. Choose the "
            "finite-sample correction."
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
