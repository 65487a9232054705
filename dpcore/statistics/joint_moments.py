"""The mean and the mean square of one column together: the square costs nothing more."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray, in_blocks
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.checks import can_join, check_bounds, check_people, numeric, own_divisor
from dpcore.statistics.statistic import NeighborValues, NumericStatistic, Rows, Sums

_FEWEST: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class JointMoments(NumericStatistic):
    """Mean of ``d`` and of ``d^2 / R``, ``d`` the distance from the middle of the bounds.

    Values are clamped to ``[c0, c1]`` of width ``R``, so ``d`` lies in ``[-R/2, R/2]``
    and both numbers have the unit of the column. With a private number of people the
    sums are divided by ``max(n, N)``, ``N`` the public minimum, as in ``Mean``.

    Sensitivity, in units of ``R``, with heights ``a`` and ``b`` in ``[-1/2, 1/2]``: one
    value replaced changes the two sums by ``|b - a|`` and ``|b - a| |a + b|``. Added up,
    for ``b > a``, that is ``(b - a)(1 + |a + b|)``, which rises in ``b`` and falls in
    ``a``: it is at most 1, the change of the mean alone. So are the squares. The mean
    square thus needs no part of the budget. (A record moves the plain variance by more:
    there a mean at a bound can be ``R`` away.) One person more or less, over all tables:
    up to ``N`` people ``3/4 / N`` added up, ``√5/4 / N`` as squares; above, ``1 / (N + 1)``.

    Attributes:
        bounds: The public bounds.
        size: What is public about the number of people, at least 2.

    >>> from dpcore.relations import TableSize
    >>> bounds = Interval(lower=0.0, upper=10.0)
    >>> JointMoments(bounds=bounds, size=TableSize(people=2, public=True)).value([5, 9])
    array([2. , 0.8])

    """

    bounds: Interval
    size: TableSize

    labels = ("mean less the middle of the bounds", "mean square over the width")

    def __post_init__(self) -> None:
        check_bounds(self.bounds)
        if self.size.people < _FEWEST:
            raise ParameterError(f"a standard deviation needs {_FEWEST} rows or more.")

    @property
    def range(self) -> Interval:
        """Return ``[-R/2, R/2]``, which holds both numbers."""
        return Interval(lower=-self.bounds.width / 2, upper=self.bounds.width / 2)

    def raw(self, values: FloatArray) -> FloatArray:
        """Return the mean of numbers as they are, and their standard deviation (divisor n)."""
        return np.array([values.mean(), values.std()]) if len(values) else np.full(2, np.nan)

    def described(self, value: FloatArray) -> FloatArray:
        """Return mean and standard deviation that follow from both numbers, shape ``(..., 2)``.

        The standard deviation is that with divisor n, within what the bounds allow.
        """
        width = self.bounds.width
        away, square = value[..., 0], value[..., 1]
        variance = np.clip(square * width - away**2, 0.0, width**2 / 4)
        return np.stack([away + self.middle, np.sqrt(variance)], axis=-1)

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change both numbers, over all tables."""
        people, width = self.size.people, self.bounds.width
        if relation is NeighboringRelation.SUBSTITUTION or self.size.public:
            most = width / people
            return Sensitivity(coordinates=2, l1=most, l2=most, largest=most)

        def joined(alone: float) -> float:
            return width * max(alone / people, 1 / (people + 1))

        return Sensitivity(
            coordinates=2, l1=joined(0.75), l2=joined(math.sqrt(5) / 4), largest=joined(0.5)
        )

    def partial(self, values: FloatArray) -> Sums:
        """Return both sums over some people, and their number."""
        blocks = [self._terms(block) for block in in_blocks(np.asarray(values))]
        return Sums.combine([Sums(people=len(each), total=each.sum(axis=0)) for each in blocks])

    def finalize(self, whole: Sums) -> FloatArray:
        """Return both numbers of a whole table."""
        check_people(whole.people, self.size)
        return self._at(whole.total, whole.people)

    def neighbors(
        self, values: FloatArray, relation: NeighboringRelation, whole: Sums | None = None
    ) -> NeighborValues:
        """Return where both numbers would move for each person.

        A new value changes both the most at one of the bounds.
        """
        everybody = whole or self.partial(values)
        total, people = everybody.total, everybody.people

        def instead(rows: Rows) -> FloatArray:
            rest = total - self._terms(values[rows])
            reached = []
            if relation is NeighboringRelation.SUBSTITUTION:
                reached = [self._at(rest + end, people) for end in self._ends]
            if relation is NeighboringRelation.ADD_REMOVE or not self.size.public:
                reached.append(self._at(rest, people - 1))
            return np.stack(reached, axis=1)

        return NeighborValues(actual=self.finalize(everybody), reached=instead, kinds=len(values))

    def neighbors_added(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return both numbers after a person at a bound joins."""
        if not can_join(relation, self.size):
            return np.empty((0, 2))
        whole = self.partial(values)
        check_people(whole.people, self.size)
        return self._at(whole.total + self._ends, whole.people + 1)

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return ``R / (2 √n)``: half of the width limits both standard deviations."""
        most = self.bounds.width / (2 * math.sqrt(self.size.people))
        return np.full_like(np.asarray(estimate, dtype=np.float64), most)

    @property
    def middle(self) -> float:
        """Return the middle of the bounds."""
        return self.bounds.lower + self.bounds.width / 2

    @property
    def _ends(self) -> FloatArray:
        """Return what a person adds at each bound, shape ``(2, 2)``."""
        return self._terms(np.array([self.bounds.lower, self.bounds.upper]))

    def _terms(self, values: FloatArray) -> FloatArray:
        """Return what each person adds, shape ``(n, 2)``."""
        away = self.bounds.clip(numeric(values)) - self.middle
        return np.stack([away, np.square(away) / self.bounds.width], axis=-1)

    def _at(self, total: FloatArray, people: int) -> FloatArray:
        divisor = own_divisor(self.size, people)
        return total / divisor if divisor else np.full_like(total, np.nan)
