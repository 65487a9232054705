"""Releasing the difference of two groups: noise on their counts and sums."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.inference.group_differences import (
    Ends,
    PairEstimates,
    compare,
    fewest_people,
    half_width,
)
from dpcore.inference.group_ratios import reach
from dpcore.inference.intervals import LEVEL
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases import secure
from dpcore.releases.labelled import LabelledIntervals
from dpcore.releases.plans.plan import Answer, OneMechanism
from dpcore.statistics.group_sums import PairMoments


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferencePlan(OneMechanism):
    """Noise on the counts and sums of two groups; their difference follows.

    Attributes:
        statistic: The counts and sums.
        pair: The names of the two groups.
        names: Those of the difference, of the percentage where there is one, of both
            means and counts.

    """

    mechanism: Laplace | Gaussian
    statistic: PairMoments
    pair: tuple[str, str]
    names: tuple[str, ...]

    @property
    def fewest(self) -> float:
        """Return the released count up to which a group has too few people to say."""
        return fewest_people(self.mechanism)

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
        noise = dict(zip(counts, map(_pair, found.counts_noise), strict=True))
        total = dict(zip(counts, map(_pair, found.counts_total), strict=True))
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


def _pair(ends: FloatArray) -> Ends:
    return float(ends[0]), float(ends[1])
