"""Covariance of two columns, and covariance matrix of several.

With ``d`` a person's deviations from the mean of the ``n`` people of the group, the
others have ``S' = S - n d_x d_y / (n - 1)`` around ``m' = m - d / (n - 1)``, and a new
record ``(u, w)`` among them makes it ``S' + (u - m'_x)(w - m'_y)(n - 1) / n`` (the
updating formula of Welford 1962). A product is bilinear, so over the rectangle of all
records its extremes are at corners; a square is lowest at the mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray, in_blocks
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.checks import (
    alternatives,
    can_join,
    check_bounds,
    check_people,
    heights,
    numeric_rows,
    own_divisor,
)
from dpcore.statistics.statistic import Moments, NeighborValues, Rows, Statistic
from dpcore.statistics.variance import Variance

_FEWEST: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Covariance(Statistic):
    """Covariance of two values of everybody, clamped to rectangular bounds.

    ``S / (n - 1)`` with ``S`` the sum of the products of both distances from the means;
    ``values`` has shape ``(n, 2)``. With a private number of people
    ``S / (max(n, N) - 1)``, ``N`` the public minimum.

    Sensitivity ``Rx Ry / n`` under either relation (Liu 2016), with a private number
    ``Rx Ry / N``. In the unit square, with ``a, b`` the means of the others:

    * a record ``(u, w)`` contributes ``(u - a)(w - b)(n - 1) / n`` to ``S``; over all
      records the products differ by at most 1, so one replaced record moves the
      covariance by at most ``1 / n``;
    * without the record it moves by ``(u - a)(w - b) / n - S' / ((n - 1)(n - 2))``.
      Mirrored so that the product is positive and at most ``a b``, and since
      ``S' >= (n - 1)(max(0, a + b - 1) - a b)`` (Fréchet), that is at most
      ``a b (1 / n + 1 / (n - 2)) - max(0, a + b - 1) / (n - 2)``. It is largest at
      ``a = b = 1`` (``1 / n``) or ``a = b = 1/2`` (less, for ``n >= 3``);
    * up to ``N`` people the divisor stays ``N - 1`` and ``S`` changes by at most
      ``(n - 1) / n``, which over ``N - 1`` is at most ``1 / N``.

    Everybody else in one corner and the record in the opposite one attain it.

    Attributes:
        bounds: The public bounds of the first and of the second value.
        size: What is public about the number of people, at least 3.

    >>> from dpcore.relations import TableSize
    >>> box = Interval(lower=0.0, upper=10.0), Interval(lower=0.0, upper=10.0)
    >>> three = TableSize(people=3, public=True)
    >>> Covariance(bounds=box, size=three).value([[1, 2], [2, 4], [3, 6]])
    array([2.])

    """

    bounds: tuple[Interval, Interval]
    size: TableSize

    def __post_init__(self) -> None:
        check_scatter(self.bounds, self.size)

    labels = ("covariance",)
    neighbors_of_parts: ClassVar[bool] = False

    @property
    def range(self) -> Interval:
        """Return ``± Rx Ry floor(n^2 / 4) / (n (n - 1))``.

        It falls as n grows, so a private number has it at its public minimum.
        """
        n = self.size.people
        largest = self._area * (largest_scatter(n) / (n - 1))
        return Interval(lower=-largest, upper=largest)

    def partial(self, values: FloatArray) -> Moments:
        """Return means and sums of products of some people."""
        return self._scatter(values).moments

    def finalize(self, whole: Moments) -> FloatArray:
        """Return it of a whole table of such moments."""
        check_people(whole.people, self.size)
        return self._at(whole.sums, whole.people)

    def sensitivity(
        self,
        relation: NeighboringRelation,  # noqa: ARG002 - the same for both, see above
    ) -> Sensitivity:
        """Return the most that one record can change it, over all tables."""
        return Sensitivity.scalar(self._area / self.size.people)

    def neighbors(
        self, values: FloatArray, relation: NeighboringRelation, whole: Moments | None = None
    ) -> NeighborValues:
        """Return where the covariance would move for each person.

        Another record moves it farthest from a corner of the bounds.
        """
        scatter = self._scatter(values)
        actual = self.finalize(whole or scatter.moments)
        n, everybody = scatter.people, slice(None)
        rest = scatter.without(everybody)[:, 0]
        low, high = scatter.added_instead(everybody)
        return NeighborValues.at_once(
            actual,
            alternatives(
                relation,
                self.size,
                removed=lambda: self._at(rest, n - 1),
                replaced=lambda: self._at(rest + np.stack([low[:, 0], high[:, 0]]), n),
            ),
        )

    def neighbors_added(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return the lowest and highest covariance after a person joins."""
        if not can_join(relation, self.size):
            return np.empty((0, 1))
        scatter = self._scatter(values)
        check_people(scatter.people, self.size)
        joined = scatter.sums + np.concatenate(scatter.added_by_newcomer())
        return self._at(joined, scatter.people + 1)

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return ``sqrt((M^2 / 12 - c^2 + (M^2 / 16 + c^2) / (n - 1)) / n)``.

        A bound, with ``M = Rx Ry``. The covariance of a random sample has variance
        ``(E z^2 - c^2) / n + (vx vy + c^2) / (n (n - 1))`` with ``z`` the product of
        both distances from the population's means. ``E z^2`` is at most the geometric
        mean of the fourth moments, each at most ``R^4 / 12``, and ``vx vy`` at most
        ``M^2 / 16`` (all of them for values at the bounds).
        """
        c, n = self.range.clip(estimate) / self._area, self.size.people
        spread = np.maximum(1 / 12 - c**2, 0.0) + (1 / 16 + c**2) / (n - 1)
        return np.asarray(self._area * np.sqrt(spread / n))

    @property
    def _area(self) -> float:
        return self.bounds[0].width * self.bounds[1].width

    def _scatter(self, values: FloatArray) -> Scatter:
        entries = numeric_rows(values, columns=2)
        return Scatter.from_entries(entries, bounds=self.bounds, pairs=((0, 1),))

    def _at(self, sums: FloatArray, people: int) -> FloatArray:
        return sums / (own_divisor(self.size, people) - 1)


def check_scatter(bounds: tuple[Interval, ...], size: TableSize) -> None:
    """Refuse bounds or sizes for which no covariance exists.

    Raises:
        ParameterError: Unless the bounds are finite and there are at least 3 people.

    """
    for column in bounds:
        check_bounds(column)
    if size.people < _FEWEST:
        raise ParameterError(
            f"covariances need at least {_FEWEST} rows, so that they exist with one "
            f"left out, got {size.people}."
        )


Pairs = tuple[tuple[int, int], ...]
"""Which two columns each coordinate multiplies; the same one twice for a square."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scatter:
    """Deviations of everybody from the mean of their group. CONFIDENTIAL.

    They are computed from the entries when asked for: kept, they would take as much
    memory once more.

    Attributes:
        entries: Everybody's numbers as they are, ``(n, d)``.
        bounds: The bounds of each of the ``d`` columns.
        pairs: The two columns of each of the ``k`` coordinates.
        codes: Group of each person, shape ``(n,)``; ``None`` if there is one group.
        counts: Number of people in each of the ``J`` groups.
        steps: The mean of each group, measured from the lower bounds, as a first
            number and what rounding left of it, each ``(J, d)``.
        sums: Sum of the products over all people and groups, ``(k,)``.

    """

    entries: FloatArray = field(repr=False)
    bounds: tuple[Interval, ...]
    pairs: Pairs
    codes: NDArray[np.intp] | None = field(repr=False)
    counts: FloatArray = field(repr=False)
    steps: tuple[FloatArray, FloatArray] = field(repr=False)
    sums: FloatArray = field(repr=False)

    @classmethod
    def from_entries(
        cls,
        entries: FloatArray,
        *,
        bounds: tuple[Interval, ...],
        pairs: Pairs,
        codes: NDArray[np.intp] | None = None,
        groups: int = 1,
    ) -> Self:
        """Return those of ``entries``, shape ``(n, d)``, which are clamped."""
        deviations = heights(entries, bounds)
        n = len(deviations)
        counts = (
            np.array([float(n)])
            if codes is None
            else np.bincount(codes, minlength=groups).astype(np.float64)
        )
        # The second round takes out the rounding error of the first.
        first = _group_means(deviations, codes, counts)
        deviations -= first[0] if codes is None else first[codes]
        second = _group_means(deviations, codes, counts)
        deviations -= second[0] if codes is None else second[codes]
        # A matrix product would add one after the other, and its rounding error would
        # grow with n, beyond what releases allow for. NumPy's sum adds pairwise.
        product = np.empty(n)
        products = [
            np.sum(np.multiply(deviations[:, i], deviations[:, j], out=product)) for i, j in pairs
        ]
        return cls(
            entries=entries,
            bounds=bounds,
            pairs=pairs,
            codes=codes,
            counts=counts,
            steps=(first, second),
            sums=np.array(products),
        )

    @property
    def people(self) -> int:
        """Return the number of people ``n``."""
        return len(self.entries)

    @property
    def moments(self) -> Moments:
        """Return what is needed of these people where others are in other parts."""
        return Moments(counts=self.counts, means=self.means, pairs=self.pairs, sums=self.sums)

    @property
    def means(self) -> FloatArray:
        """Return the mean of each group, measured from the lower bounds, ``(J, d)``."""
        first, second = self.steps
        return first + second

    def each(self, rows: Rows) -> FloatArray:
        """Return the deviations of some people, shape ``(r, d)``."""
        deviations = heights(self.entries[rows], self.bounds)
        for step in self.steps:
            deviations -= step[0] if self.codes is None else step[self.codes[rows]]
        return deviations

    def without(self, rows: Rows) -> FloatArray:
        """Return the sums without each of the people, shape ``(r, k)``."""
        each, n = self.each(rows), self._count(rows)
        first, second = self._columns
        grown = n / np.maximum(n - 1, 1)
        rest = self.sums - each[:, first] * each[:, second] * grown
        return np.where(first == second, np.maximum(rest, 0.0), rest)

    def added_instead(self, rows: Rows) -> tuple[FloatArray, FloatArray]:
        """Return the least and most that another record in the group adds, (r, k)."""
        n = self._count(rows)
        means = self.means[0] if self.codes is None else self.means[self.codes[rows]]
        rest = means - self.each(rows) / np.maximum(n - 1, 1)
        low, high = self._extremes(rest)
        share = (n - 1) / np.maximum(n, 1)
        return low * share, high * share

    def added_by_newcomer(self) -> tuple[FloatArray, FloatArray]:
        """Return the least and most that one more person adds to each group, (J, k)."""
        low, high = self._extremes(self.means)
        share = (self.counts / (self.counts + 1))[:, np.newaxis]
        return low * share, high * share

    @property
    def _columns(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        first, second = np.array(self.pairs, dtype=np.intp).T
        return first, second

    def _count(self, rows: Rows) -> FloatArray:
        if self.codes is None:
            return self.counts[:, np.newaxis]
        return self.counts[self.codes[rows], np.newaxis]

    def _extremes(self, means: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and highest product of deviations from ``means``."""
        first, second = self._columns
        widths = np.array([column.width for column in self.bounds])
        below, above = -means, widths - means
        low = np.minimum(below[:, first] * above[:, second], above[:, first] * below[:, second])
        high = np.maximum(below[:, first] * below[:, second], above[:, first] * above[:, second])
        return np.where(first == second, 0.0, low), high


def _group_means(
    deviations: FloatArray, codes: NDArray[np.intp] | None, counts: FloatArray
) -> FloatArray:
    """Return the mean of each group, shape ``(J, d)``; 0 for a group of nobody."""
    if codes is None:
        total = deviations.sum(axis=0)[np.newaxis]
    else:
        total = np.stack(
            [np.bincount(codes, weights=column, minlength=len(counts)) for column in deviations.T],
            axis=-1,
        )
    means: FloatArray = total / np.maximum(counts, 1)[:, np.newaxis]
    return means


def largest_scatter(people: int) -> float:
    """Return ``F(n) = floor(n^2 / 4) / n``, the most that n points in [0, 1] scatter.

    It is the largest sum of squared deviations, with half of the points at either end,
    and by Cauchy and Schwarz the largest sum of products; 0 for nobody.

    >>> [largest_scatter(n) for n in (0, 1, 2, 4)]
    [0.0, 0.0, 0.5, 1.0]
    """
    return people * people // 4 / max(people, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CovarianceMatrix(Statistic):
    """Variances of ``d`` columns, then the covariances of every two of them.

    The ``d (d + 1) / 2`` coordinates are the variances in the order of the columns,
    then the covariances in the order of ``itertools.combinations``: (1, 2), (1, 3), …,
    (2, 3), …. ``values`` has shape ``(n, d)``.

    The pair of tables in which everybody else lies at all lower bounds and one record
    at all upper bounds attains every coordinate's sensitivity ``Ri Rj / n`` at once.
    So the joint sensitivities are exact: ``l1`` is their sum, ``l2`` the root of the
    sum of their squares. For two columns ``l1 = (R1^2 + R2^2 + R1 R2) / n``.

    Attributes:
        names: What each column is called.
        bounds: The public bounds of each column.
        size: What is public about the number of people, at least 3.

    """

    names: tuple[str, ...]
    bounds: tuple[Interval, ...]
    size: TableSize

    neighbors_of_parts: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if len(self.names) != len(self.bounds) or len(set(self.names)) < 2:  # noqa: PLR2004 - one column is a variance
            raise ParameterError(
                "a covariance matrix needs at least 2 columns of different names, with "
                "bounds for each."
            )
        check_scatter(self.bounds, self.size)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return ``var(x)`` and ``cov(x, y)`` for each column and pair of columns.

        Names with commas are quoted where two pairs would be called the same.
        """
        plain = _labels(self.names)
        if len(set(plain)) == len(plain):
            return plain
        return _labels(tuple(map(repr, self.names)))

    @property
    def parts(self) -> tuple[Variance | Covariance, ...]:
        """Return each coordinate as a statistic of its own: range, sensitivity, …."""
        return (
            *(Variance(bounds=column, size=self.size) for column in self.bounds),
            *(Covariance(bounds=pair, size=self.size) for pair in combinations(self.bounds, 2)),
        )

    @property
    def range(self) -> Interval:
        """Return the public interval that contains every coordinate."""
        ranges = [part.range for part in self.parts]
        return Interval(
            lower=min(each.lower for each in ranges), upper=max(each.upper for each in ranges)
        )

    def partial(self, values: FloatArray) -> Moments:
        """Return means and sums of products of some people."""
        each = in_blocks(values)
        return Moments.combine([self._scatter(block).moments for block in each])

    def finalize(self, whole: Moments) -> FloatArray:
        """Return it of a whole table of such moments."""
        check_people(whole.people, self.size)
        return self._at(whole.sums, whole.people)

    def sensitivities(self, relation: NeighboringRelation) -> tuple[float, ...]:
        """Return the most that one record can change each coordinate."""
        return tuple(part.sensitivity(relation).largest for part in self.parts)

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change all coordinates together."""
        moves = np.array(self.sensitivities(relation))
        return Sensitivity(
            coordinates=len(moves),
            l1=float(moves.sum()),
            l2=float(np.linalg.norm(moves)),
            largest=float(moves.max()),
        )

    def neighbors(
        self, values: FloatArray, relation: NeighboringRelation, whole: Moments | None = None
    ) -> NeighborValues:
        """Return where the matrix would move for each person.

        Removal is exact. Under substitution there is one alternative: each coordinate
        as far from its present value as some new record can bring it. One record need
        not do so to all coordinates at once, so a loss that grows with the distances
        is bounded from above; it stays within the guarantee.
        """
        scatter = self._scatter(values)
        n = scatter.people
        actual = self.finalize(whole or scatter.moments)

        def instead(rows: Rows) -> FloatArray:
            rest = scatter.without(rows)
            removed = self._at(rest, n - 1)
            if relation is NeighboringRelation.ADD_REMOVE:
                return removed[:, np.newaxis]
            low, high = scatter.added_instead(rows)
            reached = [self._at(rest + low, n), self._at(rest + high, n)]
            if not self.size.public:
                reached.append(removed)
            return _farthest(actual, reached)[:, np.newaxis]

        return NeighborValues(actual=actual, reached=instead, kinds=n)

    def neighbors_added(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return each coordinate as far away as one newcomer can bring it, (1 or 0, k).

        As with ``neighbors``, one newcomer need not do so to all of them.
        """
        if not can_join(relation, self.size):
            return np.empty((0, len(self.labels)))
        scatter = self._scatter(values)
        n = scatter.people
        actual = self.finalize(scatter.moments)
        joined = scatter.sums + np.stack(scatter.added_by_newcomer())
        return _farthest(actual, list(self._at(joined, n + 1)))

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return the largest bound of all coordinates; ``parts`` has that of each."""
        each = [part.sampling_sd(estimate) for part in self.parts]
        return np.asarray(np.maximum.reduce(each))

    def _scatter(self, values: FloatArray) -> Scatter:
        d = len(self.bounds)
        entries = numeric_rows(values, columns=d)
        pairs = (*((j, j) for j in range(d)), *combinations(range(d), 2))
        return Scatter.from_entries(entries, bounds=self.bounds, pairs=pairs)

    def _at(self, sums: FloatArray, people: int) -> FloatArray:
        return sums / (own_divisor(self.size, people) - 1)


def _labels(names: tuple[str, ...]) -> tuple[str, ...]:
    return (
        *(f"var({name})" for name in names),
        *(f"cov({x}, {y})" for x, y in combinations(names, 2)),
    )


def _farthest(actual: FloatArray, reached: list[FloatArray]) -> FloatArray:
    """Return, coordinate by coordinate, what lies farthest from ``actual``."""
    far = reached[0]
    for other in reached[1:]:
        far = np.where(np.abs(other - actual) > np.abs(far - actual), other, far)
    return far
