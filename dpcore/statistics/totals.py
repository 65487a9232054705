"""Totals, and what one person can change in anything computed from a total."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray, in_blocks
from dpcore.data.bounds import Interval
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.base import Shifts
from dpcore.statistics.blocks import Rows, ShiftBlocks
from dpcore.statistics.parts import Totals
from dpcore.statistics.tables import (
    alternatives,
    can_join,
    cells,
    check_bounds,
    check_people,
    kinds,
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Terms:
    """What each person adds to a total. CONFIDENTIAL.

    Attributes:
        distinct: One term for each kind of people, shape ``(m,)``.
        kind: Which term each person adds, shape ``(n,)``; ``None`` where person ``i``
            adds term ``i``.

    """

    distinct: FloatArray = field(repr=False)
    kind: NDArray[np.intp] | None = field(default=None, repr=False)

    @classmethod
    def of_membership(cls, values: ArrayLike, *, center: float) -> Terms:
        """Return the terms ``member - center`` of people who are members (1) or not."""
        member = cells(values, count=2)
        present, kind = kinds(member)
        return cls(distinct=present.astype(np.float64) - center, kind=kind)

    @property
    def people(self) -> int:
        """Return the number of people ``n``."""
        return len(self.distinct) if self.kind is None else len(self.kind)

    @property
    def totals(self) -> Totals:
        """Return the sum over all people, with their number."""
        if self.kind is None:
            # NumPy adds pairwise: the error grows with log n, not with n.
            total = self.distinct.sum()
        else:
            total = np.bincount(self.kind, minlength=len(self.distinct)) @ self.distinct
        return Totals(people=self.people, total=np.array([float(total)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionOfTotal(ABC):
    """A statistic that increases with a total of one term a person.

    Attributes:
        bounds: The public bounds of everybody's value.
        size: What is public about the number of people.

    """

    _alike: ClassVar[bool] = False
    """Whether people are of few kinds, all of a kind moving the statistic alike."""

    bounds: Interval
    size: TableSize

    def __post_init__(self) -> None:
        check_bounds(self.bounds)

    def value(self, values: FloatArray) -> FloatArray:
        """Return the statistic, shape ``(1,)``."""
        return self.of_whole(self.part(values))

    def part(self, values: FloatArray) -> Totals:
        """Return the total of some people, and their number."""
        each = in_blocks(np.asarray(values))
        return Totals.together([self._terms(block).totals for block in each])

    def together(self, parts: Sequence[Totals]) -> Totals:
        """Return the total of the people of all parts."""
        return Totals.together(parts)

    def of_whole(self, whole: Totals) -> FloatArray:
        """Return the statistic, shape ``(1,)``, of a whole table with that total."""
        check_people(whole.people, self.size)
        return self._at(whole.total.copy(), whole.people)

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the statistic would move for each person.

        Without person ``i`` the total is ``total - term_i``; with another record it is
        any number between ``total - term_i + ends.lower`` and ``total - term_i +
        ends.upper``. The alternative is NaN where nobody would be left to average.
        """
        shifts = self.shift_blocks(values, relation)
        return shifts.whole() if isinstance(shifts, ShiftBlocks) else shifts

    def shift_blocks(
        self, values: FloatArray, relation: NeighboringRelation
    ) -> Shifts | ShiftBlocks:
        """Return them in blocks, where people differ."""
        return self.shifts_within(values, self.part(values), relation)

    def shifts_within(
        self, values: FloatArray, whole: Totals, relation: NeighboringRelation
    ) -> Shifts | ShiftBlocks:
        """Return where the statistic of the whole would move for each of some people.

        As in ``shifts``; ``values`` are those of a part of the people.
        """
        actual = self.of_whole(whole)
        if self._alike:
            terms = self._terms(values)
            reached = self._instead(terms.distinct, whole, relation)
            return Shifts(actual=actual, alternatives=reached, kind=terms.kind)

        def of_rows(rows: Rows) -> FloatArray:
            return self._instead(self._terms(values[rows]).distinct, whole, relation)

        return ShiftBlocks(actual=actual, people=len(values), of_rows=of_rows)

    def _instead(
        self, terms: FloatArray, whole: Totals, relation: NeighboringRelation
    ) -> FloatArray:
        """Return what people who add ``terms`` can make of the whole, (m, a, 1)."""
        n, ends = whole.people, self._ends
        reached = whole.total + np.array([[ends.lower], [ends.upper]])
        return alternatives(
            relation,
            self.size,
            removed=lambda: self._at(whole.total - terms, n - 1),
            replaced=lambda: self._at(reached - terms, n),
        )

    def additions(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return the statistic after a person with an extreme value joins."""
        if not can_join(relation, self.size):
            return np.empty((0, 1))
        whole, ends = self.part(values), self._ends
        check_people(whole.people, self.size)
        joined = whole.total + np.array([ends.lower, ends.upper])
        return self._at(joined, whole.people + 1)[:, np.newaxis]

    @property
    @abstractmethod
    def _ends(self) -> Interval:
        """Return the smallest and the largest term."""

    @abstractmethod
    def _terms(self, values: FloatArray) -> Terms:
        """Return what each person adds."""

    @abstractmethod
    def _at(self, total: FloatArray, people: int) -> FloatArray:
        """Return the statistic of ``people`` with that total, written over it."""
