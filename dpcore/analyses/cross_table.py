"""A cross table of two columns: noise on every cell, and the sums that follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses import secure
from dpcore.analyses.base import Question, Request, column_from
from dpcore.analyses.measurement import Answer, Direct, LabelledIntervals, Plan
from dpcore.analyses.number import QUERY, Query, count_cells
from dpcore.arrays import FloatArray
from dpcore.codec import Schema, if_any, list_in, object_in, several
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import Table
from dpcore.errors import ParameterError
from dpcore.formatting import distinct
from dpcore.inference.intervals import count_intervals
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.conditions import said_once
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import COLUMN, PLACE, SHARED

MOST_CELLS: Final = 400
"""Cells of a table that somebody can read, and whose intervals say something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossedQuery(Question):
    """The number of people in each cell of a table of two columns.

    Everybody is in one cell: that of the one answer and the other. So it is a histogram
    whose cells are pairs, with the sensitivity of one, however many cells there are:
    who joins or leaves changes one count by 1, and who has another record two counts,
    by 1 each. Sums of rows and columns follow from the counts.

    Attributes:
        first: What makes the rows: a question about the histogram of a column.
        second: What makes the columns, of another column on the same terms.

    Raises:
        ParameterError: The two are not such questions, or there are too many cells.

    """

    first: Query
    second: Query

    def __post_init__(self) -> None:
        self.unit.check_one_row("a cross table is")
        kinds = {self.first.kind, self.second.kind}
        if kinds != {StatisticKind.HISTOGRAM}:
            raise ParameterError("a cross table is made of the histograms of two columns.")
        if self.first.column.name == self.second.column.name:
            raise ParameterError("a cross table needs two different columns.")
        if replace(self.second, **self._own(self.first)) != self.first:
            raise ParameterError("both columns of a cross table are asked about on the same terms.")
        rows, columns = self.shape
        if rows * columns > MOST_CELLS:
            raise ParameterError(
                f"a cross table has {MOST_CELLS} cells at most, got {rows} x "
                f"{columns}; choose fewer bins or shorter lists."
            )

    @property
    def crossed(self) -> tuple[Query, Query]:
        """Return the question about the rows, and that about the columns."""
        return (self.first, self.second)

    @property
    def kind(self) -> StatisticKind:
        """Return that it is a cross table."""
        return StatisticKind.CROSS_TABLE

    @property
    def column(self) -> Column:
        """Return the column that makes the rows."""
        return self.first.column

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return both columns."""
        return (self.first.column, self.second.column)

    @property
    def relation(self) -> NeighboringRelation:
        """Return which tables are neighbors."""
        return self.first.relation

    @property
    def unit(self) -> PrivacyUnit:
        """Return whom the guarantee protects."""
        return self.first.unit

    @property
    def size(self) -> TableSize:
        """Return what is public about the number of people."""
        return self.first.size

    @property
    def shape(self) -> tuple[int, int]:
        """Return how many rows and columns there are."""
        rows, columns = (len(names) for names in self.names)
        return rows, columns

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what the rows and what the columns are called."""
        return self.first.statistic.labels, self.second.statistic.labels

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the name of each cell, those of the first row first."""
        return self._called[: self.shape[0] * self.shape[1]]

    @property
    def margins(self) -> tuple[str, ...]:
        """Return the name of the sum of each row, then of each column."""
        return self._called[self.shape[0] * self.shape[1] :]

    @property
    def statistic(self) -> Histogram:
        """Return the counts of all cells."""
        return Histogram(labels=self.cells, size=self.size)

    @property
    def title(self) -> str:
        """Return the question in words, such as "number of people by sex and level"."""
        names = " and ".join(said_once(*(column.title for column in self.columns)))
        return f"number of {self.unit.counted} by {names}"

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what becomes of values before they are counted, in words."""
        return tuple(
            f"{condition} ({each.column.title})"
            for each in self.crossed
            for condition in each.conditions
        )

    @property
    def unit_text(self) -> str:
        """Return what is counted."""
        return self.unit.counted

    @property
    def units(self) -> dict[str, str]:
        """Return the unit of the sums of rows and columns, by name."""
        return dict.fromkeys(self.margins, self.unit.counted)

    def resized(self, people: int) -> Self:
        """Return the same question of another number of people."""
        first, second = (each.resized(people) for each in self.crossed)
        return replace(self, first=first, second=second)

    @property
    def measured(self) -> tuple[Column, ...]:
        """Return both columns."""
        return self.columns

    def clamp(self, column: Column) -> tuple[float, float]:
        """Return the bounds that values of one of the columns are moved to."""
        return next(each for each in self.crossed if each.column == column).clamp(column)

    def raw(self, values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:  # noqa: ARG002 - no groups
        """Return the counts of all cells, of values as they are."""
        return count_cells(self.crossed, values)

    def plan(self, request: Request) -> Plan:
        """Return how a request for it is carried out."""
        return CrossPlan(
            mechanism=request.mechanism,
            statistic=self.statistic,
            sensitivity=request.sensitivity,
            bounds=self.bounds,
            shape=self.shape,
            margins=self.margins,
        )

    def rows(self, dataset: Dataset) -> NDArray[np.intp]:
        """Return the row, from 0, of who has both answers. CONFIDENTIAL."""
        return np.intersect1d(self.first.rows(dataset), self.second.rows(dataset))

    def values(self, dataset: Dataset) -> FloatArray:
        """Return the cell of everybody who has both answers. CONFIDENTIAL.

        Missing values are dropped or replaced as each column says.

        Raises:
            DataError: If a column cannot be read as declared.
            ParameterError: If the data set declares a column otherwise.

        """
        kept = self.rows(dataset)
        first, second = (
            each.values(dataset)[np.searchsorted(each.rows(dataset), kept)] for each in self.crossed
        )
        return np.asarray(first * self.shape[1] + second)

    @classmethod
    def read(cls, content: Mapping[str, Any], dataset: Table, unit: PrivacyUnit) -> Self:
        """Return the question that parameters describe."""
        if content["kind"] != StatisticKind.CROSS_TABLE:
            raise LookupError
        counted = {**content, "kind": StatisticKind.HISTOGRAM.value}
        first, second = (
            QUERY.read(
                {**counted, "membership": None, "edges": axis.get("edges")},
                unit=unit,
                column=column_from(axis["column"], dataset),
            )
            for axis in map(object_in, list_in(content["crossed"]))
        )
        return cls(first=first, second=second)

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON."""
        return CROSSED.write(self)

    @property
    def _called(self) -> tuple[str, ...]:
        rows, columns = self.names
        cells = [f"{row} × {column}" for row in rows for column in columns]
        sums = [
            f"{each.column.name}: {name}"
            for each, names in zip(self.crossed, self.names, strict=True)
            for name in names
        ]
        return distinct([*cells, *sums])

    @staticmethod
    def _own(query: Query) -> dict[str, Any]:
        return {"column": query.column, "edges": query.edges}


AXIS: Final[Schema[Any]] = Schema(dict, column=COLUMN, edges=if_any(several(PLACE)))
"""What makes the rows, or the columns, of a cross table."""
CROSSED: Final[Schema[Any]] = Schema(dict, **SHARED, crossed=several(AXIS))


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossPlan(Direct):
    """Noise on every cell; rows and columns add up to the sums that are told.

    Attributes:
        shape: Number of rows and columns.
        margins: Name of the sum of each row, then of each column.

    """

    shape: tuple[int, int]
    margins: tuple[str, ...]

    @property
    def numbers(self) -> int:
        """Return how many intervals hold together: those of cells and of sums."""
        return len(self.statistic.labels) + len(self.margins)

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the counts of all cells, and the sums of rows and columns."""
        drawn = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        table = drawn.reshape(self.shape)
        around = count_intervals(self.mechanism, table, bounds=self.bounds)
        sums = np.concatenate([table.sum(axis=1), table.sum(axis=0)])
        names = self.statistic.labels
        return Answer(
            labels=names,
            values=tuple(drawn.tolist()),
            intervals=LabelledIntervals.of((*names, *self.margins), around),
            derived=dict(zip(self.margins, sums.tolist(), strict=True)),
        )
