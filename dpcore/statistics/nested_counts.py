"""How many people lie in each of nested ranges of a public grid: for quantiles.

The counts of 512 values of a grid would add up, over half of the grid, the noise of 256
counts. Counts of ranges of ranges add up few: a value splits the grid into 22 of them,
those up to it and those beyond, and everybody is in three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms.base import Sensitivity
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.base import Shifts
from dpcore.statistics.tables import can_join, check_bounds, check_people, kinds, numeric

BRANCHES: Final = 8
LEVELS: Final = 3
CANDIDATES: Final = BRANCHES**LEVELS
"""How many values the grid has."""
PIECES: Final = LEVELS * (BRANCHES - 1) + 1
"""Into how many ranges a value splits the grid: those up to it, and those beyond."""
_STARTS: Final = tuple(
    sum(BRANCHES**level for level in range(1, depth)) for depth in range(1, LEVELS + 2)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedCounts:
    """Number of people in 8 ranges of the bounds, in 8 of each, and in 8 of each again.

    Every value, clamped to the bounds, counts as its nearest of 512 equally spaced
    ones. The counts of the widest ranges stand first.

    Sensitivity: everybody is in one range of each width. Who joins or leaves changes
    three counts by 1 each: 3 added up, and the root of 3. Another record leaves three
    and joins three others, if it lies in another eighth of the bounds: 6, and the root
    of 6; nearer by, it changes fewer.

    Attributes:
        bounds: The public bounds; the first and the last value of the grid.
        size: What is public about the number of people.
        whole: Whether all values are whole numbers, as those of the grid then are.

    >>> from dpcore.relations import TableSize
    >>> size = TableSize(people=3, public=True)
    >>> counts = NestedCounts(bounds=Interval(lower=0.0, upper=511.0), size=size)
    >>> found = counts.value([1.0, 2.0, 600.0])
    >>> found[:8], float(found.sum())
    (array([2., 0., 0., 0., 0., 0., 0., 1.]), 9.0)

    """

    bounds: Interval
    size: TableSize
    whole: bool = False

    def __post_init__(self) -> None:
        check_bounds(self.bounds)

    @property
    def grid(self) -> FloatArray:
        """Return the values that are told apart, ascending, shape ``(512,)``.

        Where they are whole, some are alike if there are fewer between the bounds.
        """
        return np.rint(self._grid) if self.whole else self._grid

    def around(self, places: NDArray[np.intp]) -> FloatArray:
        """Return the ends of what counts as values of the grid, for pairs of places.

        Half a step of the grid lies on either side of both, shape ``(k, 2)``. A whole
        number between two numbers is between them when they are rounded, too.
        """
        half = self.grid_error * np.array([-1.0, 1.0])
        ends = self.bounds.clip(self._grid[places] + half)
        return np.rint(ends) if self.whole else ends

    @property
    def step(self) -> float:
        """Return how far values of the grid are apart, where they are at all."""
        step = self.bounds.width / (CANDIDATES - 1)
        return max(step, 1.0) if self.whole else step

    @property
    def grid_error(self) -> float:
        """Return half a step: how far counting as the nearest value moves.

        Nothing where no two whole numbers count as the same.
        """
        step = self.bounds.width / (CANDIDATES - 1)
        return 0.0 if self.whole and step <= 1 else step / 2

    @property
    def labels(self) -> tuple[str, ...]:
        """Return a name for each range: its first and its last value."""
        grid = self.grid
        names = []
        for level in range(1, LEVELS + 1):
            wide = CANDIDATES // BRANCHES**level
            names += [
                f"{grid[start]:.12g} to {grid[start + wide - 1]:.12g}, width {wide}"
                for start in range(0, CANDIDATES, wide)
            ]
        return tuple(names)

    @property
    def range(self) -> Interval:
        """Return ``[0, n]``, without an upper end if the number n is private."""
        return Interval(lower=0.0, upper=float(self.size.people) if self.size.public else np.inf)

    def value(self, values: FloatArray) -> FloatArray:
        """Return the counts of all ranges, shape ``(584,)``."""
        return self.of_whole(self.part(values))

    def part(self, values: FloatArray) -> FloatArray:
        """Return how many of some people are in each range, shape ``(584,)``."""
        return self._counts(self._codes(values))

    def together(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Return the counts of the people of all parts."""
        return np.asarray(np.sum(parts, axis=0))

    def of_whole(self, whole: FloatArray) -> FloatArray:
        """Return the counts of a whole table."""
        # Everybody is in one of the widest ranges.
        check_people(int(whole[:BRANCHES].sum()), self.size)
        return whole

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change the counts, over all tables."""
        moved = LEVELS if relation is NeighboringRelation.ADD_REMOVE else 2 * LEVELS
        return Sensitivity(
            coordinates=moved, l1=float(moved), l2=float(np.sqrt(moved)), largest=1.0
        )

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the counts would move for the people of each value.

        Under substitution the person goes to the farthest eighth of the bounds: all
        counts that can change do, by 1 each, and noise without bounds treats all
        counts alike.
        """
        codes = self._codes(values)
        return self._shifts(codes, self._counts(codes), relation)

    def shifts_within(
        self, values: FloatArray, whole: FloatArray, relation: NeighboringRelation
    ) -> Shifts:
        """Return where the counts would move for each of some people.

        As in ``shifts``; ``values`` are those of a part of the people.
        """
        return self._shifts(self._codes(values), whole, relation)

    def _shifts(
        self, codes: NDArray[np.intp], whole: FloatArray, relation: NeighboringRelation
    ) -> Shifts:
        present, kind = kinds(codes)
        counts = self.of_whole(whole)
        left = counts - _ranges_of(present)
        reached = [left]
        if relation is NeighboringRelation.SUBSTITUTION:
            away = np.where(present < CANDIDATES // 2, CANDIDATES - 1, 0)
            moved = left + _ranges_of(away)
            reached = [moved] if self.size.public else [moved, left]
        return Shifts(actual=counts, alternatives=np.stack(reached, axis=1), kind=kind)

    def additions(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return the counts after a person joins at each value of the grid."""
        counts = self.value(values)
        if not can_join(relation, self.size):
            return np.empty((0, len(counts)))
        return np.asarray(counts + _ranges_of(np.arange(CANDIDATES)))

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return a bound on the standard deviation of each count ``m``: ``sqrt(m)``."""
        return np.sqrt(np.maximum(estimate, 0.0))

    @property
    def _grid(self) -> FloatArray:
        return np.linspace(self.bounds.lower, self.bounds.upper, CANDIDATES)

    def _codes(self, values: FloatArray) -> NDArray[np.intp]:
        inside = self.bounds.clip(numeric(values)) - self.bounds.lower
        places = inside / self.bounds.width * (CANDIDATES - 1)
        return np.rint(places).astype(np.intp)

    def _counts(self, codes: NDArray[np.intp]) -> FloatArray:
        finest = np.bincount(codes, minlength=CANDIDATES).astype(np.float64)
        return np.concatenate(
            [finest.reshape(BRANCHES**level, -1).sum(axis=1) for level in range(1, LEVELS + 1)]
        )


def split_at_each(counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the people up to each value of the grid, and those beyond, shape (512,).

    Both are sums of counts that lie beside the ranges of the value, 22 in all. How many
    of them are in the first is in ``pieces_before``.
    """
    before, beyond = np.zeros((2, CANDIDATES))
    for level in range(1, LEVELS + 1):
        each = counts[_STARTS[level - 1] : _STARTS[level]].reshape(-1, BRANCHES)
        upto = np.cumsum(each, axis=1)
        last = level == LEVELS
        wide = CANDIDATES // BRANCHES**level
        before += np.repeat((upto if last else upto - each).ravel(), wide)
        beyond += np.repeat((upto[:, -1:] - upto).ravel(), wide)
    return before, beyond


def pieces_before() -> NDArray[np.intp]:
    """Return how many counts make up the people up to each value, shape ``(512,)``.

    >>> pieces_before()[[0, 7, 8, 511]].tolist()
    [1, 8, 2, 22]
    """
    places = np.arange(CANDIDATES)
    digits = [places // BRANCHES**level % BRANCHES for level in range(LEVELS)]
    return np.asarray(np.sum(digits, axis=0) + 1)


def _ranges_of(codes: NDArray[np.intp]) -> FloatArray:
    """Return 1 for each range that a value lies in, shape ``(m, 584)``."""
    within = np.zeros((len(codes), _STARTS[-1]))
    rows = np.arange(len(codes))
    for level in range(1, LEVELS + 1):
        wide = CANDIDATES // BRANCHES**level
        within[rows, _STARTS[level - 1] + codes // wide] = 1.0
    return within
