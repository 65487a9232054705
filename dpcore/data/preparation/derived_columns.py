"""Derived columns, each cell made of cells of the same row by public recipes."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.cells import has_any, label_codes, text_of
from dpcore.data.column_storage import label_cells
from dpcore.data.columns import (
    LARGEST,
    MAX_LABELS,
    Column,
    ColumnKind,
    MissingPolicy,
    left_out,
    yes_no,
)
from dpcore.data.dataset import Dataset, DerivedDataset
from dpcore.data.preparation.conditions import NumberCondition, exact, named
from dpcore.data.preparation.date_columns import Age, PartOfDate
from dpcore.data.proposals import proposed_column
from dpcore.data.quantities import DAYS, is_whole
from dpcore.errors import ParameterError

if TYPE_CHECKING:
    import pandas as pd


MOST_CODES = 20
"""Codes for "no answer" in one column."""
MOST_EDGES = 100
"""Edges of bins; more are no groups that anybody reads."""


class Calculation(StrEnum):
    """What is calculated of two numbers of the same row."""

    DIFFERENCE = "minus"
    RATIO = "per"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """A number as a category: between which of some public edges it lies.

    An edge belongs to the bin above it.

    Attributes:
        column: Which number.
        edges: Ascending, at least one.

    Raises:
        ParameterError: The edges are not so.

    >>> Bins(column="age", edges=(18.0, 65.0)).labels
    ('below 18', '18 to below 65', '65 or more')

    """

    column: str
    edges: tuple[float, ...]

    def __post_init__(self) -> None:
        rising = all(low < high for low, high in pairwise(self.edges))
        known = bool(self.edges) and bool(np.isfinite(self.edges).all())
        if not known or not rising or len(self.edges) > MOST_EDGES:
            raise ParameterError(
                f"enter 1 to {MOST_EDGES} edges of bins in ascending order, such as 18, 40, 65."
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each bin, in order."""
        edges = [exact(edge) for edge in self.edges]
        between = [f"{one} to below {other}" for one, other in pairwise(edges)]
        return (f"below {edges[0]}", *between, f"{edges[-1]} or more")

    @property
    def name(self) -> str:
        """Return what the column is called: the whole recipe."""
        edges = "; ".join(map(exact, self.edges))
        return f"{named(self.column)} in bins at {edges}"

    def described(self, source: Dataset) -> Column:
        """Return the public description of the column."""
        known = Column(name=self.name, kind=ColumnKind.CATEGORY, labels=self.labels)
        return left_out(known, source.column(self.column))

    def made(self, source: Dataset) -> pd.Series:
        """Return the cells. CONFIDENTIAL.

        Raises:
            ParameterError: There is no such column.

        """
        values = source.numbers(self.column)
        codes = np.searchsorted(self.edges, values, side="right")
        return label_cells(codes, np.isnan(values), self.labels, source.frame.index)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculated:
    """The difference or the ratio of two numbers of a row, or days between two dates.

    A row that lacks one of them lacks the result, and so does 0 per 0. Anything else
    per 0 is infinite, and is clamped to the bounds as every value beyond them.

    Attributes:
        calculation: Which of the two.
        first: What is subtracted from, or divided.
        second: What is subtracted, or divided by.

    Raises:
        ParameterError: The two are one.

    """

    calculation: Calculation
    first: str
    second: str

    def __post_init__(self) -> None:
        if self.first == self.second:
            raise ParameterError("choose two different columns.")

    @property
    def name(self) -> str:
        """Return what the column is called: the whole recipe.

        >>> both = {"first": "cost", "second": "stay"}
        >>> Calculated(calculation=Calculation.RATIO, **both).name
        'cost per stay'
        """
        return f"{named(self.first)} {self.calculation} {named(self.second)}"

    def described(self, source: Dataset) -> Column:
        """Return the public description of the column.

        Its bounds follow from those of the two, where both are declared; for a ratio,
        where those of the second leave 0 out. Otherwise they are still to be declared.

        Raises:
            ParameterError: There is no such column, or a date is calculated with that
                is not subtracted from another one.

        """
        one, other = source.column(self.first), source.column(self.second)
        dated = [column.kind is ColumnKind.DATE for column in (one, other)]
        difference = self.calculation is Calculation.DIFFERENCE
        if any(dated) and not (difference and all(dated)):
            raise ParameterError("only a date can be subtracted from a date.")
        whole = difference and is_whole(one) and is_whole(other)
        unit = one.unit if one.unit == other.unit else ""
        if all(dated):
            unit = DAYS
        elif self.calculation is Calculation.RATIO:
            unit = f"{one.unit} per {other.unit}" if one.unit and other.unit else ""
        kind = ColumnKind.WHOLE if whole else ColumnKind.NUMBER
        known = Column(name=self.name, kind=kind, unit=unit)
        known = left_out(known, one, other)
        bounds = self._bounds(one.bounds, other.bounds)
        return known if bounds is None else replace(known, bounds=bounds)

    def made(self, source: Dataset) -> pd.Series:
        """Return the cells. CONFIDENTIAL.

        Raises:
            ParameterError: There is no such column.

        """
        from pandas import Series  # noqa: PLC0415 - slow to import

        one, other = source.numbers(self.first), source.numbers(self.second)
        # Of infinities there is no difference, nor a ratio: those rows lack it.
        with np.errstate(all="ignore"):
            found = (
                one - other
                if self.calculation is Calculation.DIFFERENCE
                # Adding zero turns -0.0 into 0.0: no row says on which side it is.
                else one / (other + 0.0)
            )
        return Series(found, index=source.frame.index)

    def _bounds(self, one: Interval | None, other: Interval | None) -> Interval | None:
        if one is None or other is None:
            return None
        first, second = (np.array([each.lower, each.upper]) for each in (one, other))
        if self.calculation is Calculation.DIFFERENCE:
            ends: FloatArray = np.subtract.outer(first, second)
        elif other.lower <= 0 <= other.upper:
            return None
        else:
            ends = np.divide.outer(first, second)
        found = Interval(lower=float(ends.min()), upper=float(ends.max()))
        # What no column can have as bounds is left open.
        known = np.abs(ends).max() <= LARGEST and found.width > LARGEST**-1
        return found if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """Yes or no: whether a number of the row meets a condition.

    A row without the number has no answer.

    Attributes:
        condition: What it is compared with.

    """

    condition: NumberCondition

    @property
    def name(self) -> str:
        """Return what the column is called: the condition."""
        return self.condition.text

    def described(self, source: Dataset) -> Column:
        """Return the public description of the column."""
        known = yes_no(self.name, ("no", "yes"))
        return left_out(known, source.column(self.condition.column))

    def made(self, source: Dataset) -> pd.Series:
        """Return the cells. CONFIDENTIAL.

        Raises:
            ParameterError: There is no such column.

        """
        missing = np.isnan(source.numbers(self.condition.column))
        codes = self.condition.met(source).astype(np.intp)
        return label_cells(codes, missing, ("no", "yes"), source.frame.index)


