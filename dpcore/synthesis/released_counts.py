"""Released counts by the columns whose answers were counted, and which counts to ask for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from dpcore.analyses.base import Question, Releasable, Request
from dpcore.analyses.cross_table import CrossedQuery
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.record import Release
from dpcore.statistics.bins import usual_edges
from dpcore.statistics.kinds import StatisticKind

_PAIR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A column with the answers that were counted apart. PUBLIC.

    Attributes:
        column: The column, as it was declared for the release.
        names: Name of each answer, or of each bin.
        edges: Edges of the bins of a number; ``None`` of labels.

    """

    column: Column
    names: tuple[str, ...]
    edges: tuple[float, ...] | None

    @classmethod
    def of(cls, query: Query) -> Self:
        """Return the axis that the cells of a histogram make."""
        return cls(column=query.column, names=query.statistic.labels, edges=query.edges)

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counted:
    """The released counts of one or two columns. PUBLIC.

    Attributes:
        request: What was asked.
        axes: The one column, or the two.
        counts: The released counts, shape ``(r,)`` or ``(r, c)``; they may be negative.
        ends: Lower and upper end of where each count of the table lies, all of them
            together with the confidence of the release; shape ``(..., 2)``.
        people: The number of people, where it is public.

    """

    request: Request
    axes: tuple[Axis, ...]
    counts: FloatArray
    ends: FloatArray
    people: int | None

    @property
    def title(self) -> str:
        """Return the question in words."""
        return self.request.title

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


def read(release: Release, request: Releasable) -> Counted | None:
    """Return the counts that a release told; ``None`` if it told others, or none.

    Counts are those of histograms and of cross tables, with their intervals.
    """
    axes = axes_of(request)
    known = release.intervals
    if not axes or known is None or known.noise is None or not release.labels:
        return None
    assert isinstance(request, Request)  # noqa: S101 - it has axes
    shape = tuple(len(axis.names) for axis in axes)
    ends = np.array([known.noise[label] for label in release.labels])
    if not np.isfinite(ends).all():
        return None
    size = request.query.size
    return Counted(
        request=request,
        axes=axes,
        counts=np.array(release.values).reshape(shape),
        ends=ends.reshape(*shape, 2),
        people=size.people if size.public else None,
    )


def axes_of(request: Releasable) -> tuple[Axis, ...]:
    """Return the columns whose answers a request counts, none if it asks for others."""
    if not isinstance(request, Request):
        return ()
    return tuple(Axis.of(query) for query in cells_of(request.query))


def cells_of(question: Question) -> tuple[Query, ...]:
    """Return the question about the cells of each column that a question counts."""
    if isinstance(question, CrossedQuery) and len(question.crossed) == _PAIR:
        return question.crossed
    if isinstance(question, Query) and question.kind is StatisticKind.HISTOGRAM:
        return (question,)
    return ()


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
    """Return the requests that a made-up table of these columns needs.

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
