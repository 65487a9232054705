"""The means of several columns for every group: noise on their counts and sums."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Any, ClassVar, Final, Self, cast

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses import secure
from dpcore.analyses.base import (
    NumberOfGroups,
    Question,
    QuestionTerms,
    Request,
    columns_from,
    grouping_from,
)
from dpcore.analyses.groups import ANY_SIZE, GroupedQuery, group_answer
from dpcore.analyses.measurement import (
    Answer,
    OneMechanism,
    Plan,
    SimulatedAnswers,
    SimulatedDraws,
    Width,
    check_within,
    middle,
)
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.codec import Part, Schema, choice, several
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, MissingPolicy
from dpcore.data.dataset import DescribedTable
from dpcore.data.quantities import SUMS, quantity_of
from dpcore.errors import ParameterError
from dpcore.formatting import distinct
from dpcore.inference.group_ratios import (
    LEAST_SIZE,
    count_reach,
    estimate_means,
    exact_means,
    height_reach,
    reach,
)
from dpcore.inference.intervals import LEVEL, level_of_each
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.statistics.conditions import clamped, filled, said_once, ungrouped
from dpcore.statistics.group_sums import MeanMoments
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import COLUMN, GROUPING, RELATION, UNIT

FEWEST_MEANS: Final = 2
MOST_MEANS: Final = 20
"""Columns in one question: as many as a covariance matrix has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeansQuery(Question):
    """The mean of every one of several columns, for each label of others.

    All means of a group share one count of its people. So whoever has no value of one
    of the columns, where such people are left out, is left out of all of them.

    Attributes:
        numbers: What is declared about each column of numbers, all different.
        group: The columns of public lists of labels that make the groups.
        relation: Which tables are neighbors.
        unit: The privacy unit.

    Raises:
        ParameterError: They are no such columns, or too few or many of them.

    """

    size: ClassVar = ANY_SIZE
    """The size of a group is private."""
    kind: ClassVar = StatisticKind.MEANS
    kinds: ClassVar = (StatisticKind.MEANS,)
    noise_unit: ClassVar = SUMS
    numbers: tuple[Column, ...]
    group: Grouping
    relation: NeighboringRelation
    unit: PrivacyUnit

    def __post_init__(self) -> None:
        names = {column.name for column in self.numbers}
        count = len(self.numbers)
        if not FEWEST_MEANS <= count <= MOST_MEANS or len(names) < count:
            raise ParameterError(
                f"{self.kind} are those of {FEWEST_MEANS} to {MOST_MEANS} different "
                f"columns of numbers; choose another one beside "
                f"{self.numbers[0].name!r}."
                if self.numbers
                else "choose columns of numbers."
            )
        for column in self.numbers:
            if not column.kind.is_numeric or column.bounds is None:
                raise ParameterError(
                    f"{column.name!r} needs to be a column of numbers with public "
                    "bounds; declare them on the Data page."
                )
        self.size.check(self.relation, self.unit)
        # Builds the statistic once, so that its own demands are met from here on.
        _ = self.sensitivity

    @property
    def column(self) -> Column:
        """Return the first column."""
        return self.numbers[0]

    @property
    def declared(self) -> tuple[Interval, ...]:
        """Return the public bounds of every column of numbers."""
        none = Interval(lower=0.0, upper=0.0)
        return tuple(column.bounds or none for column in self.numbers)

    @property
    def listed_groups(self) -> tuple[str, ...]:
        """Return the labels on the public list."""
        return self.group.labels

    @property
    def of_each_group(self) -> tuple[NumberOfGroups, ...]:
        """Return the mean of each column in each group."""
        return tuple(
            NumberOfGroups(
                names=dict(zip(self.groups, names, strict=True)),
                noun=f"mean {column.title}",
                quantity=quantity_of(column),
                is_average=True,
            )
            for column, names in zip(self.numbers, self.names, strict=True)
        )

    @property
    def released_sizes(self) -> str:
        """Return the column of groups."""
        return self.group.name

    @property
    def simulated(self) -> tuple[str, ...]:
        """Return the mean of each column in a group."""
        return tuple(f"mean of {column.title}" for column in self.numbers)

    def unit_of(self, number: int) -> str:
        """Return the unit of the mean of a column."""
        return quantity_of(self.numbers[number]).of_differences

    def window(self, number: int) -> tuple[float, float]:
        """Return the bounds of a column."""
        bounds = self.declared[number]
        return bounds.lower, bounds.upper

    @property
    def of_rows(self) -> MeanMoments:
        """Return the counts and sums of all groups, whoever has the rows."""
        return MeanMoments(labels_of_groups=self.group.labels, bounds=self.declared)

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the name of each group; the last is that of all others."""
        return self.group.groups

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """Return what the mean of each column is called in each group: "pay of women".

        One tuple for each column.
        """
        size = len(self.groups)
        starts = range(0, len(self.numbers) * size, size)
        return tuple(self._called[start : start + size] for start in starts)

    @property
    def count_names(self) -> tuple[str, ...]:
        """Return what the number of people of each group is called."""
        return self._called[len(self.numbers) * len(self.groups) :]

    @property
    def title(self) -> str:
        """Return the question in words, such as "means of age and pay by sex"."""
        names = (column.title for column in self.numbers)
        *first, last, group = said_once(*names, self.group.title)
        return f"means of {', '.join(first)} and {last} by {group}"

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what becomes of values and groups before they are counted."""
        said: list[str] = []
        for column in self.numbers:
            said += clamped(column, named=True)
            if column.missing is not MissingPolicy.DROP:
                said += filled(column, self.unit, named=True)
        left = [c.title for c in self.numbers if c.missing is MissingPolicy.DROP]
        if left:
            said.append(
                f"{self.unit.counted} without a value of {' or '.join(left)} left out of all means"
            )
        return (*said, *ungrouped(*self.group.columns))

    @property
    def unit_text(self) -> str:
        """Return the unit of all means, empty where they do not share one."""
        units = {quantity_of(column).unit for column in self.numbers}
        return units.pop() if len(units) == 1 else ""

    @property
    def units(self) -> dict[str, str]:
        """Return the units of all means and counts by name, where they have one."""
        means = {
            name: quantity_of(column).unit
            for column, names in zip(self.numbers, self.names, strict=True)
            for name in names
            if quantity_of(column).unit
        }
        return means | dict.fromkeys(self.count_names, self.unit.counted)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each mean, those of the first column first."""
        return tuple(chain.from_iterable(self.names))

    @property
    def measured(self) -> tuple[Column, ...]:
        """Return the columns of numbers."""
        return self.numbers

    def raw(self, values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
        """Return the mean of each column in each group, of values as they are."""
        members = (values[codes == j] for j in range(len(self.groups)))
        return np.stack([each.sum(axis=0) / len(each) for each in members], axis=-1).ravel()

    def raw_as_read(self, values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
        """Return the means of each column of who has a value of it, whatever of others.

        Who is left out for want of another column is missing from what is computed, and
        that is part of how far it is away.
        """
        columns = (column[:, np.newaxis] for column in values.T)
        return np.concatenate([Question.raw_as_read(self, each, codes) for each in columns])

    def plan(self, request: Request) -> Plan:
        """Return how a request for it is carried out."""
        return MeansPlan(
            mechanism=cast("Laplace | Gaussian", request.mechanism),
            statistic=self.of_rows,
            sensitivity=request.sensitivity,
            names=self.names,
            names_of_counts=self.count_names,
        )

    @classmethod
    def from_terms(  # type: ignore[override] # parts of this shape
        cls, terms: QuestionTerms, *, by: str | Sequence[str]
    ) -> Self:
        """Return the means of all columns in each group that the columns ``by`` make."""
        group, relation, unit = terms.grouping(by), terms.relation, terms.unit
        return cls(numbers=terms.columns, group=group, relation=relation, unit=unit)

    @classmethod
    def read(cls, content: Mapping[str, Any], dataset: DescribedTable, unit: PrivacyUnit) -> Self:
        """Return the question that parameters describe."""
        told = MEANS.read(
            content,
            unit=unit,
            numbers=columns_from(content["columns"], dataset),
            group=grouping_from(content["group"], dataset),
        )
        del told["kind"]
        return cls(**told)

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON."""
        return MEANS.write(self)

    @property
    def _called(self) -> tuple[str, ...]:
        means = [f"{c.name} of {group}" for c in self.numbers for group in self.groups]
        counts = [f"{self.unit.counted} in {group}" for group in self.groups]
        return distinct([*means, *counts])


