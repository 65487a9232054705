"""Releasing the means of several columns by group: noise on their counts and sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.inference.group_ratios import (
    MeansEstimates,
    count_reach,
    estimate_means,
    exact_means,
    height_reach,
    reach,
)
from dpcore.inference.intervals import LEVEL
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases import secure
from dpcore.releases.labelled import LabelledIntervals
from dpcore.releases.plans.plan import Answer, OneMechanism
from dpcore.statistics.group_sums import MeanMoments


@dataclass(frozen=True, slots=True, kw_only=True)
class MeansPlan(OneMechanism):
    """Noise on the counts and sums of all groups; counts and means follow from them.

    Attributes:
        statistic: The counts and sums.
        names: What the mean of each column is called in each group, a tuple a column.
        count_names: What the number of people of each group is called.

    """

    mechanism: Laplace | Gaussian
    statistic: MeanMoments
    names: tuple[tuple[str, ...], ...]
    count_names: tuple[str, ...]

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
        return self._told(found)

    def _told(self, found: MeansEstimates) -> Answer:
        noise = dict(zip(self.count_names, map(_pair, found.counts_noise), strict=True))
        total = dict(zip(self.count_names, map(_pair, found.counts_total), strict=True))
        values: dict[str, float] = {}
        unsaid = []
        for name, at in self._places():
            if np.isnan(found.means[at]):
                unsaid.append(name)
                continue
            values[name] = float(found.means[at])
            noise[name] = _pair(found.means_noise[at])
            total[name] = _pair(found.means_total[at])
        return Answer(
            labels=tuple(values),
            values=tuple(values.values()),
            intervals=LabelledIntervals(level=found.level, noise=noise, total=total),
            derived=dict(zip(self.count_names, map(float, found.counts), strict=True)),
            unsaid=tuple(unsaid),
        )

    def _places(self) -> Iterator[tuple[str, tuple[int, int]]]:
        for column, names in enumerate(self.names):
            for group, name in enumerate(names):
                yield name, (column, group)


def _pair(ends: FloatArray) -> tuple[float, float]:
    return float(ends[0]), float(ends[1])
