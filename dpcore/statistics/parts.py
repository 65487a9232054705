"""What a statistic needs of a part of a table, and how parts are put together.

A table may lie in parts: blocks of rows of which one is in memory at a time. A
statistic takes from each part a few numbers (how many people, sums, sums of products of
deviations from the means, counts), puts those of all parts together, and computes its
value from the whole. A table in memory is one part: there is one way to a value.

Parts are put together by sums that are rounded once, as if of real numbers (Shewchuk
1997, ``math.fsum``): the order in which they come makes no difference to a digit. Where
the table is cut makes one of rounding, in the sums within parts; counts are exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self, TypeVar, runtime_checkable

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.relations import NeighboringRelation
from dpcore.statistics.base import Shifts
from dpcore.statistics.blocks import ShiftBlocks

_P = TypeVar("_P")


@runtime_checkable
class OfParts(Protocol[_P]):
    """A statistic that can be computed of a table in parts."""

    def part(self, values: FloatArray) -> _P:
        """Return what is needed of some of the people, or of nobody. CONFIDENTIAL.

        Raises:
            ParameterError: A value is missing, or is no cell or group that there is.

        """

    def together(self, parts: Sequence[_P]) -> _P:
        """Return what is needed of the people of all parts. CONFIDENTIAL."""

    def of_whole(self, whole: _P) -> FloatArray:
        """Return the statistic, shape ``(k,)``, of the whole table. CONFIDENTIAL.

        Raises:
            ParameterError: A public size is not met.

        """


@runtime_checkable
class ShiftsOfParts(OfParts[_P], Protocol[_P]):
    """A statistic whose shifts of some people need but the whole and these people."""

    def shifts_within(
        self, values: FloatArray, whole: _P, relation: NeighboringRelation
    ) -> Shifts | ShiftBlocks:
        """Return where the statistic of the whole would move for each of some people.

        ``values`` are those of a part of the people behind ``whole``.
        """


def of_parts(statistic: OfParts[_P], parts: Iterable[FloatArray]) -> FloatArray:
    """Return a statistic, shape ``(k,)``, of the entries of all parts. CONFIDENTIAL.

    >>> from dpcore.data.bounds import Interval
    >>> from dpcore.relations import TableSize
    >>> from dpcore.statistics.averages import Mean
    >>> bounds = Interval(lower=0.0, upper=10.0)
    >>> mean = Mean(bounds=bounds, size=TableSize(people=3, public=True))
    >>> of_parts(mean, [np.array([1.0]), np.array([]), np.array([2.0, 99.0])])
    array([4.33333333])
    """
    return statistic.of_whole(statistic.together([statistic.part(each) for each in parts]))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Totals:
    """Sums over some people. CONFIDENTIAL.

    Attributes:
        people: Their number.
        total: The sums, shape ``(k,)``.

    """

    people: int = field(repr=False)
    total: FloatArray = field(repr=False)

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """Return the sums over the people of all parts; there is at least one part."""
        return cls(
            people=sum(part.people for part in parts), total=_added([part.total for part in parts])
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moments:
    """Means of groups of people, and how far people scatter around them. CONFIDENTIAL.

    Attributes:
        counts: Number of people in each of ``J`` groups.
        means: The mean of each group, 0 for nobody, shape ``(J, d)``.
        pairs: The two columns of each of the ``k`` sums.
        sums: Sum over all groups of the products of both deviations, ``(k,)``.

    """

    counts: FloatArray = field(repr=False)
    means: FloatArray = field(repr=False)
    pairs: tuple[tuple[int, int], ...]
    sums: FloatArray = field(repr=False)

    @property
    def people(self) -> int:
        """Return the number of people in all groups."""
        return int(self.counts.sum())

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """Return the moments of the people of all parts; there is at least one part.

        With ``n_i`` people of a group in part ``i`` and ``m_i`` their mean, the group
        has the mean ``m = sum(n_i m_i) / n``, and its sum of products is that of all
        parts and ``sum(n_i (m_i - m)_x (m_i - m)_y)`` (Chan, Golub and LeVeque 1979).
        """
        some = [part for part in parts if part.people]
        if len(some) < 2:  # noqa: PLR2004 - nothing is put together
            return (some or parts)[0]
        counts = _added([part.counts for part in some])
        total = _added([part.counts[:, np.newaxis] * part.means for part in some])
        means = total / np.maximum(counts, 1)[:, np.newaxis]
        first, second = np.array(some[0].pairs, dtype=np.intp).T
        between: list[FloatArray] = []
        for part in some:
            away = part.means - means
            products = away[:, first] * away[:, second]
            between.extend(part.counts[:, np.newaxis] * products)
        sums = _added([*(part.sums for part in some), *between])
        return cls(counts=counts, means=means, pairs=some[0].pairs, sums=sums)


def _added(arrays: Sequence[FloatArray]) -> FloatArray:
    """Return the sum of arrays of one shape, each number rounded once."""
    if len(arrays) == 1:
        return arrays[0]
    stacked = np.stack(arrays)
    columns = stacked.reshape(len(arrays), -1).T.tolist()
    return np.array([math.fsum(each) for each in columns]).reshape(stacked.shape[1:])
