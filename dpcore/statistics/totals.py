"""Totals, and what one person can change in anything computed from a total."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dpcore.statistics.base import Shifts
from dpcore.statistics.tables import alternatives, can_join, cells, kinds

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from dpcore.data.bounds import FloatArray, Interval
    from dpcore.relations import NeighboringRelation, TableSize

    At = Callable[[FloatArray, int], FloatArray]
    """The statistic as a function of the total and the number of people."""


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
    def of_membership(
        cls, values: ArrayLike, size: TableSize, *, center: float
    ) -> Terms:
        """Return the terms ``member - center`` of people who are members (1) or not."""
        member = cells(values, size, count=2)
        present, kind = kinds(member)
        total = np.array([float(member.sum()) - len(member) * center])
        distinct = present.astype(np.float64) - center
        return cls(distinct=distinct, kind=kind, total=total, people=len(member))


def shifts_of_total(
    at: At,
    terms: Terms,
    *,
    ends: Interval,
    size: TableSize,
    relation: NeighboringRelation,
) -> Shifts:
    """Return where an increasing function of the total moves for each person.

    Without person ``i`` the total is ``total - term_i``; with another record it is any
    number between ``total - term_i + ends.lower`` and ``total - term_i + ends.upper``.
    """
    rest = terms.total - terms.distinct
    n = terms.people
    return Shifts(
        actual=at(terms.total, n),
        alternatives=alternatives(
            relation,
            size,
            removed=at(rest, n - 1),
            replaced=(at(rest + ends.lower, n), at(rest + ends.upper, n)),
        ),
        kind=terms.kind,
    )


def additions_to_total(
    at: At,
    terms: Terms,
    *,
    ends: Interval,
    size: TableSize,
    relation: NeighboringRelation,
) -> FloatArray:
    """Return the statistic after a person with an extreme term joins, (2 or 0, 1)."""
    if not can_join(relation, size):
        return np.empty((0, 1))
    joined = terms.total + np.array([ends.lower, ends.upper])
    return at(joined, terms.people + 1)[:, np.newaxis]
