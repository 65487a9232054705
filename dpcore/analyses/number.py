"""A statistic of one column: what is asked, in public terms only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Self, cast

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses import secure
from dpcore.analyses.base import Question, QuestionTerms, Request, column_from
from dpcore.analyses.mean_and_spread import SpreadPlan
from dpcore.analyses.measurement import Plan
from dpcore.analyses.quantiles import ChainPlan, RankPlan
from dpcore.analyses.shares import SharePlan
from dpcore.arrays import FloatArray
from dpcore.codec import NUMBER, Schema, if_any, optional, several
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset, DescribedTable
from dpcore.data.quantities import is_whole, quantity_of
from dpcore.errors import ParameterError
from dpcore.formatting import significant
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.bins import bins_of, check_edges, names_of_bins, usual_edges
from dpcore.statistics.conditions import (
    ALL_COUNTED,
    binned,
    clamped,
    divided,
    filled,
    missing_values,
    others,
)
from dpcore.statistics.entries import Membership, label_entries, number_entries
from dpcore.statistics.grouping import name_of_others
from dpcore.statistics.histogram import Histogram, Proportions
from dpcore.statistics.joint_moments import JointMoments
from dpcore.statistics.kinds import ASKED_OF_PEOPLE, OF_ONE, Makes, StatisticKind, allowed
from dpcore.statistics.parameters import COLUMN, MEMBERSHIP, PLACE, SHARED
from dpcore.statistics.quantiles import CumulativeCounts, RankScores, rank_scores, whole_within
from dpcore.statistics.statistic import NumericStatistic, Statistic
from dpcore.statistics.sums_and_means import Count, Proportion

MOST_QUANTILES: Final = 19
"""Quantiles in one question: every twentieth of the people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Query(Question):
    """A statistic of one column, with everything public that it depends on. PUBLIC.

    Attributes:
        kind: Which statistic.
        column: What is declared about the column.
        relation: Which tables are neighbors.
        unit: The privacy unit.
        size: What is public about the number of people. It must be private under
            add/remove, where people with a missing value are dropped, and where a unit
            may own several rows.
        membership: Whom a count or proportion counts; ``None`` for the others.
        edges: Edges of the bins for a histogram or the shares of a number; ``None``
            for the others.
        q: Which quantile, strictly between 0 and 1; ``None`` for the others.
        qs: Which quantiles, ascending, if several are asked for; else ``None``.

    """

    kind: StatisticKind
    column: Column
    relation: NeighboringRelation
    unit: PrivacyUnit
    size: TableSize
    membership: Membership | None = None
    edges: tuple[float, ...] | None = None
    q: float | None = None
    qs: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.kind not in allowed(self.column.kind) or self.kind not in OF_ONE:
            raise ParameterError(
                f"{self.column.name!r} is a {self.column.kind.value} column; it has no "
                f"{self.kind.value}."
            )
        self._check_size()
        self._check_cap()
        self._check_membership()
        self._check_edges()
        if (self.q is not None) is not (self.kind is StatisticKind.QUANTILE):
            verb = "needs" if self.kind is StatisticKind.QUANTILE else "has no use for"
            raise ParameterError(f"a {self.kind} {verb} a share q of {self.unit.counted} below it.")
        if self.q is not None and not 0 < self.q < 1:
            raise ParameterError(f"q must lie strictly between 0 and 1, got {self.q}.")
        self._check_quantiles()
        # Builds the statistic once, so that its own demands are met from here on.
        _ = self.sensitivity

    @property
    def of_rows(self) -> Statistic:
        """Return the statistic of rows, whoever has them."""
        if self.kind.of_members or self.kind.of_cells:
            return self._of_labels
        if self.kind.of_ranks:
            q = 0.5 if self.q is None else self.q
            return rank_scores(self._declared, q, self.size, whole=is_whole(self.column))
        if self.kind is StatisticKind.QUANTILES:
            inside = whole_within(self._declared) if is_whole(self.column) else None
            return CumulativeCounts(
                bounds=inside or self._declared, size=self.size, whole=inside is not None
            )
        return self.of_numbers

    @property
    def of_numbers(self) -> NumericStatistic:
        """Return a statistic that is neither of labels nor of ranks."""
        return cast("Makes", self.kind.makes)(bounds=self._declared, size=self.size)

    @property
    def title(self) -> str:
        """Return the question in words, such as "mean of age"."""
        name = self.column.title
        if self.qs is not None:
            *first, last = (significant(100 * q, 6) for q in self.qs)
            return f"{', '.join(first)} and {last}% quantiles of {name}"
        if self.q is not None:
            return f"{significant(100 * self.q, 6)}% quantile of {name}"
        if self.membership is None:
            return f"{self.kind.value} of {name}"
        if not self.membership.everyone:
            amount = "number" if self.kind is StatisticKind.COUNT else "share"
            condition = self.membership.phrase(self.column)
            return f"{amount} of {self.unit.counted} with {condition}"
        if self.column.missing is MissingPolicy.DROP:
            return f"number of {self.unit.counted} with a value of {name}"
        return f"number of {self.unit.counted}"

    def missing_values(self, column: Column) -> str:
        """Return how missing values of its column are treated, in words."""
        counted = self.membership is not None and self.membership.everyone
        return ALL_COUNTED if counted and not column.complete else missing_values(column)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what becomes of values before they are counted, in words."""
        if self.membership is not None and self.membership.everyone:
            # Whether a value is there may matter; which one it is does not.
            return ()
        return (
            *self._changed,
            *filled(self.column, self.unit),
            *divided(self.kind, self.size, self.unit),
        )

    @property
    def unit_text(self) -> str:
        """Return the unit of the answer, empty where it has none."""
        if self.kind in {StatisticKind.COUNT, StatisticKind.HISTOGRAM}:
            return self.unit.counted
        if self.kind in {StatisticKind.PROPORTION, StatisticKind.PROPORTIONS}:
            return ""
        of = quantity_of(self.column)
        unit = of.of_differences if self.kind.of_spread else of.unit
        return f"({unit})²" if unit and self.kind.squared else unit

    @property
    def span(self) -> float:
        """Return how far apart answers can be, by the bounds and the number of people."""
        if self.kind.of_counts:
            return float(self.size.people)
        if self.kind is StatisticKind.SUM:
            return self._declared.width * self.size.people
        if self.kind.of_spread:
            return (self._declared.width / 2) ** (2 if self.kind.squared else 1)
        return self.bounds.width

    @property
    def simulated(self) -> tuple[str, ...]:
        """Return mean and standard deviation: the second follows from both noisy numbers."""
        return self.labels if self.kind is StatisticKind.MEAN_AND_SPREAD else ()

    def window(self, number: int) -> tuple[float, float]:
        """Return the bounds of the mean, and 0 to half of their width."""
        declared = self._declared
        return (0.0, declared.width / 2) if number else (declared.lower, declared.upper)

    @property
    def is_whole(self) -> bool:
        """Return whether the answer is a whole number: a count, or a chosen value."""
        return self.kind.of_counts or (self.kind.of_places and self.column.kind is ColumnKind.WHOLE)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each number: of quantiles, their shares."""
        if self.qs is not None:
            return quantile_names(self.qs)
        if self.kind is StatisticKind.MEAN_AND_SPREAD:
            return ("mean", "standard deviation")
        return (self.title,) if self.kind.of_ranks else self.statistic.labels

    def clamp(self, column: Column) -> tuple[float, float]:
        """Return the bounds that values are moved to: those of the bins, where there are."""
        if self.edges is not None:
            return self.edges[0], self.edges[-1]
        return (-np.inf, np.inf) if self.kind.of_members else Question.clamp(self, column)

    def raw(self, values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:  # noqa: ARG002 - no groups
        """Return the statistic of values as they are; beyond the bins they do not count."""
        numbers = values[:, 0]
        if self.kind.of_places:
            qs = self.qs or (0.5 if self.q is None else self.q,)
            nothing = np.full(len(qs), np.nan)
            return np.asarray(np.quantile(numbers, qs)) if len(numbers) else nothing
        if self.membership is not None:
            numbers = self.membership.met(numbers, self.column)
            count: FloatArray = np.array([numbers.sum()])
        elif self.kind.of_cells:
            count = count_cells((self,), values)
        else:
            return self.of_numbers.raw(values)
        return count if self.kind.of_counts else count / len(numbers)

    def plan(self, request: Request) -> Plan:
        """Return how a request for it is carried out."""
        if self.kind.of_ranks:
            return RankPlan(
                mechanism=Exponential.calibrate(
                    sensitivity=request.sensitivity, epsilon=request.epsilon, bounds=self.bounds
                ),
                statistic=cast("RankScores", self.statistic),
                sensitivity=request.sensitivity,
                label=self.title,
            )
        if self.qs is not None:
            return ChainPlan(
                mechanism=cast("Laplace | Gaussian", request.mechanism),
                statistic=cast("CumulativeCounts", self.statistic),
                sensitivity=request.sensitivity,
                shares=self.qs,
                names=quantile_names(self.qs),
            )
        if self.kind is StatisticKind.MEAN_AND_SPREAD:
            return SpreadPlan(
                mechanism=cast("Laplace | Gaussian", request.mechanism),
                statistic=cast("JointMoments", self.statistic),
                sensitivity=request.sensitivity,
                names=self.labels,
            )
        if request.constraint is not None:
            return SharePlan(
                query=self,
                key=request.mechanism_key,
                epsilon=request.epsilon,
                constraint=request.constraint,
                rounding=secure.ROUNDING_UNITS * 2.0**-53,
            )
        return Question.plan(self, request)

    def row_values(self, dataset: Dataset) -> FloatArray:
        """Return one number for each row that counts, shape ``(n,)``. CONFIDENTIAL."""
        if self.column.kind.is_numeric:
            return number_entries(
                dataset, self.column, membership=self.membership, edges=self.edges
            )
        return label_entries(dataset, self.column, membership=self.membership)

    @classmethod
    def read(cls, content: Mapping[str, Any], dataset: DescribedTable, unit: PrivacyUnit) -> Self:
        """Return the question that parameters describe."""
        column = column_from(content["column"], dataset)
        return cast("Self", QUERY.read(content, unit=unit, column=column))

    @classmethod
    def from_terms(  # type: ignore[override] # parts of this shape
        cls,
        terms: QuestionTerms,
        *,
        equals: str | None = None,
        between: tuple[float, float] | None = None,
        bins: int | None = None,
        q: float | Sequence[float] | None = None,
        size: TableSize | None = None,
    ) -> Self:
        """Return a statistic of one column.

        Args:
            terms: Which statistic, of which column.
            equals: The label that a count or proportion counts.
            between: The interval that a count or proportion counts.
            bins: Into how many bins of equal width a histogram divides the bounds.
            q: Which quantile, or which several ones.
            size: That of groups, where it is asked of each.

        """
        column, several = terms.column, isinstance(q, Sequence)
        interval = Interval(lower=between[0], upper=between[1]) if between else None
        members = Membership(label=equals, interval=interval)
        return cls(
            kind=terms.kind,
            column=column,
            relation=terms.relation,
            unit=terms.unit,
            size=size or terms.size_of((column,)),
            membership=members if terms.kind.of_members or not members.everyone else None,
            edges=None if bins is None else usual_edges(column, bins),
            q=None if several else cast("float | None", q),
            qs=tuple(cast("Sequence[float]", q)) if several else None,
        )

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON.

        Equal analyses have equal parameters, whatever their columns are described as.
        """
        return QUERY.write(self)

    @property
    def _declared(self) -> Interval:
        """Return the public bounds of the values."""
        bounds = self.column.bounds
        if bounds is None:
            raise ParameterError(f"{self.column.name!r} needs public bounds for its {self.kind}.")
        return bounds

    @property
    def _of_labels(self) -> Statistic:
        if self.kind is StatisticKind.COUNT:
            return Count(size=self.size)
        if self.kind is StatisticKind.PROPORTION:
            return Proportion(size=self.size)
        if self.kind is StatisticKind.HISTOGRAM:
            return Histogram(labels=self._cells, size=self.size)
        return Proportions(cells=self._cells, size=self.size)

    @property
    def _changed(self) -> tuple[str, ...]:
        """Return what becomes of values outside of what is declared."""
        if self.membership is not None:  # asks for values as they are
            return ()
        if self.edges is not None:
            return binned(self.column, self.edges)
        if self.kind.of_cells:
            return others(self.column, name_of_others(self.column.labels))
        return clamped(self.column)

    @property
    def _cells(self) -> tuple[str, ...]:
        if self.edges is not None:
            return names_of_bins(self.column, self.edges)
        labels = self.column.labels
        if self.column.kind is ColumnKind.YES_NO:
            return labels
        return (*labels, name_of_others(labels))

    def _check_size(self) -> None:
        self.size.check(self.relation, self.unit)
        if self.size.public and self.column.missing is MissingPolicy.DROP:
            raise ParameterError(
                f"the number of {self.unit.counted} is private where those with a "
                f"missing {self.column.name!r} are left out."
            )

    def _check_cap(self) -> None:
        if self.unit.cap is not None and self.kind not in ASKED_OF_PEOPLE:
            known = ", ".join(kind.value for kind in ASKED_OF_PEOPLE)
            raise ParameterError(
                f"“{self.kind}” is not offered where several rows of one "
                f"{self.unit.noun} count. These are: {known}. Or make one row of each "
                f"{self.unit.noun} on Data."
            )

    def _check_membership(self) -> None:
        membership = self.membership
        if (membership is not None) is not self.kind.of_members:
            verb = "needs" if self.kind.of_members else "has no use for"
            raise ParameterError(f"a {self.kind.value} {verb} a condition to be met.")
        if membership is None:
            return
        if membership.everyone:
            if self.kind is StatisticKind.PROPORTION:
                raise ParameterError(
                    f"the share of all {self.unit.counted} is 1; name a condition."
                )
            if self.unit.keeps_number(self.relation):
                raise ParameterError(
                    f"the number of {self.unit.counted} is public under substitution."
                )
        numeric = self.column.kind.is_numeric
        if membership.interval is not None and not numeric:
            raise ParameterError(f"{self.column.name!r} has labels; name one instead of a range.")
        if membership.label is not None and membership.label not in self.column.labels:
            raise ParameterError(
                f"{self.column.name!r} is a number; name a range instead of a label."
                if numeric
                else f"the label is not on the public list of {self.column.name!r}."
            )

    def _check_edges(self) -> None:
        binned = self.kind.of_cells and self.column.kind.is_numeric
        if binned is not (self.edges is not None):
            verb = "needs" if binned else "has no use for"
            raise ParameterError(
                f"the {self.kind.value} of a {self.column.kind.value} column {verb} edges of bins."
            )
        if self.edges is not None:
            check_edges(self.edges)

    def _check_quantiles(self) -> None:
        several = self.kind is StatisticKind.QUANTILES
        if several is not (self.qs is not None):
            verb = "needs" if several else "has no use for"
            raise ParameterError(f"the statistic {self.kind} {verb} a list of shares.")
        if self.qs is None:
            return
        rising = all(low < high for low, high in pairwise(self.qs))
        apart = len(set(quantile_names(self.qs))) == len(self.qs)
        within = all(0 < q < 1 for q in self.qs)
        if not (rising and apart and within and 1 < len(self.qs) <= MOST_QUANTILES):
            raise ParameterError(
                f"several quantiles need 2 to {MOST_QUANTILES} different shares, in "
                "ascending order, strictly between 0 and 100%."
            )


def count_cells(queries: tuple[Query, ...], values: FloatArray) -> FloatArray:
    """Count who is in each cell that questions make together; who is beyond is in none."""
    cells = np.zeros(len(values))
    inside = np.ones(len(values), dtype=bool)
    for query, column in zip(queries, values.T, strict=True):
        places = column
        if query.edges is not None:
            inside &= (column >= query.edges[0]) & (column <= query.edges[-1])
            places = bins_of(column, query.edges)
        cells = cells * len(query.labels) + places
    cut = cells[inside].astype(np.intp)
    return np.bincount(cut, minlength=math.prod(len(query.labels) for query in queries)).astype(
        np.float64
    )


def quantile_names(qs: tuple[float, ...]) -> tuple[str, ...]:
    """Return what each of several quantiles is called.

    >>> quantile_names((0.25, 0.5))
    ('25%', '50%')
    """
    return tuple(f"{significant(100 * q, 6)}%" for q in qs)


QUERY: Final = Schema(
    Query,
    **SHARED,
    column=COLUMN,
    membership=optional(MEMBERSHIP),
    edges=optional(several(PLACE)),
    q=if_any(NUMBER),
    qs=if_any(several(NUMBER)),
)
