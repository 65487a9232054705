"""Released counts by the columns whose answers were counted, and which counts to ask for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.base import Releasable, Request
from dpcore.analyses.cross_table import CrossedQuery
from dpcore.analyses.number import Query
from dpcore.analyses.spanning_tree import NO_VALUE, SyntheticQuery, TreePlan
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.record import Release
from dpcore.statistics.bins import usual_edges
from dpcore.statistics.kinds import StatisticKind

if TYPE_CHECKING:
    import pandas as pd

_PAIR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A column with the answers that were counted apart. PUBLIC.

    Attributes:
        query: The question about its histogram, as it was declared for the release.
        has_no_value: Whether rows without a value were counted, too, in a last cell.

    """

    query: Query
    has_no_value: bool = False

    @property
    def column(self) -> Column:
        """Return the column, as it was declared for the release."""
        return self.query.column

    @property
    def edges(self) -> tuple[float, ...] | None:
        """Return the edges of the bins of a number; ``None`` of labels."""
        return self.query.edges

    @property
    def names(self) -> tuple[str, ...]:
        """Return the name of each answer, or of each bin."""
        listed = self.query.statistic.labels
        return (*listed, NO_VALUE) if self.has_no_value else listed

    @property
    def name(self) -> str:
        """Return the name of the column."""
        return self.column.name

    @property
    def has_last_edge(self) -> bool:
        """Return whether the last edge is a value of the last bin."""
        return self.column.kind not in {ColumnKind.WHOLE, ColumnKind.DATE}

    @property
    def cells(self) -> tuple[tuple[str, ...], tuple[float, ...] | None]:
        """Return what tells apart two ways to count the answers of a column."""
        return self.names, self.edges

    def cells_in(self, table: pd.DataFrame) -> NDArray[np.intp]:
        """Return the cell of every row of a synthetic table, whose numbers lie in bins."""
        import pandas as pd  # noqa: PLC0415 - slow to import

        values = table[self.name]
        if self.edges is None:
            found = pd.Index(self.query.statistic.labels).get_indexer(pd.Index(values))
        else:
            inner = np.asarray(self.edges[1:-1])
            found = np.searchsorted(inner, values.astype(np.float64), side="right")
        return np.where(values.isna(), len(self.names) - 1, found)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counted:
    """The released counts of one or two columns. PUBLIC.

    Attributes:
        title: What was asked.
        axes: The one column, or the two.
        counts: The released counts, shape ``(r,)`` or ``(r, c)``; they may be negative.
        ends: Lower and upper end of where each count of the table lies, all of them
            together with the confidence of the release; shape ``(..., 2)``.
        people: The number of people, where it is public.

    """

    title: str
    axes: tuple[Axis, ...]
    counts: FloatArray
    ends: FloatArray
    people: int | None

    @property
    def unit_text(self) -> str:
        """Return what is counted."""
        return self.axes[0].query.unit_text

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(axis.name for axis in self.axes)

    @property
    def widths(self) -> FloatArray:
        """Return half the width of each interval, at least half a person."""
        return np.asarray(np.maximum(self.ends[..., 1] - self.ends[..., 0], 1.0) / 2)

    @property
    def cells(self) -> list[str]:
        """Return the name of each cell, in the order of ``counts.ravel()``."""
        names = [axis.names for axis in self.axes]
        if len(names) == 1:
            return list(names[0])
        return [f"{first} × {second}" for first in names[0] for second in names[1]]


def read(release: Release, request: Releasable) -> tuple[Counted, ...]:
    """Return the counts that a release told; none if it told others.

    Counts are those of histograms, of cross tables and of a synthetic table, with their
    intervals.
    """
    known = release.noise_ends
    if not isinstance(request, Request) or not known:
        return ()
    ends = np.array([known[label] for label in release.labels]).reshape(-1, 2)
    if not np.isfinite(ends).all():
        return ()
    values = np.array(release.values)
    size, start, found = request.query.size, 0, []
    for title, axes in _tables(release, request):
        shape = tuple(len(axis.names) for axis in axes)
        here = slice(start, start := start + math.prod(shape))
        found.append(
            Counted(
                title=title,
                axes=axes,
                counts=values[here].reshape(shape),
                ends=ends[here].reshape(*shape, 2),
                people=size.people if size.public else None,
            )
        )
    return tuple(found)