@dataclass(frozen=True, slots=True, kw_only=True)
class Without:
    """A column in which further public codes stand for missing values.

    A code that is a number is met by every cell that is the same number.

    Attributes:
        column: Which column.
        codes: As they are written, such as "-9" or "n/a".

    Raises:
        ParameterError: There is none, or too many, or one twice.

    >>> Without(column="stay", codes=("-9", "n/a")).name
    'stay without -9 or "n/a"'

    """

    column: str
    codes: tuple[str, ...]

    def __post_init__(self) -> None:
        known = [_said(code) for code in self.codes]
        if not known or len(set(known)) < len(known) or len(known) > MOST_CODES:
            raise ParameterError(
                f"enter 1 to {MOST_CODES} different codes for “no answer”, such as -9; n/a."
            )

    @property
    def name(self) -> str:
        """Return what the column is called: whose codes are left out, and which."""
        return f"{named(self.column)} without {' or '.join(map(_said, self.codes))}"

    def described(self, source: Dataset) -> Column:
        """Return the public description of the column: that of the other, mostly.

        Where that one is no number, one is proposed, inferred from what is left.
        """
        old = source.column(self.column)
        if old.kind.is_numeric:
            return replace(old, name=self.name, display_name="")
        known = proposed_column(self.name, self.made(source), like=old)
        if known.kind.is_numeric:
            return replace(known, unit=old.unit)
        labels = tuple(label for label in old.labels if label not in self.codes)
        known = Column(name=self.name, kind=ColumnKind.CATEGORY, labels=labels)
        return left_out(replace(known, missing_codes=old.missing_codes), old)

    def made(self, source: Dataset) -> pd.Series:
        """Return the cells. CONFIDENTIAL.

        Raises:
            ParameterError: There is no such column.

        """
        source.column(self.column)
        cells: pd.Series = source.frame[self.column]
        return cells.mask(has_any(cells, self.codes, numeric=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recode:
    """Which labels become which. PUBLIC.

    Attributes:
        labels: As they are written in the table.
        into: What they become.

    Raises:
        ParameterError: There is no label, or a blank one.

    """

    labels: tuple[str, ...]
    into: str

    def __post_init__(self) -> None:
        known = (*self.labels, self.into)
        if not self.labels or any(not one or one != one.strip() for one in known):
            raise ParameterError("enter the old labels and the new label, none of them blank.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recoded:
    """A column in which some labels are recoded; all other cells stay.

    A label is met by a cell as the column declares: as written, or as a number. A
    missing code that is recoded becomes an answer.

    Attributes:
        column: Which column.
        recodes: What becomes what, each label once.

    Raises:
        ParameterError: A label is recoded twice, or there is none.

    >>> recode = Recode(labels=("Unknown", "-"), into="unknown")
    >>> Recoded(column="ward", recodes=(recode,)).name
    'ward with Unknown or "-" as unknown'

    """

    column: str
    recodes: tuple[Recode, ...]

    def __post_init__(self) -> None:
        every = [label for one in self.recodes for label in one.labels]
        if not every or len(set(every)) < len(every) or len(every) > MAX_LABELS:
            raise ParameterError(f"recode 1 to {MAX_LABELS} labels, each of them once.")

    @property
    def name(self) -> str:
        """Return what the column is called: the whole recipe."""
        told = "; ".join(
            f"{' or '.join(map(named, one.labels))} as {named(one.into)}" for one in self.recodes
        )
        return f"{named(self.column)} with {told}"

    def described(self, source: Dataset) -> Column:
        """Return the public description: the list of labels follows the recoding.

        Raises:
            ParameterError: The column has no labels, or two labels are recoded that
                denote the same cell.

        """
        old = source.column(self.column)
        if not old.kind.has_labels:
            raise ParameterError(f"{self.column!r} has no labels to recode; declare it a category.")
        # Refuses two that denote the same cell.
        kind = ColumnKind.CATEGORY
        Column(name=old.name, kind=kind, labels=self._from, equality=old.equality)
        labels = dict.fromkeys(self._becomes(old, label) for label in old.labels)
        if old.labels:
            labels |= dict.fromkeys(one.into for one in self.recodes)
        made = Column(
            name=self.name,
            kind=ColumnKind.CATEGORY,
            labels=tuple(labels),
            description=old.description,
            equality=old.equality,
            missing_codes=old.missing_codes,
            notation=old.notation,
        )
        if old.missing is not MissingPolicy.REPLACE:
            return made
        return replace(
            made,
            missing=old.missing,
            replacement=self._becomes(old, str(old.replacement)),
            complete=old.complete,
        )

    def made(self, source: Dataset) -> pd.Series:
        """Return the cells. CONFIDENTIAL.

        Raises:
            ParameterError: There is no such column.

        """
        old = source.column(self.column)
        cells: pd.Series = source.frame[self.column]
        texts = text_of(cells)
        for labels, becomes in (
            # Listed answers first, in the spelling of the list.
            (old.labels, old.labels),
            (self._from, self._into),
        ):
            codes = label_codes(
                cells, labels, numeric=old.compares_numbers, any_case=old.kind is ColumnKind.YES_NO
            )
            met = (codes >= 0) & (codes < len(labels))
            written = np.array([*becomes, ""], dtype=object)[np.where(met, codes, -1)]
            texts = texts.mask(met, written)
        return texts.astype("str").where(cells.notna())

    @property
    def _from(self) -> tuple[str, ...]:
        return tuple(label for one in self.recodes for label in one.labels)

    @property
    def _into(self) -> tuple[str, ...]:
        return tuple(one.into for one in self.recodes for _ in one.labels)

    def _becomes(self, old: Column, label: str) -> str:
        """Return what a label of the list becomes."""
        import pandas as pd  # noqa: PLC0415 - slow to import

        (code,) = label_codes(
            pd.Series([label], dtype="str"),
            self._from,
            numeric=old.compares_numbers,
            any_case=old.kind is ColumnKind.YES_NO,
        )
        return self._into[code] if code < len(self._from) else label


NewColumn = Bins | Calculated | Flag | Without | PartOfDate | Age | Recoded


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WidenedDataset(DerivedDataset):
    """A table with new columns beside those of the file. CONFIDENTIAL.

    Attributes:
        made: What was added, in order.

    """

    made: tuple[NewColumn, ...]


def with_new_columns(source: Dataset, made: tuple[NewColumn, ...]) -> Dataset:
    """Return a table with further columns; the table itself if there are none.

    All are made of columns of the table or of those without codes for "no answer",
    whatever their order, and of no other new one.

    Raises:
        DataError: Cells that are calculated with are not numbers.
        ParameterError: The table lacks a column, or has one of that name already.

    """
    if not made:
        return source
    names = [column.name for column in source.columns] + [one.name for one in made]
    if len(set(names)) < len(names):
        raise ParameterError("the table has a column of that name already.")
    codes = [one for one in made if isinstance(one, Without)]
    cleaned = replace(
        source,
        frame=source.frame.assign(**{one.name: one.made(source) for one in codes}),
        columns=(*source.columns, *(one.described(source) for one in codes)),
    )
    frame = source.frame.copy(deep=False)
    described = []
    for one in made:
        if isinstance(one, Without):
            frame[one.name] = cleaned.frame[one.name]
            described.append(cleaned.column(one.name))
        else:
            frame[one.name] = one.made(cleaned)
            described.append(one.described(cleaned))
    columns = (*source.columns, *described)
    return WidenedDataset(name=source.name, frame=frame, columns=columns, source=source, made=made)


def _said(code: str) -> str:
    """Return a code as a name says it: a finite number, or in quotation marks."""
    with contextlib.suppress(ValueError):
        if np.isfinite(float(code)):
            return exact(float(code))
    return json.dumps(code, ensure_ascii=False)
