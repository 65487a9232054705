"""Counts and sums of two groups, and of nobody else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import Sensitivity
from dpcore.relations import NeighboringRelation
from dpcore.statistics.base import Shifts
from dpcore.statistics.blocks import Rows, ShiftBlocks
from dpcore.statistics.parts import Totals
from dpcore.statistics.rows import grouped_rows
from dpcore.statistics.tables import check_bounds

PAIR: Final = 2
_ROOT_2 = 2**0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMoments:
    """What the counts and means of two groups follow from, whatever their size.

    As in ``GroupMoments`` of degree 1 a value at height ``a`` between its bounds gives
    ``1 - a`` to a first number of its group, and ``a`` to a second. The numbers of
    these two groups alone are kept. ``values`` has shape ``(n, 2)``: the number, then
    the code of the group.

    Sensitivity: who joins or leaves one of the two adds or takes a weight of 1 in all:
    1 added up, and the squares of the parts at most 1. A record that goes from one
    group to the other takes its weight along: 2, and the root of 2, attained at the
    bounds. Who is in neither, before and after, changes nothing.

    Attributes:
        groups: How many groups there are, that of all others included.
        pair: The codes of the two, different from each other.
        bounds: The public bounds of every value.

    >>> bounds = Interval(lower=0.0, upper=10.0)
    >>> both = PairMoments(groups=3, pair=(2, 0), bounds=bounds)
    >>> both.value([[2, 0], [10, 0], [5, 1], [1, 2]])
    array([0.9, 0.1, 0.8, 1.2])

    """

    groups: int
    pair: tuple[int, int]
    bounds: Interval

    def __post_init__(self) -> None:
        check_bounds(self.bounds)
        known = all(0 <= code < self.groups for code in self.pair)
        if len(set(self.pair)) != PAIR or not known:
            raise ParameterError(f"a pair is of two of {self.groups} groups, got {self.pair}.")

    @property
    def labels(self) -> tuple[str, ...]:
        """Return a name for each number: both of the first group first."""
        return tuple(
            f"{group} group, part {part} of {PAIR}"
            for group in ("first", "second")
            for part in (1, 2)
        )

    @property
    def range(self) -> Interval:
        """Return all numbers from 0: the size of a group is private."""
        return Interval(lower=0.0, upper=np.inf)

    def value(self, values: FloatArray) -> FloatArray:
        """Return the numbers of both groups, shape ``(4,)``."""
        return self.of_whole(self.part(values))

    def part(self, values: FloatArray) -> Totals:
        """Return the numbers of some people."""
        weights, side = self._read(values)
        sums = [weights[side == group, part].sum() for group in range(PAIR) for part in range(PAIR)]
        return Totals(people=len(side), total=np.array(sums))

    def together(self, parts: Sequence[Totals]) -> Totals:
        """Return the numbers of the people of all parts."""
        return Totals.together(parts)

    def of_whole(self, whole: Totals) -> FloatArray:
        """Return the numbers of a whole table."""
        return whole.total

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change all four numbers together."""
        if relation is NeighboringRelation.ADD_REMOVE:
            return Sensitivity(coordinates=2, l1=1.0, l2=1.0, largest=1.0)
        return Sensitivity(coordinates=4, l1=2.0, l2=_ROOT_2, largest=1.0)

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the numbers would move for each person, all at once."""
        return self.shift_blocks(values, relation).whole()

    def shift_blocks(self, values: FloatArray, relation: NeighboringRelation) -> ShiftBlocks:
        """Return where the numbers would move for each person, a block at a time.

        Under substitution the person goes to a bound of the other group: nothing is
        farther away. Who is in neither goes to one of them.
        """
        return self._blocks(*self._read(values), self.value(values), relation)

    def shifts_within(
        self, values: FloatArray, whole: Totals, relation: NeighboringRelation
    ) -> ShiftBlocks:
        """Return where the numbers of the whole would move for each of some people.

        As in ``shift_blocks``; ``values`` are those of a part of the people.
        """
        return self._blocks(*self._read(values), self.of_whole(whole), relation)

    def _blocks(
        self,
        weights: FloatArray,
        side: NDArray[np.intp],
        actual: FloatArray,
        relation: NeighboringRelation,
    ) -> ShiftBlocks:

        def moved(rows: Rows) -> FloatArray:
            own = side[rows]
            there = np.flatnonzero(own < PAIR)
            reached = np.tile(actual, (len(own), 1))
            for part in range(PAIR):
                reached[there, own[there] * PAIR + part] -= weights[rows][there, part]
            # Without the last person of a group rounding leaves no less than nothing.
            np.maximum(reached, 0.0, out=reached)
            if relation is NeighboringRelation.SUBSTITUTION:
                reached[np.arange(len(own)), np.where(own == 0, PAIR, 0)] += 1
            return reached[:, np.newaxis]

        return ShiftBlocks(actual=actual, people=len(side), of_rows=moved)

    def additions(
        self,
        values: FloatArray,
        relation: NeighboringRelation,  # noqa: ARG002 - sizes are private under both
    ) -> FloatArray:
        """Return the numbers after a person at a bound joins each group, (4, 4)."""
        return np.asarray(self.value(values) + np.eye(2 * PAIR))

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return the root of each number: weights are at most 1, so are their squares.

        The sum of the squares of weights within [0, 1] is at most the sum of them.
        """
        return np.sqrt(np.maximum(estimate, 0.0))

    def _read(self, values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return everybody's weights, and which of the two groups, 2 for neither."""
        numbers, codes = grouped_rows(values, columns=1, groups=self.groups)
        a = (self.bounds.clip(numbers[:, 0]) - self.bounds.lower) / self.bounds.width
        one, other = (codes == code for code in self.pair)
        side = np.where(one, 0, np.where(other, 1, PAIR))
        return np.stack([1 - a, a], axis=-1), side
