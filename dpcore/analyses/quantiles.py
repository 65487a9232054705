"""Quantiles: a choice by rank of one, and noise on nested counts for several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore.analyses import secure
from dpcore.analyses.measurement import Answer, LabelledIntervals, OneMechanism, Width
from dpcore.arrays import FloatArray
from dpcore.formatting import percent
from dpcore.inference.intervals import LEVEL, level_of_each
from dpcore.inference.quantile_intervals import chain, exact_places, reaches
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.privacy_filter import PrivacyCost
from dpcore.statistics.quantiles import CumulativeCounts, RankScores


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPlan(OneMechanism):
    """The exponential mechanism on rank scores; the answer is the chosen candidate.

    How far its *rank* is off is public; how far its value is off depends on how dense
    the data are around it, which is not. The noise of the mechanism is in ranks.
    """

    numbers: ClassVar = 1
    mechanism: Exponential
    statistic: RankScores
    label: str

    def half_widths(self, level: float) -> FloatArray:
        """Return how many ranks the answer is off with probability ``level``."""
        reach = self.mechanism.distance_from_best(self.statistic.candidates, missed=1 - level)
        return np.array([reach])

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        (ranks,) = self.half_widths(LEVEL)
        return Width(half=float(ranks), unit="ranks", of="places in the sorted table")

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the chosen candidate, and how many ranks it is off at most."""
        (index,) = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        (ranks,) = self.half_widths(LEVEL)
        return Answer(
            labels=(self.label,),
            values=(float(self.statistic.grid[int(index)]),),
            derived={f"ranks off at most, {percent(LEVEL)}": float(ranks)},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainPlan(OneMechanism):
    """Noise on nested counts; the quantiles that they leave open follow from them.

    Attributes:
        statistic: The counts.
        shares: Which quantiles, ascending.
        names: What each of them is called.

    """

    mechanism: Laplace | Gaussian
    statistic: CumulativeCounts
    shares: tuple[float, ...]
    names: tuple[str, ...]

    @property
    def numbers(self) -> int:
        """Return how many numbers are told, those that follow included."""
        return len(self.names)

    def half_widths(self, level: float) -> FloatArray:
        """Return how many ranks off each quantile is counted, at the worst value."""
        missed = 1 - level
        return np.array([float(reaches(self.mechanism, q, missed).max()) for q in self.shares])

    @property
    def ranks(self) -> FloatArray:
        """Return the same for all quantiles together."""
        return self.half_widths(level_of_each(len(self.shares)))

    def truth(self, value: FloatArray) -> FloatArray:
        """Return the quantiles of the table on the grid. CONFIDENTIAL."""
        return self._values(exact_places(value, self.shares))

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        ranks = float(self.ranks.max())
        return Width(half=ranks, unit="ranks", of="places in the sorted table")

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the quantiles with their intervals, in order."""
        drawn = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        found = chain(self.mechanism, drawn, self.shares, size=self.statistic.size, level=LEVEL)
        return Answer(
            labels=self.names,
            values=tuple(self._values(found.places).tolist()),
            intervals=LabelledIntervals(
                level=LEVEL, noise=self._ends(found.noise), total=self._ends(found.total)
            ),
        )

    def _values(self, places: FloatArray) -> FloatArray:
        return np.asarray(self.statistic.grid[places.astype(np.intp)])

    def _ends(self, places: FloatArray) -> dict[str, tuple[float, float]]:
        """Return the ends in the column's unit: half a step of the grid farther."""
        ends = self.statistic.around(places.astype(np.intp))
        pairs = [(float(low), float(high)) for low, high in ends]
        return dict(zip(self.names, pairs, strict=True))
