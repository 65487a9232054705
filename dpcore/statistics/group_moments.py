"""Counts and sums of each group, in numbers that share the weight of one person."""

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
from dpcore.statistics.entries import name_of_others
from dpcore.statistics.parts import Totals
from dpcore.statistics.rows import grouped_rows
from dpcore.statistics.tables import check_bounds

DEGREES: Final = (1, 2)
_ROOT_2 = 2**0.5


def count_names(groups: tuple[str, ...], counted: str) -> dict[str, str]:
    """Return what the number of people of each group is called; no group is called so.

    >>> count_names(("a", "people in a"), "people")["a"]
    'number of people in a'
    """
    start = f"{counted} in "
    while any(start + group in groups for group in groups):
        start = f"number of {start}"
    return {group: start + group for group in groups}


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMoments:
    """What the count, mean and variance of every group follow from, whatever its size.

    A value at height ``a = (x - c0) / (c1 - c0)`` of its bounds gives its group ``1 -
    a`` to a first number and ``a`` to a second (degree 1), or ``(1 - a)^2``, ``2 a (1 -
    a)`` and ``a^2`` to three (degree 2): Bernstein's polynomials. They are at least 0
    and add up to 1, so that the numbers of a group add up to its people, and

    * the sum of the heights is the second number; of degree 2, half of the second and
      the third;
    * the sum of their squares is the third.

    Sensitivity: one person adds or removes a weight of 1 in all, so the changes add up
    to 1, and their squares to at most 1, attained at either bound. A record in
    another's place takes its weight from one group to another: 2, and the root of 2.
    Within a group it moves less. A sum released beside a count would need twice that.

    ``values`` has shape ``(n, 2)``: the number, then the code of the group, with
    ``len(labels_of_groups)`` for a group that is not on the public list.

    Attributes:
        labels_of_groups: The public list of groups.
        bounds: The public bounds of every value.
        degree: 1 for counts and sums, 2 with sums of squares.

    >>> bounds = Interval(lower=0.0, upper=10.0)
    >>> both = GroupMoments(labels_of_groups=("a",), bounds=bounds, degree=1)
    >>> both.value([[2, 0], [10, 0], [5, 1]])
    array([0.8, 1.2, 0.5, 0.5])

    """

    labels_of_groups: tuple[str, ...]
    bounds: Interval
    degree: int

    def __post_init__(self) -> None:
        check_bounds(self.bounds)
        if not self.labels_of_groups or self.degree not in DEGREES:
            raise ParameterError("moments of groups need a public list of groups, and degree 1, 2.")

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the name of each group; the last is that of all others."""
        return (*self.labels_of_groups, name_of_others(self.labels_of_groups))

    @property
    def labels(self) -> tuple[str, ...]:
        """Return a name for each number: all those of the first group first."""
        return tuple(
            f"{group}, part {part} of {self.degree + 1}"
            for group in self.groups
            for part in range(1, self.degree + 2)
        )

    @property
    def range(self) -> Interval:
        """Return all numbers from 0: the size of a group is private."""
        return Interval(lower=0.0, upper=np.inf)

    def value(self, values: FloatArray) -> FloatArray:
        """Return the numbers of every group, shape ``((K + 1) (degree + 1),)``."""
        return self.of_whole(self.part(values))

    def part(self, values: FloatArray) -> Totals:
        """Return the numbers of some people."""
        weights, codes = self._read(values)
        order = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[order], np.arange(1, len(self.groups)))
        # Each number by itself: NumPy adds pairwise along an array's last axis only.
        sums = [[part.sum() for part in np.split(column[order], ends)] for column in weights.T]
        return Totals(people=len(codes), total=np.array(sums).T.ravel())

    def together(self, parts: Sequence[Totals]) -> Totals:
        """Return the numbers of the people of all parts."""
        return Totals.together(parts)

    def of_whole(self, whole: Totals) -> FloatArray:
        """Return the numbers of a whole table."""
        return whole.total

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change all numbers together."""
        parts = self.degree + 1
        if relation is NeighboringRelation.ADD_REMOVE:
            return Sensitivity(coordinates=parts, l1=1.0, l2=1.0, largest=1.0)
        return Sensitivity(coordinates=2 * parts, l1=2.0, l2=_ROOT_2, largest=1.0)

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the numbers would move for each person, all at once."""
        return self.shift_blocks(values, relation).whole()

    def shift_blocks(self, values: FloatArray, relation: NeighboringRelation) -> ShiftBlocks:
        """Return where the numbers would move for each person, a block at a time.

        Under substitution the person's weight goes to a bound of another group: no
        record within the own group is farther away, and all other groups are alike.
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
        codes: NDArray[np.intp],
        actual: FloatArray,
        relation: NeighboringRelation,
    ) -> ShiftBlocks:
        parts = self.degree + 1

        def moved(rows: Rows) -> FloatArray:
            own = codes[rows]
            there = np.arange(len(own))
            reached = np.tile(actual, (len(own), 1))
            for part in range(parts):
                reached[there, own * parts + part] -= weights[rows, part]
            # Without the last person of a group rounding leaves no less than nothing.
            np.maximum(reached, 0.0, out=reached)
            if relation is NeighboringRelation.SUBSTITUTION:
                reached[there, np.where(own == 0, 1, 0) * parts] += 1
            return reached[:, np.newaxis]

        return ShiftBlocks(actual=actual, people=len(codes), of_rows=moved)

    def additions(
        self,
        values: FloatArray,
        relation: NeighboringRelation,  # noqa: ARG002 - sizes are private under both
    ) -> FloatArray:
        """Return the numbers after a person at a bound joins each group."""
        actual = self.value(values)
        ends = [
            group * (self.degree + 1) + end
            for group in range(len(self.groups))
            for end in (0, self.degree)
        ]
        return np.asarray(actual + np.eye(len(actual))[ends])

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return the root of each number: weights are at most 1, so are their squares.

        The sum of the squares of weights within [0, 1] is at most the sum of them.
        """
        return np.sqrt(np.maximum(estimate, 0.0))

    def heights(self, values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return everybody's height between the bounds, and group. CONFIDENTIAL."""
        numbers, codes = grouped_rows(values, columns=1, groups=len(self.groups))
        clamped = self.bounds.clip(numbers[:, 0]) - self.bounds.lower
        return clamped / self.bounds.width, codes

    def _read(self, values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return everybody's weights, shape ``(n, degree + 1)``, and group."""
        a, codes = self.heights(values)
        b = 1 - a
        each = (b, a) if self.degree == 1 else (b * b, 2 * a * b, a * a)
        return np.stack(each, axis=-1), codes
