"""From columns of a table to the rows and targets of a model, by public numbers only.

A number is measured from the middle of its bounds, in halves of their width, so that it
lies within -1 and 1. Scaling by the mean and the deviation of the data instead would
itself depend on everybody. A category has an entry for each public label but one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.models.factor import nobody

MOST_COEFFICIENTS = 250
"""Beyond it a million rows would not fit into memory."""
_NEARER = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One entry of a row, besides the intercept. PUBLIC."""

    column: Column
    """The feature that it comes from."""
    label: str | None = None
    """The label that it is 1 for; ``None`` for numbers and yes/no."""

    @property
    def name(self) -> str:
        """Return the name of its coefficient, as in "age" or "party: other"."""
        name = self.column.name
        return name if self.label is None else f"{name}: {self.label}"


def terms_of(column: Column, *, others_apart: bool) -> tuple[Term, ...]:
    """Return the entries that a feature becomes; ``others_apart`` as in ``Design``."""
    if column.kind is not ColumnKind.CATEGORY:
        return (Term(column=column),)
    labels = column.labels if others_apart else column.labels[1:]
    return tuple(Term(column=column, label=label) for label in labels)


def indicators(codes: FloatArray, column: Column, *, others_apart: bool) -> FloatArray:
    """Return the entries of people with these labels, shape ``(n, terms)``.

    Who has none of the labels has their number for a code.
    """
    first = 0 if others_apart else 1
    places = np.arange(first, len(column.labels))
    return np.asarray((codes[:, np.newaxis] == places).astype(np.float64))


def code_of(entries: FloatArray, column: Column, *, others_apart: bool) -> int:
    """Return the position of the label behind a person's entries.

    That of the reference where no entry is 1: the first label, or the number of labels
    for a value that is not listed.
    """
    first = 0 if others_apart else 1
    if len(entries) == 0 or entries.max() <= 0:
        return len(column.labels) if others_apart else 0
    return first + int(np.argmax(entries))


