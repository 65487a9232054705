"""Counts and sums of each group: alone, or in numbers that share the weight of a person.

A mean needs a count beside its sum. Asked column by column, the count of a group is
released with each of them; in ``MeanMoments`` all columns of a group share one.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import NeighboringRelation
from dpcore.statistics.checks import check_bounds, grouped_rows, heights
from dpcore.statistics.grouping import name_of_others
from dpcore.statistics.statistic import NeighborValues, Rows, Statistic, Sums
from dpcore.statistics.sums_and_means import Sum

DEGREES: Final = (1, 2)
PAIR: Final = 2
_ROOT_2 = 2**0.5


def count_names(groups: tuple[str, ...], counted: str) -> dict[str, str]:
    """Return what the number of people of each group is called; no group is called so.

    >>> count_names(("a", "people in a"), "people")["a"]
    'number of people in a'
    """
    start = f"{counted} in "
    while any(start + group in groups for group in groups):
        start = f"number of {start}"
    return {group: start + group for group in groups}


class _SharedWeights(Statistic):
    """Numbers of groups of which those of one person share a weight.

    ``values`` has one column for each number, then the code of the group.
    """

    __slots__ = ()
    additive = True
    row_width = 2

    @property
    @abstractmethod
    def _parts(self) -> int:
        """Return how many numbers a group has."""

    @property
    @abstractmethod
    def _names(self) -> tuple[str, ...]:
        """Return the names of the groups that are counted."""

    @abstractmethod
    def _read(self, values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return everybody's weights, and group; from ``len(_names)`` for no group."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Return a name for each number: all those of the first group first."""
        return tuple(
            f"{group}, part {part} of {self._parts}"
            for group in self._names
            for part in range(1, self._parts + 1)
        )

    @property
    def range(self) -> Interval:
        """Return all numbers from 0: the size of a group is private."""
        return Interval(lower=0.0, upper=np.inf)

    def partial(self, values: FloatArray) -> Sums:
        """Return the numbers of the groups of some people."""
        weights, codes = self._read(values)
        order, groups = np.argsort(codes, kind="stable"), len(self._names)
        ends = np.searchsorted(codes[order], np.arange(1, groups + 1))
        # Each number by itself: NumPy adds pairwise along an array's last axis only.
        sums = [
            [part.sum() for part in np.split(column[order], ends)[:groups]] for column in weights.T
        ]
        return Sums(people=len(codes), total=np.array(self._counted(codes) + sums).T.ravel())

    def _counted(self, _codes: NDArray[np.intp]) -> list[FloatArray]:
        """Return numbers of each group that are not sums of weights."""
        return []

    def finalize(self, whole: Sums) -> FloatArray:
        """Return the numbers of a whole table."""
        return whole.total


