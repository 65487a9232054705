"""Bins of dates that are weeks, months, quarters or years of the calendar."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum
from itertools import pairwise
from typing import Final

from dpcore.data.bounds import Interval
from dpcore.data.dates import FIRST_DAY, LAST_DAY, date_of, day_of
from dpcore.data.quantities import MOMENTS, Quantity
from dpcore.errors import ParameterError
from dpcore.statistics.bins import MOST_BINS, check_edges

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
