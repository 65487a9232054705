"""What is publicly declared about each column of a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

import numpy as np

from dpcore.data.bounds import Interval
from dpcore.data.cells import PLAIN, TEXT_CODES, Notation, canonical, number
from dpcore.data.dates import ISO_DATES, DateFormat
from dpcore.errors import ParameterError
from dpcore.formatting import in_full

MAX_LABELS = 200
_OF_STEPS = (" where ", ", at most ")
"""What steps add to the names of columns begins so."""
MOST_FREQUENT: Final = "most frequent"
"""The recipe whose name begins the names of the columns that it makes."""
TIES: Final = "ties go to the smallest value or the first label in the alphabet"
"""How it resolves them."""
FEWEST_PEOPLE, LARGEST_NUMBER = 3, 10**12
"""Between which a public minimum lies."""
LONGEST_NAME = 100
"""Characters of a display name."""
MAX_CODES = 50
"""Codes for missing values in one column."""
LARGEST = 1e100
"""Bounds beyond this size, or closer than its inverse, leave the range of floats."""


class ColumnKind(StrEnum):
    """What the values of a column are."""

    NUMBER = "number"
    WHOLE = "whole number"
    DATE = "date"
    """In days since 1 January 1970."""
    YES_NO = "yes/no"
    CATEGORY = "category"
    IDENTIFIER = "identifier"
    """Says which person a row belongs to; no statistic is asked of it."""
    NOT_USED = "not used"

    @property
    def is_numeric(self) -> bool:
        """Return whether its values are numbers, dates included, and have bounds."""
        return self in {ColumnKind.NUMBER, ColumnKind.WHOLE, ColumnKind.DATE}

    @property
    def has_labels(self) -> bool:
        """Return whether its values are labels of a public list."""
        return self in {ColumnKind.YES_NO, ColumnKind.CATEGORY}


class LabelEquality(StrEnum):
    """When a cell is met by a label or identifier."""

    AS_WRITTEN = "as written"
    AS_NUMBERS = "as numbers"
    """Numeric codes: 1, 1.0 and 01 are the same; what is no number, as written."""
    UNSTATED = "unstated"
    """As numbers. What was declared before this could be said: then all cells of a
    column decided it together."""


class MissingPolicy(StrEnum):
    """What happens to people without a value."""

    DROP = "drop"
    """They are left out, and the number of people counted becomes private."""
    REPLACE = "replace"
    """They get a public constant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The public description of a column. Nothing here may come from the data.

    Bounds and labels that a release found are public, too, and say what they cost.

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
        equality: When a cell is met by a label, or two identifiers are the same. Yes/no
            labels are met in capitals, too.
        missing_codes: Cells that stand for a missing value, beside blank ones. As
            numbers in a column of numbers, else as labels are compared; a label of the
            list is none of them.
        notation: How numbers are written, in a text file.
        dates: How dates are written. Of dates only.
        display_name: What pages and documents call it instead of its name, such as
            "ever positive"; empty if they use the name. At most ``LONGEST_NAME``
            characters. It is no part of what a question is: the name, and so the recipe
            of a column that was made, is.
        found_epsilon: The ε that was spent to find the bounds or labels; None where they
            were known. It is no part of what a question is.
        at_least: How many people have a value at least, where those without one are left
            out; None if the public minimum of the table holds. At least 3. Questions have
            it as the size of their table.

    A cell that is neither missing nor what the kind allows (text in a column of
    numbers, a third answer in one of yes/no) is invalid, and is treated as missing. In
    a category it is another label.

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
    equality: LabelEquality = LabelEquality.AS_WRITTEN
    missing_codes: tuple[str, ...] = TEXT_CODES
    notation: Notation = PLAIN
    dates: DateFormat = ISO_DATES
    display_name: str = ""
    found_epsilon: float | None = None
    at_least: int | None = None

    def __post_init__(self) -> None:
        check_display_name(self.display_name)
        if self.found_epsilon is not None and not (self.is_declared and self.found_epsilon > 0):
            raise ParameterError(
                "only bounds or labels can be found by a release, with an ε above 0."
            )
        if self.at_least is not None and not FEWEST_PEOPLE <= self.at_least <= LARGEST_NUMBER:
            raise ParameterError(
                f"a minimum number must be from {FEWEST_PEOPLE} to {LARGEST_NUMBER:,}."
            )
        if self.kind.is_numeric:
            self._check_bounds()
        else:
            self._check_labels()
        self._check_codes()
        if self.missing is MissingPolicy.REPLACE:
            self._check_replacement()
            if self.at_least is not None:
                raise ParameterError(
                    "a minimum number of values is for columns whose missing values are left out."
                )
        elif self.complete:
            raise ParameterError("a column without missing values cannot leave them out.")
        elif self.replacement is not None:
            raise ParameterError("a replacement needs the missing-value policy 'replace'.")

    @property
    def title(self) -> str:
        """Return what pages and documents call it."""
        return self.display_name or self.name

    @property
    def meaning(self) -> str:
        """Return what it holds in one line: its name where another is shown, and more.

        The name of a column that was made is its recipe.
        """
        recipe = self.name if self.display_name else ""
        parts = dict.fromkeys((recipe, self.tie_rule, self.description))
        return "; ".join(part for part in parts if part)

    @property
    def tie_rule(self) -> str:
        """Return how ties are resolved, where its name says that it has most frequent values.

        >>> Column(name="most frequent ward per patient", kind=ColumnKind.CATEGORY).tie_rule
        'ties go to the smallest value or the first label in the alphabet'
        """
        made = self.name.startswith(f"{MOST_FREQUENT} ") and " per " in self.name
        return TIES if made else ""

    @property
    def is_declared(self) -> bool:
        """Return whether bounds or labels are set, so that statistics can use it."""
        return self.bounds is not None or bool(self.labels)

    @property
    def compares_numbers(self) -> bool:
        """Return whether labels, codes and identifiers compare as numbers."""
        return self.kind.is_numeric or self.equality is not LabelEquality.AS_WRITTEN

    @property
    def codes_that_count(self) -> tuple[str, ...]:
        """Return the missing codes that give some cell another meaning, sorted.

        In a column of numbers those that are numbers, since all other text is invalid;
        in one of yes/no none, for the same reason; else those that are no labels.
        """
        if self.kind is ColumnKind.YES_NO:
            return ()
        codes = set(self.missing_codes) - set(self.labels)
        if self.kind.is_numeric:
            codes = {code for code in codes if not np.isnan(number(code))}
        return tuple(sorted(codes))

    @property
    def unusual_reading(self) -> tuple[str, ...]:
        """Return how its cells are read, where that is not what most files need.

        Of a column that others are made of, or that rows are chosen by: it is part of
        what these mean, and their names do not say it.
        """
        codes = self.codes_that_count
        if not self.kind.is_numeric and codes == tuple(sorted({*TEXT_CODES})):
            codes = ()
        numeric = not self.kind.is_numeric and self.kind is not ColumnKind.YES_NO
        parts = [f"code {code}" for code in codes]
        if numeric and self.equality is LabelEquality.AS_NUMBERS:
            parts.append(str(self.equality))
        if self.kind is ColumnKind.DATE:
            form = self.dates
            parts += [str(form.order), str(form.time_of_day), form.time_zone]
        return tuple(parts)

    def reads_like(self, other: Column) -> bool:
        """Return whether every cell has the same meaning under both declarations."""
        # Labels that are no numbers are met as they are written in either case.
        numbers = any(not np.isnan(number(label)) for label in self.labels)
        return (
            self.kind is other.kind
            and self.labels == other.labels
            and self.codes_that_count == other.codes_that_count
            and (self.kind is not ColumnKind.DATE or self.dates == other.dates)
            and (
                self.equality is other.equality
                or (not numbers and self.kind is not ColumnKind.IDENTIFIER)
            )
        )

    def _check_bounds(self) -> None:
        if self.labels:
            raise ParameterError("a number has bounds and no labels.")
        bounds = self.bounds
        if bounds is None:
            return
        largest = max(abs(bounds.lower), abs(bounds.upper))
        if not largest <= LARGEST or bounds.width <= LARGEST**-1:
            raise ParameterError(
                f"bounds must be numbers, at most {in_full(LARGEST)} in size and the lower clearly "
                f"below the upper, got {in_full(bounds.lower)} and {in_full(bounds.upper)}."
            )

    def _check_labels(self) -> None:
        if self.bounds is not None:
            raise ParameterError(f"a {self.kind} column has no bounds.")
        if not self.kind.has_labels and self.labels:
            raise ParameterError(f"a column that is {self.kind} has no labels.")
        if self.kind is ColumnKind.YES_NO and len(self.labels) != len(("no", "yes")):
            raise ParameterError(
                f"a yes/no column needs two labels, first no and then yes, got {len(self.labels)}."
            )
        if len(self.labels) > MAX_LABELS:
            raise ParameterError(f"at most {MAX_LABELS} labels, got {len(self.labels)}.")
        if any(not label or label != label.strip() for label in self.labels):
            raise ParameterError("labels must not be blank nor begin or end with a space.")
        self._check_apart()

    def _check_apart(self) -> None:
        """Refuse labels that denote the same cell."""
        first_of: dict[str, int] = {}
        for place, form in enumerate(self._compared(self.labels)):
            before = first_of.setdefault(form, place)
            if before == place:
                continue
            first, label = self.labels[before], self.labels[place]
            reason = "are the same"
            if first != label:
                reason = (
                    "differ in capitals only, which yes/no columns ignore"
                    if first.casefold() == label.casefold()
                    else "are the same number, and labels are numeric codes"
                )
            raise ParameterError(
                f"the labels “{first}” and “{label}” {reason}: labels must denote different "
                "cells. Remove one of them."
            )

    def _compared(self, labels: tuple[str, ...]) -> list[str]:
        """Return labels in the form in which they are compared."""
        forms = [*labels]
        if self.compares_numbers and any(not np.isnan(number(one)) for one in labels):
            import pyarrow as pa  # noqa: PLC0415 - slow to import

            forms = canonical(pa.array(labels, pa.string())).to_pylist()
        if self.kind is ColumnKind.YES_NO:
            forms = [form.lower() for form in forms]
        return forms

    def _check_codes(self) -> None:
        codes = self.missing_codes
        if len(set(codes)) < len(codes) or len(codes) > MAX_CODES:
            raise ParameterError(f"at most {MAX_CODES} different codes stand for missing values.")
        if any(not code or code != code.strip() for code in codes):
            raise ParameterError(
                "codes for missing values must not be blank nor begin or end with a space."
            )

    def _check_replacement(self) -> None:
        value = self.replacement
        if not self.kind.is_numeric:
            if value not in self.labels:
                raise ParameterError("the replacement must be one of the labels.")
            return
        if value is None or isinstance(value, str) or not np.isfinite(value):
            raise ParameterError("the replacement of a number must be a finite number.")
        bounds = self.bounds
        if bounds is not None and not bounds.lower <= value <= bounds.upper:
            raise ParameterError(
                f"the replacement must lie within {in_full(bounds.lower)} and "
                f"{in_full(bounds.upper)}, got {in_full(value)}."
            )


