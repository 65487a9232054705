"""Releasing several quantiles: noise on counts of nested ranges, and what follows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.inference.intervals import LEVEL, level_of_each
from dpcore.inference.quantile_intervals import chain, exact_places, reaches
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases import secure
from dpcore.releases.labelled import LabelledIntervals
from dpcore.releases.plans.plan import Answer, OneMechanism
from dpcore.statistics.quantiles import CumulativeCounts

MECHANISMS = (
    "laplace",
    "gaussian",
    "gaussian-classic",
    "gaussian-pdp",
    "gaussian-pdp-exact",
    "gaussian-pdp-one-sided",
)
"""Noise whose sums have a law that is known, and that no bound cuts off."""


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
