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
from dpcore.models.factor import nobody
from dpcore.models.terms import (
    Term,
    check_feature,
    check_names,
    check_target,
    indicators,
    nearest,
    terms_of,
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
                f"{bounds.lower:g} and {bounds.upper:g}, got {origin:g}."
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
