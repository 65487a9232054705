"""Which rows of a table are asked about: public conditions on its columns."""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from dpcore.data.cells import label_codes, number
from dpcore.data.columns import Column, ColumnKind, LabelEquality
from dpcore.data.dataset import Dataset
from dpcore.data.dates import day_of
from dpcore.errors import ParameterError
from dpcore.wording import in_full

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
            raise ParameterError("name the first day, the last day or both.")
        if self.first is not None and self.last is not None and self.first > self.last:
            raise ParameterError("the first day must not lie after the last.")

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
            raise ParameterError("name at least one answer that the rows are to have.")
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


def exact(number: float) -> str:
    """Return a number in words, different from those of any other."""
    written = in_full(number)
    return written if float(written.replace(",", "")) == number else repr(number)


def named(text: str) -> str:
    """Return a word as it is, and all else in quotation marks: so no two look alike."""
    plain = _WORD.fullmatch(text) and text not in {"or", "and", "is", "where", "per"}
    return text if plain else json.dumps(text, ensure_ascii=False)
