"""How many people are in each cell of several tables of the same columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import NeighboringRelation
from dpcore.statistics.checks import can_join, cells, numeric_rows
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.statistic import NeighborValues, Rows, Sums

MOST_TOGETHER: Final = 2_000
"""Cells of all tables together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marginals(Histogram):
    """Number of people in each cell of several tables, each of some of the columns.

    ``values`` are everybody's cells of each column, shape ``(n, d)``. Everybody is in
    one cell of each of the ``k`` tables. A person who is added or removed changes ``k``
    counts, by 1 each. One who is replaced changes ``2k`` counts at most, by 1 each: all
    of them where every column differs. So L1 is ``k`` or ``2k`` and L2 its root.

    Attributes:
        shape: How many cells each column has, at least two.
        tables: The columns of each table, from 0 and in order, all tables different.
        labels: Name of each cell, one table after the other; the last column varies
            first.
        size: What is public about the number of people.

    >>> from dpcore.relations import TableSize
    >>> size = TableSize(people=2, public=True)
    >>> names = tuple("abcdef")
    >>> both = Marginals(shape=(2, 2), tables=((0,), (0, 1)), labels=names, size=size)
    >>> both.value([[0, 1], [1, 1]])
    array([1., 1., 0., 1., 0., 1.])

    """

    shape: tuple[int, ...]
    tables: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        known = {*range(len(self.shape))}
        proper = all(table == tuple(sorted({*table} & known)) for table in self.tables)
        if not proper or not all(self.tables) or len({*self.tables}) < len(self.tables):
            raise ParameterError("every table is made of different columns, in their order.")
        if not 1 <= len(self.labels) == sum(self.counts) <= MOST_TOGETHER:
            raise ParameterError(
                f"the tables have {sum(self.counts):,} cells together, and 1 to {MOST_TOGETHER:,} "
                "can be counted. Choose fewer tables or shorter lists."
            )

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Return how many cells each column of each table has."""
        return tuple(tuple(self.shape[column] for column in table) for table in self.tables)

    @property
    def counts(self) -> tuple[int, ...]:
        """Return how many cells each table has."""
        return tuple(map(math.prod, self.shapes))

    def split(self, numbers: FloatArray) -> list[FloatArray]:
        """Return numbers of all cells, on the last axis, as tables with an axis a column."""
        parts = np.split(numbers, np.cumsum(self.counts)[:-1], axis=-1)
        return [
            part.reshape(*numbers.shape[:-1], *shape)
            for part, shape in zip(parts, self.shapes, strict=True)
        ]

    def sensitivity(self, relation: NeighboringRelation) -> Sensitivity:
        """Return the most that one record can change the counts, over all tables."""
        changed = len(self.tables) * (1 if relation is NeighboringRelation.ADD_REMOVE else 2)
        return Sensitivity(
            coordinates=changed, l1=float(changed), l2=math.sqrt(changed), largest=1.0
        )

    def partial(self, values: FloatArray) -> Sums:
        """Return how many of some people are in each cell."""
        places = self._places(self._answers(values))
        counts = np.bincount(places.ravel(), minlength=len(self.labels)).astype(np.float64)
        return Sums(people=len(places), total=counts)

    def neighbors(
        self, values: FloatArray, relation: NeighboringRelation, whole: Sums | None = None
    ) -> NeighborValues:
        """Return the counts without each person, or after a change of all answers.

        No other record changes more counts, and noise without bounds treats all alike.
        """
        answers, kind = np.unique(self._answers(values), axis=0, return_inverse=True)
        actual = self.finalize(whole or self.partial(values))

        def reached(rows: Rows) -> FloatArray:
            left = actual - self._steps(answers[rows])
            if relation is NeighboringRelation.SUBSTITUTION:
                left += self._steps((answers[rows] + 1) % self.shape)
            return left[:, np.newaxis]

        return NeighborValues(
            actual=actual, reached=reached, kinds=len(answers), kind=kind.astype(np.intp).ravel()
        )

    def neighbors_added(self, values: FloatArray, relation: NeighboringRelation) -> FloatArray:
        """Return the counts after a person joins: all change as many counts."""
        joins = np.zeros((int(can_join(relation, self.size)), len(self.shape)), dtype=np.intp)
        return self.value(values) + self._steps(joins)

    def _answers(self, values: FloatArray) -> NDArray[np.intp]:
        entries = numeric_rows(values, columns=len(self.shape))
        columns = [cells(of, count=count) for of, count in zip(entries.T, self.shape, strict=True)]
        return np.stack(columns, axis=1)

    def _places(self, answers: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the cell of each table that people are in, shape ``(n, k)``."""
        first = np.cumsum([0, *self.counts[:-1]])
        found = [
            np.ravel_multi_index(tuple(answers[:, list(table)].T), shape)
            for table, shape in zip(self.tables, self.shapes, strict=True)
        ]
        return np.asarray(np.stack(found, axis=1) + first, dtype=np.intp)

    def _steps(self, answers: NDArray[np.intp]) -> FloatArray:
        """Return what each person adds to the counts, shape ``(n, cells)``."""
        steps = np.zeros((len(answers), len(self.labels)))
        np.put_along_axis(steps, self._places(answers), 1.0, axis=1)
        return steps
