"""Releasing a quantile: a choice among public candidates by their rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.inference.intervals import LEVEL
from dpcore.releases import secure
from dpcore.releases.plans import Answer

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.budget import PrivacyCost
    from dpcore.data.bounds import FloatArray
    from dpcore.mechanisms.base import Sensitivity
    from dpcore.mechanisms.exponential import Exponential
    from dpcore.privacy.composition import PrivacyEvent
    from dpcore.statistics.quantile import RankScores


@dataclass(frozen=True, slots=True, kw_only=True)
class RankPlan:
    """The exponential mechanism on rank scores; the answer is the chosen candidate.

    How far its *rank* is off is public; how far its value is off depends on how dense
    the data are around it, which is not.

    Attributes:
        mechanism: Makes the choice.
        statistic: Scores of the candidates.
        sensitivity: What one unit can change in the scores, rounding errors included.
        label: What the answer is called.

    """

    mechanism: Exponential
    statistic: RankScores
    sensitivity: Sensitivity
    label: str

    @property
    def noise(self) -> float:
        """Return the scale of the choice, in ranks."""
        return self.mechanism.noise

    def worst_case(self, *, delta: float = 0.0) -> float:
        """Return the epsilon of the mechanism at ``delta``."""
        return self.mechanism.epsilon(self.sensitivity, delta=delta)

    @property
    def rho(self) -> float:
        """Return the zCDP level of the mechanism."""
        return self.mechanism.rho(self.sensitivity)

    @property
    def event(self) -> PrivacyEvent:
        """Return the event of the mechanism."""
        return self.mechanism.event(self.sensitivity)

    def pair_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return what the choice reveals about a pair of scores."""
        return self.mechanism.pair_epsilon(first, second, delta=delta)

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
