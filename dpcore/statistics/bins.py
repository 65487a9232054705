"""Public bins of a number.

Bins of dates that are weeks, months, quarters or years of the calendar.

Bins of a column: on whole numbers, on days of the calendar, or of equal width.
"""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from itertools import pairwise
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dates import FIRST_DAY, LAST_DAY, date_of, day_of
from dpcore.data.quantities import MOMENTS, Quantity
from dpcore.errors import ParameterError
from dpcore.formatting import in_full, significant

MOST_BINS: Final = 200


def equal_edges(bounds: Interval, bins: int) -> tuple[float, ...]:
    """Return the edges of ``bins`` bins of equal width between the bounds.

    Raises:
        ParameterError: Unless there are 2 to 200 bins, with finite edges.

    >>> from dpcore.data.bounds import Interval
    >>> equal_edges(Interval(lower=0, upper=100), 4)
    (0.0, 25.0, 50.0, 75.0, 100.0)

    """
    if not 2 <= bins <= MOST_BINS:  # noqa: PLR2004 - one bin tells nothing apart
        raise ParameterError(f"a histogram needs 2 to {MOST_BINS} bins, got {bins}.")
    edges = tuple(np.linspace(bounds.lower, bounds.upper, bins + 1).tolist())
    check_edges(edges)
    return edges


def whole_edges(bounds: Interval, bins: int) -> tuple[float, ...]:
    """Return edges on whole numbers, of as equal bins as there are.

    The last edge is the first number above the bounds, which is in no bin: bins of
    whole numbers are named by the first and the last number in them. There are fewer
    bins where the bounds hold fewer whole numbers.

    Raises:
        ParameterError: Unless there are 2 to 200 bins of whole numbers.

    >>> from dpcore.data.bounds import Interval
    >>> whole_labels(whole_edges(Interval(lower=0, upper=100), 5))
    ('0 to 19', '20 to 39', '40 to 59', '60 to 79', '80 to 100')
    >>> whole_labels(whole_edges(Interval(lower=0, upper=2), 5))
    ('0', '1', '2')

    """
    low, high = np.ceil(bounds.lower), np.floor(bounds.upper)
    count = high - low + 1
    inside = (
        np.arange(low, high + 1)
        if count <= bins
        else np.unique(np.rint(np.linspace(low, high, bins + 1)))[:-1]
    )
    return edges_at(bounds, tuple(inside[1:].tolist()), whole=True)


def edges_at(
    bounds: Interval, inside: tuple[float, ...], *, whole: bool = False
) -> tuple[float, ...]:
    """Return the bounds as the outer edges, with typed edges between them.

    An edge belongs to the bin above it. Of ``whole`` numbers the last edge is the first
    number above the bounds.

    Raises:
        ParameterError: The edges are not between the bounds, or not ascending; or not
            whole, where the numbers are.

    >>> from dpcore.data.bounds import Interval
    >>> edges_at(Interval(lower=0, upper=100), (18.0, 65.0))
    (0.0, 18.0, 65.0, 100.0)

    """
    low, high = float(bounds.lower), float(bounds.upper)
    if whole:
        low, high = float(np.ceil(low)), float(np.floor(high)) + 1
        if any(edge != np.rint(edge) for edge in inside):
            raise ParameterError("the edges of bins of whole numbers are whole numbers.")
    if not all(low < edge < high for edge in inside):
        raise ParameterError(
            f"the edges of the bins must lie between the bounds, {significant(low, 6)} and "
            f"{significant(float(bounds.upper), 6)}."
        )
    edges = (low, *inside, high)
    check_edges(edges)
    return edges


def check_edges(edges: tuple[float, ...]) -> None:
    """Refuse edges that are not finite and ascending, or make too few or many bins.

    Raises:
        ParameterError: If so.

    """
    if not 3 <= len(edges) <= MOST_BINS + 1:  # noqa: PLR2004 - edges of two bins
        raise ParameterError(f"a histogram needs 3 to {MOST_BINS + 1} edges, got {len(edges)}.")
    if not (np.isfinite(edges).all() and (np.diff(edges) > 0).all()):
        raise ParameterError("the edges of the bins must be finite and ascending.")


def bin_labels(edges: tuple[float, ...]) -> tuple[str, ...]:
    """Return the name of each bin; all but the last leave out their upper edge.

    >>> bin_labels((0.0, 18.0, 65.0))
    ('0 to below 18', '18 to 65')
    """
    for digits in (12, 17):  # 17 tell any two floats apart
        ends = [in_full(edge, digits) for edge in edges]
        if len(set(ends)) == len(ends):
            break
    below = (f"{lower} to below {upper}" for lower, upper in pairwise(ends[:-1]))
    return (*below, f"{ends[-2]} to {ends[-1]}")


def whole_labels(edges: tuple[float, ...]) -> tuple[str, ...]:
    """Return the first and the last whole number of each bin.

    >>> whole_labels((0.0, 18.0, 19.0, 66.0))
    ('0 to 17', '18', '19 to 65')
    """
    pairs = ((int(one), int(other) - 1) for one, other in pairwise(edges))
    return tuple(
        f"{first:,}" if first == last else f"{first:,} to {last:,}" for first, last in pairs
    )


