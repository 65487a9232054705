"""Releasing a ratio of every group: noise on counts and sums, and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.inference.group_ratios import (
    GroupEstimates,
    Ratio,
    estimate,
    exact_ratios,
    fewest,
    half_widths,
    reach,
)
from dpcore.inference.intervals import LEVEL, level_of_each
from dpcore.mechanisms.base import Mechanism, Sensitivity
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases import secure
from dpcore.releases.labelled import LabelledIntervals
from dpcore.releases.plans.plan import Answer, OneMechanism
from dpcore.statistics.group_sums import GroupMoments, count_names
from dpcore.statistics.grouped_query import GroupedQuery
from dpcore.statistics.kinds import StatisticKind

# Of each kind that is asked by group: what is taken from the number of people, if the
# spread around the mean is asked for, and whether its root.
_RATIOS: Final = {
    StatisticKind.MEAN: (None, False),
    StatisticKind.PROPORTION: (None, False),
    StatisticKind.VARIANCE: (1, False),
    StatisticKind.STANDARD_DEVIATION: (1, True),
    StatisticKind.POPULATION_VARIANCE: (0, False),
    StatisticKind.POPULATION_STANDARD_DEVIATION: (0, True),
}


def ratio_of(query: GroupedQuery, moments: GroupMoments) -> Ratio:
    """Return what is asked of each group, in terms of its counts and sums."""
    ddof, root = _RATIOS[query.kind]
    return Ratio(bounds=moments.bounds, ddof=ddof, root=root)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlan(OneMechanism):
    """Noise on the counts and sums of all groups; counts and ratios follow from them.

    ``counted`` is what is counted, such as "people".

    Raises:
        ParameterError: The noise is of another kind.

    """

    mechanism: Laplace | Gaussian
    statistic: GroupMoments
    ratio: Ratio
    counted: str

    @classmethod
    def of(cls, query: GroupedQuery, mechanism: Mechanism, *, sensitivity: Sensitivity) -> Self:
        """Return the plan of a question about ratios of groups.

        Raises:
            ParameterError: The noise is neither Laplace nor Gaussian, or the question
                asks for no ratio.

        """
        moments = query.moments
        if moments is None or not isinstance(mechanism, Laplace | Gaussian):
            raise ParameterError(
                f"the {query.kind} of groups follows from counts and sums that have no "
                "upper bound, and its interval from sums of noise: choose Laplace or "
                "Gaussian noise."
            )
        return cls(
            mechanism=mechanism,
            statistic=moments,
            sensitivity=sensitivity,
            ratio=ratio_of(query, moments),
            counted=query.unit.counted,
        )

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the name of each group; the last is that of all others."""
        return self.statistic.groups

    @property
    def count_names(self) -> dict[str, str]:
        """Return what the number of people of each group is called in files."""
        return count_names(self.groups, self.counted)

    @property
    def count_half_width(self) -> float:
        """Return how far off every count is at most, as the answer will say."""
        parts = self.statistic.degree + 1
        missed = 1 - level_of_each(len(self.groups))
        return float(reach(self.mechanism, np.ones(parts), missed / parts))

    @property
    def fewest(self) -> float:
        """Return the released count up to which a group has too few people to say."""
        return fewest(self.mechanism, self.ratio, together=len(self.groups))

    @property
    def largest_difference(self) -> float:
        """Return how far apart the ratios of two groups can be at most."""
        height = 1.0 if self.ratio.ddof is None else (1 + self.ratio.ddof) / 4
        ends = self.ratio.in_units(np.array([0.0, height]))
        return float(ends[1] - ends[0])

    def half_widths(self, level: float) -> FloatArray:
        """Return how far off each count is."""
        parts = self.statistic.degree + 1
        off = float(reach(self.mechanism, np.ones(parts), 1 - level))
        return np.full(len(self.groups), off)

    def ratio_half_widths(self, people: tuple[int, ...]) -> FloatArray:
        """Return how far off the ratios of groups of ``people`` will be, about.

        NaN where they are too few to say. All groups of the answer at once.
        """
        sizes = np.array(people, dtype=np.float64)
        return half_widths(self.mechanism, self.ratio, sizes, together=len(self.groups))

    def truth(self, value: FloatArray) -> FloatArray:
        """Return the ratio of each group of the table, NaN if empty. CONFIDENTIAL."""
        return exact_ratios(value.reshape(len(self.groups), -1), self.ratio)

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the ratio of every group that its count can tell from empty."""
        drawn = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        table = drawn.reshape(len(self.groups), -1)
        return self._told(estimate(self.mechanism, table, self.ratio, level=LEVEL))

    def _told(self, found: GroupEstimates) -> Answer:
        noise, total, names = {}, {}, self.count_names
        labels, values, unsaid = [], [], []
        for place, group in enumerate(self.groups):
            noise[names[group]] = _pair(found.counts_noise[place])
            total[names[group]] = _pair(found.counts_total[place])
            if np.isnan(found.ratios[place]):
                unsaid.append(group)
                continue
            labels.append(group)
            values.append(float(found.ratios[place]))
            noise[group] = _pair(found.ratios_noise[place])
            total[group] = _pair(found.ratios_total[place])
        counts = map(float, found.counts)
        return Answer(
            labels=tuple(labels),
            values=tuple(values),
            intervals=LabelledIntervals(level=found.level, noise=noise, total=total),
            derived=dict(zip(names.values(), counts, strict=True)),
            unsaid=tuple(unsaid),
        )


def _pair(ends: FloatArray) -> tuple[float, float]:
    return float(ends[0]), float(ends[1])
