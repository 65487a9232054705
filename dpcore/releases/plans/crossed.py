"""Releasing a cross table: noise on every cell, and the sums that follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.inference.crossed_counts import count_intervals
from dpcore.privacy_filter import PrivacyCost
from dpcore.releases import secure
from dpcore.releases.labelled import LabelledIntervals
from dpcore.releases.plans.plan import Answer, Direct


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossPlan(Direct):
    """Noise on every cell; rows and columns add up to the sums that are told.

    Attributes:
        shape: Number of rows and columns.
        margins: Name of the sum of each row, then of each column.

    """

    shape: tuple[int, int]
    margins: tuple[str, ...]

    @property
    def together(self) -> int:
        """Return how many intervals hold together: those of cells and of sums."""
        return len(self.statistic.labels) + len(self.margins)

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the counts of all cells, and the sums of rows and columns."""
        drawn = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        table = drawn.reshape(self.shape)
        around = count_intervals(self.mechanism, table, bounds=self.bounds)
        sums = np.concatenate([table.sum(axis=1), table.sum(axis=0)])
        names = self.statistic.labels
        return Answer(
            labels=names,
            values=tuple(drawn.tolist()),
            intervals=LabelledIntervals.of((*names, *self.margins), around),
            derived=dict(zip(self.margins, sums.tolist(), strict=True)),
        )