class _BernsteinWeights(_SharedWeights):
    """Numbers of groups to which a person adds Bernstein polynomials of a height."""

    __slots__ = ()
    bounds: Interval

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change all numbers together."""
        if relation is NeighboringRelation.ADD_REMOVE:
            return Sensitivity(coordinates=self._parts, l1=1.0, l2=1.0, largest=1.0)
        coordinates = min(2 * self._parts, len(self.labels))
        return Sensitivity(coordinates=coordinates, l1=2.0, l2=_ROOT_2, largest=1.0)

    def neighbors(
        self, values: FloatArray, relation: NeighboringRelation, whole: Sums | None = None
    ) -> NeighborValues:
        """Return where the numbers would move for each person.

        Under substitution the person's weight goes to a bound of another group: no
        record within the own group is farther away, and all other groups are alike.
        Who is in no group that is counted goes to one of them. In a table of one group
        it goes to one bound of this group or the other.
        """
        weights, codes = self._read(values)
        actual = self.finalize(whole or self.partial(values))
        parts, groups = self._parts, len(self._names)

        def moved(rows: Rows) -> FloatArray:
            own, shares = codes[rows], weights[rows]
            there = np.flatnonzero(own < groups)
            reached = np.tile(actual, (len(own), 1))
            for part in range(parts):
                reached[there, own[there] * parts + part] -= shares[there, part]
            # Without the last person of a group rounding leaves no less than nothing.
            np.maximum(reached, 0.0, out=reached)
            reached = reached[:, np.newaxis]
            if relation is NeighboringRelation.ADD_REMOVE:
                return reached
            elsewhere = np.where(own == 0, 1, 0)[:, np.newaxis] * parts
            ends = elsewhere if groups > 1 else np.array([0, parts - 1])
            return np.asarray(reached + np.eye(len(actual))[ends])

        return NeighborValues(actual=actual, reached=moved, kinds=len(codes))

    def neighbors_added(
        self,
        values: FloatArray,
        relation: NeighboringRelation,  # noqa: ARG002 - sizes are private under both
    ) -> FloatArray:
        """Return the numbers after a person at a bound joins each group."""
        actual, parts = self.value(values), self._parts
        ends = [group * parts + end for group in range(len(self._names)) for end in (0, parts - 1)]
        return np.asarray(actual + np.eye(len(actual))[ends])

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return the root of each number: weights are at most 1, so are their squares.

        The sum of the squares of weights within [0, 1] is at most the sum of them.
        """
        return np.sqrt(np.maximum(estimate, 0.0))

    def _height(self, numbers: FloatArray) -> FloatArray:
        """Return everybody's height between the bounds, shape ``(n,)``."""
        return (self.bounds.clip(numbers[:, 0]) - self.bounds.lower) / self.bounds.width


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMoments(_BernsteinWeights):
    """What the count, mean and variance of every group follow from, whatever its size.

    A value at height ``a = (x - c0) / (c1 - c0)`` of its bounds gives its group ``1 -
    a`` to a first number and ``a`` to a second (degree 1), or ``(1 - a)^2``, ``2 a (1 -
    a)`` and ``a^2`` to three (degree 2): Bernstein's polynomials. They are at least 0
    and add up to 1, so that the numbers of a group add up to its people, and

    * the sum of the heights is the second number; of degree 2, half of the second and
      the third;
    * the sum of their squares is the third.

    Sensitivity: one person adds or removes a weight of 1 in all, so the changes add up
    to 1, and their squares to at most 1, attained at either bound. A record in
    another's place takes its weight from one group to another: 2, and the root of 2.
    Within a group it moves less. A sum released beside a count would need twice that.

    ``values`` has shape ``(n, 2)``: the number, then the code of the group, with
    ``len(labels_of_groups)`` for a group that is not on the public list.

    Attributes:
        labels_of_groups: The public list of groups.
        bounds: The public bounds of every value.
        degree: 1 for counts and sums, 2 with sums of squares.

    >>> bounds = Interval(lower=0.0, upper=10.0)
    >>> both = GroupMoments(labels_of_groups=("a",), bounds=bounds, degree=1)
    >>> both.value([[2, 0], [10, 0], [5, 1]])
    array([0.8, 1.2, 0.5, 0.5])

    """

    labels_of_groups: tuple[str, ...]
    bounds: Interval
    degree: int

    def __post_init__(self) -> None:
        check_bounds(self.bounds)
        if not self.labels_of_groups or self.degree not in DEGREES:
            raise ParameterError("moments of groups need a public list of groups, and degree 1, 2.")

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the name of each group; the last is that of all others."""
        return (*self.labels_of_groups, name_of_others(self.labels_of_groups))

    @property
    def _parts(self) -> int:
        return self.degree + 1

    @property
    def _names(self) -> tuple[str, ...]:
        return self.groups

    def heights(self, values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return everybody's height between the bounds, and group. CONFIDENTIAL."""
        numbers, codes = grouped_rows(values, columns=1, groups=len(self.groups))
        return self._height(numbers), codes

    def _read(self, values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        a, codes = self.heights(values)
        b = 1 - a
        each = (b, a) if self.degree == 1 else (b * b, 2 * a * b, a * a)
        return np.stack(each, axis=-1), codes


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedMoments(GroupMoments):
    """What the weighted mean and total and the sum of weights of every group follow from.

    A row of weight ``w`` counts ``u = w / W``, with ``w`` clamped to its public bounds, of
    which the upper one is the cap ``W``. A value at height ``a`` between its bounds
    ``[c0, c1]`` gives its group ``u (1 - a)`` to a first number ``s`` and ``u a`` to a
    second, ``t``. So

    * the sum of weights is ``W (s + t)``;
    * the weighted mean of the heights is ``t / (s + t)`` (Hajek 1971);
    * the weighted total is ``W (c0 s + c1 t)``, as ``u (c0 (1 - a) + c1 a) = u x``
      (Horvitz and Thompson 1952).

    Sensitivity: a row adds or takes ``u`` in all, and ``u`` is at most 1. So it is that
    of ``GroupMoments``, also of one group: there a record at one bound is replaced by
    one at the other. A row of less weight moves less: added or removed, ``u`` added up.

    ``values`` has shape ``(n, 3)``: the number, the weight, then the code of the group.
    Without ``labels_of_groups`` there is one group, of code 0.

    Attributes:
        weights: The public bounds of weights, from 0 up.

    >>> bounds = Interval(lower=0.0, upper=10.0)
    >>> weights = Interval(lower=0.0, upper=4.0)
    >>> both = WeightedMoments(labels_of_groups=(), bounds=bounds, weights=weights)
    >>> both.value([[2, 1, 0], [10, 9, 0]])
    array([0.2 , 1.05])

    """

    row_width = 3
    degree: int = field(default=1, init=False)
    weights: Interval

    def __post_init__(self) -> None:
        check_bounds(self.bounds)
        check_bounds(self.weights)
        if self.weights.lower < 0:
            lower = in_full(self.weights.lower)
            raise ParameterError(f"no weight is below 0, got a bound of {lower}.")

    def _read(self, values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        numbers, codes = grouped_rows(values, columns=2, groups=len(self.groups))
        a = self._height(numbers)
        u = self.weights.clip(numbers[:, 1]) / self.weights.upper
        return np.stack([u * (1 - a), u * a], axis=-1), codes


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanMoments(_SharedWeights):
    """What the count of every group and its means of ``d`` columns follow from.

    A person whose value lies at height ``a_j = (x_j - c0_j) / (c1_j - c0_j)`` of the
    bounds of column ``j`` gives ``c`` to a first number ``S`` of the group, and ``a_j -
    1/2`` to a number ``T_j`` of each column. So there are ``S / c`` people in the
    group, and their heights add up to ``T_j + S / (2 c)``. Measured from the middle, a
    person weighs half as much on every column as from a bound.

    Sensitivity: who joins or leaves moves ``S`` by ``c`` and each ``T_j`` by ``1/2`` at
    most: ``c + d/2`` added up, and ``c^2 + d/4`` as squares, attained at the bounds.
    Who goes from one group to another does both: twice the one and the other. Who stays
    in a group moves each ``T_j`` by 1 at most: ``d`` added up, which is less, and ``d``
    as squares, which is the most, as ``4 c^2 <= d``.

    The weight ``c`` is half of the cube root of ``d``: the noise in ``sum(a_j - t)`` is
    ``(1 - 2 t) / (2 c)`` times that of ``S`` and that of ``T_j``, hence largest at the
    bounds, where the variance of Laplace noise is in proportion to ``(c + d/2)^2 (1 + 1
    / (4 c^2))``. That is least where ``8 c^3 = d``. (For Gaussian noise it is within 3
    percent of what its own best weight would give under add/remove.) Of one column
    these are the two numbers of ``GroupMoments`` turned by 45 degrees and shortened by
    the root of 2.

    ``values`` has shape ``(n, d + 1)``: the numbers, then the code of the group, with
    ``len(labels_of_groups)`` for a group that is not on the public list.

    Attributes:
        labels_of_groups: The public list of groups.
        bounds: The public bounds of every column.

    >>> bounds = Interval(lower=0.0, upper=10.0)
    >>> both = MeanMoments(labels_of_groups=("a",), bounds=(bounds,))
    >>> both.value([[2, 0], [10, 0], [5, 1]])
    array([1. , 0.2, 0.5, 0. ])

    """

    labels_of_groups: tuple[str, ...]
    bounds: tuple[Interval, ...]

    def __post_init__(self) -> None:
        for bounds in self.bounds:
            check_bounds(bounds)
        if not self.labels_of_groups or not self.bounds:
            raise ParameterError("means of groups need a public list of groups, and a column.")

    @property
    def columns(self) -> int:
        """Return the number of columns ``d``."""
        return len(self.bounds)

    @property
    def row_width(self) -> int:  # type: ignore[override] # of as many columns as there are
        """Return the number of columns, and one for the group."""
        return self.columns + 1

    @property
    def weight(self) -> float:
        """Return what everybody adds to the number that counts people, ``c``."""
        return math.cbrt(self.columns) / 2

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the name of each group; the last is that of all others."""
        return (*self.labels_of_groups, name_of_others(self.labels_of_groups))

    @property
    def _parts(self) -> int:
        return self.columns + 1

    @property
    def _names(self) -> tuple[str, ...]:
        return self.groups

    @property
    def range(self) -> Interval:
        """Return all numbers: the size of a group is private."""
        return Interval(lower=-np.inf, upper=np.inf)

    def _counted(self, codes: NDArray[np.intp]) -> list[FloatArray]:
        counts = np.bincount(codes, minlength=len(self.groups)).astype(np.float64)
        return [self.weight * counts]

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change all numbers together."""
        d, c = self.columns, self.weight
        if relation is NeighboringRelation.ADD_REMOVE:
            l2 = math.sqrt(c * c + d / 4)
            return Sensitivity(coordinates=d + 1, l1=c + d / 2, l2=l2, largest=c)
        return Sensitivity(
            coordinates=2 * (d + 1), l1=2 * c + d, l2=math.sqrt(d), largest=max(c, 1.0)
        )

    def neighbors(
        self, values: FloatArray, relation: NeighboringRelation, whole: Sums | None = None
    ) -> NeighborValues:
        """Return where the numbers would move for each person.

        Under substitution there are two alternatives: the farthest by the sum of all
        changes, at bounds of another group (all other groups and bounds are alike); and
        the other bounds of the own group, which may be farther by their squares.
        """
        away, codes = self._read(values)
        actual = self.finalize(whole or self.partial(values))
        parts = self._parts

        def moved(rows: Rows) -> FloatArray:
            own, weights = codes[rows], away[rows]
            there = np.arange(len(own))
            gone = np.tile(actual, (len(own), 1))
            # Without the last person of a group rounding leaves no less than nothing.
            left = np.maximum(gone[there, own * parts] - self.weight, 0.0)
            gone[there, own * parts] = left
            for part in range(1, parts):
                gone[there, own * parts + part] -= weights[:, part - 1]
            if relation is NeighboringRelation.ADD_REMOVE:
                return gone[:, np.newaxis]
            elsewhere, within = gone, gone.copy()
            other = np.where(own == 0, 1, 0) * parts
            elsewhere[there, other] += self.weight
            within[there, own * parts] = actual[own * parts]
            for part in range(1, parts):
                elsewhere[there, other + part] += 0.5
                bound = np.where(weights[:, part - 1] > 0, -0.5, 0.5)
                within[there, own * parts + part] += bound
            return np.stack([elsewhere, within], axis=1)

        return NeighborValues(actual=actual, reached=moved, kinds=len(codes))

    def neighbors_added(
        self,
        values: FloatArray,
        relation: NeighboringRelation,  # noqa: ARG002 - sizes are private under both
    ) -> FloatArray:
        """Return the numbers after a person at all lower or upper bounds joins a group.

        At any other bounds they move as far. Shape ``(2 (K + 1), (K + 1) (d + 1))``.
        """
        ends = np.full((2, self.columns + 1), self.weight)
        ends[:, 1:] = [[-0.5], [0.5]]
        groups = len(self.groups)
        return np.asarray(self.value(values) + np.kron(np.eye(groups), ends))

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return the root of the sum of the most that the squares of weights can be."""
        c = self.weight
        groups = np.reshape(estimate, (-1, self.columns + 1))
        people = np.maximum(groups[:, :1], 0.0) / c
        most = np.array([c, *(0.5,) * self.columns])
        return np.asarray((most * np.sqrt(people)).reshape(np.shape(estimate)))

    def _read(self, values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        """Return everybody's heights less a half, shape ``(n, d)``, and group."""
        numbers, codes = grouped_rows(values, columns=self.columns, groups=len(self.groups))
        widths = np.array([bounds.width for bounds in self.bounds])
        return heights(numbers, self.bounds) / widths - 0.5, codes


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMoments(_BernsteinWeights):
    """What the counts and means of two groups follow from, whatever their size.

    As in ``GroupMoments`` of degree 1 a value at height ``a`` between its bounds gives
    ``1 - a`` to a first number of its group, and ``a`` to a second. The numbers of
    these two groups alone are kept. ``values`` has shape ``(n, 2)``: the number, then
    the code of the group.

    Sensitivity: who joins or leaves one of the two adds or takes a weight of 1 in all:
    1 added up, and the squares of the parts at most 1. A record that goes from one
    group to the other takes its weight along: 2, and the root of 2, attained at the
    bounds. Who is in neither, before and after, changes nothing.

    Attributes:
        groups: How many groups there are, that of all others included.
        pair: The codes of the two, different from each other.
        bounds: The public bounds of every value.

    >>> bounds = Interval(lower=0.0, upper=10.0)
    >>> both = PairMoments(groups=3, pair=(2, 0), bounds=bounds)
    >>> both.value([[2, 0], [10, 0], [5, 1], [1, 2]])
    array([0.9, 0.1, 0.8, 1.2])

    """

    _names: ClassVar = ("first group", "second group")
    _parts: ClassVar = 2
    groups: int
    pair: tuple[int, int]
    bounds: Interval

    def __post_init__(self) -> None:
        check_bounds(self.bounds)
        known = all(0 <= code < self.groups for code in self.pair)
        if len(set(self.pair)) != PAIR or not known:
            raise ParameterError(f"a pair is of two of {self.groups} groups, got {self.pair}.")

    def _read(self, values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        numbers, codes = grouped_rows(values, columns=1, groups=self.groups)
        a = self._height(numbers)
        one, other = (codes == code for code in self.pair)
        return np.stack([1 - a, a], axis=-1), np.where(one, 0, np.where(other, 1, PAIR))


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped(Statistic):
    """The sum of each group, and of those in none of them; counts are sums of ones.

    ``values`` has shape ``(n, 2)``: the number, then the code of the group, with
    ``len(labels)`` for a group that is not on the public list. The size of a group is
    private under either relation, since a record carries its label along; sums need no
    size. What divides by it follows from ``GroupMoments`` instead.

    Sensitivity, with ``s_j`` that of part ``j`` to one person more or less: adding or
    removing a record changes one part, by ``max s_j``. Replacing a record may take it
    from one group to another: it changes two parts, at most by the two largest ``s_j``.
    A record that stays changes one part by its sensitivity to substitution; of bounds
    with both signs that is the larger in length. The parts share no records, so all of
    this is attained.

    Attributes:
        labels_of_groups: The public list of groups.
        parts: The sum of each group, and last that of all others; their sizes are
            private.

    """

    labels_of_groups: tuple[str, ...]
    parts: tuple[Sum, ...]

    neighbors_of_parts: ClassVar[bool] = False
    additive = True
    row_width = 2

    def __post_init__(self) -> None:
        count = len(self.labels_of_groups)
        if count == 0 or len(self.parts) != count + 1:
            raise ParameterError(
                f"{count} groups need {count + 1} statistics, one of them for records "
                f"of no listed group, got {len(self.parts)}."
            )
        if any(part.size.public for part in self.parts):
            raise ParameterError("the sizes of groups are private: nothing is public about them.")

    @classmethod
    def alike(cls, *, labels_of_groups: tuple[str, ...], part: Sum) -> Self:
        """Return the same sum for every group."""
        count = len(labels_of_groups) + 1
        return cls(labels_of_groups=labels_of_groups, parts=(part,) * count)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each group; the last is that of all others."""
        return (*self.labels_of_groups, name_of_others(self.labels_of_groups))

    @property
    def range(self) -> Interval:
        """Return the public interval that contains every coordinate."""
        ranges = [part.range for part in self.parts]
        return Interval(
            lower=min(each.lower for each in ranges), upper=max(each.upper for each in ranges)
        )

    def partial(self, values: FloatArray) -> Sums:
        """Return the sum of each group of some people."""
        numbers, codes = self._read(values)
        sums = [part.partial(numbers[codes == j]).total for j, part in enumerate(self.parts)]
        return Sums(people=len(codes), total=np.concatenate(sums))

    def finalize(self, whole: Sums) -> FloatArray:
        """Return the sums of a whole table."""
        return whole.total

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change all parts together."""
        alone = [part.sensitivity(NeighboringRelation.ADD_REMOVE).l1 for part in self.parts]
        first, second = sorted(alone, reverse=True)[:2]
        if relation is NeighboringRelation.ADD_REMOVE:
            return Sensitivity.scalar(first)
        staying = max(part.sensitivity(relation).l1 for part in self.parts)
        return Sensitivity(
            coordinates=2,
            l1=max(staying, first + second),
            l2=max(staying, float(np.hypot(first, second))),
            largest=max(staying, first),
        )

    def neighbors(
        self,
        values: FloatArray,
        relation: NeighboringRelation,
        whole: Sums | None = None,  # noqa: ARG002 - a move depends on who else is there
    ) -> NeighborValues:
        """Return where the sums would move for each person.

        Under substitution the person stays, with an extreme value, or goes to another
        group: the one whose statistic a newcomer can raise most, or lower most. These
        are the moves of the greatest distance; a mechanism whose loss depends on the
        position too (truncated noise) may find another group a little worse.
        """
        moves = self._moves(values, relation)
        return NeighborValues(
            actual=moves.actual,
            reached=lambda rows: moves.alternatives(moves.kind[rows]),
            kinds=len(moves.kind),
        )

    def neighbors_added(
        self,
        values: FloatArray,
        relation: NeighboringRelation,  # noqa: ARG002 - sizes are private under both
    ) -> FloatArray:
        """Return the statistics after a person joins each of the groups, (c, K + 1)."""
        numbers, codes = self._read(values)
        actual = self.value(values)
        joined = self._joined(numbers, codes)
        count, extremes = joined.shape
        reached = np.tile(actual, (count, extremes, 1))
        everyone = np.arange(count)
        reached[everyone, :, everyone] = joined
        return reached.reshape(-1, count)

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return the largest bound of all parts; ``parts`` has that of each."""
        each = [part.sampling_sd(estimate) for part in dict.fromkeys(self.parts)]
        return np.asarray(np.maximum.reduce(each))

    def _read(self, values: FloatArray) -> tuple[FloatArray, NDArray[np.intp]]:
        numbers, codes = grouped_rows(values, columns=1, groups=len(self.parts))
        return numbers[:, 0], codes

    def _moves(self, values: FloatArray, relation: NeighboringRelation) -> _Moves:
        numbers, codes = self._read(values)
        kind, group, actual = np.empty(len(codes), dtype=np.intp), [], []
        staying, leaving, start = [], [], 0
        for j, part in enumerate(self.parts):
            members = numbers[codes == j]
            own = part.neighbors(members, relation)
            alone = part.neighbors(members, NeighboringRelation.ADD_REMOVE)
            instead = own.alternatives[..., 0]
            kind[codes == j] = start + (np.arange(own.people) if own.kind is None else own.kind)
            actual.append(own.actual[0])
            group.append(np.full(len(instead), j, dtype=np.intp))
            staying.append(instead)
            leaving.append(alone.alternatives[:, 0, 0])
            start += len(instead)
        joining = self._joined(numbers, codes) - np.array(actual)[:, np.newaxis]
        replaced = relation is NeighboringRelation.SUBSTITUTION
        return _Moves(
            actual=np.array(actual),
            kind=kind,
            group=np.concatenate(group),
            staying=np.concatenate(staying),
            leaving=np.concatenate(leaving),
            joining=_farthest_others(joining) if replaced else None,
        )

    def _joined(self, numbers: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
        """Return each part after an extreme newcomer, shape ``(K + 1, 2)``."""
        joined = [
            part.neighbors_added(numbers[codes == j], NeighboringRelation.ADD_REMOVE)
            for j, part in enumerate(self.parts)
        ]
        return np.array([[each.min(), each.max()] for each in joined])


class _Moves(NamedTuple):
    """What each kind of people can do to the parts. CONFIDENTIAL."""

    actual: FloatArray
    kind: NDArray[np.intp]
    """Each person's kind, ``(n,)``."""
    group: NDArray[np.intp]
    """Group of each of the ``m`` kinds."""
    staying: FloatArray
    """The own part after the record changed within the group or was removed."""
    leaving: FloatArray
    """The own part without the person, ``(m,)``."""
    joining: tuple[tuple[NDArray[np.intp], FloatArray], ...] | None
    """For each own group another one to join, and how its part moves; if allowed."""

    def alternatives(self, kinds: NDArray[np.intp]) -> FloatArray:
        """Return the values of all parts instead, ``(r, a, K + 1)``."""
        rows, group = np.arange(len(kinds)), self.group[kinds]
        stays = self.staying.shape[1]
        joining = self.joining or ()
        reached = np.tile(self.actual, (len(kinds), stays + len(joining), 1))
        reached[rows, :stays, group] = self.staying[kinds]
        for side, (other, move) in enumerate(joining, start=stays):
            reached[rows, side, group] = self.leaving[kinds]
            reached[rows, side, other[group]] += move[group]
        return reached


def _farthest_others(moves: FloatArray) -> tuple[tuple[NDArray[np.intp], FloatArray], ...]:
    """Return for each group the other one that moves down most, and up most."""
    own = np.eye(len(moves), dtype=bool)
    lowest = np.where(own, np.inf, moves[:, 0]).argmin(axis=1)
    highest = np.where(own, -np.inf, moves[:, 1]).argmax(axis=1)
    return (lowest, moves[lowest, 0]), (highest, moves[highest, 1])