def _tables(release: Release, request: Request) -> list[tuple[str, tuple[Axis, ...]]]:
    """Return which columns are counted together, in the order of the released counts."""
    question, plan = request.query, request.plan
    if isinstance(question, SyntheticQuery) and isinstance(plan, TreePlan):
        axes = axes_of(question)
        chosen = plan.recorded(release.labels, release.values).chosen
        pairs = [(axes[i], axes[j]) for i, j in chosen]
        alone: list[tuple[Axis, ...]] = [(axis,) for axis in axes]
        counted = f"number of {question.unit_text} by "
        return [(counted + " and ".join(a.name for a in one), one) for one in [*alone, *pairs]]
    if isinstance(question, CrossedQuery) and len(question.crossed) == _PAIR:
        return [(question.title, tuple(Axis(query=query) for query in question.crossed))]
    if isinstance(question, Query) and question.kind is StatisticKind.HISTOGRAM:
        return [(question.title, (Axis(query=question),))]
    return []


def axes_of(question: SyntheticQuery) -> tuple[Axis, ...]:
    """Return the columns of a synthetic table."""
    shapes = zip(question.axes, question.shape, strict=True)
    return tuple(
        Axis(query=query, has_no_value=cells > len(query.statistic.labels))
        for query, cells in shapes
    )


def questions(
    columns: Sequence[Column],
    *,
    hub: Column | None,
    bins: int,
    epsilon: float,
    relation: NeighboringRelation,
    unit: PrivacyUnit,
    size: Callable[..., TableSize],
) -> list[Request]:
    """Return the requests that a synthetic table of these columns needs.

    Args:
        columns: The columns, declared, at least one.
        hub: The one of them that all others are crossed with: what it has in common
            with each is kept. ``None`` counts each column by itself.
        bins: Into how many a column of numbers is cut.
        epsilon: What all requests are calibrated to together, in equal parts.
        relation: Which tables are neighbors.
        unit: The privacy unit.
        size: Returns what is public about the number of people behind columns.

    Raises:
        ParameterError: There is no column, or a table of two would be too large.

    """
    if not columns:
        raise ParameterError("choose at least one column.")
    others = [column for column in columns if column is not hub]
    pairs: list[tuple[Column, ...]] = [] if hub is None else [(hub, other) for other in others]
    asked: list[tuple[Column, ...]] = pairs or [(column,) for column in columns]

    def counts(column: Column, *of: Column) -> Query:
        return Query(
            kind=StatisticKind.HISTOGRAM,
            column=column,
            relation=relation,
            unit=unit,
            size=size(*of),
            edges=_edges(column, bins),
        )

    made = []
    for group in asked:
        parts = [counts(column, *group) for column in group]
        query = parts[0] if len(parts) == 1 else CrossedQuery(crossed=tuple(parts))
        made.append(Request(query=query, mechanism_key="laplace", epsilon=epsilon / len(asked)))
    return made


def _edges(column: Column, bins: int) -> tuple[float, ...] | None:
    if not column.kind.is_numeric:
        return None
    return usual_edges(column, bins)


def crossed(cells: Sequence[NDArray[np.intp]], axes: Sequence[Axis]) -> FloatArray:
    """Return how many rows are in each cell of one or several columns; -1 is in none."""
    counted = np.all([each >= 0 for each in cells], axis=0)
    shape = tuple(len(axis.names) for axis in axes)
    flat = np.ravel_multi_index([each[counted] for each in cells], shape)
    return np.bincount(flat, minlength=math.prod(shape)).reshape(shape).astype(np.float64)
