"""Covariance matrix of several columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from dpcore.arrays import FloatArray, in_blocks
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.base import Sensitivity
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.base import Shifts
from dpcore.statistics.blocks import Rows, ShiftBlocks
from dpcore.statistics.covariance import Covariance, check_scatter
from dpcore.statistics.parts import Moments
from dpcore.statistics.rows import numeric_rows
from dpcore.statistics.scatter import Scatter
from dpcore.statistics.spread import Variance
from dpcore.statistics.tables import can_join, check_people, own_divisor


@dataclass(frozen=True, slots=True, kw_only=True)
class CovarianceMatrix:
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

    def value(self, values: FloatArray) -> FloatArray:
        """Return the variances and covariances, shape ``(d (d + 1) / 2,)``."""
        return self.of_whole(self.part(values))

    def part(self, values: FloatArray) -> Moments:
        """Return means and sums of products of some people."""
        each = in_blocks(values)
        return Moments.together([self._scatter(block).moments for block in each])

    def together(self, parts: Sequence[Moments]) -> Moments:
        """Return means and sums of products of the people of all parts."""
        return Moments.together(parts)

    def of_whole(self, whole: Moments) -> FloatArray:
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

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the matrix would move for each person, all at once."""
        return self.shift_blocks(values, relation).whole()

    def shift_blocks(self, values: FloatArray, relation: NeighboringRelation) -> ShiftBlocks:
        """Return where the matrix would move for each person, a block at a time.

        Removal is exact. Under substitution there is one alternative: each coordinate
        as far from its present value as some new record can bring it. One record need
        not do so to all coordinates at once, so a loss that grows with the distances
        is bounded from above; it stays within the guarantee.
        """
        scatter = self._scatter(values)
        n = scatter.people
        actual = self.of_whole(scatter.moments)

        def of_rows(rows: Rows) -> FloatArray:
            rest = scatter.without(rows)
            removed = self._at(rest, n - 1)
            if relation is NeighboringRelation.ADD_REMOVE:
                return removed[:, np.newaxis]
            low, high = scatter.added_instead(rows)
            reached = [self._at(rest + low, n), self._at(rest + high, n)]
            if not self.size.public:
                reached.append(removed)
            return _farthest(actual, reached)[:, np.newaxis]

        return ShiftBlocks(actual=actual, people=n, of_rows=of_rows)

    def additions(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return each coordinate as far away as one newcomer can bring it, (1 or 0, k).

        As with ``shift_blocks``, one newcomer need not do so to all of them.
        """
        if not can_join(relation, self.size):
            return np.empty((0, len(self.labels)))
        scatter = self._scatter(values)
        n = scatter.people
        actual = self.of_whole(scatter.moments)
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
        return Scatter.of(entries, bounds=self.bounds, pairs=pairs)

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
