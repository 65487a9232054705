"""Sums and means, and counts and proportions as those of 0/1 memberships."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.arrays import FloatArray, in_blocks
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.checks import (
    alternatives,
    can_join,
    cells,
    check_bounds,
    check_people,
    kinds,
    numeric,
    own_divisor,
)
from dpcore.statistics.statistic import NeighborValues, NumericStatistic, Rows, Sums


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
    def from_membership(cls, values: ArrayLike, *, center: float) -> Terms:
        """Return the terms ``member - center`` of people who are members (1) or not."""
        member = cells(values, count=2)
        present, kind = kinds(member)
        return cls(distinct=present.astype(np.float64) - center, kind=kind)

    @property
    def people(self) -> int:
        """Return the number of people ``n``."""
        return len(self.distinct) if self.kind is None else len(self.kind)

    @property
    def totals(self) -> Sums:
        """Return the sum over all people, with their number."""
        if self.kind is None:
            # NumPy adds pairwise: the error grows with log n, not with n.
            total = self.distinct.sum()
        else:
            total = np.bincount(self.kind, minlength=len(self.distinct)) @ self.distinct
        return Sums(people=self.people, total=np.array([float(total)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionOfTotal(NumericStatistic):
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

    def partial(self, values: FloatArray) -> Sums:
        """Return the total of some people, and their number."""
        each = in_blocks(np.asarray(values))
        return Sums.combine([self._terms(block).totals for block in each])

    def finalize(self, whole: Sums) -> FloatArray:
        """Return the statistic, shape ``(1,)``, of a whole table with that total."""
        check_people(whole.people, self.size)
        return self._at(whole.total.copy(), whole.people)

    def neighbors(
        self, values: FloatArray, relation: NeighboringRelation, whole: Sums | None = None
    ) -> NeighborValues:
        """Return where the statistic would move for each person.

        Without person ``i`` the total is ``total - term_i``; with another record it is
        any number between ``total - term_i + ends.lower`` and ``total - term_i +
        ends.upper``. The alternative is NaN where nobody would be left to average.
        """
        everybody = whole or self.partial(values)
        actual = self.finalize(everybody)
        if self._alike:
            terms = self._terms(values)
            reached = self._instead(terms.distinct, everybody, relation)
            return NeighborValues.at_once(actual, reached, terms.kind)

        def instead(rows: Rows) -> FloatArray:
            return self._instead(self._terms(values[rows]).distinct, everybody, relation)

        return NeighborValues(actual=actual, reached=instead, kinds=len(values))

    def _instead(self, terms: FloatArray, whole: Sums, relation: NeighboringRelation) -> FloatArray:
        """Return what people who add ``terms`` can make of the whole, (m, a, 1)."""
        n, ends = whole.people, self._ends
        reached = whole.total + np.array([[ends.lower], [ends.upper]])
        return alternatives(
            relation,
            self.size,
            removed=lambda: self._at(whole.total - terms, n - 1),
            replaced=lambda: self._at(reached - terms, n),
        )

    def neighbors_added(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return the statistic after a person with an extreme value joins."""
        if not can_join(relation, self.size):
            return np.empty((0, 1))
        whole, ends = self.partial(values), self._ends
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum(FunctionOfTotal):
    """Sum of everybody's value, clamped to ``[c0, c1]``.

    One replaced value moves it by at most ``c1 - c0``, one added or removed value by
    at most ``max(|c0|, |c1|)``. Where people without a value are left out, replacing
    a record may do either.
    """

    additive = True
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
        return Terms.from_membership(values, center=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean(FunctionOfTotal):
    """Mean of everybody's value, clamped to ``[c0, c1]`` of width ``R``.

    With a public number of people it is the plain mean. With a private one it is
    ``c + sum(x - c) / max(n, N)`` with ``c`` the middle of the bounds and ``N`` the
    public minimum: the plain mean from ``N`` people on, drawn to ``c`` below.

    Sensitivity with a private number, over all tables:

    * one person more or less: up to ``N`` people ``|x - c| / N <= R / (2 N)``; above,
      ``|x - mean of the others| / n <= R / n``, so ``R / (N + 1)``, which is larger;
    * one record replaced: ``R / max(n, N) <= R / N``, and a record that loses its value
      counts as removed, which is less.

    >>> from dpcore.relations import TableSize
    >>> bounds = Interval(lower=0.0, upper=10.0)
    >>> Mean(bounds=bounds, size=TableSize(people=3, public=True)).value([1, 2, 99])
    array([4.33333333])
    >>> Mean(bounds=bounds, size=TableSize(people=6, public=False)).value([1, 2, 99])
    array([4.66666667])

    """

    labels = ("mean",)

    @property
    def range(self) -> Interval:
        """Return the bounds: a mean never leaves them."""
        return self.bounds

    def raw(self, values: FloatArray) -> FloatArray:
        """Return the mean of numbers as they are; NaN for nobody."""
        return np.asarray(values.sum(axis=0) / len(values))

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change the mean, over all tables.

        Raises:
            ParameterError: If the only person of a public number can be removed.

        """
        people = self.size.people
        if relation is NeighboringRelation.ADD_REMOVE:
            if not self.size.public:
                return Sensitivity.scalar(self.bounds.width / (people + 1))
            if people == 1:
                raise ParameterError("the mean of one row is undefined without that row.")
        return Sensitivity.scalar(self.bounds.width / people)

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return ``sqrt((m - c0)(c1 - m) / n)``, a bound at the public estimate m.

        A variable in ``[c0, c1]`` with mean ``m`` has at most that variance times n
        (Bhatia and Davis 2000). For a proportion it is exact. A private ``n`` is at
        least the public minimum; below it, the statistic is scaled down and the bound
        still holds.
        """
        mean = self.bounds.clip(estimate)
        spread = (mean - self.bounds.lower) * (self.bounds.upper - mean)
        return np.sqrt(spread / self.size.people)

    @property
    def _center(self) -> float:
        return self.bounds.lower + self.bounds.width / 2

    @property
    def _ends(self) -> Interval:
        return Interval(lower=-self.bounds.width / 2, upper=self.bounds.width / 2)

    def _terms(self, values: FloatArray) -> Terms:
        clamped = self.bounds.clip(numeric(values))
        clamped -= self._center
        return Terms(distinct=clamped)

    def _at(self, total: FloatArray, people: int) -> FloatArray:
        divisor = own_divisor(self.size, people)
        if divisor == 0:
            return np.full_like(total, np.nan)
        total /= divisor
        total += self._center
        # Rounding could leave the bounds by a last digit.
        return np.clip(total, self.bounds.lower, self.bounds.upper, out=total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportion(Mean):
    """Share of members; ``values`` are 1 for a member and 0 for anybody else.

    It is the mean of the memberships, with bounds ``[0, 1]``.
    """

    bounds: Interval = field(default=Interval(lower=0.0, upper=1.0), init=False)

    labels = ("proportion",)
    _alike = True

    def _terms(self, values: FloatArray) -> Terms:
        return Terms.from_membership(values, center=self._center)
