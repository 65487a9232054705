"""Totals, and what one person can change in anything computed from a total."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.statistics.base import Shifts
from dpcore.statistics.blocks import ShiftBlocks
from dpcore.statistics.parts import Totals
from dpcore.statistics.tables import (
    alternatives,
    can_join,
    cells,
    check_bounds,
    check_people,
    kinds,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from dpcore.arrays import FloatArray
    from dpcore.data.bounds import Interval
    from dpcore.relations import NeighboringRelation, TableSize

_BLOCK: Final = 1 << 15
"""People at a time: what is computed on the way stays in the processor's cache."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Terms:
    """What each person adds to a total. CONFIDENTIAL.

    Attributes:
        distinct: One term for each kind of people, shape ``(m,)``.
        kind: Which term each person adds, shape ``(n,)``; ``None`` where person ``i``
            adds term ``i``.
        total: Sum over all people, shape ``(1,)``.
        people: Number of people ``n``.

    """

    distinct: FloatArray = field(repr=False)
    kind: NDArray[np.intp] | None = field(repr=False)
    total: FloatArray = field(repr=False)
    people: int = field(repr=False)

    @classmethod
    def of_numbers(cls, terms: FloatArray) -> Terms:
        """Return the terms of people who may all differ."""
        # NumPy adds pairwise: the rounding error grows with log n, not with n.
        total = np.array([np.sum(terms)])
        return cls(distinct=terms, kind=None, total=total, people=len(terms))

    @classmethod
    def of_membership(cls, values: ArrayLike, *, center: float) -> Terms:
        """Return the terms ``member - center`` of people who are members (1) or not."""
        member = cells(values, count=2)
        present, kind = kinds(member)
        total = np.array([float(member.sum()) - len(member) * center])
        distinct = present.astype(np.float64) - center
        return cls(distinct=distinct, kind=kind, total=total, people=len(member))

    @property
    def totals(self) -> Totals:
        """Return the total with the number of people."""
        return Totals(people=self.people, total=self.total)


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionOfTotal(ABC):
    """A statistic that increases with a total of one term a person.

    Attributes:
        bounds: The public bounds of everybody's value.
        size: What is public about the number of people.

    """

    bounds: Interval
    size: TableSize

    def __post_init__(self) -> None:
        check_bounds(self.bounds)

    def value(self, values: FloatArray) -> FloatArray:
        """Return the statistic, shape ``(1,)``."""
        return self.of_whole(self.part(values))

    def part(self, values: FloatArray) -> Totals:
        """Return the total of some people, and their number."""
        return self._terms(values).totals

    def together(self, parts: Sequence[Totals]) -> Totals:
        """Return the total of the people of all parts."""
        return Totals.together(parts)

    def of_whole(self, whole: Totals) -> FloatArray:
        """Return the statistic, shape ``(1,)``, of a whole table with that total."""
        check_people(whole.people, self.size)
        return self._at(whole.total, whole.people)

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the statistic would move for each person.

        Without person ``i`` the total is ``total - term_i``; with another record it is
        any number between ``total - term_i + ends.lower`` and ``total - term_i +
        ends.upper``. The alternative is NaN where nobody would be left to average.
        """
        terms = self._terms(values)
        actual, distinct = self.of_whole(terms.totals), terms.distinct
        starts = range(0, max(len(distinct), 1), _BLOCK)
        reached = [
            self._instead(distinct[start : start + _BLOCK], terms.totals, relation)
            for start in starts
        ]
        return Shifts(
            actual=actual, alternatives=np.concatenate(reached), kind=terms.kind
        )

    def shifts_within(
        self, values: FloatArray, whole: Totals, relation: NeighboringRelation
    ) -> Shifts | ShiftBlocks:
        """Return where the statistic of the whole would move for each of some people.

        As in ``shifts``; ``values`` are those of a part of the people.
        """
        terms = self._terms(values)
        actual, distinct = self.of_whole(whole), terms.distinct
        if terms.kind is None:
            return ShiftBlocks(
                actual=actual,
                people=len(distinct),
                of_rows=lambda rows: self._instead(distinct[rows], whole, relation),
                numbers=_BLOCK,
            )
        return Shifts(
            actual=actual,
            alternatives=self._instead(distinct, whole, relation),
            kind=terms.kind,
        )

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

    def additions(
        self, values: FloatArray, relation: NeighboringRelation
    ) -> FloatArray:
        """Return the statistic after a person with an extreme value joins."""
        if not can_join(relation, self.size):
            return np.empty((0, 1))
        terms, ends = self._terms(values), self._ends
        check_people(terms.people, self.size)
        joined = terms.total + np.array([ends.lower, ends.upper])
        return self._at(joined, terms.people + 1)[:, np.newaxis]

    @property
    @abstractmethod
    def _ends(self) -> Interval:
        """Return the smallest and the largest term."""

    @abstractmethod
    def _terms(self, values: FloatArray) -> Terms:
        """Return what each person adds."""

    @abstractmethod
    def _at(self, total: FloatArray, people: int) -> FloatArray:
        """Return the statistic of ``people`` with that total."""