def bins_of(numbers: FloatArray, edges: tuple[float, ...]) -> FloatArray:
    """Return each number's bin; numbers beyond the edges fall into the end bins.

    >>> bins_of(np.array([-5.0, 17.9, 18.0, 65.0, 99.0]), (0.0, 18.0, 65.0))
    array([0., 0., 1., 1., 1.])
    """
    inner = np.asarray(edges[1:-1])
    return np.searchsorted(inner, numbers, side="right").astype(np.float64)


_MONTHS: Final = 12
_MONTHS_OF_QUARTER: Final = 3
_WEEK: Final = dt.timedelta(days=7)


class Period(StrEnum):
    """A period of the calendar."""

    WEEK = "week"
    """From Monday, as ISO 8601 counts them."""
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"

    def first(self, day: dt.date) -> dt.date:
        """Return the first day of the period that a day belongs to.

        >>> Period.WEEK.first(dt.date(2024, 2, 1)).isoformat()
        '2024-01-29'
        """
        if self is Period.WEEK:
            return day - dt.timedelta(days=day.weekday())
        month = day.month
        if self is Period.YEAR:
            month = 1
        elif self is Period.QUARTER:
            month -= (month - 1) % _MONTHS_OF_QUARTER
        return day.replace(month=month, day=1)

    def next(self, first: dt.date) -> dt.date:
        """Return the first day of the next period.

        Raises:
            OverflowError, ValueError: It lies beyond the year 9999.

        """
        if self is Period.WEEK:
            return first + _WEEK
        months = {Period.MONTH: 1, Period.QUARTER: _MONTHS_OF_QUARTER}.get(self, _MONTHS)
        place = first.month - 1 + months
        return dt.date(first.year + place // _MONTHS, place % _MONTHS + 1, 1)

    def label(self, first: dt.date) -> str:
        """Return the name of the period that begins on a day.

        >>> first = dt.date(2024, 1, 29)
        >>> Period.WEEK.label(first), Period.MONTH.label(dt.date(2024, 3, 1))
        ('2024-W05', '2024-03')
        >>> Period.QUARTER.label(dt.date(2024, 4, 1)), Period.YEAR.label(first)
        ('2024 Q2', '2024')
        """
        if self is Period.WEEK:
            year, week, _ = first.isocalendar()
            return f"{year:04}-W{week:02}"
        if self is Period.QUARTER:
            return f"{first.year:04} Q{first.month // _MONTHS_OF_QUARTER + 1}"
        months = f"-{first.month:02}" if self is Period.MONTH else ""
        return f"{first.year:04}{months}"


def calendar_edges(bounds: Interval, period: Period) -> tuple[float, ...]:
    """Return the first day of each period from the lower bound to the upper.

    The last edge is the first day after the period of the upper bound. Edges are in
    days since 1 January 1970.

    Raises:
        ParameterError: There are fewer than 2 or more than 200 periods, or the bounds
            are beyond the years from 1 to 9999.

    >>> from dpcore.data.bounds import Interval
    >>> spring = Interval(lower=19_797.0, upper=19_850.0)
    >>> calendar_labels(calendar_edges(spring, Period.MONTH))
    ('2024-03', '2024-04', '2024-05')

    """
    message = (
        f"bins by {period} need 2 to {MOST_BINS} of them between the bounds; choose "
        "another period, or other bounds on Data."
    )
    if not (bounds.lower >= FIRST_DAY and bounds.upper < LAST_DAY + 1):
        raise ParameterError(message)
    try:
        edges = [period.first(date_of(bounds.lower))]
        while day_of(edges[-1]) <= bounds.upper:
            edges.append(period.next(edges[-1]))
            if len(edges) > MOST_BINS + 1:
                raise ParameterError(message)
    except (OverflowError, ValueError):
        raise ParameterError(message) from None
    found = tuple(map(day_of, edges))
    if len(found) < 3:  # noqa: PLR2004 - edges of two bins
        raise ParameterError(message)
    check_edges(found)
    return found


def period_of(edges: tuple[float, ...]) -> Period | None:
    """Return the period whose first days some edges are, one after the other."""
    if any(edge != int(edge) or not FIRST_DAY <= edge <= LAST_DAY for edge in edges):
        return None
    days = [date_of(edge) for edge in edges]
    for period in Period:
        try:
            if all(
                one == period.first(one) and other == period.next(one)
                for one, other in pairwise(days)
            ):
                return period
        except (OverflowError, ValueError):
            continue
    return None


def calendar_labels(edges: tuple[float, ...]) -> tuple[str, ...]:
    """Return the name of each bin of dates, of which the last edge is in none.

    Bins that are no periods are named by the first date in them and the first after.

    >>> calendar_labels((19_782.0, 19_790.0, 19_800.0))
    ('2024-02-29 to before 2024-03-08', '2024-03-08 to before 2024-03-18')
    """
    period = period_of(edges)
    if period is not None:
        return tuple(period.label(date_of(edge)) for edge in edges[:-1])
    dates = [Quantity(unit=MOMENTS).exactly(edge) for edge in edges]
    return tuple(f"{one} to before {other}" for one, other in pairwise(dates))


def usual_edges(column: Column, bins: int) -> tuple[float, ...]:
    """Return edges of about so many bins between the bounds of a column.

    Bins of dates are the shortest periods of the calendar of which there are no more
    than ``bins``, or of as equal a number of days as there is.

    Raises:
        ParameterError: The column has no bounds, or they hold too few values.

    """
    if column.bounds is None:
        raise ParameterError(f"{column.name!r} has no bounds yet; set them on Data.")
    bounds = column.bounds
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
