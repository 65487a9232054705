"""A statistic of every group of people: noise on counts and sums, and what follows.

Nothing is public about the size of a group. Counts and sums of groups need none. What
divides by the number of people is not released as such: the counts and sums are from
which it follows, for groups of every size (``GroupMoments``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses import secure
from dpcore.analyses.base import (
    NumberOfGroups,
    Question,
    QuestionTerms,
    Request,
    column_from,
    grouping_from,
)
from dpcore.analyses.measurement import (
    Answer,
    LabelledIntervals,
    OneMechanism,
    Plan,
    SimulatedAnswers,
    SimulatedDraws,
    Width,
    check_within,
    interval_ends,
    middle,
)
from dpcore.analyses.number import QUERY, Query
from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset, DescribedTable
from dpcore.errors import ParameterError
from dpcore.inference.group_ratios import (
    GroupEstimates,
    Ratio,
    estimate_each,
    exact_ratios,
    fewest,
    half_widths,
    point_ratios,
    reach,
)
from dpcore.inference.intervals import LEVEL, level_of_each
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.conditions import said_once, ungrouped
from dpcore.statistics.entries import group_codes
from dpcore.statistics.group_sums import Grouped, GroupMoments, count_names
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import GROUPING
from dpcore.statistics.statistic import Statistic
from dpcore.statistics.sums_and_means import Sum


@dataclass(frozen=True, slots=True, kw_only=True)
class OfGroups(Question):
    """A question about a column, asked of groups that other columns make.

    Attributes:
        part: The question asked of each group, of ``ANY_SIZE``.
        group: The columns of public lists of labels that make the groups.

    """

    part: Query
    group: Grouping

    @property
    def column(self) -> Column:
        """Return the column that the statistic is about."""
        return self.part.column

    @property
    def of_each(self) -> str:
        """Return what is asked of each group in words, such as "mean of age by region"."""
        groups = (self.group.title,) if self.group else ()
        return " by ".join(said_once(self.part.title, *groups))

    @property
    def part_conditions(self) -> tuple[str, ...]:
        """Return what becomes of values before they are counted; no minimum is divided by."""
        return tuple(said for said in self.part.conditions if not said.startswith("divided"))

    @property
    def relation(self) -> NeighboringRelation:
        """Return which tables are neighbors."""
        return self.part.relation

    @property
    def unit(self) -> PrivacyUnit:
        """Return the privacy unit."""
        return self.part.unit

    @property
    def size(self) -> TableSize:
        """Return that the size of a group is private."""
        return self.part.size

    def resized(self, people: int) -> Self:
        """Return the same question of groups of another number of people."""
        return replace(self, part=self.part.resized(people))

    def clamp(self, column: Column) -> tuple[float, float]:
        """Return the bounds that values are moved to; infinite where they are not."""
        return self.part.clamp(column)

    def row_values(self, dataset: Dataset) -> FloatArray:
        """Return each row's number and code of the group, ``(n, 2)``. CONFIDENTIAL."""
        codes = group_codes(dataset, self.group, self.counted_rows(dataset))
        return np.column_stack([self.part.row_values(dataset), codes])


