"""Labels of a column that nobody knows, found in three rounds, without numbers of people.

The question of ``labels`` where several rows of each person count, answered by
``mechanisms/label_rounds``. What is released of a label is the round in which it was found.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from dpcore.analyses.base import Request
from dpcore.analyses.labels import ROUNDING, ApproximatePlan, LabelsQuery
from dpcore.analyses.measurement import Answer, Width
from dpcore.arrays import FloatArray
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.mechanisms.label_rounds import LabelHoldings, LabelRounds
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation
from dpcore.statistics.kinds import StatisticKind

NO_NUMBERS: Final = "no numbers of people are released"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRoundsQuery(LabelsQuery):
    """The labels of a category column without a public list, found in rounds.

    Raises:
        ParameterError: As ``LabelsQuery``, or at most one row of each person counts.

    """

    kinds: ClassVar = (StatisticKind.LABEL_ROUNDS,)
    noise_unit: ClassVar = "sum of weights"
    kind: StatisticKind = StatisticKind.LABEL_ROUNDS

    def __post_init__(self) -> None:
        LabelsQuery.__post_init__(self)
        if (self.unit.cap or 1) == 1:
            raise ParameterError(
                f"rounds are of no use where each {self.unit.noun} has one label. Choose one round."
            )

    @property
    def title(self) -> str:
        """Return the question in words."""
        return f"labels of {self.column.title}, each with the round in which it was found"

    @property
    def unit_text(self) -> str:
        """Return that a round has no unit."""
        return ""

    @property
    def sensitivity(self) -> Sensitivity:
        """Return how far the labels of one unit move sums of weights.

        By the length 1, in as many coordinates as there are labels. Another unit instead
        moves others, and no weight is negative: the squares of both lengths add up.
        """
        units = 2 if self.relation is NeighboringRelation.SUBSTITUTION else 1
        most = self.unit.cap or 1
        return Sensitivity(
            coordinates=units * most, l1=units * math.sqrt(most), l2=math.sqrt(units), largest=1.0
        )

    def plan(self, request: Request) -> LabelRoundsPlan:
        """Return how a request for it is carried out."""
        law = LabelRounds.calibrate(
            epsilon=request.epsilon,
            delta=request.used_delta,
            most=self.unit.cap or 1,
            length=self.sensitivity.l2,
        )
        return LabelRoundsPlan(
            law=law,
            changes=self.sensitivity.coordinates,
            epsilon=request.epsilon,
            delta=request.used_delta,
        )

    def counts(self, part: Dataset) -> Mapping[Any, int]:
        """Return how many people of a part have which labels together. CONFIDENTIAL."""
        people, codes, labels = self.held(part)
        sets = defaultdict[int, list[str]](list)
        for person, code in zip(people.tolist(), codes.tolist(), strict=True):
            sets[person].append(labels[code])
        return Counter(tuple(sorted(each)) for each in sets.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRoundsPlan(ApproximatePlan):
    """Noise on the sum of weights of every label, in rounds; labels alone are released.

    Attributes:
        law: The noise and the thresholds.
        changes: How many labels one unit has at most, of both neighbors together.

    """

    law: LabelRounds
    changes: int

    @property
    def noise(self) -> float:
        """Return the largest standard deviation of noise, that of the first round."""
        return max(self.law.scales)

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Return what the noisy sum of weights of a label exceeds, by round."""
        return self.law.thresholds

    @property
    def largest_chance(self) -> float:
        """Return how much likelier anything is with one person than without, at most.

        The total variation of two neighbors: that of Gaussian DP, and the delta of labels
        that nobody has in one of the tables, which counts once in each direction.
        """
        return float(2 * ndtr(self.law.mu / 2) - 1) + self.delta

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the guarantee between two different values: the worst case, and a bound.

        A person's weights have the length 1, whatever labels they have. It is no guarantee
        for more changes than neighbors have.
        """
        changes = np.abs(np.subtract(first, second, dtype=np.float64)).sum(axis=-1)
        known = np.where(changes <= self.changes, self.worst_case(delta=delta * ROUNDING), np.inf)
        return np.where(changes == 0, 0.0, known)

    def half_widths(self, level: float) -> FloatArray:  # noqa: ARG002 - of no number
        """Return that nothing is known: no number of people is released."""
        return np.array([math.inf])

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return that nothing is known: no number of people is released."""
        return Width(half=math.inf, unit=unit, of=NO_NUMBERS)

    def answer(self, value: Mapping[tuple[str, ...], int], *, cost: PrivacyCost) -> Answer:  # noqa: ARG002 - the law has it
        """Return the labels that were found, sorted, each with its round."""
        held = LabelHoldings.of(value)
        (rounds,) = self.law.secure_draw(held).tolist()
        found = {label: at for label, at in zip(held.labels, rounds, strict=True) if at}
        return Answer(
            labels=tuple(found),
            values=tuple(map(float, found.values())),
            unsaid=() if found else ("labels",),
        )
