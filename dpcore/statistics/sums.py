"""Sums, and counts as sums of 0/1 memberships."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms.base import Sensitivity
from dpcore.relations import NeighboringRelation
from dpcore.statistics.tables import numeric
from dpcore.statistics.totals import FunctionOfTotal, Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum(FunctionOfTotal):
    """Sum of everybody's value, clamped to ``[c0, c1]``.

    One replaced value moves it by at most ``c1 - c0``, one added or removed value by
    at most ``max(|c0|, |c1|)``. Where people without a value are left out, replacing
    a record may do either.
    """

    labels = ("sum",)

    @property
    def range(self) -> Interval:
        """Return ``[n c0, n c1]``, open-ended as the signs allow if n is private."""
        lower, upper = self.bounds.lower, self.bounds.upper
        if self.size.public:
            return Interval(lower=self.size.people * lower, upper=self.size.people * upper)
        return Interval(lower=0.0 if lower >= 0 else -np.inf, upper=0.0 if upper <= 0 else np.inf)

    def raw(self, values: FloatArray) -> FloatArray:
        """Return the sum of numbers as they are."""
        return np.asarray(values.sum(axis=0))

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change the sum, over all tables."""
        farthest = max(abs(self.bounds.lower), abs(self.bounds.upper))
        if relation is NeighboringRelation.ADD_REMOVE:
            return Sensitivity.scalar(farthest)
        width = self.bounds.width
        return Sensitivity.scalar(width if self.size.public else max(width, farthest))

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return a bound on the standard deviation of the sum of a random sample.

        With ``n`` public, ``n`` times that of the mean (see ``Mean``). With ``n``
        private only ``S = n mu`` is known: where ``0 <= c0``, the variance
        ``n (mu - c0)(c1 - mu) <= n mu c1 = S c1`` for every ``n``, and likewise where
        ``c1 <= 0``. Where the bounds have both signs nothing limits it: infinity.
        """
        total = self.range.clip(estimate)
        lower, upper = self.bounds.lower, self.bounds.upper
        if self.size.public:
            n = self.size.people
            spread = np.maximum((total - n * lower) * (upper - total / n), 0.0)
            return np.sqrt(spread)
        if lower < 0 < upper:
            return np.full_like(total, np.inf)
        return np.sqrt(np.abs(total) * max(abs(lower), abs(upper)))

    @property
    def _ends(self) -> Interval:
        return self.bounds

    def _terms(self, values: FloatArray) -> Terms:
        return Terms(distinct=self.bounds.clip(numeric(values)))

    def _at(self, total: FloatArray, _people: int) -> FloatArray:
        return total


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(Sum):
    """Number of members; ``values`` are 1 for a member and 0 for anybody else.

    It is the sum of the memberships, so the sensitivity is 1 under either relation.

    >>> from dpcore.relations import TableSize
    >>> Count(size=TableSize(people=4, public=True)).value([1, 0, 1, 1])
    array([3.])
    """

    bounds: Interval = field(default=Interval(lower=0.0, upper=1.0), init=False)

    labels = ("count",)
    _alike = True

    def _terms(self, values: FloatArray) -> Terms:
        return Terms.of_membership(values, center=0.0)