def nearest(entries: FloatArray) -> FloatArray:
    """Return the nearest entries that somebody can have, shape ``(..., terms)``.

    >>> nearest(np.array([[0.2, 0.9], [0.1, 0.3]])).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    if entries.shape[-1] == 0:
        return entries
    places = np.argmax(entries, axis=-1)[..., np.newaxis]
    largest = np.take_along_axis(entries, places, axis=-1)
    here = np.arange(entries.shape[-1]) == places
    return np.asarray((here & (largest > _NEARER)).astype(np.float64))


def check_target(column: Column) -> None:
    """Refuse a column that a model cannot explain.

    Raises:
        ParameterError: It is a category, or a number without bounds.

    """
    number = column.kind.is_numeric
    if column.kind is ColumnKind.CATEGORY or (number and column.bounds is None):
        raise ParameterError(
            f"{column.name!r} must be yes/no or a number with public bounds to be "
            "explained; declare it so on the Data page."
        )


def check_feature(column: Column, *, others_apart: bool) -> None:
    """Refuse a column that cannot explain another.

    Raises:
        ParameterError: It is not declared, or a category with a single answer.

    """
    if not column.is_declared:
        what = "bounds" if column.kind.is_numeric else "labels"
        raise ParameterError(f"{column.name!r} needs public {what}; declare them on the Data page.")
    if not terms_of(column, others_apart=others_apart):
        raise ParameterError(
            f"{column.name!r} has a single label, which everybody shares: it explains "
            "nothing. Leave it out, or let values that are not listed be apart."
        )


def check_names(names: tuple[str, ...]) -> None:
    """Refuse names of coefficients that people could not tell apart.

    Raises:
        ParameterError: Two are equal, or there are too many.

    """
    if len(names) > MOST_COEFFICIENTS:
        raise ParameterError(
            f"a model has at most {MOST_COEFFICIENTS} coefficients, this one "
            f"{len(names)}: choose fewer features, or categories of fewer labels."
        )
    if len({*names, "constant"}) <= len(names):
        raise ParameterError(
            "two coefficients would have the same name: a column or label is called "
            "like another one, “intercept” or “constant”. Rename it."
        )


class UnitRows(StrEnum):
    """How rows are kept at most 1 long, which bounds on sensitivity need."""

    OFF = "as they are"
    """They are not: a row may be as long as the root of its number of columns."""
    DIVIDE = "divide all"
    """Every row is divided by the root of its number of columns, intercept included."""
    CLIP = "clip long ones"
    """Rows that are longer than 1 are shortened; it changes what is fitted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelTable:
    """What a model is fitted to. CONFIDENTIAL."""

    features: FloatArray = field(repr=False)
    """Rows, shape ``(n, d)``, the intercept first."""
    target: FloatArray = field(repr=False)
    """Targets, shape ``(n,)``."""
    rows: NDArray[np.intp] = field(repr=False)
    """The row of the table, from 0, of each of them, shape ``(n,)``."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coefficients:
    """A linear prediction in the units of the columns."""

    constant: float
    """The prediction where every feature is 0."""
    slopes: FloatArray
    """The change of the prediction for one more unit of each feature, or for a label in
    place of the reference.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Which columns explain which one, and how they are scaled. PUBLIC.

    Yes/no is 1 and 0, and not scaled. Counts are clamped to their bounds and not scaled
    either, since Poisson regression is about their size. Another target is measured
    from ``origin``: a penalty pulls predictions towards it.

    Raises:
        ParameterError: A column is not usable or not declared, or occurs twice, two
            coefficients have the same name, or the origin has no use or lies outside
            the bounds.

    """

    target: Column
    """The column to be explained: a number or yes/no."""
    features: tuple[Column, ...]
    """The columns that explain it, all different."""
    intercept: bool = True
    """Whether each row begins with a 1."""
    counts: bool = False
    """Whether the target counts something."""
    unit_rows: UnitRows = UnitRows.DIVIDE
    """How rows are kept at most 1 long."""
    origin: float | None = None
    """A usual value of a target that is a number, guessed without the table; ``None``
    for the middle of its bounds.
    """
    others_apart: bool = False
    """Whether values that are not listed are the reference of a category; otherwise its
    first label is, and they count with it.
    """

    def __post_init__(self) -> None:
        names = {column.name for column in self.columns}
        if not self.features or len(names) < len(self.columns):
            raise ParameterError("a model needs a target and at least one feature, all different.")
        check_target(self.target)
        for column in self.features:
            check_feature(column, others_apart=self.others_apart)
        bounds = self.target.bounds
        if self.counts and (bounds is None or bounds.lower < 0):
            raise ParameterError(f"{self.target.name!r} counts only with bounds of 0 or more.")
        if self.origin is not None:
            self._check_origin(self.origin)
        check_names(self.labels)

    def _check_origin(self, origin: float) -> None:
        bounds = self.target.bounds
        if bounds is None or self.counts:
            message = "only a target that is a number and does not count has a usual "
            message += "value to be measured from."
            raise ParameterError(message)
        if not bounds.lower <= origin <= bounds.upper:
            raise ParameterError(
                f"the usual value of {self.target.name!r} must lie within its bounds "
                f"{in_full(bounds.lower)} and {in_full(bounds.upper)}, got {in_full(origin)}."
            )

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return every column that is read, the target first."""
        return (self.target, *self.features)

    @property
    def terms(self) -> tuple[Term, ...]:
        """Return the entries of a row, besides the intercept."""
        apart = self.others_apart
        return tuple(
            term for column in self.features for term in terms_of(column, others_apart=apart)
        )

    @property
    def root(self) -> float:
        """Return what rows are divided by: of a category at most one entry is 1."""
        if self.unit_rows is not UnitRows.DIVIDE:
            return 1.0
        return math.sqrt(int(self.intercept) + len(self.features))

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each coefficient."""
        names = tuple(term.name for term in self.terms)
        return ("intercept", *names) if self.intercept else names

    @property
    def target_range(self) -> tuple[float, float]:
        """Return the least and the largest target after scaling."""
        bounds = self.target.bounds
        if bounds is None:
            return 0.0, 1.0
        center, width = self.scale(self.target)
        return (bounds.lower - center) / width, (bounds.upper - center) / width

    def rows(self, dataset: Dataset) -> NDArray[np.intp]:
        """Return the rows, from 0, of the people behind the model. CONFIDENTIAL.

        Raises:
            ParameterError: The data set counts several rows of a person.

        """
        if dataset.cap is not None:
            raise ParameterError("a model needs one row a person: make one of each on Data.")
        kept = np.ones(dataset.people, dtype=bool)
        for column in self.columns:
            if column.missing is MissingPolicy.DROP:
                kept &= ~dataset.missing(column.name)
        return np.flatnonzero(kept)

    def matrix(self, dataset: Dataset, rows: NDArray[np.intp] | None = None) -> ModelTable:
        """Return the rows and targets of everybody with all values. CONFIDENTIAL.

        Missing values are dropped or replaced as columns say. ``rows``: whom to read.

        Raises:
            DataError: A column cannot be read as declared, or nobody is left.
            ParameterError: The data set declares a column otherwise.

        """
        rows = self.rows(dataset) if rows is None else rows
        if len(rows) == 0:
            raise nobody()
        # A column at a time is written, and added up over: each is one stretch.
        x = np.ones((len(rows), len(self.labels)), order="F")
        for column, places in self.blocks:
            x[:, places] = self.entries(column, self._values(dataset, column, rows))
        y = self.entries(self.target, self._values(dataset, self.target, rows))
        return ModelTable(features=self._unit(x), target=y[:, 0], rows=rows)

    @property
    def blocks(self) -> tuple[tuple[Column, slice], ...]:
        """Return each feature with the places of its entries in a row."""
        found, start = [], int(self.intercept)
        for column in self.features:
            end = start + len(terms_of(column, others_apart=self.others_apart))
            found.append((column, slice(start, end)))
            start = end
        return tuple(found)

    def entries(self, column: Column, values: FloatArray) -> FloatArray:
        """Return what values become before rows are kept short, shape ``(n, terms)``.

        Args:
            column: The target or a feature.
            values: Numbers, or positions of labels: yes/no as 1 and 0, and a value that
                is not among the labels of a category as their number. Shape ``(n,)``.

        """
        if column.kind is ColumnKind.CATEGORY:
            return indicators(values, column, others_apart=self.others_apart)
        if column.bounds is None:
            return values[:, np.newaxis]
        center, width = self.scale(column)
        return np.asarray((column.bounds.clip(values) - center) / width)[:, np.newaxis]

    def legal(self, rows: FloatArray) -> FloatArray:
        """Return, for any rows, ones that somebody within the bounds can have.

        Each entry becomes the nearest possible one, before rows are kept short.
        """
        wanted = rows * self.root
        raw = np.clip(wanted, -1.0, 1.0)
        raw[..., : int(self.intercept)] = 1.0
        for column, places in self.blocks:
            if column.bounds is None:
                raw[..., places] = nearest(wanted[..., places])
        return self._unit(raw)

    def in_units(self, theta: FloatArray) -> Coefficients:
        """Return the linear prediction of ``theta`` in the units of the columns.

        Of the target for a linear model, of the log odds or the logarithm of the
        expected count for others. Rows that were clipped are predicted as if they were
        not.
        """
        scaled = np.asarray(theta, dtype=np.float64) / self.root
        first = int(self.intercept)
        centers, widths = np.array([self.scale(term.column) for term in self.terms]).T
        slopes = scaled[first:] / widths
        constant = float(scaled[:first].sum() - slopes @ centers)
        middle, width = self.scale(self.target)
        return Coefficients(constant=middle + width * constant, slopes=width * slopes)

    def scale(self, column: Column) -> tuple[float, float]:
        """Return the number that becomes 0, and the distance that becomes 1."""
        bounds = column.bounds
        if bounds is None or (self.counts and column is self.target):
            return 0.0, 1.0
        if self.origin is None or column is not self.target:
            return (bounds.lower + bounds.upper) / 2, bounds.width / 2
        return self.origin, max(self.origin - bounds.lower, bounds.upper - self.origin)

    def _values(self, dataset: Dataset, column: Column, rows: NDArray[np.intp]) -> FloatArray:
        """Return numbers or positions of labels, missing ones replaced."""
        declared = dataset.column(column.name)
        if declared.kind is not column.kind or declared.labels != column.labels:
            raise ParameterError(f"the data set declares {column.name!r} otherwise.")
        if column.kind is ColumnKind.CATEGORY:
            codes = dataset.codes(column.name).astype(np.float64)
            numbers = np.where(codes < 0, np.nan, codes)
        else:
            numbers = dataset.numbers(column.name)
        numbers = numbers[rows]
        if column.missing is not MissingPolicy.REPLACE or column.replacement is None:
            return numbers
        # Where no number is missing, the largest is not.
        if np.isnan(numbers.max(initial=-np.inf)):
            constant = (
                column.labels.index(column.replacement)
                if isinstance(column.replacement, str)
                else column.replacement
            )
            numbers = np.where(np.isnan(numbers), float(constant), numbers)
        return numbers

    def _unit(self, rows: FloatArray) -> FloatArray:
        if self.unit_rows is UnitRows.DIVIDE:
            rows /= self.root
        elif self.unit_rows is UnitRows.CLIP:
            lengths = np.sqrt(np.einsum("...i,...i->...", rows, rows))
            rows /= np.maximum(lengths, 1.0)[..., np.newaxis]
        return rows
