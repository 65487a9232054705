"""A cross table of two or three columns: noise on every cell, and the totals that follow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses import secure
from dpcore.analyses.base import Question, QuestionTerms, Request, column_from
from dpcore.analyses.measurement import Answer, Direct, LabelledIntervals, Plan
from dpcore.analyses.number import QUERY, Query, count_cells
from dpcore.arrays import FloatArray
from dpcore.codec import WHOLE, Schema, if_any, list_in, object_in, several
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset, DescribedTable
from dpcore.errors import ParameterError
from dpcore.formatting import distinct
from dpcore.inference.intervals import count_intervals, sides
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.conditions import said_once
from dpcore.statistics.grouping import MOST_COLUMNS, SIDE_BY_SIDE, enumerated
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.parameters import COLUMN, PLACE, SHARED
from dpcore.statistics.statistic import Statistic

MOST_CELLS: Final = 400
"""Cells of a table that somebody can read, and whose intervals say something."""


class OfHistograms(Question):
    """A question about several columns, made of the histogram of each."""

    __slots__ = ()
    most_columns: ClassVar[int]

    if TYPE_CHECKING:  # a field or a property

        @property
        def axes(self) -> tuple[Query, ...]:
            """A question about the histogram of each column, on the same terms."""

    def check_axes(self) -> None:
        """Refuse questions that are not about different columns on the same terms.

        Raises:
            ParameterError: They are no such questions.

        """
        first, *others = self.axes
        if {each.kind for each in self.axes} != {StatisticKind.HISTOGRAM}:
            raise ParameterError(f"a {self.kind} is made of the histograms of its columns.")
        names = {column.name for column in self.columns}
        if not 1 < len(names) == len(self.axes) <= self.most_columns:
            raise ParameterError(f"a {self.kind} needs 2 to {self.most_columns} different columns.")
        if any(replace(each, column=first.column, edges=first.edges) != first for each in others):
            raise ParameterError(f"all columns of a {self.kind} are asked about on the same terms.")

    @property
    def column(self) -> Column:
        """Return the first column."""
        return self.axes[0].column

    @property
    def measured(self) -> tuple[Column, ...]:
        """Return all columns."""
        return tuple(each.column for each in self.axes)

    @property
    def relation(self) -> NeighboringRelation:
        """Return which tables are neighbors."""
        return self.axes[0].relation

    @property
    def unit(self) -> PrivacyUnit:
        """Return the privacy unit."""
        return self.axes[0].unit

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """Return what the answers to each column are called."""
        return tuple(each.statistic.labels for each in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Return how many answers each column has."""
        return tuple(map(len, self.names))

    @property
    def unit_text(self) -> str:
        """Return what is counted."""
        return self.unit.counted


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossedQuery(OfHistograms):
    """The number of people in each cell of a table of two or three columns.

    Everybody is in one cell: that of one answer to each. So it is a histogram whose
    cells are tuples, with the sensitivity of one, however many cells there are: who
    joins or leaves changes one count by 1, and who has another record two counts, by 1
    each. The totals of every column follow from the counts.

    Attributes:
        crossed: A question about the histogram of each column, on the same terms.

    Raises:
        ParameterError: They are no such questions, or there are too many cells.

    """

    kind: ClassVar = StatisticKind.CROSS_TABLE
    kinds: ClassVar = (StatisticKind.CROSS_TABLE,)
    crossed: tuple[Query, ...]
    most_columns: ClassVar[int] = MOST_COLUMNS

    def __post_init__(self) -> None:
        self.unit.check_one_row(f"a {self.kind} is")
        self.check_axes()
        self._check_cells()

    def _check_cells(self) -> None:
        if math.prod(self.shape) > MOST_CELLS:
            raise ParameterError(
                f"a cross table has {MOST_CELLS} cells at most, got "
                f"{' x '.join(map(str, self.shape))}; choose fewer bins or shorter lists."
            )

    @property
    def axes(self) -> tuple[Query, ...]:
        """Return the question about each column."""
        return self.crossed

    @property
    def size(self) -> TableSize:
        """Return what is public about the number of people."""
        return self.crossed[0].size

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the name of each cell; the answers to the last column vary first."""
        return self._called[: math.prod(self.shape)]

    @property
    def margins(self) -> tuple[str, ...]:
        """Return the name of the total of each answer, those of the first column first."""
        return self._called[math.prod(self.shape) :]

    @property
    def statistic(self) -> Statistic:
        """Return the counts of all cells."""
        return Histogram(labels=self.cells, size=self.size)

    @property
    def title(self) -> str:
        """Return the question in words, such as "number of people by sex and level"."""
        names = enumerated(said_once(*(column.title for column in self.columns)))
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
    def units(self) -> dict[str, str]:
        """Return the unit of the totals, by name."""
        return dict.fromkeys(self.margins, self.unit.counted)

    def resized(self, people: int) -> Self:
        """Return the same question of another number of people."""
        return replace(self, crossed=tuple(each.resized(people) for each in self.crossed))

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

    def counted_rows(self, dataset: Dataset) -> NDArray[np.intp]:
        """Return the row, from 0, of who has all answers. CONFIDENTIAL."""
        return reduce(np.intersect1d, [each.counted_rows(dataset) for each in self.crossed])

    def row_values(self, dataset: Dataset) -> FloatArray:
        """Return the cell of everybody who has all answers. CONFIDENTIAL.

        Missing values are dropped or replaced as each column says.

        Raises:
            DataError: If a column cannot be read as declared.
            ParameterError: If the data set declares a column otherwise.

        """
        places = self.answers(dataset)
        return np.ravel_multi_index(places, self.shape).astype(np.float64)

    def answers(self, dataset: Dataset) -> tuple[NDArray[np.intp], ...]:
        """Return the cell of each column of everybody who has all answers. CONFIDENTIAL.

        Raises:
            DataError, ParameterError: As ``values``.

        """
        kept = self.counted_rows(dataset)
        places = (
            each.row_values(dataset)[np.searchsorted(each.counted_rows(dataset), kept)]
            for each in self.crossed
        )
        return tuple(place.astype(np.intp) for place in places)

    @classmethod
    def from_terms(  # type: ignore[override] # parts of this shape
        cls, terms: QuestionTerms, *, bins: int | None = None
    ) -> Self:
        """Return the table of all columns; those of numbers are divided into ``bins``."""
        return cls(crossed=histograms_of(terms, bins, terms.size_of(terms.columns)))

    @classmethod
    def read(cls, content: Mapping[str, Any], dataset: DescribedTable, unit: PrivacyUnit) -> Self:
        """Return the question that parameters describe."""
        return cls(crossed=histograms_from(content, content["crossed"], dataset, unit))

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON."""
        return CROSSED.write(self)

    @property
    def _called(self) -> tuple[str, ...]:
        cells = [SIDE_BY_SIDE.join(names) for names in product(*self.names)]
        sums = [
            f"{each.column.name}: {name}"
            for each, names in zip(self.crossed, self.names, strict=True)
            for name in names
        ]
        return distinct([*cells, *sums])


