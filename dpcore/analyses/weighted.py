"""Weighted means, shares and totals of a survey: noise on two sums of each group.

A column holds the weight of a row, within public bounds: its upper bound is the cap. One
question tells the weighted mean or share, the sum of weights and the weighted total, of
everybody or of each group: all of them follow from the numbers of ``WeightedMoments``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self, cast

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses import secure
from dpcore.analyses.base import QuestionTerms, Request, column_from, grouping_from
from dpcore.analyses.groups import ANY_SIZE, GroupedQuery, GroupPlan, group_answer
from dpcore.analyses.measurement import (
    Answer,
    LabelledIntervals,
    Plan,
    Width,
    interval_ends,
    middle,
)
from dpcore.analyses.number import QUERY, Query
from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset, DescribedTable
from dpcore.data.quantities import CAPS, quantity_of
from dpcore.errors import ParameterError
from dpcore.formatting import significant
from dpcore.inference.weighted_means import DesignEffect, estimate_weighted, parts_told
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.statistics.conditions import clamped, filled, ungrouped
from dpcore.statistics.entries import joint_entries
from dpcore.statistics.group_sums import GroupMoments, WeightedMoments, count_names
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import COLUMN

_KINDS = {
    StatisticKind.MEAN: StatisticKind.WEIGHTED_MEAN,
    StatisticKind.PROPORTION: StatisticKind.WEIGHTED_SHARE,
}

_NAMES_WEIGHTS: Final = re.compile(
    r"weight|wght|wgt|gewicht|poids|pond[eé]r|wt$|(?<![a-z])(?:w|wt|wts|pond|peso)(?![a-z])",
    re.IGNORECASE,
)


def names_weights(heading: str) -> bool:
    """Return whether the heading of a column says that it holds weights.

    >>> [names for names in ("age", "height", "WT_2", "dweight", "Gewicht") if names_weights(names)]
    ['WT_2', 'dweight', 'Gewicht']
    """
    return _NAMES_WEIGHTS.search(heading) is not None


def usual_mean_weight(weights: Interval) -> float:
    """Return the mean weight that is assumed first: 1 if between the bounds, else the middle."""
    return 1.0 if weights.lower < 1 < weights.upper else middle(weights)


def can_weigh(column: Column) -> bool:
    """Return whether a column can hold weights: numbers with public bounds from 0 up."""
    numeric = column.kind in {ColumnKind.NUMBER, ColumnKind.WHOLE}
    return numeric and column.bounds is not None and column.bounds.lower >= 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedQuery(GroupedQuery):
    """The weighted mean or share of a column, for each group or for everybody.

    Attributes:
        part: The question about the mean or share, of ``ANY_SIZE``.
        group: The columns that make the groups; without one, everybody is one group.
        weight: The column of weights. A row without a weight is left out, unless the
            column has a replacement.
        mean_weight: The mean weight that is assumed, to say how far off answers are;
            ``usual_mean_weight`` if not given. It is no part of the analysis.

    Raises:
        ParameterError: It is no such question, or not of such a column.

    """

    released_sizes: ClassVar = ""
    kinds: ClassVar = (StatisticKind.WEIGHTED_MEAN, StatisticKind.WEIGHTED_SHARE)
    noise_unit: ClassVar = CAPS
    weight: Column
    mean_weight: float | None = None

    def __post_init__(self) -> None:
        if self.part.kind not in _KINDS:
            raise ParameterError("only a mean or a share is weighted; a total comes with it.")
        if not can_weigh(self.weight) or self.weight.name == self.part.column.name:
            raise ParameterError(
                f"weights need another column of numbers with public bounds from 0 up; declare "
                f"those of {self.weight.name!r} on the Data page."
            )
        if self.mean_weight is not None and not self.mean_weight > 0:
            raise ParameterError("the mean weight that is assumed must be above 0.")
        GroupedQuery.__post_init__(self)

    @property
    def kind(self) -> StatisticKind:
        """Return whether it is a weighted mean or a weighted share."""
        return _KINDS[self.part.kind]

    @property
    def measured(self) -> tuple[Column, ...]:
        """Return the column in question and that of weights."""
        return (self.part.column, self.weight)

    @property
    def simulated(self) -> tuple[str, ...]:
        """Return the ratio of one group."""
        return (f"{self.kind} of one group" if self.group else f"{self.kind}",)

    @property
    def moments(self) -> GroupMoments:
        """Return the weighted sums from which all numbers follow."""
        return WeightedMoments(
            labels_of_groups=self.group.labels, bounds=self.bounds_of_each, weights=self.weights
        )

    @property
    def weights(self) -> Interval:
        """Return the public bounds of weights."""
        return cast("Interval", self.weight.bounds)

    @property
    def assumed_mean_weight(self) -> float:
        """Return the mean weight that is assumed, the usual one if none is given."""
        return min(self.mean_weight or usual_mean_weight(self.weights), self.weights.upper)

    @property
    def title(self) -> str:
        """Return the question in words: "mean of pay by region, weighted by w"."""
        return f"{self.of_each}, weighted by {self.weight.title}"

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what becomes of values, weights and groups before they are counted."""
        return (
            *self.part_conditions,
            *clamped(self.weight, named=True),
            *filled(self.weight, self.unit, named=True),
            *ungrouped(*self.group.columns),
        )

    @property
    def units(self) -> dict[str, str]:
        """Return the units of the sums of weights and totals, by name."""
        of_sums, of_totals = self.names_of_sums, self.names_of_totals
        unit = self.weight.unit or self.unit.counted
        of_total = unit if self.part.kind is StatisticKind.PROPORTION else self.part.unit_text
        totals = dict.fromkeys(of_totals.values(), of_total) if of_total else {}
        return dict.fromkeys(of_sums.values(), unit) | totals

    @property
    def names_of_sums(self) -> dict[str, str]:
        """Return what the sum of weights of each group is called."""
        return self._names("sum of weights")

    @property
    def names_of_totals(self) -> dict[str, str]:
        """Return what the weighted total of each group is called; empty where none is told.

        Of values of either sign the sampling error is not known, and dates have no total.
        """
        if self.bounds_of_each.lower < 0 or quantity_of(self.column).is_date:
            return {}
        return self._names("weighted total")

    def _names(self, noun: str) -> dict[str, str]:
        return count_names(self.groups, noun) if self.group else dict.fromkeys(self.groups, noun)

    def clamp(self, column: Column) -> tuple[float, float]:
        """Return the bounds that values and weights are moved to."""
        if column == self.weight:
            return self.weights.lower, self.weights.upper
        return self.part.clamp(column)

    def raw(self, values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
        """Return the weighted mean of each group, of values and weights as they are."""
        numbers, weights = values.T
        if self.part.membership is not None:
            numbers = self.part.membership.met(numbers, self.column)
        count = len(self.groups)
        totals = np.bincount(codes, weights=weights * numbers, minlength=count)
        return np.asarray(totals / np.bincount(codes, weights=weights, minlength=count))

    def row_values(self, dataset: Dataset) -> FloatArray:
        """Return the number, the weight and the group of each row, (n, 3). CONFIDENTIAL."""
        rows = self.counted_rows(dataset)
        kept = np.isin(self.part.counted_rows(dataset), rows)
        weights = joint_entries(dataset, rows, (self.weight,), self.group)
        return np.column_stack([self.part.row_values(dataset)[kept], weights])

    def plan(self, request: Request) -> Plan:
        """Return how a request for it is carried out."""
        return WeightedPlan(
            mechanism=cast("Laplace | Gaussian", request.mechanism),
            statistic=self.moments,
            sensitivity=request.sensitivity,
            ratios=self.ratios,
            names=self.labels,
            counted="sum of weights",
            cap=self.weights.upper,
            mean_weight=self.assumed_mean_weight,
            names_of_sums=tuple(self.names_of_sums.values()),
            names_of_totals=tuple(self.names_of_totals.values()),
        )

    @classmethod
    def from_terms(  # type: ignore[override] # parts of this shape
        cls,
        terms: QuestionTerms,
        *,
        weight: str,
        by: str | Sequence[str] = (),
        mean_weight: float | None = None,
        **parts: Any,  # noqa: ANN401 - those of a mean or share
    ) -> Self:
        """Return a mean or share weighted by the column ``weight``, of everybody or groups.

        Args:
            terms: Which statistic, of which column.
            weight: The name of the column of weights.
            by: The names of the columns that make groups.
            mean_weight: The mean weight that margins of error assume.
            **parts: Those of a mean or share, such as ``equals``.

        """
        of_part = next(one for one, kind in _KINDS.items() if kind is terms.kind)
        part = Query.from_terms(replace(terms, kind=of_part), size=ANY_SIZE, **parts)
        return cls(
            part=part, group=terms.grouping(by), weight=terms.named(weight), mean_weight=mean_weight
        )

    @classmethod
    def read(cls, content: Mapping[str, Any], dataset: DescribedTable, unit: PrivacyUnit) -> Self:
        """Return the question that parameters describe."""
        of_part = next(one for one, kind in _KINDS.items() if kind == content["kind"])
        part = QUERY.read(
            {**content, "kind": of_part.value},
            unit=unit,
            column=column_from(content["column"], dataset),
            size=ANY_SIZE,
        )
        weight = column_from(content["weight"], dataset)
        return cls(part=part, group=grouping_from(content["group"], dataset), weight=weight)

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON."""
        return GroupedQuery.parameters(self) | {
            "kind": self.kind.value,
            "weight": COLUMN.write(self.weight),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedPlan(GroupPlan):
    """Noise on the weighted sums of all groups; all numbers follow from them.

    Attributes:
        cap: The largest weight that counts.
        mean_weight: The mean weight that is assumed of a group, to say how far off it is.
        names_of_sums: What the sum of weights of each group is called.
        names_of_totals: The same of the weighted totals; empty where none is told.

    """

    cap: float
    mean_weight: float
    names_of_sums: tuple[str, ...]
    names_of_totals: tuple[str, ...]

    @property
    def count_names(self) -> dict[str, str]:
        """Return what the sum of weights of each group is called."""
        return dict(zip(self.groups, self.names_of_sums, strict=True))

    @property
    def together(self) -> float:
        """Return how many groups of two numbers hold together as these do."""
        return len(self.groups) * parts_told(totals=bool(self.names_of_totals)) / 2

    def size_of(self, people: float) -> float:
        """Return what so many people of the assumed mean weight add to their group."""
        return people * self.mean_weight / self.cap

    @property
    def numbers(self) -> int:
        """Return how many numbers are told, those that follow included."""
        return len((*self.groups, *self.names_of_sums, *self.names_of_totals))

    def width(self, *, unit: str, group: int) -> Width:
        """Return the half-width of the worst of all weighted means at once, at 95%."""
        of = f"a group of {group:,} with mean weight {significant(self.mean_weight)}"
        return replace(GroupPlan.width(self, unit=unit, group=group), of=of)

    def design(self, effect: float, *, spread: float) -> DesignEffect:
        """Return what noise adds to the sampling error at a design effect.

        ``spread`` is the standard deviation of values that is assumed, in widths of the bounds.

        Raises:
            ParameterError: No weights of this mean below the cap have such an effect.

        """
        most = self.cap / self.mean_weight
        if not 1 <= effect <= most:
            raise ParameterError(
                f"the design effect lies between 1 and {significant(most)}, the cap over the mean "
                "weight."
            )
        sd = float(np.sqrt(self.mechanism.variance(0.0)))
        weight = self.mean_weight / self.cap
        return DesignEffect(effect=effect, weight=weight, spread=spread, sd=sd)

    def loss_of(self, weight: float, relation: NeighboringRelation, *, delta: float) -> float:
        """Return the own loss of a row of a weight, with its value at a bound.

        Of Laplace noise under add/remove it is epsilon times the part of the cap, wherever
        the value is.
        """
        row = np.array([[self.ratio.bounds.upper, weight, 0.0]])
        moved = self.statistic.neighbors(row, relation)
        losses = self.pairwise_epsilon(moved.actual, moved.alternatives, delta=delta)
        return float(losses.max())

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the numbers of every group that its sum of weights can tell from empty."""
        drawn = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        totals = self.names_of_totals
        found = estimate_weighted(
            self.mechanism, drawn.reshape(-1, 2), self.ratio, cap=self.cap, totals=bool(totals)
        )
        answer = group_answer(found.groups, self.groups, self.names_of_sums)
        known = cast("LabelledIntervals", answer.intervals)
        noise, total = (
            kept | {name: interval_ends(at) for name, at in zip(totals, ends, strict=False)}
            for kept, ends in (
                (cast("dict[str, Any]", known.noise), found.totals_noise),
                (cast("dict[str, Any]", known.total), found.totals_total),
            )
        )
        return replace(
            answer,
            derived={**answer.derived, **dict(zip(totals, found.totals.tolist(), strict=False))},
            intervals=replace(known, noise=noise, total=total),
        )
