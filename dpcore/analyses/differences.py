"""The difference of the means of two groups: noise on their counts and sums."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self, cast

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses import secure
from dpcore.analyses.base import QuestionTerms, Request, column_from, grouping_from
from dpcore.analyses.groups import ANY_SIZE, OfGroups
from dpcore.analyses.measurement import (
    Answer,
    LabelledIntervals,
    OneMechanism,
    Plan,
    SimulatedAnswers,
    SimulatedDraws,
    Width,
    interval_ends,
)
from dpcore.analyses.number import QUERY, Query
from dpcore.arrays import FloatArray
from dpcore.codec import TEXT, several
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column
from dpcore.data.dataset import DescribedTable
from dpcore.data.quantities import SUMS, quantity_of
from dpcore.errors import ParameterError
from dpcore.formatting import distinct, in_full
from dpcore.inference.group_differences import PairEstimates, compare, fewest_people, half_width
from dpcore.inference.group_ratios import LEAST_SIZE, reach
from dpcore.inference.intervals import LEVEL
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import PrivacyUnit
from dpcore.statistics.conditions import OTHER_GROUPS_LEFT_OUT, PAIR_ONLY, missing_values
from dpcore.statistics.group_sums import PAIR, PairMoments
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import GROUPING


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceQuery(OfGroups):
    """The mean of a column in one group, less that in another.

    Only these two groups are counted, so that nothing is spent on saying anything of
    the others, and all that may be wrong is left to one difference.

    Attributes:
        part: The question about the mean of the column, of ``ANY_SIZE``.
        group: The columns of public lists of labels that make the groups.
        pair: The label of the one group, and of that whose mean is taken off.

    Raises:
        ParameterError: They are no two groups of people, or not of a mean.

    """

    kind: ClassVar = StatisticKind.DIFFERENCE
    kinds: ClassVar = (StatisticKind.DIFFERENCE,)
    noise_unit: ClassVar = SUMS
    pair: tuple[str, str]

    def __post_init__(self) -> None:
        if self.part.kind is not StatisticKind.MEAN or self.part.size.public:
            raise ParameterError("a difference of groups is one of two means of private sizes.")
        if len(self.group.labels) < PAIR:
            raise ParameterError(
                f"{self.group.name!r} needs a public list of two labels or more to "
                "make groups; declare it on the Data page."
            )
        known = set(self.pair) <= set(self.group.labels)
        if len(set(self.pair)) != PAIR or not known:
            raise ParameterError(f"choose two different groups on the list of {self.group.name!r}.")
        # Builds the statistic once, so that its own demands are met from here on.
        _ = self.sensitivity

    @property
    def listed_groups(self) -> tuple[str, ...]:
        """Return the two groups that are compared."""
        return self.pair

    @property
    def released_sizes(self) -> str:
        """Return the column of groups."""
        return self.group.name

    @property
    def simulated(self) -> tuple[str, ...]:
        """Return the difference."""
        return (self.title,)

    def window(self, number: int) -> tuple[float, float]:  # noqa: ARG002 - there is one
        """Return the bounds of the mean of both groups."""
        return self.declared.lower, self.declared.upper

    @property
    def of_rows(self) -> PairMoments:
        """Return the counts and sums of the two groups, whoever has the rows."""
        one, other = (self.group.labels.index(label) for label in self.pair)
        return PairMoments(
            groups=len(self.group.labels) + 1, pair=(one, other), bounds=self.declared
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all numbers: difference, percent, means and counts.

        A difference of dates is no percentage of a date.
        """
        one, other = self.pair
        percent = f"{one} less {other}, in percent of {other}"
        return distinct(
            (
                f"{one} less {other}",
                *(() if quantity_of(self.column).is_date else (percent,)),
                *(f"mean of {group}" for group in self.pair),
                *(f"{self.unit.counted} in {group}" for group in self.pair),
            )
        )

    @property
    def units(self) -> dict[str, str]:
        """Return the units of what follows from the counts and sums, by name."""
        _, *percent, one, other, first, second = self.names
        unit = self.part.unit_text
        means = dict.fromkeys((one, other), unit) if unit else {}
        counts = dict.fromkeys((first, second), self.unit.counted)
        return {**dict.fromkeys(percent, "%"), **means, **counts}

    @property
    def declared(self) -> Interval:
        """Return the public bounds of the values."""
        bounds = self.column.bounds
        if bounds is None:
            raise ParameterError(f"{self.column.name!r} needs public bounds.")
        return bounds

    @property
    def span(self) -> float:
        """Return the width of the bounds."""
        return self.declared.width

    @property
    def title(self) -> str:
        """Return the question in words: "mean of pay by sex, women less men"."""
        one, other = self.pair
        return f"{self.of_each}, {one} less {other}"

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what becomes of values and groups before they are counted."""
        others = f"missing values and other groups of {self.group.title} left out"
        return (*self.part_conditions, others)

    @property
    def unit_text(self) -> str:
        """Return the unit of the difference: that of the column, or days."""
        return quantity_of(self.column).of_differences

    def missing_values(self, column: Column) -> str:
        """Return how missing values of one of its columns are treated, in words."""
        told = missing_values(column)
        if column not in self.group.columns:
            return told
        if not column.complete:
            return PAIR_ONLY
        return OTHER_GROUPS_LEFT_OUT if set(self.group.labels) - set(self.pair) else told

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the title, as the name of the difference."""
        return (self.title,)

    def raw(self, values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
        """Return the difference of the means, of values as they are."""
        places = map(self.group.labels.index, self.pair)
        one, other = (self.part.raw(values[codes == place], codes) for place in places)
        return one - other

    def plan(self, request: Request) -> Plan:
        """Return how a request for it is carried out."""
        return DifferencePlan(
            mechanism=cast("Laplace | Gaussian", request.mechanism),
            statistic=self.of_rows,
            sensitivity=request.sensitivity,
            pair=self.pair,
            names=self.names,
        )

    @classmethod
    def from_terms(  # type: ignore[override] # parts of this shape
        cls, terms: QuestionTerms, *, by: str | Sequence[str], pair: tuple[str, str]
    ) -> Self:
        """Return the mean of the first group of a ``pair``, less that of the second."""
        part = Query.from_terms(replace(terms, kind=StatisticKind.MEAN), size=ANY_SIZE)
        return cls(part=part, group=terms.grouping(by), pair=pair)

    @classmethod
    def read(cls, content: Mapping[str, Any], dataset: DescribedTable, unit: PrivacyUnit) -> Self:
        """Return the question that parameters describe."""
        one, other = PAIRED.read(content["pair"])
        part = QUERY.read(
            {**content, "kind": StatisticKind.MEAN.value},
            unit=unit,
            column=column_from(content["column"], dataset),
            size=ANY_SIZE,
        )
        return cls(part=part, group=grouping_from(content["group"], dataset), pair=(one, other))

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON."""
        parameters = self.part.parameters()
        del parameters["size"]
        return parameters | {
            "kind": self.kind.value,
            "group": GROUPING.write(self.group),
            "pair": PAIRED.write(self.pair),
        }


PAIRED: Final = several(TEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferencePlan(OneMechanism):
    """Noise on the counts and sums of two groups; their difference follows.

    Attributes:
        statistic: The counts and sums.
        pair: The names of the two groups.
        names: Those of the difference, of the percentage where there is one, of both
            means and counts.

    """

    usual: ClassVar = 0.0
    mechanism: Laplace | Gaussian
    statistic: PairMoments
    pair: tuple[str, str]
    names: tuple[str, ...]

    @property
    def fewest(self) -> float:
        """Return the released count up to which a group has too few people to say."""
        return fewest_people(self.mechanism)

    @property
    def numbers(self) -> int:
        """Return how many numbers are told, those that follow included."""
        return len(self.names)

    def outcomes(
        self, assumed: float, levels: FloatArray, *, group: int, simulation: SimulatedDraws
    ) -> FloatArray:
        """Return quantiles of the simulated difference of two groups of such a size."""
        width = self.statistic.bounds.width
        if not abs(assumed) <= width:
            raise ParameterError(f"two means differ by at most {in_full(width)} here.")
        apart = assumed / (2 * width)
        found = self._simulated(group, (0.5 + apart, 0.5 - apart), simulation)
        return np.quantile(found.values, levels)

    def errors(
        self,
        place: float,
        *,
        group: int,
        number: int,  # noqa: ARG002 - there is one
        simulation: SimulatedDraws,
    ) -> FloatArray:
        """Return errors of the difference of two groups that have the same mean."""
        return self._simulated(group, (place, place), simulation).errors(0.0)

    def _simulated(
        self, people: int, heights: tuple[float, float], simulation: SimulatedDraws
    ) -> SimulatedAnswers:
        """Return the difference of two groups of mean ``heights`` between the bounds."""
        sums = people * np.array([[1 - height, height] for height in heights])
        rng, draws = simulation.rng, (simulation.draws, 2)
        drawn = [self.mechanism.simulate(each, rng=rng, size=draws) for each in sums]
        sizes = [np.maximum(each.sum(axis=1), LEAST_SIZE) for each in drawn]
        one, other = (
            np.clip(each[:, 1], 0.0, size) / size for each, size in zip(drawn, sizes, strict=True)
        )
        return SimulatedAnswers(
            values=self.statistic.bounds.width * (one - other),
            released=np.minimum(*sizes) > self.fewest,
        )

    def half_widths(self, level: float) -> FloatArray:
        """Return how far off each count is."""
        off = float(reach(self.mechanism, np.ones(2), 1 - level))
        return np.full(2, off)

    def half_width(self, people: tuple[int, int]) -> float:
        """Return how far off the difference of two groups of such sizes will be.

        About, at most; NaN where they are too few to say.
        """
        sizes = (float(people[0]), float(people[1]))
        return half_width(self.mechanism, self.statistic.bounds, sizes, level=LEVEL)

    def truth(self, value: FloatArray) -> float:
        """Return the difference in the table; NaN if a group is empty. CONFIDENTIAL."""
        sums = value.reshape(2, 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            one, other = sums[:, 1] / sums.sum(axis=1)
        return float(self.statistic.bounds.width * (one - other))

    def width(self, *, unit: str, group: int) -> Width:
        """Return the half-width of the worst of all numbers at once, at 95%."""
        half = self.half_width((group, group))
        return Width(
            half=math.inf if math.isnan(half) else half,
            unit=unit,
            of=f"the difference, if the smaller of the two groups has {group:,}",
        )

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the difference, unless a group is too small to say."""
        drawn = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        found = compare(self.mechanism, drawn.reshape(2, 2), self.statistic.bounds, level=LEVEL)
        return self._told(found)

    def _told(self, found: PairEstimates) -> Answer:
        apart, *percent, one, other, first, second = self.names
        means, counts = (one, other), (first, second)
        shares = dict.fromkeys(percent, found.percent)
        derived = dict(zip(counts, map(float, found.counts), strict=True))
        noise = dict(zip(counts, map(interval_ends, found.counts_noise), strict=True))
        total = dict(zip(counts, map(interval_ends, found.counts_total), strict=True))
        numbers = dict(zip(means, found.means or (), strict=False))
        for name, held in (*shares.items(), *numbers.items()):
            if held is not None:
                derived[name], noise[name] = held.value, held.noise
                total |= {} if held.total is None else {name: held.total}
        if found.apart is not None:
            noise[apart] = found.apart.noise
            total |= {} if found.apart.total is None else {apart: found.apart.total}
        untold = ((apart, found.apart), *shares.items())
        return Answer(
            labels=() if found.apart is None else (apart,),
            values=() if found.apart is None else (found.apart.value,),
            intervals=LabelledIntervals(level=LEVEL, noise=noise, total=total),
            derived=derived,
            unsaid=tuple(name for name, held in untold if held is None),
        )