ANY_SIZE: Final = TableSize(people=100, public=False)
"""The size of the part of a grouped question: private, and its number is not used.

Counts and sums of groups have always named a number that they did not need, most often
this one; with it the same question still has the answer that was given then.
"""
_UNIT: Final = Interval(lower=0.0, upper=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupedQuery(OfGroups):
    """A statistic of one column for each label of others, and for all other people.

    Attributes:
        part: The question asked of each group, of ``ANY_SIZE``.
        group: The columns of public lists of labels that make the groups.

    """

    def __post_init__(self) -> None:
        if not self.part.kind.by_group:
            raise ParameterError(
                f"{self.part.kind} cannot be asked by group; choose a statistic that "
                "is one number, such as a mean."
            )
        if self.part.size.public:
            raise ParameterError("the sizes of groups are private: nothing is public about them.")
        # Builds the statistic once, so that its own demands are met from here on.
        _ = self.sensitivity

    @property
    def kind(self) -> StatisticKind:
        """Return which statistic each group has."""
        return self.part.kind

    @property
    def listed_groups(self) -> tuple[str, ...]:
        """Return the labels on the public list."""
        return self.group.labels

    @property
    def of_each_group(self) -> tuple[NumberOfGroups, ...]:
        """Return the statistic of each group, or its mean and standard deviation."""
        of, several = self.part.kind, len(self._nouns) > 1
        return tuple(
            NumberOfGroups(
                names={group: f"{noun} of {group}" if several else group for group in self.groups},
                noun="share" if self.kind is StatisticKind.PROPORTION else noun,
                quantity=self.quantity,
                is_share=of is StatisticKind.PROPORTION,
                is_average=of in {StatisticKind.MEAN, StatisticKind.PROPORTION} or noun == "mean",
            )
            for noun in self._nouns
        )

    @property
    def _nouns(self) -> tuple[str, ...]:
        """Return what each number of a group is called."""
        several = self.kind is StatisticKind.MEAN_AND_SPREAD
        return self.part.labels if several else (self.kind.value,)

    @property
    def released_sizes(self) -> str:
        """Return the column of groups; sums and counts divide by nothing, and tell no sizes."""
        return self.group.name if self.kind.of_ratios else ""

    @property
    def simulated(self) -> tuple[str, ...]:
        """Return the ratios of one group."""
        if not self.kind.of_ratios:
            return ()
        return tuple(f"{noun} of one group" for noun in self._nouns)

    def window(self, number: int) -> tuple[float, float]:
        """Return where a ratio can be: a variance is largest of values at both bounds."""
        ratio = self.ratios[number]
        low, high = ratio.in_units(np.array([0.0, 1.0 if ratio.ddof is None else 0.25]))
        return float(low), float(high)

    @property
    def ratios(self) -> tuple[Ratio, ...]:
        """Return what is asked of each group, in terms of its counts and sums."""
        asked, bounds = _RATIOS[self.part.kind], self.bounds_of_each
        return tuple(
            Ratio(bounds=bounds, ddof=ddof, root=root, squares=len(asked) > 1)
            for ddof, root in asked
        )

    @property
    def bounds_of_each(self) -> Interval:
        """Return the public bounds of what a row counts: of a share, 0 and 1."""
        shares = self.part.kind is StatisticKind.PROPORTION
        return (None if shares else self.column.bounds) or _UNIT

    @property
    def moments(self) -> GroupMoments | None:
        """Return the counts and sums that a ratio follows from; None for the others."""
        if not self.kind.of_ratios:
            return None
        return GroupMoments(
            labels_of_groups=self.group.labels,
            bounds=self.bounds_of_each,
            degree=self.ratios[0].degree,
        )

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the name of each group; the last is that of all others."""
        return self.group.groups

    @property
    def of_rows(self) -> Statistic:
        """Return the statistic of all groups together."""
        if self.moments is not None:
            return self.moments
        part = self.part.of_rows
        if not isinstance(part, Sum):
            raise ParameterError(f"a {self.part.kind} cannot be asked by group.")
        return Grouped.alike(labels_of_groups=self.group.labels, part=part)

    @property
    def title(self) -> str:
        """Return the question in words."""
        return self.of_each

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what becomes of values and groups before they are counted."""
        return (*self.part_conditions, *ungrouped(*self.group.columns))

    @property
    def unit_text(self) -> str:
        """Return the unit of the answer, empty where it has none."""
        return self.part.unit_text

    @property
    def span(self) -> float:
        """Return how far apart the answers of a group can be."""
        return self.part.span

    @property
    def is_whole(self) -> bool:
        """Return whether the answers are whole numbers, such as counts."""
        return self.part.is_whole

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of the number of each group; of two, those of the first first."""
        return tuple(name for number in self.of_each_group for name in number.names.values())

    def raw(self, values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
        """Return the statistic of each group, of values as they are."""
        each = [self.part.raw(values[codes == j], codes) for j in range(len(self.groups))]
        return np.stack(each, axis=-1).ravel()

    @property
    def units(self) -> dict[str, str]:
        """Return the units of the counts that ratios come with, by name."""
        if self.moments is None:
            return {}
        names = count_names(self.groups, self.unit.counted)
        return dict.fromkeys(names.values(), self.unit.counted)

    def plan(self, request: Request) -> Plan:
        """Return how a request for it is carried out.

        Raises:
            ParameterError: A ratio is asked for, of neither Laplace nor Gaussian noise.

        """
        moments, mechanism = self.moments, request.mechanism
        if moments is None:
            return Question.plan(self, request)
        if not isinstance(mechanism, Laplace | Gaussian):
            raise ParameterError(
                f"the {self.kind} of groups is computed from unbounded noisy counts and sums. "
                "Choose Laplace or Gaussian noise."
            )
        return GroupPlan(
            mechanism=mechanism,
            statistic=moments,
            sensitivity=request.sensitivity,
            ratios=self.ratios,
            names=self.labels,
            counted=self.unit.counted,
        )

    @classmethod
    def from_terms(  # type: ignore[override] # parts of this shape
        cls,
        terms: QuestionTerms,
        *,
        by: str | Sequence[str],
        **parts: Any,  # noqa: ANN401 - those of a statistic of one column
    ) -> Self:
        """Return the same statistic of each group that the columns ``by`` make."""
        part = Query.from_terms(terms, size=ANY_SIZE, **parts)
        return cls(part=part, group=terms.grouping(by))

    @classmethod
    def read(cls, content: Mapping[str, Any], dataset: DescribedTable, unit: PrivacyUnit) -> Self:
        """Return the question that parameters describe."""
        known = {"size": ANY_SIZE} if "moments" in content else {}
        column = column_from(content["column"], dataset)
        part = QUERY.read(content, unit=unit, column=column, **known)
        # Ratios of groups by a public minimum of people are no longer asked.
        if part.kind.of_ratios and not known:
            raise LookupError
        return cls(part=part, group=grouping_from(content["group"], dataset))

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON.

        Ratios of groups once had a public minimum of people; they name no size now, and
        the degree of their sums instead, so that the two are never the same analysis.
        """
        parameters = self.part.parameters() | {"group": GROUPING.write(self.group)}
        if self.moments is not None:
            del parameters["size"]
            parameters["moments"] = self.moments.degree
        return parameters


# Of each kind that is asked by group: what is taken from the number of people, if the
# spread around the mean is asked for, and whether its root; of each number.
_RATIOS: Final[Mapping[StatisticKind, tuple[tuple[int | None, bool], ...]]] = {
    StatisticKind.MEAN: ((None, False),),
    StatisticKind.PROPORTION: ((None, False),),
    StatisticKind.MEAN_AND_SPREAD: ((None, False), (0, True)),
    StatisticKind.VARIANCE: ((1, False),),
    StatisticKind.STANDARD_DEVIATION: ((1, True),),
    StatisticKind.POPULATION_VARIANCE: ((0, False),),
    StatisticKind.POPULATION_STANDARD_DEVIATION: ((0, True),),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlan(OneMechanism):
    """Noise on the counts and sums of all groups; counts and ratios follow from them.

    Attributes:
        statistic: The counts and sums.
        ratios: What follows from them for each group; the first says how far off.
        names: What each ratio is called, those of all groups one after the other.
        counted: What is counted, such as "people".

    Raises:
        ParameterError: The noise is of another kind.

    """

    mechanism: Laplace | Gaussian
    statistic: GroupMoments
    ratios: tuple[Ratio, ...]
    names: tuple[str, ...]
    counted: str

    @property
    def ratio(self) -> Ratio:
        """Return the first of the ratios."""
        return self.ratios[0]

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the name of each group; the last is that of all others."""
        return self.statistic.groups

    @property
    def together(self) -> float:
        """Return how many groups hold together, by the numbers that each one is told by."""
        return len(self.groups)

    def size_of(self, people: float) -> float:
        """Return what so many people add to the numbers of their group."""
        return people

    @property
    def count_names(self) -> dict[str, str]:
        """Return what the number of people of each group is called in files."""
        return count_names(self.groups, self.counted)

    @property
    def count_half_width(self) -> float:
        """Return how far off every count is at most, as the answer will say."""
        parts = self.statistic.degree + 1
        missed = 1 - level_of_each(self.together)
        return float(reach(self.mechanism, np.ones(parts), missed / parts))

    @property
    def fewest(self) -> float:
        """Return the released count up to which a group has too few people to say."""
        return fewest(self.mechanism, self.ratio, together=self.together)

    @property
    def usual(self) -> float | None:
        """Return the middle of the bounds of a mean or share."""
        return middle(self.ratio.bounds) if self.ratio.ddof is None else None

    def outcomes(
        self, assumed: float, levels: FloatArray, *, group: int, simulation: SimulatedDraws
    ) -> FloatArray | None:
        """Return quantiles of the simulated mean or share of a group."""
        if self.ratio.ddof is not None:
            return None
        bounds = self.ratio.bounds
        check_within(bounds, assumed)
        height = (assumed - bounds.lower) / bounds.width
        found = self._simulated(self._at_bounds(height, group), self.ratio, simulation)
        return np.quantile(found.values, levels)

    def errors(
        self, place: float, *, group: int, number: int, simulation: SimulatedDraws
    ) -> FloatArray:
        """Return errors of a ratio of a group."""
        ratio, sums = self.ratios[number], self._at_bounds(place, group)
        if ratio.ddof is not None:
            # Values on either side of the middle, whose ratio is at the place of its window.
            variance = (place**2 if ratio.root else place) / 4
            shares = np.array([variance + 0.25, 0.5 - 2 * variance, variance + 0.25])
            sums = self.size_of(group) * shares
        (truth,) = exact_ratios(sums[np.newaxis], ratio)
        return self._simulated(sums, ratio, simulation).errors(float(truth))

    def _at_bounds(self, height: float, people: int) -> FloatArray:
        """Return the ``GroupMoments`` of values at the bounds with this mean height."""
        between = (0.0,) * (self.statistic.degree - 1)
        return self.size_of(people) * np.array([1 - height, *between, height])

    def _simulated(
        self, sums: FloatArray, ratio: Ratio, simulation: SimulatedDraws
    ) -> SimulatedAnswers:
        """Return the ratio of a group of these ``GroupMoments``, in its unit."""
        size = (simulation.draws, len(sums))
        drawn = self.mechanism.simulate(sums, rng=simulation.rng, size=size)
        return SimulatedAnswers(
            values=point_ratios(drawn, ratio), released=drawn.sum(axis=1) > self.fewest
        )

    @property
    def largest_difference(self) -> float:
        """Return how far apart the ratios of two groups can be at most."""
        height = 1.0 if self.ratio.ddof is None else (1 + self.ratio.ddof) / 4
        ends = self.ratio.in_units(np.array([0.0, height]))
        return float(ends[1] - ends[0])

    @property
    def numbers(self) -> int:
        """Return how many numbers are told, those that follow included."""
        return len(self.names) + len(self.count_names)

    def half_widths(self, level: float) -> FloatArray:
        """Return how far off each count is."""
        parts = self.statistic.degree + 1
        off = float(reach(self.mechanism, np.ones(parts), 1 - level))
        return np.full(len(self.groups), off)

    def ratio_half_widths(self, people: tuple[int, ...], number: int = 0) -> FloatArray:
        """Return how far off one of the ratios of groups of ``people`` will be, about.

        NaN where they are too few to say. All groups of the answer at once.
        """
        sizes = np.array([self.size_of(each) for each in people], dtype=np.float64)
        return half_widths(self.mechanism, self.ratios[number], sizes, together=self.together)

    def truth(self, value: FloatArray) -> FloatArray:
        """Return the ratios of each group of the table, NaN if empty. CONFIDENTIAL."""
        sums = value.reshape(len(self.groups), -1)
        return np.concatenate([exact_ratios(sums, ratio) for ratio in self.ratios])

    def width(self, *, unit: str, group: int) -> Width:
        """Return the half-width of the worst of all groups at once, at 95%."""
        alone = ", mean only" if len(self.ratios) > 1 else ""
        return Width(half=self._width(group), unit=unit, of=f"a group of {group:,}{alone}")

    def _width(self, group: int) -> float:
        """Return how far off the ratio of a group will be; infinite for too few people.

        That of a mean is ``min(reach / group, 1)`` times the width of the bounds, and its
        reach is that of noise of scale 1 times the scale. It does not change with epsilon.
        """
        if self.ratio.ddof is not None:
            (half,) = self.ratio_half_widths((group,))
            return math.inf if math.isnan(half) else float(half)
        scale = self.mechanism.noise
        fewest, part = _of_scale_one(replace(self, mechanism=replace(self.mechanism, noise=1.0)))
        if self.size_of(group) <= fewest * scale:
            return math.inf
        return min(part * scale / group, self.ratio.bounds.width)

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the ratios of every group that its count can tell from empty."""
        drawn = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        table = drawn.reshape(len(self.groups), -1)
        found = estimate_each(self.mechanism, table, self.ratios, level=LEVEL)
        return group_answer(found, self.names, tuple(self.count_names.values()))


def group_answer(
    found: GroupEstimates, names: tuple[str, ...], count_names: tuple[str, ...]
) -> Answer:
    """Return the ratios of groups, and the counts that say which of them can be told.

    ``names`` are those of all ratios, one column after the other.
    """
    values = dict(zip(names, found.ratios.ravel().tolist(), strict=True))
    noise = dict(zip(names, map(interval_ends, found.ratios_noise.reshape(-1, 2)), strict=True))
    total = dict(zip(names, map(interval_ends, found.ratios_total.reshape(-1, 2)), strict=True))
    told = {name: value for name, value in values.items() if not math.isnan(value)}
    counts_noise = zip(count_names, map(interval_ends, found.counts_noise), strict=True)
    counts_total = zip(count_names, map(interval_ends, found.counts_total), strict=True)
    return Answer(
        labels=tuple(told),
        values=tuple(told.values()),
        intervals=LabelledIntervals(
            level=found.level,
            noise=dict(counts_noise) | {name: noise[name] for name in told},
            total=dict(counts_total) | {name: total[name] for name in told},
        ),
        derived=dict(zip(count_names, found.counts.tolist(), strict=True)),
        unsaid=tuple(name for name in names if name not in told),
    )


_MANY: Final = 10**6
"""People enough that the error of noise of scale 1 does not span the bounds."""


@lru_cache(maxsize=256)
def _of_scale_one(plan: GroupPlan) -> tuple[float, float]:
    """Return the fewest people that noise of scale 1 lets be told from none, and reach.

    The reach is times the width of the bounds.
    """
    (half,) = plan.ratio_half_widths((_MANY,))
    return plan.fewest, float(half) * _MANY
