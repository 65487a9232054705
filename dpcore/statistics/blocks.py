"""The shifts of everybody, a block of people at a time.

A covariance matrix of six columns has 21 coordinates; for a million people one
alternative of each is 168 MB. Losses need only a block of them at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.relations import NeighboringRelation
from dpcore.statistics.base import Shifts, Statistic

Rows = slice | NDArray[np.intp]
"""Positions of some people."""

_NUMBERS: Final = 1 << 16
"""Numbers in a block: half a megabyte. What is computed on the way stays in the
processor's cache."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShiftBlocks:
    """Where the statistic would lie for each person, computed when asked for.

    CONFIDENTIAL, like ``Shifts``, which it stands in for where that is too large.

    Attributes:
        actual: The statistic of the whole table, shape ``(k,)``.
        people: The number of people ``n``.
        of_rows: Returns the alternatives, shape ``(r, a, k)``, of ``r`` people.

    >>> lazy = ShiftBlocks(
    ...     actual=np.zeros(1),
    ...     people=3,
    ...     of_rows=lambda rows: np.arange(3.0)[rows, np.newaxis, np.newaxis],
    ... )
    >>> lazy.map(lambda block: block.alternatives[:, 0, 0] ** 2)
    array([0., 1., 4.])

    """

    actual: FloatArray = field(repr=False)
    people: int
    of_rows: Callable[[Rows], FloatArray] = field(repr=False)

    def blocks(self, numbers: int | None = None) -> Iterator[Shifts]:
        """Return the shifts of consecutive people, so many numbers at a time."""
        rows = max(1, (numbers or _NUMBERS) // len(self.actual))
        for start in range(0, self.people, rows):
            yield self._shifts(slice(start, min(start + rows, self.people)))

    def map(self, of_block: Callable[[Shifts], FloatArray]) -> FloatArray:
        """Return one number per person from a function of a block of people."""
        numbers, start = np.empty(self.people), 0
        for block in self.blocks():
            numbers[start : start + block.people] = of_block(block)
            start += block.people
        return numbers

    def distances(self, people: NDArray[np.intp] | None = None) -> FloatArray:
        """Return how far each of ``people`` (or everybody) can shift the statistic."""
        if people is not None:
            return self._shifts(people).distances()
        return self.map(Shifts.distances)

    def whole(self) -> Shifts:
        """Return the shifts of everybody at once."""
        return self._shifts(slice(0, self.people))

    def _shifts(self, rows: Rows) -> Shifts:
        return Shifts(actual=self.actual, alternatives=self.of_rows(rows))


@runtime_checkable
class _Blockwise(Protocol):
    """A statistic whose shifts are too large to be held all at once."""

    def shift_blocks(
        self, values: FloatArray, relation: NeighboringRelation
    ) -> Shifts | ShiftBlocks: ...


def shifts_of(
    statistic: Statistic, values: FloatArray, relation: NeighboringRelation
) -> Shifts | ShiftBlocks:
    """Return the shifts of everybody, in blocks where the statistic offers them."""
    if isinstance(statistic, _Blockwise):
        return statistic.shift_blocks(values, relation)
    return statistic.shifts(values, relation)
