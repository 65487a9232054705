"""How many people lie in each of a public list of cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import Sensitivity
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.base import Shifts
from dpcore.statistics.tables import can_join, cells, check_people, emptiest_and_fullest, kinds


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Number of people in each of K cells; ``values`` are the cells 0 to K - 1.

    A person who is added or removed changes one cell by 1; one who is replaced may
    change two, by 1 each.

    Attributes:
        labels: Name of each cell, at least two.
        size: What is public about the number of people.

    >>> from dpcore.relations import TableSize
    >>> size = TableSize(people=3, public=True)
    >>> Histogram(labels=("no", "yes"), size=size).value([0, 1, 1])
    array([1., 2.])

    """

    labels: tuple[str, ...]
    size: TableSize

    def __post_init__(self) -> None:
        if len(self.labels) < 2:  # noqa: PLR2004 - one cell is a count of everybody
            raise ParameterError(f"a histogram needs at least 2 cells, got {len(self.labels)}.")

    @property
    def range(self) -> Interval:
        """Return ``[0, n]``, without an upper end if the number n is private."""
        return Interval(lower=0.0, upper=float(self.size.people) if self.size.public else np.inf)

    def value(self, values: FloatArray) -> FloatArray:
        """Return the counts, shape ``(K,)``."""
        return self.of_whole(self.part(values))

    def part(self, values: FloatArray) -> FloatArray:
        """Return how many of some people are in each cell, shape ``(K,)``."""
        return self._counts(cells(values, count=len(self.labels)))

    def together(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Return the counts of the people of all parts."""
        return np.asarray(np.sum(parts, axis=0))

    def of_whole(self, whole: FloatArray) -> FloatArray:
        """Return the counts of a whole table."""
        check_people(int(whole.sum()), self.size)
        return whole

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change the counts, over all tables."""
        if relation is NeighboringRelation.ADD_REMOVE:
            return Sensitivity.scalar(1.0)
        return Sensitivity(coordinates=2, l1=2.0, l2=float(np.sqrt(2.0)), largest=1.0)

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the counts would move for the people of each occupied cell.

        Under substitution the person goes to the emptiest or to the fullest of the
        other cells. No other move reveals more: noise without bounds treats all cells
        alike, and noise between bounds tells one count from the next the better, the
        nearer they lie to a bound.
        """
        codes = cells(values, count=len(self.labels))
        return self._shifts(codes, self._counts(codes), relation)

    def shifts_within(
        self, values: FloatArray, whole: FloatArray, relation: NeighboringRelation
    ) -> Shifts:
        """Return where the counts would move for each of some people.

        As in ``shifts``; ``values`` are those of a part of the people.
        """
        return self._shifts(cells(values, count=len(self.labels)), whole, relation)

    def _shifts(
        self, codes: NDArray[np.intp], whole: FloatArray, relation: NeighboringRelation
    ) -> Shifts:
        present, kind = kinds(codes)
        counts = self.of_whole(whole)
        reached = [counts - np.eye(len(counts))[present]]
        if relation is NeighboringRelation.SUBSTITUTION:
            moved = emptiest_and_fullest(counts, present)
            reached = [*moved] if self.size.public else [*moved, *reached]
        return Shifts(actual=counts, alternatives=np.stack(reached, axis=1), kind=kind)

    def additions(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return the counts after a person joins each of the cells."""
        if not can_join(relation, self.size):
            return np.empty((0, len(self.labels)))
        return self.value(values) + np.eye(len(self.labels))

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return a bound on the standard deviation of each count ``m`` on its own.

        ``sqrt(n p (1 - p))`` with ``p = m / n``; ``sqrt(m)``, which holds for every n,
        if the number of people is private.
        """
        counts = self.range.clip(estimate)
        if not self.size.public:
            return np.sqrt(counts)
        return np.sqrt(counts * (1 - counts / self.size.people))

    def _counts(self, codes: NDArray[np.intp]) -> FloatArray:
        return np.bincount(codes, minlength=len(self.labels)).astype(np.float64)
