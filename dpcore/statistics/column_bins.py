"""Bins of a column: on whole numbers, on days of the calendar, or of equal width."""

from __future__ import annotations

import numpy as np

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import ParameterError
from dpcore.statistics.bins import bin_labels, check_edges, equal_edges, whole_edges, whole_labels
from dpcore.statistics.calendar_bins import Period, calendar_edges, calendar_labels, period_of


def usual_edges(column: Column, bins: int) -> tuple[float, ...]:
    """Return edges of about so many bins between the bounds of a column.

    Bins of dates are the shortest periods of the calendar of which there are no more
    than ``bins``, or of as equal a number of days as there is.

    Raises:
        ParameterError: The column has no bounds, or they hold too few values.

    """
    bounds = _bounds(column)
    if column.kind is ColumnKind.WHOLE:
        return whole_edges(bounds, bins)
    if column.kind is not ColumnKind.DATE:
        return equal_edges(bounds, bins)
    for period in Period:
        try:
            edges = calendar_edges(bounds, period)
        except ParameterError:
            continue
        if len(edges) - 1 <= bins:
            return edges
    low, high = np.floor(bounds.lower), np.floor(bounds.upper) + 1
    days = np.unique(np.rint(np.linspace(low, high, bins + 1)))
    edges = tuple(days.tolist())
    check_edges(edges)
    return edges


def edges_for(edges: tuple[float, ...], old: Column, new: Column) -> tuple[float, ...]:
    """Return edges of bins that followed the bounds of a column, under new bounds.

    Typed edges stay.

    Raises:
        ParameterError: The column has no bounds, or they hold too few values.

    """
    if old.bounds is None or new.bounds is None:
        return edges
    period = period_of(edges) if old.kind is ColumnKind.DATE else None
    try:
        if period is not None and edges == calendar_edges(old.bounds, period):
            return calendar_edges(new.bounds, period)
        followed = edges == usual_edges(old, len(edges) - 1)
    except ParameterError:
        return edges
    return usual_edges(new, len(edges) - 1) if followed else edges


def names_of_bins(column: Column, edges: tuple[float, ...]) -> tuple[str, ...]:
    """Return the name of each bin of a column."""
    if column.kind is ColumnKind.WHOLE and all(edge == int(edge) for edge in edges):
        return whole_labels(edges)
    if column.kind is ColumnKind.DATE:
        return calendar_labels(edges)
    return bin_labels(edges)


def _bounds(column: Column) -> Interval:
    if column.bounds is None:
        raise ParameterError(f"{column.name!r} has no bounds yet; set them on Data.")
    return column.bounds
