"""The bins of a number or of dates: how many, which periods, or typed edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import ParameterError
from dpcore.statistics.bins import Period, calendar_edges, edges_at, usual_edges
from ui import controls, session

_USUAL: Final = 10


def ask(column: Column, cells: Iterator[controls.Cell]) -> tuple[float, ...]:
    """Return the edges of the bins that are asked for.

    Raises:
        ParameterError: The column has no bounds, or the edges make no bins of it.

    """
    bounds = column.bounds
    if bounds is None:
        raise ParameterError("declare public bounds first: the bins lie between them.")
    if column.kind is ColumnKind.DATE:
        period = next(cells).selectbox(
            "Bins",
            list(Period),
            index=list(Period).index(Period.MONTH),
            format_func=lambda period: f"by {period}",
            key="bins-period",
            kept="table",
        )
        return calendar_edges(bounds, period)
    whole = column.kind is ColumnKind.WHOLE
    count = next(cells).number("Bins of equal width", _USUAL, (2, 50), key="bins", kept="table")
    text = next(cells).place.text_input(
        "Or edges of the bins",
        placeholder="18; 40; 65",
        key=f"bin-edges-{session.generation()}-{column.name}",
        persist_state="session",
        help="Public numbers between the bounds, typed and not looked up. An edge "
        "belongs to the bin above it.",
    )
    typed = controls.listed(text, float, "edges")
    if typed:
        return edges_at(bounds, tuple(sorted(set(typed))), whole=whole)
    return usual_edges(column, count)