def check_display_name(text: str) -> None:
    """Refuse a name that pages and documents cannot show as that of a column.

    Raises:
        ParameterError: It begins or ends with a space, is too long, has a character
            that cannot be printed, or looks like one with a condition.

    """
    if text != text.strip() or len(text) > LONGEST_NAME or not text.isprintable():
        raise ParameterError(
            f"a display name is one line of at most {LONGEST_NAME} characters, without "
            "spaces around it."
        )
    if any(ending in text for ending in _OF_STEPS):
        raise ParameterError(
            "a display name has no “where” and no “, at most”: conditions and limits "
            "of rows are named like that."
        )


def check_titles(columns: Iterable[Column]) -> None:
    """Refuse columns that pages and documents would call the same.

    Raises:
        ParameterError: A display name is that of another column, or its name.

    """
    columns = [*columns]
    names = {column.name for column in columns}
    taken = set()
    for column in columns:
        shown = column.display_name
        if shown and shown != column.name and (shown in names or shown in taken):
            raise ParameterError(f"another column is called “{shown}”: choose another name.")
        taken.add(shown)


def fewest_values(columns: Iterable[Column], people: int) -> int:
    """Return the public minimum of people who have a value in each of some columns.

    ``people`` is that of the table. Of columns whose missing values are left out, the
    smallest minimum holds; that fewer people have a value in all of them is possible.

    >>> rare = Column(name="group", kind=ColumnKind.CATEGORY, at_least=400)
    >>> fewest_values([rare], 1000), fewest_values([rare, yes_no("old", ("0", "1"))], 300)
    (400, 300)
    """
    dropping = (one for one in columns if one.missing is MissingPolicy.DROP)
    return min((one.at_least or people for one in dropping), default=people)


def left_out(made: Column, *sources: Column) -> Column:
    """Return a new column that leaves out whoever one that it is made of does."""
    if any(one.is_declared and one.missing is MissingPolicy.DROP for one in sources):
        return replace(made, missing=MissingPolicy.DROP, replacement=None)
    return made


def yes_no(name: str, labels: tuple[str, str]) -> Column:
    """Return a first description of a yes/no column: missing values are left out.

    Labels that are numbers, such as 0 and 1, are numeric codes. To impute a label
    instead of leaving out is a decision about the answer, and for the curator.
    """
    numeric = not any(np.isnan(number(label)) for label in labels)
    return Column(
        name=name,
        kind=ColumnKind.YES_NO,
        labels=labels,
        equality=LabelEquality.AS_NUMBERS if numeric else LabelEquality.AS_WRITTEN,
    )