_HEIGHTS: Final = Interval(lower=0.0, upper=1.0)
"""Where means of several columns lie, which have no unit in common."""
MEANS: Final[Schema[Any]] = Schema(
    dict,
    kind=choice(StatisticKind),
    relation=RELATION,
    unit=UNIT,
    columns=Part(codec=several(COLUMN), argument="numbers"),
    group=GROUPING,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeansPlan(OneMechanism):
    """Noise on the counts and sums of all groups; counts and means follow from them.

    Attributes:
        statistic: The counts and sums.
        names: What the mean of each column is called in each group, a tuple a column.
        names_of_counts: What the number of people of each group is called.

    """

    mechanism: Laplace | Gaussian
    statistic: MeanMoments
    names: tuple[tuple[str, ...], ...]
    names_of_counts: tuple[str, ...]

    @property
    def count_names(self) -> dict[str, str]:
        """Return what the number of people of each group is called, by group."""
        return dict(zip(self.groups, self.names_of_counts, strict=True))

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the name of each group; the last is that of all others."""
        return self.statistic.groups

    @property
    def fewest(self) -> float:
        """Return the released count up to which a group has too few people to say.

        It is how far off every count is at most, too.
        """
        return count_reach(
            self.mechanism,
            weight=self.statistic.weight,
            columns=self.statistic.columns,
            together=len(self.groups),
        )

    @property
    def usual(self) -> float:
        """Return half of the bounds, whose heights are from 0 to 1."""
        return middle(_HEIGHTS)

    def outcomes(
        self, assumed: float, levels: FloatArray, *, group: int, simulation: SimulatedDraws
    ) -> FloatArray:
        """Return quantiles of the simulated mean of one of the columns, as a height."""
        check_within(_HEIGHTS, assumed)
        return np.quantile(self._simulated(group, assumed, simulation).values, levels)

    def errors(
        self, place: float, *, group: int, number: int, simulation: SimulatedDraws
    ) -> FloatArray:
        """Return errors of the mean of a column, in its unit."""
        bounds = self.statistic.bounds[number]
        heights = self._simulated(group, place, simulation).errors(place)
        return np.asarray((bounds.upper - bounds.lower) * heights)

    def _simulated(
        self, people: int, height: float, simulation: SimulatedDraws
    ) -> SimulatedAnswers:
        """Return the mean height of one of several columns in a group."""
        weight = self.statistic.weight
        sums = people * np.array([weight, height - 0.5])
        drawn = self.mechanism.simulate(sums, rng=simulation.rng, size=(simulation.draws, 2))
        size = np.maximum(drawn[:, 0] / weight, LEAST_SIZE)
        return SimulatedAnswers(
            values=np.clip(drawn[:, 1] / size + 0.5, 0.0, 1.0), released=size > self.fewest
        )

    @property
    def reach(self) -> float:
        """Return how many people of height 1 the noise in a sum of heights is at most.

        Divided by the people of a group it is how far off their mean height is.
        """
        return height_reach(
            self.mechanism,
            weight=self.statistic.weight,
            columns=self.statistic.columns,
            together=len(self.groups),
        )

    @property
    def numbers(self) -> int:
        """Return how many numbers are told, those that follow included."""
        return sum(map(len, self.names)) + len(self.names_of_counts)

    def half_widths(self, level: float) -> FloatArray:
        """Return how far off each count is."""
        weights = np.array([1 / self.statistic.weight])
        off = float(reach(self.mechanism, weights, 1 - level))
        return np.full(len(self.groups), off)

    def height_half_widths(self, people: tuple[int, ...]) -> FloatArray:
        """Return how far off the means of groups of ``people`` will be, about, at most.

        In parts of the width of the bounds, the same for every column; NaN where they
        are too few to say. All groups and columns at once.
        """
        sizes = np.array(people, dtype=np.float64)
        off = np.minimum(self.reach / sizes, 1.0)
        return np.where(sizes <= self.fewest, np.nan, off)

    def truth(self, value: FloatArray) -> FloatArray:
        """Return all means of the table, ``(d, G)``; NaN of nobody. CONFIDENTIAL."""
        return exact_means(
            value.reshape(len(self.groups), -1), self.statistic.bounds, weight=self.statistic.weight
        )

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        scale = self.mechanism.noise
        fewest, part = _of_heights(replace(self, mechanism=replace(self.mechanism, noise=1.0)))
        few = group <= fewest * scale
        return Width(
            half=math.inf if few else min(part * scale / group, 1.0),
            unit="of range",
            of=f"a group of {group:,}, as a part of each column's range",
        )

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the means of every group that its count can tell from empty."""
        drawn = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        found = estimate_means(
            self.mechanism,
            drawn.reshape(len(self.groups), -1),
            self.statistic.bounds,
            weight=self.statistic.weight,
            level=LEVEL,
        )
        return group_answer(found, tuple(chain.from_iterable(self.names)), self.names_of_counts)


@lru_cache(maxsize=256)
def _of_heights(plan: MeansPlan) -> tuple[float, float]:
    """Return the fewest people that noise of scale 1 lets be told from none, and reach.

    The latter is that of a sum of heights between the bounds.
    """
    return plan.fewest, plan.reach


@dataclass(frozen=True, slots=True, kw_only=True)
class OneByOne:
    """How far off means are that are asked for one by one, as a part of together.

    Attributes:
        bound: Of a mean at a bound, where noise does most.
        middle: Of one halfway between its bounds.

    """

    bound: float
    middle: float


def one_by_one(request: Request, query: MeansQuery, plan: MeansPlan) -> OneByOne:
    """Return the error of as many questions by group for the same price in all.

    Each costs as much as the others, and all of them hold together as those of the one
    question do. Laplace noise adds up its epsilon, ``d`` times; Gaussian noise its rho,
    for which the root of ``d`` is enough. Where an account adds up epsilon and delta
    instead, Gaussian noise one by one would be off by more than is said here.

    """
    d, groups = len(query.numbers), len(plan.groups)
    part = Query(
        kind=StatisticKind.MEAN,
        column=query.column,
        relation=query.relation,
        unit=query.unit,
        size=ANY_SIZE,
    )
    alone = replace(request, query=GroupedQuery(part=part, group=query.group))
    spread = d if isinstance(plan.mechanism, Laplace) else math.sqrt(d)
    noise = replace(plan.mechanism, noise=spread * alone.mechanism.noise)
    missed = (1 - level_of_each(groups * d)) / 2
    within = (1 - level_of_each(groups)) / (d + 1)
    one = np.array([1.0])
    return OneByOne(
        bound=float(reach(noise, one, missed)) / plan.reach,
        middle=float(reach(noise, np.array([0.5, 0.5]), missed))
        / float(reach(plan.mechanism, one, within)),
    )
