"""Shares of people in each of a public list of cells."""

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
from dpcore.statistics.tables import (
    can_join,
    cells,
    check_people,
    emptiest_and_fullest,
    kinds,
    own_divisor,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportions:
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

    def value(self, values: FloatArray) -> FloatArray:
        """Return the shares, shape ``(K,)`` or ``(K - 1,)``."""
        return self.of_whole(self.part(values))

    def part(self, values: FloatArray) -> FloatArray:
        """Return how many of some people are in each cell, shape ``(K,)``."""
        return self._counts(cells(values, count=len(self.cells)))

    def together(self, parts: Sequence[FloatArray]) -> FloatArray:
        """Return the counts of the people of all parts."""
        return np.asarray(np.sum(parts, axis=0))

    def of_whole(self, whole: FloatArray) -> FloatArray:
        """Return the shares of a whole table of such counts."""
        people = int(whole.sum())
        check_people(people, self.size)
        return self._at(whole, people)

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

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the shares would move for the people of each occupied cell.

        Under substitution the person goes to the emptiest or the fullest of the other
        cells, as in a histogram. A move to a cell whose share is left out reveals less
        and counts only where there is no other. NaN where a public number of people
        would drop to none.
        """
        codes = cells(values, count=len(self.cells))
        return self._shifts(codes, self._counts(codes), relation)

    def shifts_within(
        self, values: FloatArray, whole: FloatArray, relation: NeighboringRelation
    ) -> Shifts:
        """Return where the shares would move for each of some people.

        As in ``shifts``; ``values`` are those of a part of the people.
        """
        return self._shifts(cells(values, count=len(self.cells)), whole, relation)

    def _shifts(
        self, codes: NDArray[np.intp], counts: FloatArray, relation: NeighboringRelation
    ) -> Shifts:
        present, kind = kinds(codes)
        actual, n = self.of_whole(counts), int(counts.sum())
        reached = [self._at(counts - np.eye(len(counts))[present], n - 1)]
        if relation is NeighboringRelation.SUBSTITUTION:
            among = len(self.labels) if len(self.labels) > 1 else None
            moved = emptiest_and_fullest(counts, present, among=among)
            ends = [self._at(each, n) for each in moved]
            reached = ends if self.size.public else [*ends, *reached]
        return Shifts(actual=actual, alternatives=np.stack(reached, axis=1), kind=kind)

    def additions(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return the shares after a person joins each of the cells."""
        if not can_join(relation, self.size):
            return np.empty((0, len(self.labels)))
        counts = self.part(values)
        people = int(counts.sum())
        check_people(people, self.size)
        return self._at(counts + np.eye(len(self.cells)), people + 1)

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

    def _counts(self, codes: NDArray[np.intp]) -> FloatArray:
        return np.bincount(codes, minlength=len(self.cells)).astype(np.float64)

    def _at(self, counts: FloatArray, people: int) -> FloatArray:
        kept = counts[..., : len(self.labels)]
        divisor = self.constant or own_divisor(self.size, people)
        if divisor == 0:
            return np.full_like(kept, np.nan)
        shares: FloatArray = np.minimum(kept / divisor, 1.0)
        return shares
