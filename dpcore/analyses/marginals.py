"""Several tables of counts of the same columns, such as of all pairs, in one question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice, product
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses import secure
from dpcore.analyses.base import QuestionTerms, Request
from dpcore.analyses.cross_table import AXIS, TABLES, CrossedQuery, histograms_from, histograms_of
from dpcore.analyses.measurement import Answer, LabelledIntervals, OneMechanism, Width
from dpcore.analyses.number import count_cells
from dpcore.arrays import FloatArray
from dpcore.codec import TRUTH, Schema, several
from dpcore.data.bounds import Interval
from dpcore.data.dataset import Dataset, DescribedTable
from dpcore.errors import ParameterError
from dpcore.formatting import distinct
from dpcore.inference.intervals import (
    LEVEL,
    Intervals,
    expected_counts,
    level_of_each,
    weighted_reach,
)
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.postprocessing.consistent_marginals import consistent, first_cells, noise_weights
from dpcore.privacy_filter import PrivacyCost
from dpcore.relations import PrivacyUnit
from dpcore.statistics.conditions import said_once
from dpcore.statistics.grouping import MOST_COLUMNS, SIDE_BY_SIDE, enumerated
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.marginals import MOST_TOGETHER, Marginals
from dpcore.statistics.parameters import SHARED

_MOST_NAMED: Final = 3
"""Tables that a title names one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginalsQuery(CrossedQuery):
    """The number of people in each cell of several tables of one to three columns.

    Everybody who has all answers is in one cell of each table, so that the counts of
    different tables are of the same people.

    Attributes:
        tables: The columns of each table, by their places in ``crossed`` from 0.
        consistent: Whether the tables are made to agree after the noise is added.

    Raises:
        ParameterError: They are no such tables, or have too many cells.

    """

    margins: ClassVar = ()
    kind: ClassVar = StatisticKind.MARGINALS
    kinds: ClassVar = (StatisticKind.MARGINALS,)
    tables: tuple[tuple[int, ...], ...]
    consistent: bool = True
    most_columns: ClassVar[int] = 10

    def _check_cells(self) -> None:
        if any(len(table) > MOST_COLUMNS for table in self.tables):
            raise ParameterError(f"a table of a set has 1 to {MOST_COLUMNS} columns.")
        _ = self.statistic  # which checks the tables

    @property
    def table_titles(self) -> tuple[str, ...]:
        """Return what each table is called, by the titles of its columns."""
        titles = said_once(*(column.title for column in self.columns))
        return tuple(SIDE_BY_SIDE.join(titles[place] for place in table) for table in self.tables)

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the name of each cell of each table; of too many, one more than can be counted."""
        found = (
            f"{SIDE_BY_SIDE.join(self.columns[place].name for place in table)}: "
            f"{SIDE_BY_SIDE.join(cell)}"
            for table in self.tables
            for cell in product(*(self.names[place] for place in table))
        )
        return distinct(islice(found, MOST_TOGETHER + 1))

    @property
    def statistic(self) -> Marginals:
        """Return the counts of all cells of all tables."""
        return Marginals(shape=self.shape, tables=self.tables, labels=self.cells, size=self.size)

    @property
    def title(self) -> str:
        """Return the question in words, such as "number of people by sex and sex × level"."""
        tables = enumerated(self.table_titles)
        if len(self.tables) > _MOST_NAMED:
            names = enumerated(said_once(*(column.title for column in self.columns)))
            tables = f"{len(self.tables)} tables of {names}"
        return f"number of {self.unit.counted} by {tables}"

    def raw(self, values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:  # noqa: ARG002 - no groups
        """Return the counts of all cells, of values as they are."""
        counts = (
            count_cells(tuple(self.crossed[place] for place in table), values[:, list(table)])
            for table in self.tables
        )
        return np.concatenate([*counts])

    def row_values(self, dataset: Dataset) -> FloatArray:
        """Return the cells of everybody who has all answers, shape ``(n, d)``. CONFIDENTIAL."""
        return np.stack(self.answers(dataset), axis=1).astype(np.float64)

    def plan(self, request: Request) -> MarginalsPlan:
        """Return how a request for it is carried out."""
        mechanism = request.mechanism
        assert isinstance(mechanism, Laplace | Gaussian)  # noqa: S101 - no other is offered
        return MarginalsPlan(
            mechanism=mechanism,
            statistic=self.statistic,
            sensitivity=request.sensitivity,
            bounds=self.bounds,
            consistent=self.consistent,
        )

    @classmethod
    def from_terms(  # type: ignore[override] # parts of this shape
        cls,
        terms: QuestionTerms,
        *,
        tables: Sequence[Sequence[str]] = (),
        bins: int | None = None,
        consistent: bool = True,
    ) -> Self:
        """Return the ``tables`` of the columns of these names, of every pair if not given."""
        crossed = histograms_of(terms, bins, terms.size_of(terms.columns))
        places = {column.name: place for place, column in enumerate(terms.columns)}
        return cls(
            crossed=crossed,
            tables=tuple(
                tuple(places[terms.named(name).name] for name in table) for table in tables
            )
            or tuple(combinations(range(len(crossed)), 2)),
            consistent=consistent,
        )

    @classmethod
    def read(cls, content: Mapping[str, Any], dataset: DescribedTable, unit: PrivacyUnit) -> Self:
        """Return the question that parameters describe."""
        return cls(
            crossed=histograms_from(content, content["crossed"], dataset, unit),
            tables=TABLES.read(content["tables"]),
            consistent=TRUTH.read(content["consistent"]),
        )

    def parameters(self) -> dict[str, Any]:
        """Return all that defines the analysis, ready for JSON."""
        return MARGINALS.write(self)


MARGINALS: Final[Schema[Any]] = Schema(
    dict, **SHARED, crossed=several(AXIS), tables=TABLES, consistent=TRUTH
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginalsPlan(OneMechanism):
    """Noise on every cell of every table; then the tables are made to agree, if asked."""

    mechanism: Laplace | Gaussian
    statistic: Marginals
    bounds: Interval
    consistent: bool

    @property
    def numbers(self) -> int:
        """Return how many numbers are told, whose intervals hold together."""
        return len(self.statistic.labels)

    def half_widths(self, level: float) -> FloatArray:
        """Return how far off each number is: alike for all cells of a table."""
        weights = _weights(self.statistic, consistent=self.consistent)
        each = [weighted_reach(self.mechanism, row, 1 - level) for row in weights]
        return np.repeat(each, self.statistic.counts)

    def width(self, *, unit: str, group: int) -> Width:  # noqa: ARG002 - a common signature
        """Return the half-width of the worst of all numbers at once, at 95%."""
        each = self.half_widths(level_of_each(self.numbers))
        return Width(half=float(each.max()), unit=unit)

    def answer(self, value: FloatArray, *, cost: PrivacyCost) -> Answer:
        """Return the counts of all tables, with their intervals."""
        drawn = secure.draw(self.mechanism, value, sensitivity=self.sensitivity, cost=cost)
        counts = consistent(self.statistic, drawn) if self.consistent else drawn
        missed, labels = 1 - level_of_each(self.numbers), self.statistic.labels
        # For the population, half of what may be missed is left to sampling.
        total = expected_counts(self._around(counts, missed / 2), missed / 2)
        around = Intervals(
            level=LEVEL, noise=self._around(counts, missed), total=self.bounds.clip(total)
        )
        return Answer(
            labels=labels,
            values=tuple(counts.tolist()),
            intervals=LabelledIntervals.of(labels, around),
        )

    def _around(self, counts: FloatArray, missed: float) -> FloatArray:
        off = self.half_widths(1 - missed)
        return self.bounds.clip(np.stack([counts - off, counts + off], axis=-1))


@lru_cache(maxsize=64)
def _weights(statistic: Marginals, *, consistent: bool) -> FloatArray:
    """Return the weights of all noise in the first cell of each table."""
    return noise_weights(statistic) if consistent else first_cells(statistic)
