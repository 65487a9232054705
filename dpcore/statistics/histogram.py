"""How many people, or which share of them, lie in each of a public list of cells."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.checks import (
    can_join,
    cells,
    check_people,
    emptiest_and_fullest,
    kinds,
    own_divisor,
)
from dpcore.statistics.statistic import NeighborValues, Statistic, Sums


class CellCounts(Statistic):
    """What follows from the number of people in each of a public list of cells."""

    __slots__ = ()
    size: TableSize

    def partial(self, values: FloatArray) -> Sums:
        """Return how many of some people are in each cell."""
        return self._counted(self._codes(values))

    def neighbors(
        self, values: FloatArray, relation: NeighboringRelation, whole: Sums | None = None
    ) -> NeighborValues:
        """Return where the statistic would move for the people of each occupied cell."""
        codes = self._codes(values)
        everybody = whole or self._counted(codes)
        actual = self.finalize(everybody)
        present, kind = kinds(codes)
        return NeighborValues.at_once(actual, self._instead(everybody, present, relation), kind)

    def neighbors_added(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return the statistic after a person joins each of the cells."""
        if not can_join(relation, self.size):
            return np.empty((0, len(self.labels)))
        whole = self.partial(values)
        check_people(whole.people, self.size)
        return self._added(whole)

    def _counted(self, codes: NDArray[np.intp]) -> Sums:
        counts = np.bincount(codes, minlength=self._count).astype(np.float64)
        return Sums(people=len(codes), total=self._totals(counts))

    def _totals(self, counts: FloatArray) -> FloatArray:
        """Return what is kept of the number of people in each cell."""
        return counts

    @property
    @abstractmethod
    def _count(self) -> int:
        """Return how many cells there are."""

    def _codes(self, values: FloatArray) -> NDArray[np.intp]:
        """Return everybody's cell."""
        return cells(values, count=self._count)

    @abstractmethod
    def _instead(
        self, whole: Sums, present: NDArray[np.intp], relation: NeighboringRelation
    ) -> FloatArray:
        """Return the statistic instead for people of cells ``present``, ``(m, a, k)``."""

    @abstractmethod
    def _added(self, whole: Sums) -> FloatArray:
        """Return the statistic after a person joins each cell, shape ``(c, k)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram(CellCounts):
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

    additive = True
    labels: tuple[str, ...]
    size: TableSize

    def __post_init__(self) -> None:
        if len(self.labels) < 2:  # noqa: PLR2004 - one cell is a count of everybody
            raise ParameterError(f"a histogram needs at least 2 cells, got {len(self.labels)}.")

    @property
    def range(self) -> Interval:
        """Return ``[0, n]``, without an upper end if the number n is private."""
        return Interval(lower=0.0, upper=float(self.size.people) if self.size.public else np.inf)

    def finalize(self, whole: Sums) -> FloatArray:
        """Return the counts of a whole table."""
        check_people(whole.people, self.size)
        return whole.total

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change the counts, over all tables."""
        if relation is NeighboringRelation.ADD_REMOVE:
            return Sensitivity.scalar(1.0)
        return Sensitivity(coordinates=2, l1=2.0, l2=float(np.sqrt(2.0)), largest=1.0)

    @property
    def _count(self) -> int:
        return len(self.labels)

    def _instead(
        self, whole: Sums, present: NDArray[np.intp], relation: NeighboringRelation
    ) -> FloatArray:
        """Return the counts without somebody of each cell ``present``, or after a move.

        Under substitution the person goes to the emptiest or to the fullest of the
        other cells. No other move reveals more: noise without bounds treats all cells
        alike, and noise between bounds tells one count from the next the better, the
        nearer they lie to a bound.
        """
        counts = whole.total
        reached = [counts - np.eye(len(counts))[present]]
        if relation is NeighboringRelation.SUBSTITUTION:
            moved = emptiest_and_fullest(counts, present)
            reached = [*moved] if self.size.public else [*moved, *reached]
        return np.stack(reached, axis=1)

    def _added(self, whole: Sums) -> FloatArray:
        return whole.total + np.eye(len(self.labels))

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return a bound on the standard deviation of each count ``m`` on its own.

        ``sqrt(n p (1 - p))`` with ``p = m / n``; ``sqrt(m)``, which holds for every n,
        if the number of people is private.
        """
        counts = self.range.clip(estimate)
        if not self.size.public:
            return np.sqrt(counts)
        return np.sqrt(counts * (1 - counts / self.size.people))


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportions(CellCounts):
    """Share of people in each of K cells; ``values`` are the cells 0 to K - 1.

    By default counts are divided by the table's own number of people: ``n`` where it is
    public, ``max(n, N)`` with ``N`` the public minimum where it is private (then shares
    add up to less than 1 below ``N``). Sensitivities:

    * one record replaced: two shares move by ``1 / n`` (``1 / N``): L1 ``2 / n``;
    * one person more or less, n public: every share moves, because the divisor does; L1
      at most ``2 / n``, reached where everybody else shares another cell. It is *not*
      ``1 / n``, as for counts over a constant;
    * the same with n private: up to ``N`` people the divisor stays, one share moves by
      ``1 / N``; above, L1 is at most ``2 / n``, so ``2 / (N + 1)``.

    With a public constant ``n_0`` as the divisor, shares are ``count / n_0``, at most 1
    (a share above 1 is cut, which moves no two tables apart): L1 is ``1 / n_0`` under
    add/remove, ``2 / n_0`` under substitution.

    Attributes:
        cells: Name of each cell, at least two.
        size: What is public about the number of people.
        constant: The constant divisor ``n_0``; ``None`` for the table's own.
        omit_last: Whether the last share is left out, to be read as what remains.

    >>> from dpcore.relations import TableSize
    >>> three = TableSize(people=3, public=True)
    >>> Proportions(cells=("a", "b"), size=three).value([0, 1, 1]).round(3)
    array([0.333, 0.667])

    """

    cells: tuple[str, ...]
    size: TableSize
    constant: int | None = None
    omit_last: bool = False

    def __post_init__(self) -> None:
        if len(self.cells) < 2:  # noqa: PLR2004 - one cell has a share of 1
            raise ParameterError(f"proportions need at least 2 cells, got {len(self.cells)}.")
        if self.constant is not None and self.constant < 1:
            raise ParameterError(f"the constant divisor must be at least 1, got {self.constant}.")

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each share that is part of the answer."""
        return self.cells[:-1] if self.omit_last else self.cells

    @property
    def range(self) -> Interval:
        """Return ``[0, 1]``."""
        return Interval(lower=0.0, upper=1.0)

    def finalize(self, whole: Sums) -> FloatArray:
        """Return the shares of a whole table of such counts, ``(K,)`` or ``(K - 1,)``."""
        check_people(whole.people, self.size)
        return self._at(whole.total, whole.people)

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change the shares, over all tables.

        Raises:
            ParameterError: If the only person of a public number can be removed, and
                the divisor is the table's own number.

        """
        shares, people = len(self.labels), self.size.people
        step = 1 / (self.constant or people)
        two = min(2, shares)
        moved = Sensitivity(
            coordinates=two, l1=two * step, l2=float(np.sqrt(two)) * step, largest=step
        )
        removal = relation is NeighboringRelation.ADD_REMOVE
        if self.constant is not None:
            return Sensitivity.scalar(step) if removal else moved
        if removal and self.size.public and people == 1:
            raise ParameterError("the shares of one row are undefined without that row.")
        if not (removal or not self.size.public):
            return moved
        # The divisor may move all shares of people who are there.
        occupied = min(shares, people) if self.size.public else shares
        if not removal or self.size.public:
            return Sensitivity(coordinates=occupied, l1=moved.l1, l2=moved.l2, largest=step)
        above = 1 / (people + 1)
        return Sensitivity(
            coordinates=occupied,
            l1=max(step, two * above),
            l2=max(step, float(np.sqrt(two)) * above),
            largest=step,
        )

    @property
    def _count(self) -> int:
        return len(self.cells)

    def _instead(
        self, whole: Sums, present: NDArray[np.intp], relation: NeighboringRelation
    ) -> FloatArray:
        """Return the shares without somebody of each cell ``present``, or after a move.

        Under substitution the person goes to the emptiest or the fullest of the other
        cells, as in a histogram. A move to a cell whose share is left out reveals less
        and counts only where there is no other. NaN where a public number of people
        would drop to none.
        """
        counts, n = whole.total, whole.people
        reached = [self._at(counts - np.eye(len(counts))[present], n - 1)]
        if relation is NeighboringRelation.SUBSTITUTION:
            among = len(self.labels) if len(self.labels) > 1 else None
            moved = emptiest_and_fullest(counts, present, among=among)
            ends = [self._at(each, n) for each in moved]
            reached = ends if self.size.public else [*ends, *reached]
        return np.stack(reached, axis=1)

    def _added(self, whole: Sums) -> FloatArray:
        return self._at(whole.total + np.eye(len(self.cells)), whole.people + 1)

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return a bound on the standard deviation of each share ``p`` on its own.

        ``sqrt(p (1 - p) / n)``, with a private number at its public minimum. Over a
        constant, that of the count: ``sqrt(p (1 - p n_0 / n) / n_0)``, and with a
        private number ``sqrt(p / n_0)``, which holds for every n.
        """
        p = self.range.clip(estimate)
        if self.constant is None:
            return np.sqrt(p * (1 - p) / self.size.people)
        if not self.size.public:
            return np.sqrt(p / self.constant)
        rest = np.maximum(1 - p * (self.constant / self.size.people), 0.0)
        return np.sqrt(p * rest / self.constant)

    def _at(self, counts: FloatArray, people: int) -> FloatArray:
        kept = counts[..., : len(self.labels)]
        divisor = self.constant or own_divisor(self.size, people)
        if divisor == 0:
            return np.full_like(kept, np.nan)
        shares: FloatArray = np.minimum(kept / divisor, 1.0)
        return shares