def histograms_of(terms: QuestionTerms, bins: int | None, size: TableSize) -> tuple[Query, ...]:
    """Return a question about the histogram of each column that a notebook names."""
    return tuple(
        Query.from_terms(
            replace(terms, kind=StatisticKind.HISTOGRAM, columns=(column,)),
            bins=bins if column.kind.is_numeric else None,
            size=size,
        )
        for column in terms.columns
    )


def histograms_from(
    content: Mapping[str, Any],
    axes: object,
    dataset: DescribedTable,
    unit: PrivacyUnit,
    **known: Any,  # noqa: ANN401 - fields of the questions
) -> tuple[Query, ...]:
    """Return the questions about each column that parameters describe, as ``column_from``."""
    counted = {**content, "kind": StatisticKind.HISTOGRAM.value, "membership": None}
    return tuple(
        QUERY.read(
            {**counted, "edges": axis.get("edges")},
            unit=unit,
            column=column_from(axis["column"], dataset),
            **known,
        )
        for axis in map(object_in, list_in(axes))
    )


AXIS: Final[Schema[Any]] = Schema(dict, column=COLUMN, edges=if_any(several(PLACE)))
"""What makes one side of a cross table."""
TABLES: Final = several(several(WHOLE))
"""The columns of each of several tables, by their places."""
CROSSED: Final[Schema[Any]] = Schema(dict, **SHARED, crossed=several(AXIS))


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossPlan(Direct):
    """Noise on every cell; cells add up to the released totals.

    Attributes:
        shape: How many answers each column has.
        margins: Name of the total of each answer.

    """

    shape: tuple[int, ...]
    margins: tuple[str, ...]

    @property
    def numbers(self) -> int:
        """Return how many intervals hold together: those of cells and of sums."""
        return len(self.statistic.labels) + len(self.margins)

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the counts of all cells, and the totals."""
        drawn = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        table = drawn.reshape(self.shape)
        around = count_intervals(self.mechanism, table, bounds=self.bounds)
        sums = np.concatenate([side.sum(axis=1) for side in sides(table)])
        names = self.statistic.labels
        return Answer(
            labels=names,
            values=tuple(drawn.tolist()),
            intervals=LabelledIntervals.of((*names, *self.margins), around),
            derived=dict(zip(self.margins, sums.tolist(), strict=True)),
        )
