"""Which rows of a table are asked about: public conditions on its columns, and those rows."""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from dpcore.data.cells import label_codes, number
from dpcore.data.columns import Column, ColumnKind, LabelEquality
from dpcore.data.dataset import Dataset, DerivedDataset
from dpcore.data.dates import day_of
from dpcore.errors import DataError, ParameterError

_WHERE = " where "
_WORD = re.compile(r"[^\W\d][\w-]*")


class Comparison(StrEnum):
    """How a number has to lie to a public one."""

    AT_LEAST = "at least"
    AT_MOST = "at most"
    ABOVE = "above"
    BELOW = "below"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberCondition:
    """A number of the row compared with a public one; a missing one does not meet it.

    Raises:
        ParameterError: The public number is not finite.

    """

    column: str
    comparison: Comparison
    number: float

    def __post_init__(self) -> None:
        if not np.isfinite(self.number):
            raise ParameterError(f"a condition needs a finite number, got {self.number}.")

    @property
    def text(self) -> str:
        """Return the condition in words, different from those of any other.

        >>> NumberCondition(
        ...     column="age", comparison=Comparison.AT_LEAST, number=60.0
        ... ).text
        'age at least 60'
        """
        return f"{named(self.column)} {self.comparison} {exact(self.number)}"

    def met(self, dataset: Dataset) -> NDArray[np.bool_]:
        """Return which rows meet it, shape ``(n,)``. CONFIDENTIAL.

        Raises:
            ParameterError: There is no such column.

        """
        values = dataset.numbers(self.column)
        return {
            Comparison.AT_LEAST: values >= self.number,
            Comparison.AT_MOST: values <= self.number,
            Comparison.ABOVE: values > self.number,
            Comparison.BELOW: values < self.number,
        }[self.comparison]


@dataclass(frozen=True, slots=True, kw_only=True)
class DateCondition:
    """A date of the row lies within public days; a missing one does not.

    Attributes:
        column: Which date.
        first: The first day, or ``None`` for all before ``last``.
        last: The last day with all its hours, or ``None`` for all after ``first``.

    Raises:
        ParameterError: There is no day, or the last lies before the first.

    """

    column: str
    first: dt.date | None = None
    last: dt.date | None = None

    def __post_init__(self) -> None:
        if self.first is None and self.last is None:
            raise ParameterError("enter the first day, the last day or both.")
        if self.first is not None and self.last is not None and self.first > self.last:
            raise ParameterError("the first day must not be after the last day.")

    @property
    def text(self) -> str:
        """Return the condition in words, different from those of any other.

        >>> import datetime as dt
        >>> year = dt.date(2024, 1, 1), dt.date(2024, 12, 31)
        >>> DateCondition(column="admission", first=year[0], last=year[1]).text
        'admission from 2024-01-01 to 2024-12-31'
        >>> DateCondition(column="admission", first=year[0]).text
        'admission from 2024-01-01'
        """
        first = "" if self.first is None else f" from {self.first.isoformat()}"
        last = "" if self.last is None else f" to {self.last.isoformat()}"
        return f"{named(self.column)}{first}{last}"

    def met(self, dataset: Dataset) -> NDArray[np.bool_]:
        """Return which rows meet it, shape ``(n,)``. CONFIDENTIAL.

        Raises:
            ParameterError: There is no such column of dates.

        """
        if dataset.column(self.column).kind is not ColumnKind.DATE:
            raise ParameterError(f"{self.column!r} is no column of dates; declare its type first.")
        days = dataset.numbers(self.column)
        met = ~np.isnan(days)
        if self.first is not None:
            met &= days >= day_of(self.first)
        if self.last is not None:
            met &= days < day_of(self.last) + 1
        return np.asarray(met)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelCondition:
    """The row has one of some public answers; a missing one is none of them.

    Attributes:
        column: Which column.
        labels: The answers.
        equality: When a cell is one of them; where that is unstated, as the column
            declares.

    Raises:
        ParameterError: No answer, a blank one, or one named twice.

    """

    column: str
    labels: tuple[str, ...]
    equality: LabelEquality = LabelEquality.UNSTATED

    def __post_init__(self) -> None:
        if not self.labels:
            raise ParameterError("enter at least one value for the condition.")
        # Refuses what no list of a category may hold.
        Column(
            name=self.column, kind=ColumnKind.CATEGORY, labels=self.labels, equality=self.equality
        )

    @property
    def text(self) -> str:
        """Return the condition in words, different from those of any other.

        >>> LabelCondition(column="ward", labels=("north", "the west")).text
        'ward is north or "the west"'
        >>> LabelCondition(
        ...     column="ward", labels=("1",), equality=LabelEquality.AS_WRITTEN
        ... ).text
        'ward is "1" (as written)'
        """
        how = "" if self.stated_equality is None else f" ({self.equality})"
        return f"{named(self.column)} is {' or '.join(map(named, self.labels))}{how}"

    @property
    def stated_equality(self) -> LabelEquality | None:
        """Return how answers are compared, where that is stated and matters.

        Answers that are no numbers are met as they are written in any case.
        """
        numbers = any(not np.isnan(number(label)) for label in self.labels)
        stated = numbers and self.equality is not LabelEquality.UNSTATED
        return self.equality if stated else None

    def met(self, dataset: Dataset) -> NDArray[np.bool_]:
        """Return which rows meet it, shape ``(n,)``. CONFIDENTIAL.

        Raises:
            ParameterError: There is no such column.

        """
        declared = dataset.column(self.column)
        unstated = self.equality is LabelEquality.UNSTATED
        codes = label_codes(
            dataset.frame[self.column],
            self.labels,
            numeric=declared.compares_numbers
            if unstated
            else self.equality is LabelEquality.AS_NUMBERS,
            any_case=declared.kind is ColumnKind.YES_NO,
        )
        return (codes >= 0) & (codes < len(self.labels))


