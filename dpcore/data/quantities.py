"""Numbers as people read them: the unit says how a number is written.

A date is a number of days since 1 January 1970 wherever it is computed with. Its unit
says so, and everything that writes a number asks its unit here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN
from typing import Final

from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dates import date_text
from dpcore.formatting import in_full, measured, significant

DATES: Final = "days since 1970-01-01"
"""Unit of dates in records."""
MOMENTS: Final = "days since 1970-01-01 00:00"
"""Unit of dates with a time of day in records."""
DAYS: Final = "days"
COUNTS: Final = "counts"
"""What noise on counts is a number of."""
SUMS: Final = "sums of values rescaled to 0 to 1"
"""What noise on counts of groups, and on sums of heights in them, is a number of."""
CAPS: Final = "times the cap on weights"
_NAMES: Final = {DATES: "date", MOMENTS: "date and time"}
_MINUTES: Final = 1440
"""Minutes of a day."""
_WHOLE_ERROR: Final = 10.0
"""The least error that leaves no digit after the point."""
_ROUNDED: Final[dict[str, Callable[[float], int]]] = {
    ROUND_FLOOR: math.floor,
    ROUND_CEILING: math.ceil,
    ROUND_HALF_EVEN: round,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """What numbers are numbers of. PUBLIC.

    Attributes:
        unit: Their unit, such as "years"; that of a date is ``DATES`` or ``MOMENTS``.
        whole: Whether they are whole numbers, such as counts.

    """

    unit: str = ""
    whole: bool = False

    @property
    def is_date(self) -> bool:
        """Return whether they are dates, with a time of day or without."""
        return self.unit in _NAMES

    @property
    def name(self) -> str:
        """Return the unit as the heading of a column or an axis.

        >>> Quantity(unit=DATES).name, Quantity(unit="years").name
        ('date', 'years')
        """
        return _NAMES.get(self.unit, self.unit)

    @property
    def suffix(self) -> str:
        """Return the unit as it follows a written number: nothing after a date."""
        return "" if self.is_date else self.unit

    @property
    def of_differences(self) -> str:
        """Return the unit of a difference of two of them, or of an error.

        >>> Quantity(unit=MOMENTS).of_differences
        'days'
        """
        return DAYS if self.is_date else self.unit

    def exactly(self, number: float) -> str:
        """Return a public number with every digit that was declared or typed.

        >>> Quantity(unit=DATES).exactly(19_782.0), Quantity().exactly(0.1)
        ('2024-02-29', '0.1')
        >>> Quantity(unit=MOMENTS).exactly(19_782.75)
        '2024-02-29 18:00'
        """
        if not self.is_date or not math.isfinite(number):
            return in_full(number)
        timed = self.unit == MOMENTS and number != math.floor(number)
        return _date(number, ROUND_FLOOR, timed=timed)

    def measured(self, value: float, error: float, *, rounding: str = ROUND_HALF_EVEN) -> str:
        """Return a number with no more digits than its ``error`` justifies.

        A date is written to the day. With a time of day it is written to the minute
        where the error is less than a day.

        >>> Quantity(unit=DATES).measured(19_782.3, 4.0)
        '2024-02-29'
        >>> Quantity(unit=MOMENTS).measured(19_782.25, 0.1)
        '2024-02-29 06:00'
        >>> Quantity(whole=True).measured(54.23, 1.3), Quantity().measured(54.23, 1.3)
        ('54', '54.2')
        """
        if not math.isfinite(value):
            return significant(value)
        if self.is_date:
            timed = self.unit == MOMENTS and not error >= 1
            return _date(value, rounding, timed=timed)
        if self.whole:
            known = math.isfinite(error)
            error = max(error, _WHOLE_ERROR) if known else _WHOLE_ERROR
        return measured(value, error, rounding=rounding)

    def about(self, value: float, digits: int = 3) -> str:
        """Return a number of which the error is not known, with so many digits.

        >>> Quantity(whole=True).about(54.23), Quantity(unit=DATES).about(19_782.3)
        ('54', '2024-02-29')
        """
        if self.is_date and math.isfinite(value):
            return self.measured(value, math.nan)
        if self.whole and math.isfinite(value):
            value = float(round(value))
        return significant(value, digits)

    def ends(self, low: float, high: float, error: float) -> tuple[str, str]:
        """Return the ends of an interval, rounded outwards.

        >>> Quantity(unit=DATES).ends(19_782.3, 19_790.2, 4.0)
        ('2024-02-29', '2024-03-09')
        """
        return (
            self.measured(low, error, rounding=ROUND_FLOOR),
            self.measured(high, error, rounding=ROUND_CEILING),
        )


def _date(days: float, rounding: str, *, timed: bool) -> str:
    # Below a microsecond there are only the last bits of floats.
    steps, digits = (_MINUTES, 8) if timed else (1, 11)
    whole = _ROUNDED[rounding](round(days * steps, digits))
    return date_text(whole / steps, time_of_day=timed)


def quantity_of(column: Column) -> Quantity:
    """Return what the values of a column are numbers of.

    >>> from dpcore.data.columns import Column, ColumnKind
    >>> quantity_of(Column(name="admission", kind=ColumnKind.DATE)).unit
    'days since 1970-01-01'
    """
    if column.kind is ColumnKind.DATE:
        return Quantity(unit=MOMENTS if column.dates.time_of_day else DATES)
    return Quantity(unit=column.unit, whole=column.kind is ColumnKind.WHOLE)


def is_whole(column: Column) -> bool:
    """Return whether all values are whole: whole numbers, or dates without a time."""
    dated = column.kind is ColumnKind.DATE and not column.dates.time_of_day
    return dated or column.kind is ColumnKind.WHOLE


def bounds_text(column: Column) -> str:
    """Return the public bounds of a column; empty where there are none.

    >>> from dpcore.data.bounds import Interval
    >>> from dpcore.data.columns import Column, ColumnKind
    >>> year = Interval(lower=19_723.0, upper=20_088.0)
    >>> bounds_text(Column(name="admission", kind=ColumnKind.DATE, bounds=year))
    '2024-01-01 to 2024-12-31'
    """
    if column.bounds is None:
        return ""
    quantity, bounds = quantity_of(column), column.bounds
    return f"{quantity.exactly(bounds.lower)} to {quantity.exactly(bounds.upper)}"


def found_text(column: Column) -> str:
    """Return what found bounds or labels of a column cost, in brackets; empty if known."""
    if column.found_epsilon is None:
        return ""
    return f" (found with ε = {in_full(column.found_epsilon)})"


def replacement_text(column: Column) -> str:
    """Return the public value that missing ones of a column are imputed as."""
    value = column.replacement
    if isinstance(value, str):
        return value
    return quantity_of(column).exactly(float(value or 0.0))
