"""The count of every group and the sums of several columns, in numbers that share one.

A mean needs a count beside its sum. Asked column by column, the count of a group is
released with each of them; here all columns of a group share one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import Sensitivity
from dpcore.relations import NeighboringRelation
from dpcore.statistics.base import Shifts
from dpcore.statistics.blocks import Rows, ShiftBlocks
from dpcore.statistics.entries import name_of_others
from dpcore.statistics.parts import Totals
from dpcore.statistics.rows import grouped_rows, heights
from dpcore.statistics.tables import check_bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanMoments:
    """What the count of every group and its means of ``d`` columns follow from.

    A person whose value lies at height ``a_j = (x_j - c0_j) / (c1_j - c0_j)`` of the
    bounds of column ``j`` gives ``c`` to a first number ``S`` of the group, and ``a_j -
    1/2`` to a number ``T_j`` of each column. So there are ``S / c`` people in the
    group, and their heights add up to ``T_j + S / (2 c)``. Measured from the middle, a
    person weighs half as much on every column as from a bound.

    Sensitivity: who joins or leaves moves ``S`` by ``c`` and each ``T_j`` by ``1/2`` at
    most: ``c + d/2`` added up, and ``c^2 + d/4`` as squares, attained at the bounds.
    Who goes from one group to another does both: twice the one and the other. Who stays
    in a group moves each ``T_j`` by 1 at most: ``d`` added up, which is less, and ``d``
    as squares, which is the most, as ``4 c^2 <= d``.

    The weight ``c`` is half of the cube root of ``d``: the noise in ``sum(a_j - t)`` is
    ``(1 - 2 t) / (2 c)`` times that of ``S`` and that of ``T_j``, hence largest at the
    bounds, where the variance of Laplace noise is in proportion to ``(c + d/2)^2 (1 + 1
    / (4 c^2))``. That is least where ``8 c^3 = d``. (For Gaussian noise it is within 3
    percent of what its own best weight would give under add/remove.) Of one column
    these are the two numbers of ``GroupMoments`` turned by 45 degrees and shortened by
    the root of 2.

    ``values`` has shape ``(n, d + 1)``: the numbers, then the code of the group, with
    ``len(labels_of_groups)`` for a group that is not on the public list.

    Attributes:
        labels_of_groups: The public list of groups.
        bounds: The public bounds of every column.

    >>> bounds = Interval(lower=0.0, upper=10.0)
    >>> both = MeanMoments(labels_of_groups=("a",), bounds=(bounds,))
    >>> both.value([[2, 0], [10, 0], [5, 1]])
    array([1. , 0.2, 0.5, 0. ])

    """

    labels_of_groups: tuple[str, ...]
    bounds: tuple[Interval, ...]

    def __post_init__(self) -> None:
        for bounds in self.bounds:
            check_bounds(bounds)
        if not self.labels_of_groups or not self.bounds:
            raise ParameterError("means of groups need a public list of groups, and a column.")

    @property
    def columns(self) -> int:
        """Return the number of columns ``d``."""
        return len(self.bounds)

    @property
    def weight(self) -> float:
        """Return what everybody adds to the number that counts people, ``c``."""
        return math.cbrt(self.columns) / 2

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the name of each group; the last is that of all others."""
        return (*self.labels_of_groups, name_of_others(self.labels_of_groups))

    @property
    def labels(self) -> tuple[str, ...]:
        """Return a name for each number: all those of the first group first."""
        parts = self.columns + 1
        return tuple(
            f"{group}, part {part} of {parts}"
            for group in self.groups
            for part in range(1, parts + 1)
        )

    @property
    def range(self) -> Interval:
        """Return all numbers: the size of a group is private."""
        return Interval(lower=-np.inf, upper=np.inf)

    def value(self, values: FloatArray) -> FloatArray:
        """Return the numbers of every group, shape ``((K + 1) (d + 1),)``."""
        return self.of_whole(self.part(values))

    def part(self, values: FloatArray) -> Totals:
        """Return the numbers of some people."""
        away, codes = self._read(values)
        order = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[order], np.arange(1, len(self.groups)))
        counts = np.bincount(codes, minlength=len(self.groups))
        # Each number by itself: NumPy adds pairwise along an array's last axis only.
        sums = [[part.sum() for part in np.split(column[order], ends)] for column in away.T]
        total = np.array([self.weight * counts, *sums]).T.ravel()
        return Totals(people=len(codes), total=total)

    def together(self, parts: Sequence[Totals]) -> Totals:
        """Return the numbers of the people of all parts."""
        return Totals.together(parts)

    def of_whole(self, whole: Totals) -> FloatArray:
        """Return the numbers of a whole table."""
        return whole.total

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change all numbers together."""
        d, c = self.columns, self.weight
        if relation is NeighboringRelation.ADD_REMOVE:
            l2 = math.sqrt(c * c + d / 4)
            return Sensitivity(coordinates=d + 1, l1=c + d / 2, l2=l2, largest=c)
        return Sensitivity(
            coordinates=2 * (d + 1), l1=2 * c + d, l2=math.sqrt(d), largest=max(c, 1.0)
        )

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the numbers would move for each person, all at once."""
        return self.shift_blocks(values, relation).whole()

    def shift_blocks(self, values: FloatArray, relation: NeighboringRelation) -> ShiftBlocks:
        """Return where the numbers would move for each person, a block at a time.

        Under substitution there are two alternatives: the farthest by the sum of all
        changes, at bounds of another group (all other groups and bounds are alike); and
        the other bounds of the own group, which may be farther by their squares.
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
        away: FloatArray,
        codes: NDArray[np.intp],
        actual: FloatArray,
        relation: NeighboringRelation,
    ) -> ShiftBlocks:
        parts = self.columns + 1

        def moved(rows: Rows) -> FloatArray:
            own, weights = codes[rows], away[rows]
            there = np.arange(len(own))
            gone = np.tile(actual, (len(own), 1))
            # Without the last person of a group rounding leaves no less than nothing.
            left = np.maximum(gone[there, own * parts] - self.weight, 0.0)
            gone[there, own * parts] = left
            for part in range(1, parts):
                gone[there, own * parts + part] -= weights[:, part - 1]
            if relation is NeighboringRelation.ADD_REMOVE:
                return gone[:, np.newaxis]
            elsewhere, within = gone, gone.copy()
            other = np.where(own == 0, 1, 0) * parts
            elsewhere[there, other] += self.weight
            within[there, own * parts] = actual[own * parts]
            for part in range(1, parts):
                elsewhere[there, other + part] += 0.5
                bound = np.where(weights[:, part - 1] > 0, -0.5, 0.5)
                within[there, own * parts + part] += bound
            return np.stack([elsewhere, within], axis=1)

        return ShiftBlocks(actual=actual, people=len(codes), of_rows=moved)

    def additions(
        self,
        values: FloatArray,
        relation: NeighboringRelation,  # noqa: ARG002 - sizes are private under both
    ) -> FloatArray:
        """Return the numbers after a person at all lower or upper bounds joins a group.

        At any other bounds they move as far. Shape ``(2 (K + 1), (K + 1) (d + 1))``.
        """
        ends = np.full((2, self.columns + 1), self.weight)
        ends[:, 1:] = [[-0.5], [0.5]]
        groups = len(self.groups)
        return np.asarray(self.value(values) + np.kron(np.eye(groups), ends))

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return the root of the sum of the most that the squares of weights can be."""
        c = self.weight
        groups = np.reshape(estimate, (-1, self.columns + 1))
        people = np.maximum(groups[:, :1], 0.0) / c
        most = np.array([c, *(0.5,) * self.columns])
        return np.asarray((most * np.sqrt(people)).reshape(np.shape(estimate)))

    def _read(self, values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return everybody's heights less a half, shape ``(n, d)``, and group."""
        numbers, codes = grouped_rows(values, columns=self.columns, groups=len(self.groups))
        widths = np.array([bounds.width for bounds in self.bounds])
        return heights(numbers, self.bounds) / widths - 0.5, codes
