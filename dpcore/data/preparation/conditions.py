"""Which rows of a table are asked about: public conditions on its columns."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from dpcore.data.cells import label_codes
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import ParameterError
from dpcore.wording import in_full

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.data.dataset import Dataset

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
            message = f"a condition needs a finite number, got {self.number}."
            raise ParameterError(message)

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
class LabelCondition:
    """The row has one of some public answers; a missing one is none of them.

    Answers are compared as the column declares: as written, or as numeric codes.

    Raises:
        ParameterError: No answer, a blank one, or one named twice.

    """

    column: str
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.labels:
            message = "name at least one answer that the rows are to have."
            raise ParameterError(message)
        # Refuses what no list of a category may hold.
        Column(name=self.column, kind=ColumnKind.CATEGORY, labels=self.labels)

    @property
    def text(self) -> str:
        """Return the condition in words, different from those of any other.

        >>> LabelCondition(column="ward", labels=("north", "the west")).text
        'ward is north or "the west"'
        """
        return f"{named(self.column)} is {' or '.join(map(named, self.labels))}"

    def met(self, dataset: Dataset) -> NDArray[np.bool_]:
        """Return which rows meet it, shape ``(n,)``. CONFIDENTIAL.

        Raises:
            ParameterError: There is no such column.

        """
        declared = dataset.column(self.column)
        codes = label_codes(
            dataset.frame[self.column],
            self.labels,
            numeric=declared.compares_numbers,
            any_case=declared.kind is ColumnKind.YES_NO,
        )
        return (codes >= 0) & (codes < len(self.labels))


Condition = NumberCondition | LabelCondition


def exact(number: float) -> str:
    """Return a number in words, different from those of any other."""
    written = in_full(number)
    return written if float(written.replace(",", "")) == number else repr(number)


def named(text: str) -> str:
    """Return a word as it is, and all else in quotation marks: so no two look alike."""
    plain = _WORD.fullmatch(text) and text not in {"or", "and", "is", "where", "per"}
    return text if plain else json.dumps(text, ensure_ascii=False)
