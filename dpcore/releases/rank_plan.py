"""Releasing a quantile: a choice among public candidates by their rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.inference.intervals import LEVEL
from dpcore.releases import secure
from dpcore.releases.plans import Answer, OneMechanism

if TYPE_CHECKING:
    from dpcore.budget import PrivacyCost
    from dpcore.data.bounds import FloatArray
    from dpcore.mechanisms.exponential import Exponential
    from dpcore.statistics.quantile import RankScores


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPlan(OneMechanism):
    """The exponential mechanism on rank scores; the answer is the chosen candidate.

    How far its *rank* is off is public; how far its value is off depends on how dense
    the data are around it, which is not.

    Attributes:
        mechanism: Makes the choice; its noise is in ranks.
        statistic: Scores of the candidates.
        label: What the answer is called.

    """

    mechanism: Exponential
    statistic: RankScores
    label: str

    def half_widths(self, level: float) -> FloatArray:
        """Return how many ranks the answer is off with probability ``level``."""
        return np.array(
            [
                self.mechanism.distance_from_best(
                    self.statistic.candidates, missed=1 - level
                )
            ]
        )

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the chosen candidate, and how many ranks it is off at most."""
        (index,) = secure.draw(
            self.mechanism, value, sensitivity=self.sensitivity, cost=cost
        )
        (ranks,) = self.half_widths(LEVEL)
        return Answer(
            labels=(self.label,),
            values=(float(self.statistic.grid[int(index)]),),
            derived={f"ranks off at most, {LEVEL:.0%}": float(ranks)},
        )
