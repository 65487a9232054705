"""What every statistic offers: its value, and what a person can change.

A statistic is fixed by public numbers alone (bounds, table size, bins). Confidential
values are an argument, and are clamped once.

A table may lie in parts: blocks of rows of which one is in memory at a time. A
statistic takes a partial result from each part (sums, sums of products of deviations
from the means, counts), combines them, and finalizes its value from the whole. A table
in memory is one part: there is one way to a value. Partial results are combined by sums
that are rounded once, as if of real numbers (Shewchuk 1997, ``math.fsum``): the order
in which they come makes no difference to a digit. Where the table is cut makes one of
rounding, in the sums within parts; counts are exact.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import NeighboringRelation

Rows = slice | NDArray[np.intp]
"""Positions of some people."""
_NUMBERS: Final = 1 << 16
"""Numbers in a block: half a megabyte. What is computed on the way stays in the
processor's cache."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NeighborValues:
    """The values of a statistic for the neighbors of a table. CONFIDENTIAL.

    For each of ``m`` kinds of people there are ``a`` values that the statistic can take
    instead. Removal has one; substitution has the lowest and the highest reachable
    value (between them the loss is smaller), or the moves to extreme cells for a
    histogram. NaN where the statistic is undefined without the person.

    A covariance matrix of six columns has 21 coordinates; for a million people one
    alternative of each is 168 MB. So values may be computed when asked for, a block of
    people at a time.

    Attributes:
        actual: The statistic of the whole table, shape ``(k,)``.
        reached: Returns the values instead, shape ``(r, a, k)``, of ``r`` kinds.
        kinds: The number of kinds of people ``m``.
        kind: Shape ``(n,)``: the kind of each person; ``None`` where person ``i`` is
            of kind ``i`` (then ``m == n``).
        in_blocks: Whether the values are too many to be held all at once.

    >>> lazy = NeighborValues(
    ...     actual=np.zeros(1),
    ...     reached=lambda rows: np.arange(3.0)[rows, np.newaxis, np.newaxis],
    ...     kinds=3,
    ... )
    >>> lazy.map(lambda block: block.alternatives[:, 0, 0] ** 2)
    array([0., 1., 4.])

    """

    actual: FloatArray = field(repr=False)
    reached: Callable[[Rows], FloatArray] = field(repr=False)
    kinds: int
    kind: NDArray[np.intp] | None = field(default=None, repr=False)
    in_blocks: bool = True

    @classmethod
    def at_once(
        cls, actual: FloatArray, alternatives: FloatArray, kind: NDArray[np.intp] | None = None
    ) -> Self:
        """Return values that are known, shape ``(m, a, k)``."""
        return cls(
            actual=actual,
            reached=alternatives.__getitem__,
            kinds=len(alternatives),
            kind=kind,
            in_blocks=False,
        )

    @property
    def people(self) -> int:
        """Return the number of people."""
        return self.kinds if self.kind is None else len(self.kind)

    @property
    def alternatives(self) -> FloatArray:
        """Return the values of all kinds of people at once, shape ``(m, a, k)``."""
        return self.reached(slice(0, self.kinds))

    def of_person(self, person: int) -> FloatArray:
        """Return the values for one person, shape ``(a, k)``."""
        row = person if self.kind is None else int(self.kind[person])
        return np.asarray(self.reached(slice(row, row + 1))[0])

    def blocks(self, numbers: int | None = None) -> Iterator[NeighborValues]:
        """Yield the values of consecutive kinds of people, so many numbers at a time."""
        rows = max(1, (numbers or _NUMBERS) // len(self.actual)) if self.in_blocks else self.kinds
        for start in range(0, self.kinds, max(rows, 1)):
            stop = min(start + rows, self.kinds)
            yield NeighborValues.at_once(self.actual, self.reached(slice(start, stop)))

    def map(self, of_block: Callable[[NeighborValues], FloatArray]) -> FloatArray:
        """Return one number per person from a function of a block of kinds."""
        numbers, start = np.empty(self.kinds), 0
        for block in self.blocks():
            numbers[start : start + block.kinds] = of_block(block)
            start += block.kinds
        return numbers if self.kind is None else numbers[self.kind]

    def distances(self, people: NDArray[np.intp] | None = None) -> FloatArray:
        """Return how far each of ``people`` (or everybody) can move the statistic.

        The changes of all coordinates are added up.
        """
        if people is None:
            return self.map(lambda block: block.distances_of(slice(None)))
        return self.distances_of(people if self.kind is None else self.kind[people])

    def distances_of(self, kinds: Rows) -> FloatArray:
        """Return how far some kinds of people can move the statistic."""
        moved = np.abs(self.reached(kinds) - self.actual)
        return np.asarray(moved.sum(axis=-1).max(axis=-1))


Partial = Any
"""What a statistic needs of some people, ``Sums`` or ``Moments``. CONFIDENTIAL."""


class Statistic(ABC):
    """A statistic of clamped values, described by public numbers.

    Implementations are frozen dataclasses. ``values`` has one entry for each person.
    """

    __slots__ = ()

    in_parts: ClassVar[bool] = True
    """Whether a table may be cut anywhere: the rows of one person lie in one part."""
    neighbors_of_parts: ClassVar[bool] = True
    """Whether ``neighbors`` of some people need but the whole and these people."""
    additive: ClassVar[bool] = False
    """Whether every row adds something of its own."""
    row_width: ClassVar[int] = 0
    """How many numbers a row has; 0 for one that stands alone."""

    if TYPE_CHECKING:

        @property
        def labels(self) -> tuple[str, ...]:
            """Name of each of the ``k`` coordinates."""

    @property
    @abstractmethod
    def range(self) -> Interval:
        """Return the public interval that contains every coordinate."""

    @abstractmethod
    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change the statistic, over all tables."""

    @abstractmethod
    def partial(self, values: FloatArray) -> Partial:
        """Return what is needed of some of the people, or of nobody. CONFIDENTIAL.

        Raises:
            ParameterError: A value is missing, or is no cell or group that there is.

        """

    def combine(self, parts: Sequence[Partial]) -> Partial:
        """Return what is needed of the people of all parts. CONFIDENTIAL."""
        return parts[0].combine(parts)

    @abstractmethod
    def finalize(self, whole: Partial) -> FloatArray:
        """Return the statistic, shape ``(k,)``, of the whole table. CONFIDENTIAL.

        Raises:
            ParameterError: A public size is not met.

        """

    def value(self, values: FloatArray) -> FloatArray:
        """Return the statistic, shape ``(k,)``, of a table. CONFIDENTIAL.

        Raises:
            ParameterError: As ``partial`` and ``finalize`` do.

        """
        return self.finalize(self.partial(values))

    @abstractmethod
    def neighbors(
        self, values: FloatArray, relation: NeighboringRelation, whole: Partial | None = None
    ) -> NeighborValues:
        """Return where the statistic would move for each person.

        ``values`` are those of a part of the people where ``whole`` is what is combined
        of all of them (only if ``neighbors_of_parts``).
        """

    @abstractmethod
    def neighbors_added(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return the statistic after one more person joins, shape ``(c, k)``.

        One row for each extreme record the newcomer may have; ``c`` is 0 where the
        relation and the size leave no room for a newcomer. CONFIDENTIAL.
        """

    @abstractmethod
    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return a bound on the sampling standard deviation at a public estimate.

        It treats the table as a simple random sample from a population, and uses only
        the public numbers and ``estimate`` (never the confidential values).
        """


class NumericStatistic(Statistic):
    """A statistic of the numbers of one column."""

    __slots__ = ()

    @abstractmethod
    def raw(self, values: FloatArray) -> FloatArray:
        """Return what people mean by its name, shape ``(1,)``. CONFIDENTIAL.

        Of ``values`` as they are, shape ``(n, 1)``: no bounds, no public minimum. The
        caller silences what NumPy says where it is not defined.
        """


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sums:
    """Sums over some people. CONFIDENTIAL.

    Attributes:
        people: Their number.
        total: The sums, shape ``(k,)``.

    """

    people: int = field(repr=False)
    total: FloatArray = field(repr=False)

    @classmethod
    def combine(cls, parts: Sequence[Self]) -> Self:
        """Return the sums over the people of all parts; there is at least one part."""
        return cls(
            people=sum(part.people for part in parts),
            total=_rounded_once([part.total for part in parts]),
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
    def combine(cls, parts: Sequence[Self]) -> Self:
        """Return the moments of the people of all parts; there is at least one part.

        With ``n_i`` people of a group in part ``i`` and ``m_i`` their mean, the group
        has the mean ``m = sum(n_i m_i) / n``, and its sum of products is that of all
        parts and ``sum(n_i (m_i - m)_x (m_i - m)_y)`` (Chan, Golub and LeVeque 1979).
        """
        some = [part for part in parts if part.people]
        if len(some) < 2:  # noqa: PLR2004 - nothing is put together
            return (some or parts)[0]
        counts = _rounded_once([part.counts for part in some])
        total = _rounded_once([part.counts[:, np.newaxis] * part.means for part in some])
        means = total / np.maximum(counts, 1)[:, np.newaxis]
        first, second = np.array(some[0].pairs, dtype=np.intp).T
        between: list[FloatArray] = []
        for part in some:
            away = part.means - means
            products = away[:, first] * away[:, second]
            between.extend(part.counts[:, np.newaxis] * products)
        sums = _rounded_once([*(part.sums for part in some), *between])
        return cls(counts=counts, means=means, pairs=some[0].pairs, sums=sums)


def _rounded_once(arrays: Sequence[FloatArray]) -> FloatArray:
    """Return the sum of arrays of one shape, each number rounded once."""
    if len(arrays) == 1:
        return arrays[0]
    stacked = np.stack(arrays)
    columns = stacked.reshape(len(arrays), -1).T.tolist()
    return np.array([math.fsum(each) for each in columns]).reshape(stacked.shape[1:])
