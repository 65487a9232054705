"""Which counts to ask for, so that a made-up table has these columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dpcore.analyses.base import Request
from dpcore.analyses.cross_table import CrossedQuery
from dpcore.analyses.number import Query
from dpcore.data.columns import Column
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.bins import usual_edges
from dpcore.statistics.kinds import StatisticKind


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
        unit: Whom the guarantee protects.
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
        query = parts[0] if len(parts) == 1 else CrossedQuery(first=parts[0], second=parts[1])
        made.append(Request(query=query, mechanism_key="laplace", epsilon=epsilon / len(asked)))
    return made


def _edges(column: Column, bins: int) -> tuple[float, ...] | None:
    if not column.kind.is_numeric:
        return None
    return usual_edges(column, bins)
