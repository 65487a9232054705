"""Pooled variance and covariance: the scatter within groups, put together.

The most that one person changes them is in units of the squared width of the bounds, or
of their area for two columns. Who keeps the group, who leaves and who joins change them
by different amounts.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.checks import check_bounds, check_people, grouped_rows
from dpcore.statistics.covariance import Scatter, largest_scatter
from dpcore.statistics.statistic import Moments, NeighborValues, Statistic


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSizes:
    """Sizes of the ``J`` groups behind a pooled statistic.

    Everybody belongs to one group; ``n`` people, ``n_j`` in group ``j``. The pooled sum
    of squares or products is divided by ``n - J``. What may differ between neighbors:

    * *Labels public*: everybody's group is known, so another record stays in its group
      and all sizes are public. An assumption of the guarantee, which cannot be checked:
      where it is false, a person who changes groups changes whether the statistic is
      refused. Under add/remove this is the convention of Liu (2016):
      noise is scaled by sizes of which one differs by 1 in the neighbor. It treats the
      sizes as published although one person's presence changes them; substitution is
      the coherent choice.
    * *Labels private*: another record may lie in another group, so the sizes are as
      confidential as the records. Only ``n`` and ``J`` are used, and all sizes with
      that sum are covered, empty groups included. There is no add/remove: ``n`` itself
      would be private, and with it the divisor.

    Attributes:
        sizes: Number of people in each group. With private labels only how many numbers
            there are, and their sum, count.
        labels_public: Whether everybody's group is public.

    """

    sizes: tuple[int, ...]
    labels_public: bool = True

    def __post_init__(self) -> None:
        if not self.sizes or min(self.sizes) < self._smallest:
            raise ParameterError(
                f"pooled statistics need groups of at least {self._smallest} rows, "
                f"got sizes {self.sizes}."
            )
        if self.freedom < 1:
            raise ParameterError(
                f"pooled statistics need more rows than groups, got {self.people} "
                f"rows in {self.count} groups."
            )

    @property
    def people(self) -> int:
        """Return the number of people ``n``."""
        return sum(self.sizes)

    @property
    def count(self) -> int:
        """Return the number of groups ``J``."""
        return len(self.sizes)

    @property
    def freedom(self) -> int:
        """Return the degrees of freedom ``n - J``, the divisor."""
        return self.people - self.count

    @property
    def fewest_people(self) -> int:
        """Return the fewest people that so many groups may have."""
        return max(self._smallest * self.count, self.count + 1)

    @property
    def possible(self) -> tuple[int, ...]:
        """Return the sizes of the table that can scatter most.

        With private labels everybody may be in one group, and no split scatters more:
        ``F(m) = m / 4`` for even m, ``m / 4 - 1 / (4 m)`` for odd m.
        """
        return self.sizes if self.labels_public else (self.people,)

    @property
    def largest_scatter(self) -> float:
        """Return the most that people with values in [0, 1] scatter within groups."""
        return sum(largest_scatter(size) for size in self.possible)

    def resized(self, people: int) -> Self:
        """Return as many groups with ``people`` altogether, in like proportions.

        Raises:
            ParameterError: If there are fewer than ``fewest_people``.

        >>> GroupSizes(sizes=(302, 698)).resized(10).sizes
        (4, 6)

        """
        if people < self.fewest_people:
            raise ParameterError(
                f"{self.count} groups need at least {self.fewest_people} rows, got {people}."
            )
        above = np.array(self.sizes) - self._smallest
        if not above.any():
            above += 1
        room = people - self._smallest * self.count
        # Whole numbers with the right sum: differences of rounded partial sums.
        ends = np.rint(np.cumsum(above) / above.sum() * room).astype(np.intp)
        sizes = np.diff(ends, prepend=0) + self._smallest
        return replace(self, sizes=tuple(sizes.tolist()))

    def check_relation(self, relation: NeighboringRelation) -> None:
        """Refuse a relation under which the sensitivity is not a public number.

        Raises:
            ParameterError: If so.

        """
        if relation is NeighboringRelation.SUBSTITUTION:
            return
        if not self.labels_public:
            raise ParameterError(
                "with private labels and rows added or removed, the sizes of the "
                "groups and the divisor are private; choose substitution, or make the "
                "labels public."
            )
        if self.freedom == 1:
            raise ParameterError("pooled statistics of n = J + 1 rows need all of them.")

    @property
    def _smallest(self) -> int:
        """Return the fewest people of a group; a public one scatters."""
        return 2 if self.labels_public else 0

    def check_table(self, counts: FloatArray) -> None:
        """Refuse a table whose groups have other sizes ``counts`` than are public.

        Raises:
            ParameterError: If so.

        """
        check_people(int(counts.sum()), TableSize(people=self.people, public=True))
        if self.labels_public and not np.array_equal(counts, self.sizes):
            raise ParameterError("the groups of the table do not have their public sizes.")


def staying(groups: GroupSizes) -> float:
    """Return the most that a record that keeps its group changes the pooled variance.

    In units of the squared width: ``(1 - 1 / n_max) / (n - J)``. It is that of the
    pooled covariance too, since the products that a record can make differ by at most
    the area of the bounds.
    """
    return (1 - 1 / max(groups.possible)) / groups.freedom


def removing_variance(groups: GroupSizes) -> float:
    """Return the most that removing a person changes the pooled variance.

    ``(1 - 1 / n_max) / (n - J)``: the change is ``[q - S' / (n - J - 1)] / (n - J)``
    with ``q <= 1 - 1 / n_max`` the person's part and ``S'`` the others' scatter, which
    in groups of 2 or more is at most half of ``n - J - 1``, and no more than ``q``.
    """
    return staying(groups)


def adding_variance(groups: GroupSizes) -> float:
    """Return the most that adding a person changes the pooled variance.

    ``max{M / (M + 1), sum F(n_j) / (n - J)} / (n - J + 1)`` with ``M = n_max``. For
    many small groups it exceeds what removal changes.
    """
    largest = max(groups.sizes)
    fall = groups.largest_scatter / groups.freedom
    return max(largest / (largest + 1), fall) / (groups.freedom + 1)


def removing_covariance(groups: GroupSizes) -> float:
    """Return the most that removing a person changes the pooled covariance.

    ``max_j [1 - 1 / n_j + sum_{i != j} F(n_i) / (n - J - 1)] / (n - J)``: the person's
    product and the other groups' sum of products may have opposite signs.
    """
    whole, freedom = groups.largest_scatter, groups.freedom
    return (
        max(1 - 1 / n + (whole - largest_scatter(n)) / (freedom - 1) for n in set(groups.sizes))
        / freedom
    )


def adding_covariance(groups: GroupSizes) -> float:
    """Return the most that adding a person changes the pooled covariance.

    ``max_j [n_j / (n_j + 1) + sum_{i != j} F(n_i) / (n - J)] / (n - J + 1)``.
    """
    whole, freedom = groups.largest_scatter, groups.freedom
    return max(n / (n + 1) + (whole - largest_scatter(n)) / freedom for n in set(groups.sizes)) / (
        freedom + 1
    )


class _Pooled(Statistic):
    """What the pooled variance and covariance share."""

    __slots__ = ()
    groups: GroupSizes
    neighbors_of_parts: ClassVar[bool] = False

    @property
    @abstractmethod
    def _columns(self) -> tuple[Interval, ...]:
        """Bounds of each column of numbers."""

    @property
    def _area(self) -> float:
        """Return the product of the widths of the two factors."""
        return self._columns[0].width * self._columns[-1].width

    def partial(self, values: FloatArray) -> Moments:
        """Return sizes, means and sums of products of groups of some people.

        ``values`` has the group code last.
        """
        return self._scatter(values).moments

    def finalize(self, whole: Moments) -> FloatArray:
        """Return the statistic, shape ``(1,)``, of a whole table of such moments."""
        self.groups.check_table(whole.counts)
        return np.asarray(whole.sums / self.groups.freedom)

    def neighbors(
        self, values: FloatArray, relation: NeighboringRelation, whole: Moments | None = None
    ) -> NeighborValues:
        """Return where the statistic would move for each person.

        Raises:
            ParameterError: If the relation does not go with what is public.

        """
        self.groups.check_relation(relation)
        scatter = self._scatter(values)
        actual = self.finalize(whole or scatter.moments)
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
        return NeighborValues.at_once(actual, np.stack(reached, axis=1))

    def neighbors_added(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
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
        return Scatter.from_entries(
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
    * add/remove: the larger of removal and addition (``removing_variance``, ``adding_variance``).

    Attributes:
        bounds: The public bounds.
        groups: What is public about the groups.

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
            most = staying(self.groups)
        else:
            most = max(removing_variance(self.groups), adding_variance(self.groups))
        return Sensitivity.scalar(self._area * most)

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return ``R sqrt(v (1 - 1 / n_max) / (n - J))``, a bound.

        Groups are random samples of their own. The variance of one has variance at most
        ``v_j R^2 / n_j`` (see ``Variance.sampling_sd``; for two people, because it lies
        in ``[0, R^2 / 2]``), and its weight is ``(n_j - 1) / (n - J)``.
        """
        v = self.range.clip(estimate)
        return np.asarray(self.bounds.width * np.sqrt(v * staying(self.groups)))

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
      ``adding_covariance``).

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
            most = max(removing_covariance(groups), adding_covariance(groups))
        elif groups.labels_public or groups.count == 1:
            most = staying(groups)
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
