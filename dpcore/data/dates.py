"""Dates and times as text, and as days since 1 January 1970."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError

if TYPE_CHECKING:
    import pyarrow as pa


EPOCH: Final = dt.date(1970, 1, 1)
FIRST_DAY: Final = (dt.date(1, 1, 1) - EPOCH).days
LAST_DAY: Final = (dt.date(9999, 12, 31) - EPOCH).days
SECONDS: Final = 86_400
"""Seconds of a day."""
_PIVOT: Final = 69
"""Two digits of a year from here on are of the 20th century (POSIX)."""
_NOON: Final = 12

_TIME: Final = (
    r"(?:[T ]\s*(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2}(?:[.,][0-9]{1,9})?))?"
    r"(?:\s*(?P<half>[AaPp])\.?[Mm]\.?)?"
    r"\s*(?P<offset>[Zz]|[+-][0-9]{2}(?::?[0-9]{2})?)?)?"
)


class DateOrder(StrEnum):
    """In which order a date is written. It is declared, and never guessed per cell."""

    ISO = "year-month-day"
    DAY_FIRST = "day-month-year"
    MONTH_FIRST = "month-day-year"

    @property
    def pattern(self) -> str:
        """Return a regular expression of such a date, with a time of day or without."""
        return f"^(?:{_DATES[self]}){_TIME}$"


_DAY: Final = "(?P<day>[0-9]{1,2})"
_MONTH: Final = "(?P<month>[0-9]{1,2})"
_YEAR: Final = "(?P<year>[0-9]{4}|[0-9]{2})"
_DATES: Final = {
    DateOrder.ISO: "(?P<year>[0-9]{4})[-/.]?(?P<month>[0-9]{2})[-/.]?(?P<day>[0-9]{2})",
    DateOrder.DAY_FIRST: f"{_DAY}[./ -]{_MONTH}[./ -]{_YEAR}",
    DateOrder.MONTH_FIRST: f"{_MONTH}[./ -]{_DAY}[./ -]{_YEAR}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DateFormat:
    """How the dates of a column are read. PUBLIC.

    Attributes:
        order: In which order year, month and day are written.
        time_of_day: Whether the time of day counts. Without it a moment is its date.
        time_zone: Where moments with a time zone are read off the clock, by its name in
            the IANA database. A moment without one is taken as written.

    Raises:
        ParameterError: There is no such time zone.

    """

    order: DateOrder = DateOrder.ISO
    time_of_day: bool = False
    time_zone: str = "UTC"

    def __post_init__(self) -> None:
        if self.time_zone not in _time_zones():
            raise ParameterError(
                "choose a time zone by its name in the IANA database, such as Europe/Berlin."
            )


@cache
def _time_zones() -> frozenset[str]:
    import zoneinfo  # noqa: PLC0415 - only where dates are declared

    return frozenset(zoneinfo.available_timezones()) | {"UTC"}


ISO_DATES: Final = DateFormat()
"""Year, month and day; the time of day does not count."""


def days_of(cells: pa.StringArray, form: DateFormat) -> FloatArray:
    """Return days since 1 January 1970 of text, shape ``(n,)``; NaN of other text.

    A year of two digits is from 1969 to 2068.

    >>> import pyarrow as pa
    >>> cells = pa.array(["2024-02-29", "2023-02-29", "1970-01-02 12:00"])
    >>> days_of(cells, DateFormat(time_of_day=True))
    array([1.9782e+04,        nan, 1.5000e+00])
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    found = pc.extract_regex(cells, form.order.pattern)
    matched = np.asarray(found.is_valid())
    if not matched.any():
        return np.full(len(cells), np.nan)

    def text(name: str) -> pa.StringArray:
        return pc.struct_field(found, name)

    def number(name: str) -> NDArray[np.int64]:
        digits = pc.fill_null(text(name), "")
        digits = pc.if_else(pc.equal(digits, ""), "0", digits)
        return np.asarray(digits.cast(pa.int64()))

    year, month, day = number("year"), number("month"), number("day")
    short = np.asarray(pc.equal(pc.fill_null(pc.utf8_length(text("year")), 0), 2))
    year = np.where(short, year + np.where(year >= _PIVOT, 1900, 2000), year)
    valid = matched & (year >= 1) & (month >= 1) & (month <= 12) & (day >= 1)  # noqa: PLR2004 - months
    first = _first_of(np.where(valid, year, 1970), np.where(valid, month, 1))
    after = _first_of(
        np.where(valid, year + (month == 12), 1970),  # noqa: PLR2004 - the last month
        np.where(valid, month % 12 + 1, 1),
    )
    valid &= day <= after - first
    hour, minute = number("hour"), number("minute")
    half = np.asarray(pc.fill_null(pc.utf8_lower(text("half")), ""))
    twelve = half != ""
    valid &= ~twelve | ((hour >= 1) & (hour <= _NOON))
    hour = np.where(twelve, hour % _NOON + _NOON * (half == "p"), hour)
    seconds = pc.replace_substring(pc.fill_null(text("second"), ""), ",", ".")
    second = np.asarray(pc.if_else(pc.equal(seconds, ""), "0", seconds).cast("float64"))
    valid &= (hour < 24) & (minute < 60) & (second < 60)  # noqa: PLR2004 - a clock
    clock = (hour * 3600 + minute * 60) + second
    days = (first + day - 1) + clock / SECONDS
    days = _in_zone(days, text("offset"), valid, form.time_zone)
    if not form.time_of_day:
        days = np.floor(days)
    return np.where(valid, days, np.nan)


