"""What is publicly declared about each column of a table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd

    from dpcore.data.bounds import Interval

MAX_LABELS = 200
LARGEST = 1e100
"""Bounds beyond this size, or closer than its inverse, leave the range of floats."""

NO_YES = (
    ("no", "yes"),
    ("n", "y"),
    ("false", "true"),
    ("f", "t"),
    ("off", "on"),
    ("nein", "ja"),
    ("nee", "ja"),
    ("nej", "ja"),
    ("non", "oui"),
    ("no", "si"),
    ("no", "sí"),
    ("no", "sì"),
    ("não", "sim"),
    ("nie", "tak"),
    ("0", "1"),
)
"""Pairs that say no and yes in any table, in lower case."""


class ColumnKind(StrEnum):
    """What the values of a column are."""

    NUMBER = "number"
    YES_NO = "yes/no"
    CATEGORY = "category"


class MissingPolicy(StrEnum):
    """What happens to people without a value."""

    DROP = "drop"
    """They are left out, and the number of people counted becomes private."""
    REPLACE = "replace"
    """They get a public constant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The public description of a column. Nothing here may come from the data.

    Attributes:
        name: Name in the header.
        kind: What its values are.
        bounds: Of numbers only: finite, the lower below the upper; None if not set.
        labels: Of yes/no: exactly (no, yes). Of categories: the list of possible
            answers, empty if not set. Different, not blank, at most ``MAX_LABELS``.
        missing: What happens to people without a value.
        replacement: The constant for people without a value, if they are replaced: a
            number within the bounds, or one of the labels.
        unit: Unit of measurement.
        description: A line of the codebook.
        complete: Whether it is public that everybody has a value. Whoever has none all
            the same gets the constant.

    Raises:
        ParameterError: The parts contradict each other.

    """

    name: str
    kind: ColumnKind
    bounds: Interval | None = None
    labels: tuple[str, ...] = ()
    missing: MissingPolicy = MissingPolicy.DROP
    replacement: float | str | None = None
    unit: str = ""
    description: str = ""
    complete: bool = False

    def __post_init__(self) -> None:
        if self.kind is ColumnKind.NUMBER:
            self._check_bounds()
        else:
            self._check_labels()
        if self.missing is MissingPolicy.REPLACE:
            self._check_replacement()
        elif self.complete:
            message = "where everybody has a value, nobody is left out."
            raise ParameterError(message)
        elif self.replacement is not None:
            message = "a replacement needs the missing-value policy 'replace'."
            raise ParameterError(message)

    @property
    def is_declared(self) -> bool:
        """Return whether bounds or labels are set, so that statistics can use it."""
        return self.bounds is not None or bool(self.labels)

    def _check_bounds(self) -> None:
        if self.labels:
            message = "a number has bounds and no labels."
            raise ParameterError(message)
        bounds = self.bounds
        if bounds is None:
            return
        largest = max(abs(bounds.lower), abs(bounds.upper))
        if not largest <= LARGEST or bounds.width <= LARGEST**-1:
            message = (
                "bounds must be numbers, at most 1e100 in size and the lower clearly "
                f"below the upper, got {bounds.lower} and {bounds.upper}."
            )
            raise ParameterError(message)

    def _check_labels(self) -> None:
        if self.bounds is not None:
            message = f"a {self.kind} column has labels and no bounds."
            raise ParameterError(message)
        if self.kind is ColumnKind.YES_NO and len(self.labels) != len(("no", "yes")):
            message = (
                "a yes/no column needs two labels, first no and then yes, got "
                f"{len(self.labels)}."
            )
            raise ParameterError(message)
        if len(self.labels) > MAX_LABELS:
            message = f"at most {MAX_LABELS} labels, got {len(self.labels)}."
            raise ParameterError(message)
        if len(set(self.labels)) < len(self.labels):
            message = "labels must differ from each other."
            raise ParameterError(message)
        if any(not label or label != label.strip() for label in self.labels):
            message = "labels must not be blank nor begin or end with a space."
            raise ParameterError(message)

    def _check_replacement(self) -> None:
        value = self.replacement
        if self.kind is not ColumnKind.NUMBER:
            if value not in self.labels:
                message = "the replacement must be one of the labels."
                raise ParameterError(message)
            return
        if value is None or isinstance(value, str) or not np.isfinite(value):
            message = "the replacement of a number must be a finite number."
            raise ParameterError(message)
        bounds = self.bounds
        if bounds is not None and not bounds.lower <= value <= bounds.upper:
            message = (
                f"the replacement must lie within {bounds.lower} and {bounds.upper}, "
                f"got {value}."
            )
            raise ParameterError(message)


def propose_kinds(frame: pd.DataFrame) -> tuple[Column, ...]:
    """Return a first description of every column, for the user to complete.

    CONFIDENTIAL: the kinds are guessed from the values. Bounds and the labels of
    categories are left open, since nobody but the user may say what they are; only
    yes/no columns get the generic pair that they are recognized by.
    """
    return tuple(_propose(str(name), frame[name]) for name in frame.columns)


def yes_no(name: str, labels: tuple[str, str]) -> Column:
    """Return a first description of a yes/no column: who has no value counts as no.

    Leaving people out instead would make their number private, and a public minimum
    would stand in for it in every share.
    """
    return Column(
        name=name,
        kind=ColumnKind.YES_NO,
        labels=labels,
        missing=MissingPolicy.REPLACE,
        replacement=labels[0],
    )


def _propose(name: str, values: pd.Series) -> Column:
    from pandas.api.types import is_numeric_dtype  # noqa: PLC0415 - slow to import

    if is_numeric_dtype(values.dtype):
        numbers = values.to_numpy(dtype=np.float64)
        zero, one = numbers == 0, numbers == 1
        if zero.any() and one.any() and (zero | one | np.isnan(numbers)).all():
            return yes_no(name, ("0", "1"))
        return Column(name=name, kind=ColumnKind.NUMBER)
    distinct = {str(value) for value in values.dropna().unique()}
    spelled = {value.casefold(): value for value in distinct}
    for no, yes in NO_YES:
        if len(distinct) == len(spelled) and spelled.keys() == {no, yes}:
            pair = (spelled[no], spelled[yes])
            return yes_no(name, pair)
    return Column(name=name, kind=ColumnKind.CATEGORY)
