"""New columns of dates: parts of a date, and completed years from one to another."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.column_storage import label_cells
from dpcore.data.columns import Column, ColumnKind, left_out
from dpcore.data.dataset import Dataset
from dpcore.data.dates import day_of
from dpcore.data.preparation.conditions import named
from dpcore.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd


_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_WEEKDAYS: Final = (
    *("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
)
_QUARTERS: Final = ("Q1", "Q2", "Q3", "Q4")
_THURSDAY: Final = 3
"""Weekday of 1 January 1970, from Monday as 0."""


class DatePart(StrEnum):
    """What is taken of a date."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    WEEKDAY = "weekday"

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the possible answers in order; none for the year, a number."""
        return {
            DatePart.QUARTER: _QUARTERS,
            DatePart.MONTH: _MONTHS,
            DatePart.WEEKDAY: _WEEKDAYS,
        }.get(self, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class PartOfDate:
    """The year of a date as a whole number, or its quarter, month or weekday.

    Attributes:
        part: What is taken.
        column: Of which date.

    >>> PartOfDate(part=DatePart.WEEKDAY, column="admission").name
    'weekday of admission'

    """

    part: DatePart
    column: str

    @property
    def name(self) -> str:
        """Return what the column is called: the whole recipe."""
        return f"{self.part} of {named(self.column)}"

    def described(self, source: Dataset) -> Column:
        """Return the public description: the bounds of the year follow from the dates.

        Raises:
            ParameterError: There is no such column of dates.

        """
        old = _date_column(source, self.column)
        labels = self.part.labels
        if labels:
            kind = ColumnKind.CATEGORY
            return left_out(Column(name=self.name, kind=kind, labels=labels), old)
        made = left_out(Column(name=self.name, kind=ColumnKind.WHOLE), old)
        if old.bounds is None:
            return made
        ends = _years(np.array([old.bounds.lower, old.bounds.upper]))
        return _bounded(made, float(ends[0]), float(ends[1]))

    def made(self, source: Dataset) -> pd.Series:
        """Return the cells. CONFIDENTIAL.

        Raises:
            ParameterError: There is no such column of dates.

        """
        from pandas import Series  # noqa: PLC0415 - slow to import

        _date_column(source, self.column)
        days = source.numbers(self.column)
        missing = np.isnan(days)
        known = np.where(missing, 0.0, days)
        if self.part is DatePart.YEAR:
            years = np.where(missing, np.nan, _years(known))
            return Series(years, index=source.frame.index)
        codes = {
            DatePart.QUARTER: _months(known) % 12 // 3,
            DatePart.MONTH: _months(known) % 12,
            DatePart.WEEKDAY: (np.floor(known).astype(np.int64) + _THURSDAY) % 7,
        }[self.part]
        return label_cells(codes.astype(np.intp), missing, self.part.labels, source.frame.index)


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """Completed years from one date to another, as ages are counted.

    Who was born on 29 February is a year older on 1 March where there is no such day.
    Years before the first date are negative.

    Attributes:
        born: The column of the first date.
        at: A public date, or the name of another column of dates in the same row.

    Raises:
        ParameterError: Both are the same column.

    >>> import datetime as dt
    >>> Age(born="birth", at="admission").name
    'age since birth at admission'
    >>> Age(born="birth", at=dt.date(2024, 6, 30)).name
    'age since birth at 2024-06-30'

    """

    born: str
    at: dt.date | str

    def __post_init__(self) -> None:
        if self.born == self.at:
            raise ParameterError("choose two different dates.")

    @property
    def name(self) -> str:
        """Return what the column is called: the whole recipe."""
        # A column that is called like a date is in quotation marks.
        at = named(self.at) if isinstance(self.at, str) else self.at.isoformat()
        return f"age since {named(self.born)} at {at}"

    def described(self, source: Dataset) -> Column:
        """Return the public description: bounds follow from those of the dates.

        Raises:
            ParameterError: There is no such column of dates.

        """
        born = _date_column(source, self.born)
        made = Column(name=self.name, kind=ColumnKind.WHOLE, unit="years")
        first = born.bounds
        if isinstance(self.at, str):
            other = _date_column(source, self.at)
            made, last = left_out(made, born, other), other.bounds
        else:
            day = day_of(self.at)
            made, last = left_out(made, born), Interval(lower=day, upper=day)
        if first is None or last is None:
            return made
        # Ages fall with the first date and rise with the second.
        ends = _ages(np.array([first.upper, first.lower]), np.array([last.lower, last.upper]))
        return _bounded(made, float(ends[0]), float(ends[1]))

    def made(self, source: Dataset) -> pd.Series:
        """Return the cells. CONFIDENTIAL.

        Raises:
            ParameterError: There is no such column of dates.

        """
        from pandas import Series  # noqa: PLC0415 - slow to import

        _date_column(source, self.born)
        born = source.numbers(self.born)
        if isinstance(self.at, str):
            _date_column(source, self.at)
            at = source.numbers(self.at)
        else:
            at = np.full(len(born), day_of(self.at))
        missing = np.isnan(born) | np.isnan(at)
        ages = _ages(np.where(missing, 0.0, born), np.where(missing, 0.0, at))
        return Series(np.where(missing, np.nan, ages), index=source.frame.index)


def _date_column(source: Dataset, name: str) -> Column:
    column = source.column(name)
    if column.kind is not ColumnKind.DATE:
        raise ParameterError(f"{name!r} is no column of dates; declare its type first.")
    return column


def _bounded(column: Column, low: float, high: float) -> Column:
    """Return a column with bounds, where they are two numbers."""
    if not low < high:
        return column
    return replace(column, bounds=Interval(lower=low, upper=high))


def _months(days: FloatArray) -> NDArray[np.int64]:
    """Return months since January 1970."""
    moments = np.floor(days).astype(np.int64).astype("datetime64[D]")
    return moments.astype("datetime64[M]").astype(np.int64)


def _years(days: FloatArray) -> NDArray[np.int64]:
    return _months(days) // 12 + 1970


def _ages(born: FloatArray, at: FloatArray) -> NDArray[np.int64]:
    """Return completed years from one date to another, shape ``(n,)``."""
    first, last = _months(born), _months(at)
    # A month is not complete before its day has come.
    months = last - first - (_day_of_month(at) < _day_of_month(born))
    return months // 12


def _day_of_month(days: FloatArray) -> NDArray[np.int64]:
    whole = np.floor(days).astype(np.int64).astype("datetime64[D]")
    first = whole.astype("datetime64[M]").astype("datetime64[D]")
    return np.asarray((whole - first).astype(np.int64))
