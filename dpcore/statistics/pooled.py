"""Pooled variance and covariance: the scatter within groups, put together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms.base import Sensitivity
from dpcore.relations import NeighboringRelation
from dpcore.statistics import pooled_sensitivities as sensitivities
from dpcore.statistics.base import Shifts
from dpcore.statistics.groups import GroupSizes
from dpcore.statistics.parts import Moments
from dpcore.statistics.rows import grouped_rows
from dpcore.statistics.scatter import Scatter
from dpcore.statistics.tables import check_bounds


class _Pooled(ABC):
    """What the pooled variance and covariance share."""

    __slots__ = ()
    groups: GroupSizes

    @property
    @abstractmethod
    def _columns(self) -> tuple[Interval, ...]:
        """Bounds of each column of numbers."""

    @property
    def _area(self) -> float:
        """Return the product of the widths of the two factors."""
        return self._columns[0].width * self._columns[-1].width

    def value(self, values: FloatArray) -> FloatArray:
        """Return the statistic, shape ``(1,)``; ``values`` has the group code last."""
        return self.of_whole(self.part(values))

    def part(self, values: FloatArray) -> Moments:
        """Return sizes, means and sums of products of groups of some people."""
        return self._scatter(values).moments

    def together(self, parts: Sequence[Moments]) -> Moments:
        """Return those of the people of all parts."""
        return Moments.together(parts)

    def of_whole(self, whole: Moments) -> FloatArray:
        """Return the statistic, shape ``(1,)``, of a whole table of such moments."""
        self.groups.check_table(whole.counts)
        return np.asarray(whole.sums / self.groups.freedom)

    def shifts(self, values: FloatArray, relation: NeighboringRelation) -> Shifts:
        """Return where the statistic would move for each person.

        Raises:
            ParameterError: If the relation does not go with what is public.

        """
        self.groups.check_relation(relation)
        scatter = self._scatter(values)
        actual = self.of_whole(scatter.moments)
        freedom, everybody = self.groups.freedom, slice(None)
        rest = scatter.without(everybody)
        if relation is NeighboringRelation.ADD_REMOVE:
            reached = [rest / (freedom - 1)]
        else:
            low, high = scatter.added_instead(everybody)
            if not self.groups.labels_public and self.groups.count > 1:
                below, above = scatter.added_by_newcomer()
                low = np.minimum(low, -_best_elsewhere(-below[:, 0], scatter))
                high = np.maximum(high, _best_elsewhere(above[:, 0], scatter))
            reached = [(rest + low) / freedom, (rest + high) / freedom]
        return Shifts(actual=actual, alternatives=np.stack(reached, axis=1))

    def additions(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return the lowest and highest statistic after a person joins a group."""
        self.groups.check_relation(relation)
        if relation is NeighboringRelation.SUBSTITUTION:
            return np.empty((0, 1))
        scatter = self._scatter(values)
        self.groups.check_table(scatter.counts)
        below, above = scatter.added_by_newcomer()
        reached = scatter.sums + np.array([below.min(), above.max()])
        return np.asarray(reached / (self.groups.freedom + 1))[:, np.newaxis]

    def _scatter(self, values: FloatArray) -> Scatter:
        columns = self._columns
        entries, codes = grouped_rows(values, columns=len(columns), groups=self.groups.count)
        return Scatter.of(
            entries,
            bounds=columns,
            pairs=((0, len(columns) - 1),),
            codes=codes,
            groups=self.groups.count,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledVariance(_Pooled):
    """Sum of squared distances from the group means, over ``n - J``.

    ``values`` has shape ``(n, 2)``: the number, clamped, and the code of the group.

    Sensitivities, in units of the squared width (Liu 2016, corrected):

    * substitution, labels public: ``(1 - 1 / n_max) / (n - J)``;
    * substitution, labels private: ``(1 - 1 / n) / (n - J)``, reached where a record
      joins all the others in one group: leaving takes up to ``1 - 1 / n_i`` away,
      joining adds up to ``n_j / (n_j + 1)``, squares have one sign, and so the larger
      counts;
    * add/remove: the larger of removal and addition (``removing_variance``,
      ``adding_variance`` of ``pooled_sensitivities``).

    Attributes:
        bounds: The public bounds.
        groups: What is public about the groups.

    >>> from dpcore.statistics.groups import GroupSizes
    >>> unit = Interval(lower=0.0, upper=1.0)
    >>> pooled = PooledVariance(bounds=unit, groups=GroupSizes(sizes=(4, 2)))
    >>> pooled.sensitivity(NeighboringRelation.SUBSTITUTION).l1
    0.1875

    """

    bounds: Interval
    groups: GroupSizes

    def __post_init__(self) -> None:
        check_bounds(self.bounds)

    labels = ("pooled variance",)

    @property
    def range(self) -> Interval:
        """Return ``[0, R^2 sum F(n_j) / (n - J)]``, ``F(n) = floor(n^2 / 4) / n``."""
        largest = self.groups.largest_scatter / self.groups.freedom
        return Interval(lower=0.0, upper=self._area * largest)

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change it, over all such tables.

        Raises:
            ParameterError: If the relation does not go with what is public.

        """
        self.groups.check_relation(relation)
        if relation is NeighboringRelation.SUBSTITUTION:
            most = sensitivities.staying(self.groups)
        else:
            most = max(
                sensitivities.removing_variance(self.groups),
                sensitivities.adding_variance(self.groups),
            )
        return Sensitivity.scalar(self._area * most)

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return ``R sqrt(v (1 - 1 / n_max) / (n - J))``, a bound.

        Groups are random samples of their own. The variance of one has variance at most
        ``v_j R^2 / n_j`` (see ``Variance.sampling_sd``; for two people, because it lies
        in ``[0, R^2 / 2]``), and its weight is ``(n_j - 1) / (n - J)``.
        """
        v = self.range.clip(estimate)
        return np.asarray(self.bounds.width * np.sqrt(v * sensitivities.staying(self.groups)))

    @property
    def _columns(self) -> tuple[Interval, ...]:
        return (self.bounds,)


@dataclass(frozen=True, slots=True, kw_only=True)
class PooledCovariance(_Pooled):
    """Sum of products of distances from the group means, over ``n - J``.

    ``values`` has shape ``(n, 3)``: two numbers, clamped, and the code of the group.

    Sensitivities, in units of the area of the bounds (Liu 2016, corrected):

    * substitution, labels public: ``(1 - 1 / n_max) / (n - J)``;
    * substitution, labels private, several groups: leaving one group and joining
      another may add up, as products have both signs, most with all people in two
      groups of ``a`` and ``b - 1``, ``a + b = n + 1`` split as evenly as possible:
      ``(2 - 1 / a - 1 / b) / (n - J)``;
    * add/remove: the larger of removal and addition (``removing_covariance``,
      ``adding_covariance`` of ``pooled_sensitivities``).

    Attributes:
        bounds: The public bounds of both numbers.
        groups: What is public about the groups.

    """

    bounds: tuple[Interval, Interval]
    groups: GroupSizes

    def __post_init__(self) -> None:
        for column in self.bounds:
            check_bounds(column)

    labels = ("pooled covariance",)

    @property
    def range(self) -> Interval:
        """Return ``± Rx Ry sum F(n_j) / (n - J)``, ``F(n) = floor(n^2 / 4) / n``."""
        largest = self._area * self.groups.largest_scatter / self.groups.freedom
        return Interval(lower=-largest, upper=largest)

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change it, over all such tables.

        Raises:
            ParameterError: If the relation does not go with what is public.

        """
        groups = self.groups
        groups.check_relation(relation)
        if relation is NeighboringRelation.ADD_REMOVE:
            most = max(
                sensitivities.removing_covariance(groups), sensitivities.adding_covariance(groups)
            )
        elif groups.labels_public or groups.count == 1:
            most = sensitivities.staying(groups)
        else:
            left = (groups.people + 1) // 2
            most = 2 - 1 / left - 1 / (groups.people + 1 - left)
            most /= groups.freedom
        return Sensitivity.scalar(self._area * most)

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return ``M sqrt(sum (n_j - 1)(4 n_j - 1) / (48 n_j)) / (n - J)``, a bound.

        ``M = Rx Ry``; groups are random samples of their own, and the covariance of one
        has variance at most ``M^2 (1 / 12 + 1 / (16 (n_j - 1))) / n_j``, that for
        ``c = 0`` (see ``Covariance.sampling_sd``), and weight ``(n_j - 1) / (n - J)``.
        """
        spread = sum((n - 1) * (4 * n - 1) / (48 * n) for n in self.groups.possible)
        sd = self._area * float(np.sqrt(spread)) / self.groups.freedom
        return np.full_like(np.asarray(estimate, dtype=np.float64), sd)

    @property
    def _columns(self) -> tuple[Interval, ...]:
        return self.bounds


def _best_elsewhere(gains: FloatArray, scatter: Scatter) -> FloatArray:
    """Return for each person the largest gain of a group other than their own."""
    best = int(np.argmax(gains))
    second = np.delete(gains, best).max()
    chosen = np.where(scatter.codes == best, second, gains[best])
    return np.asarray(chosen[:, np.newaxis])