def _first_of(year: NDArray[np.int64], month: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first day of months, in days since 1 January 1970."""
    months = ((year - 1970) * 12 + (month - 1)).astype("datetime64[M]")
    return months.astype("datetime64[D]").astype(np.int64)


def _in_zone(
    days: FloatArray, offsets: pa.StringArray, valid: NDArray[np.bool_], zone: str
) -> FloatArray:
    """Return days by the clock of a zone, where the text has an offset from UTC."""
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow.compute as pc  # noqa: PLC0415 - slow to import

    texts = np.asarray(pc.fill_null(offsets, "")).astype(str)
    rows = np.flatnonzero((texts != "") & valid)
    if not len(rows):
        return days
    known = {text: _minutes(text) for text in np.unique(texts[rows])}
    minutes = np.array([known[text] for text in texts[rows]])
    moments = np.rint((days[rows] * SECONDS - minutes * 60.0) * 1e6).astype(np.int64)
    local = pd.DatetimeIndex(moments.astype("datetime64[us]"), tz="UTC").tz_convert(zone)
    naive = local.tz_localize(None).to_numpy().astype("datetime64[us]").astype(np.int64)
    days = days.copy()
    days[rows] = naive / (SECONDS * 1e6)
    return days


def _minutes(offset: str) -> int:
    if offset in {"Z", "z"}:
        return 0
    digits = offset[1:].replace(":", "")
    size = int(digits[:2]) * 60 + int(digits[2:] or 0)
    return -size if offset[0] == "-" else size


def date_text(days: float, *, time_of_day: bool = False) -> str:
    """Return days since 1 January 1970 as an ISO date, with the time to a minute.

    What lies beyond the years from 1 to 9999 is written as the last day there.

    >>> date_text(19_782.0), date_text(0.75, time_of_day=True)
    ('2024-02-29', '1970-01-01 18:00')
    """
    if np.isnan(days):
        return "no date"
    inside = min(max(days, float(FIRST_DAY)), LAST_DAY + (SECONDS - 60) / SECONDS)
    if not time_of_day:
        return (EPOCH + dt.timedelta(days=int(np.floor(inside + 0.5)))).isoformat()
    minutes = round(inside * SECONDS / 60)
    moment = dt.datetime(1970, 1, 1) + dt.timedelta(minutes=minutes)  # noqa: DTZ001 - of no zone
    return moment.isoformat(sep=" ", timespec="minutes")


def day_of(date: dt.date) -> float:
    """Return a date in days since 1 January 1970.

    >>> day_of(dt.date(2024, 2, 29))
    19782.0
    """
    return float((date - EPOCH).days)


def date_of(days: float) -> dt.date:
    """Return the date of a number of days since 1 January 1970.

    >>> date_of(19_782.75).isoformat()
    '2024-02-29'
    """
    return EPOCH + dt.timedelta(days=int(np.floor(days)))


def end_of_day(date: dt.date) -> float:
    """Return the last millisecond of a date in days since 1 January 1970.

    >>> 19782.999 < end_of_day(dt.date(2024, 2, 29)) < 19783.0
    True
    """
    return day_of(date) + 1 - 1e-3 / SECONDS
