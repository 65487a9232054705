"""What is asked, of which mechanism, at what price."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final, cast

from dpcore.analyses import secure
from dpcore.analyses.base import Mode, OfQuery, Question
from dpcore.analyses.cross_table import CrossedQuery, CrossPlan
from dpcore.analyses.differences import DifferencePlan, DifferenceQuery
from dpcore.analyses.groups import GroupedQuery, GroupPlan
from dpcore.analyses.matrix import JointQuery, MatrixPlan
from dpcore.analyses.means import MeansPlan, MeansQuery
from dpcore.analyses.measurement import Direct, Plan
from dpcore.analyses.number import Query, quantile_names
from dpcore.analyses.quantiles import MECHANISMS as OF_CHAINS
from dpcore.analyses.quantiles import ChainPlan, RankPlan
from dpcore.analyses.shares import CONSTRAINT, Constraint, SharePlan
from dpcore.arrays import FloatArray
from dpcore.codec import NUMBER, TEXT, Part, Schema, if_any, several
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import PartitionedDataset
from dpcore.errors import ParameterError
from dpcore.formatting import epsilon_text, in_full
from dpcore.mechanisms.catalog import CATALOG, EXPONENTIAL, Entry
from dpcore.mechanisms.covariances import MECHANISMS, CovarianceRelease
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Mechanism, Sensitivity
from dpcore.privacy_filter import PrivacyCost, computed, typed
from dpcore.statistics.covariance import CovarianceMatrix
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.quantiles import CumulativeCounts, RankScores

MOST_PEOPLE = 10**8
"""The largest table whose rounding errors are covered where the range is infinite."""
CLAIM_TOLERANCE = 1e-9
"""By how much of itself an epsilon may be off for the error of computing it."""
_EXACT = {
    StatisticKind.COUNT,
    StatisticKind.HISTOGRAM,
    StatisticKind.CROSS_TABLE,
    StatisticKind.QUANTILES,
}

_OF_KNOWN_SUMS = {StatisticKind.QUANTILES, StatisticKind.DIFFERENCE, StatisticKind.MEANS}


def offered(kind: StatisticKind) -> dict[str, Entry]:
    """Return the mechanisms that can answer a question, by key."""
    if kind.of_ranks:
        return {EXPONENTIAL.key: EXPONENTIAL}
    if kind.of_matrix:
        return {key: CATALOG[key] for key in CATALOG if key in MECHANISMS}
    if kind in _OF_KNOWN_SUMS:
        return {key: CATALOG[key] for key in CATALOG if key in OF_CHAINS}
    return CATALOG


@dataclass(frozen=True, kw_only=True)
class Request(OfQuery):
    """A question with the mechanism that shall answer it, and the price. PUBLIC.

    Attributes:
        query: The question.
        mechanism_key: Key of a mechanism that is ``offered`` for it.
        epsilon: What the mechanism is calibrated to.
        delta: The same; not used where the mechanism needs none.
        constraint: How shares are made to add up to 1; ``None`` if they are not.
        weights: How a covariance matrix splits the budget, one weight for each number;
            ``None`` for equal parts.

    """

    query: Question
    mechanism_key: str
    epsilon: float
    delta: float = 0.0
    draw: int = 1
    constraint: Constraint | None = None
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        entries = offered(self.query.kind)
        if self.mechanism_key not in entries:
            raise ParameterError(
                f"the mechanism for a {self.query.kind} must be one of {', '.join(entries)}."
            )
        if self.constraint is not None and self.query.kind is not StatisticKind.PROPORTIONS:
            raise ParameterError("only all shares together can be made to add up to 1.")
        if self.weights is not None and not self.query.kind.of_matrix:
            raise ParameterError("only a covariance matrix splits its budget.")

    @property
    def title(self) -> str:
        """Return the question in words, and that its shares are made to add up."""
        asked = self.query.title
        return asked if self.constraint is None else f"{asked}, {self.constraint.text}"

    @property
    def entry(self) -> Entry:
        """Return what the catalog says about the mechanism."""
        return offered(self.query.kind)[self.mechanism_key]

    @property
    def mechanism_label(self) -> str:
        """Return the name of the mechanism."""
        return self.entry.label

    @property
    def used_delta(self) -> float:
        """Return ``delta``, or 0 where the mechanism needs none."""
        return self.delta if self.entry.needs_delta else 0.0

    @property
    def used_weights(self) -> tuple[float, ...] | None:
        """Return ``weights``; equal ones are the equal parts that there are anyway."""
        return self.weights if len(set(self.weights or ())) > 1 else None

    @property
    def sensitivity(self) -> Sensitivity:
        """Return the sensitivity of the answer as floats compute it.

        Counts are exact. What else has no finite range is at most as large as the
        change by one unit times ``MOST_PEOPLE``.
        """
        sensitivity, bounds = self.query.sensitivity, self.query.bounds
        if self.query.kind in _EXACT:
            return sensitivity
        largest = max(abs(bounds.lower), abs(bounds.upper))
        if math.isinf(largest):
            largest = sensitivity.largest * MOST_PEOPLE
        return secure.widen(sensitivity, largest)

    @cached_property
    def mechanism(self) -> Mechanism:
        """Return the mechanism that draws each number of the answer.

        For a question about ranks, a covariance matrix, and shares that are made to add
        up, ask the ``plan``.
        """
        return self.entry.calibrate(
            sensitivity=self.sensitivity,
            epsilon=self.epsilon,
            delta=self.used_delta,
            bounds=self.query.bounds,
        )

    @cached_property
    def plan(self) -> Plan:
        """Return how the request is carried out."""
        if self.query.kind.of_places:
            return self._rank_plan if self.query.kind.of_ranks else self._chain_plan
        if self.query.kind.of_matrix:
            return self._matrix_plan
        if self.constraint is not None:
            return SharePlan(
                query=cast("Query", self.query),
                key=self.mechanism_key,
                epsilon=self.epsilon,
                constraint=self.constraint,
                rounding=secure.ROUNDING_UNITS * 2.0**-53,
            )
        return self._group_plan or self._direct_plan

    @property
    def _group_plan(self) -> Plan | None:
        """Return how means and spreads of groups follow from counts and sums."""
        if isinstance(self.query, GroupedQuery) and self.query.moments is not None:
            return GroupPlan.of(self.query, self.mechanism, sensitivity=self.sensitivity)
        if isinstance(self.query, MeansQuery):
            return MeansPlan(
                mechanism=cast("Laplace | Gaussian", self.mechanism),
                statistic=self.query.moments,
                sensitivity=self.sensitivity,
                names=self.query.names,
                count_names=self.query.count_names,
            )
        if isinstance(self.query, DifferenceQuery):
            return DifferencePlan(
                mechanism=cast("Laplace | Gaussian", self.mechanism),
                statistic=self.query.moments,
                sensitivity=self.sensitivity,
                pair=self.query.pair,
                names=self.query.names,
            )
        return None

    @property
    def _direct_plan(self) -> Direct:
        if isinstance(self.query, CrossedQuery):
            return CrossPlan(
                mechanism=self.mechanism,
                statistic=self.query.statistic,
                sensitivity=self.sensitivity,
                bounds=self.query.bounds,
                shape=self.query.shape,
                margins=self.query.margins,
            )
        return Direct(
            mechanism=self.mechanism,
            statistic=self.query.statistic,
            sensitivity=self.sensitivity,
            bounds=self.query.bounds,
        )

    @cached_property
    def effective_epsilon(self) -> float:
        """Return the epsilon that is given at ``used_delta``, over all tables."""
        return self.plan.worst_case(delta=self.used_delta)

    @property
    def claim_holds(self) -> bool:
        """Tell whether the epsilon is given that was asked for."""
        return self.effective_epsilon <= self.epsilon * (1 + CLAIM_TOLERANCE)

    def refusal(self, mode: Mode) -> str | None:
        """Return why it cannot be released in a mode; ``None`` if it can."""
        if not self.entry.releasable:
            return (
                f"{self.entry.label} has no secure sampler: it can be studied, not "
                "released. Choose another mechanism."
            )
        if mode is Mode.RELEASE and not self.claim_holds:
            return (
                f"{self.entry.label} gives epsilon {epsilon_text(self.effective_epsilon)} "
                f"here, not {in_full(self.epsilon)}. Choose another mechanism."
            )
        return None

    def value(self, dataset: Dataset | PartitionedDataset) -> FloatArray:
        """Return the statistic of a table, shape ``(k,)``. CONFIDENTIAL."""
        return self.query.value(dataset)

    @cached_property
    def cost(self) -> PrivacyCost:
        """Return what the answer costs: its real epsilon where the claim fails."""
        return PrivacyCost(
            epsilon=typed(self.epsilon) if self.claim_holds else computed(self.effective_epsilon),
            delta=typed(self.used_delta),
            rho=computed(self.plan.rho),
        )

    def parameters(self) -> dict[str, object]:
        """Return the public parameters that define the analysis, ready for JSON."""
        return {"query": self.query.parameters(), **REQUEST.write(self)}

    @property
    def _rank_plan(self) -> RankPlan:
        return RankPlan(
            mechanism=Exponential.calibrate(
                sensitivity=self.sensitivity, epsilon=self.epsilon, bounds=self.query.bounds
            ),
            statistic=cast("RankScores", self.query.statistic),
            sensitivity=self.sensitivity,
            label=self.query.title,
        )

    @property
    def _chain_plan(self) -> ChainPlan:
        query = cast("Query", self.query)
        return ChainPlan(
            mechanism=cast("Laplace | Gaussian", self.mechanism),
            statistic=cast("CumulativeCounts", query.statistic),
            sensitivity=self.sensitivity,
            shares=query.qs or (),
            names=quantile_names(query.qs or ()),
        )

    @property
    def _matrix_plan(self) -> MatrixPlan:
        query = cast("JointQuery", self.query)
        statistic = cast("CovarianceMatrix", query.statistic)
        if query.unit.several:
            raise ParameterError(f"a covariance matrix needs one row for each {query.unit.noun}.")
        release = CovarianceRelease(
            widths=tuple(bounds.width for bounds in statistic.bounds),
            people=statistic.size.people,
            key=self.mechanism_key,
            epsilon=self.epsilon,
            weights=self.weights,
            # No variance exceeds half of its squared width.
            rounding=secure.ROUNDING_UNITS * 2.0**-54,
        )
        return MatrixPlan(release=release, statistic=statistic)


REQUEST: Final = Schema(
    Request,
    mechanism=Part(codec=TEXT, argument="mechanism_key"),
    epsilon=NUMBER,
    delta=Part(codec=NUMBER, of=lambda request: request.used_delta),
    constraint=if_any(CONSTRAINT),
    weights=if_any(several(NUMBER), of=lambda request: request.used_weights),
)