Condition = NumberCondition | DateCondition | LabelCondition


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowSubset(DerivedDataset):
    """Some of the rows of a table, under names that say which. CONFIDENTIAL."""

    def undone(self) -> Dataset:
        """Return the table that the rows are of, with what was declared of them."""
        pairs = zip(self.columns, self._kept, strict=True)
        return self.source.with_columns(
            *(
                replace(declared, name=before.name, display_name=before.display_name)
                for declared, before in pairs
            )
        )

    @property
    def _kept(self) -> tuple[Column, ...]:
        """Return the columns of the source that it has."""
        return self.source.columns


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FilteredDataset(RowSubset):
    """The rows of a table that meet public conditions. CONFIDENTIAL.

    How many they are is private whatever is public about the table: a replaced record
    may meet the conditions where the old one did not. So its neighbors are those in
    which one person was added or removed; in the table that was read that is one
    person added or removed, too, or nothing.

    The names of its columns say the conditions. So a question about one, the record of
    its answer and every paper about it do.

    Attributes:
        conditions: What all of them meet, at least one.

    """

    number_is_private: ClassVar = True
    """How many rows meet the conditions is private under every relation."""
    conditions: tuple[Condition, ...]

    @property
    def ending(self) -> str:
        """Return the conditions, and what names ended with before."""
        return self.source.ending + ending_of(self.conditions)


def meeting(source: Dataset, conditions: tuple[Condition, ...]) -> FilteredDataset:
    """Return the rows that meet all conditions; what is declared of them stays.

    Raises:
        DataError: No row meets them.
        ParameterError: No condition, an unknown column, or a column whose name could be
            taken for one with a condition.

    """
    if not conditions:
        raise ParameterError("enter at least one condition.")
    check_names(source)
    rows = met_by(source, conditions)
    if not rows.any():
        raise DataError("no row meets the conditions. Check them.")
    columns = renamed(source.columns, ending_of(conditions))
    frame = source.frame.loc[rows].set_axis([column.name for column in columns], axis=1)
    return FilteredDataset(
        name=source.name, frame=frame, columns=columns, source=source, conditions=conditions
    )


def renamed(columns: Iterable[Column], ending: str) -> tuple[Column, ...]:
    """Return columns of some rows: other columns, which nobody has named yet."""
    return tuple(
        replace(column, name=f"{column.name}{ending}", display_name="") for column in columns
    )


def ending_of(conditions: tuple[Condition, ...]) -> str:
    """Return what conditions add to the name of a column, in whatever order."""
    texts = sorted({one.text for one in conditions})
    return f"{_WHERE}{' and '.join(texts)}" * bool(texts)


def check_names(source: Dataset) -> None:
    """Refuse a column that could be taken for one with a condition.

    Raises:
        ParameterError: There is one.

    """
    if any(_WHERE in column.name for column in source.columns):
        raise ParameterError(
            f"a column has “{_WHERE.strip()}” in its name, which is how conditions are "
            "named. Rename it in the file."
        )


def met_by(source: Dataset, conditions: tuple[Condition, ...]) -> NDArray[np.bool_]:
    """Return which rows meet all of at least one conditions, shape ``(n,)``.

    Raises:
        ParameterError: There is no such column.

    """
    met = np.ones(source.rows, dtype=np.bool_)
    for one in conditions:
        met &= one.met(source)
    return met


def exact(number: float) -> str:
    """Return a number in words, different from those of any other."""
    written = f"{number:,.12g}".replace("e-0", "e-")  # stored in the names of columns
    return written if float(written.replace(",", "")) == number else repr(number)


def named(text: str) -> str:
    """Return a word as it is, and all else in quotation marks: so no two look alike."""
    plain = _WORD.fullmatch(text) and text not in {"or", "and", "is", "where", "per"}
    return text if plain else json.dumps(text, ensure_ascii=False)
