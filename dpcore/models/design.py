"""From columns of a table to the rows and targets of a model, by public numbers only.

A number is measured from the middle of its bounds, in halves of their width, so that it
lies within -1 and 1. Scaling by the mean and the deviation of the data instead would
itself depend on everybody.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from dpcore.data.columns import ColumnKind, MissingPolicy
from dpcore.errors import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.data.bounds import FloatArray
    from dpcore.data.columns import Column
    from dpcore.data.dataset import Dataset


class UnitRows(StrEnum):
    """How rows are kept at most 1 long, which bounds on sensitivity need."""

    OFF = "as they are"
    """They are not: a row may be as long as the root of its number of entries."""
    DIVIDE = "divide all"
    """Every row is divided by the root of its number of entries."""
    CLIP = "clip long ones"
    """Rows that are longer than 1 are shortened; it changes what is fitted."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelTable:
    """What a model is fitted to. CONFIDENTIAL.

    Attributes:
        features: Rows, shape ``(n, d)``, the intercept first.
        target: Targets, shape ``(n,)``.
        rows: The row of the table, from 0, of each of them, shape ``(n,)``.

    """

    features: FloatArray = field(repr=False)
    target: FloatArray = field(repr=False)
    rows: NDArray[np.intp] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coefficients:
    """A linear prediction in the units of the columns.

    Attributes:
        constant: The prediction where every feature is 0.
        slopes: The change of the prediction for one more unit of each feature.

    """

    constant: float
    slopes: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Which columns explain which one, and how they are scaled. PUBLIC.

    Yes/no is 1 and 0, and not scaled. Counts are clamped to their bounds and not scaled
    either, since Poisson regression is about their size.

    Attributes:
        target: The column to be explained: a number or yes/no.
        features: The columns that explain it, all different: numbers or yes/no.
        intercept: Whether each row begins with a 1.
        counts: Whether the target counts something.
        unit_rows: How rows are kept at most 1 long.

    Raises:
        ParameterError: A column is not usable or not declared, or occurs twice.

    """

    target: Column
    features: tuple[Column, ...]
    intercept: bool = True
    counts: bool = False
    unit_rows: UnitRows = UnitRows.DIVIDE

    def __post_init__(self) -> None:
        names = {column.name for column in self.columns}
        if not self.features or len(names) < len(self.columns):
            message = "a model needs a target and at least one feature, all different."
            raise ParameterError(message)
        for column in self.columns:
            number = column.kind is ColumnKind.NUMBER
            if column.kind is ColumnKind.CATEGORY or (number and column.bounds is None):
                message = (
                    f"{column.name!r} must be yes/no or a number with public bounds; "
                    "declare it so on the Data page."
                )
                raise ParameterError(message)
        bounds = self.target.bounds
        if self.counts and (bounds is None or bounds.lower < 0):
            message = f"{self.target.name!r} counts only with bounds of 0 or more."
            raise ParameterError(message)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return every column that is read, the target first."""
        return (self.target, *self.features)

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the name of each coefficient."""
        names = tuple(column.name for column in self.features)
        return ("intercept", *names) if self.intercept else names

    @property
    def target_range(self) -> tuple[float, float]:
        """Return the least and the largest target after scaling."""
        bounds = self.target.bounds
        if bounds is None:
            return 0.0, 1.0
        return (bounds.lower, bounds.upper) if self.counts else (-1.0, 1.0)

    def rows(self, dataset: Dataset) -> NDArray[np.intp]:
        """Return the rows, from 0, of the people behind the model. CONFIDENTIAL."""
        kept = np.ones(dataset.people, dtype=bool)
        for column in self.columns:
            if column.missing is MissingPolicy.DROP:
                kept &= ~dataset.missing(column.name)
        return np.flatnonzero(kept)

    def matrix(self, dataset: Dataset) -> ModelTable:
        """Return the rows and targets of everybody with all values. CONFIDENTIAL.

        Missing values are dropped or replaced as the columns say.

        Raises:
            DataError: A column cannot be read as declared, or nobody is left.
            ParameterError: The data set declares a column otherwise.

        """
        rows = self.rows(dataset)
        if len(rows) == 0:
            message = "nobody has a value of every column of the model."
            raise DataError(message)
        x = np.ones((len(rows), len(self.labels)))
        for place, column in enumerate(self.features, start=int(self.intercept)):
            x[:, place] = self._entries(dataset, column, rows)
        return ModelTable(
            features=self._unit(x),
            target=self._entries(dataset, self.target, rows),
            rows=rows,
        )

    def legal(self, rows: FloatArray) -> FloatArray:
        """Return, for any rows, ones that somebody within the bounds can have.

        Each entry becomes the nearest possible one, before rows are kept short.
        """
        first = int(self.intercept)
        root = math.sqrt(len(self.labels)) if self.unit_rows is UnitRows.DIVIDE else 1.0
        raw = np.clip(rows * root, -1.0, 1.0)
        raw[..., :first] = 1.0
        for place, column in enumerate(self.features, start=first):
            if column.bounds is None:
                raw[..., place] = (raw[..., place] > 0.5).astype(np.float64)  # noqa: PLR2004 - nearer to 1
        return self._unit(raw)

    def in_units(self, theta: FloatArray) -> Coefficients:
        """Return the linear prediction of ``theta`` in the units of the columns.

        Of the target for a linear model, of the log odds or the logarithm of the
        expected count for others. Rows that were clipped are predicted as if they were
        not.
        """
        root = math.sqrt(len(theta)) if self.unit_rows is UnitRows.DIVIDE else 1.0
        scaled = np.asarray(theta, dtype=np.float64) / root
        first = int(self.intercept)
        scales = [self._scale(column) for column in self.features]
        centers, widths = np.array(scales).T
        slopes = scaled[first:] / widths
        constant = float(scaled[:first].sum() - slopes @ centers)
        middle, width = self._scale(self.target)
        return Coefficients(constant=middle + width * constant, slopes=width * slopes)

    def _scale(self, column: Column) -> tuple[float, float]:
        """Return the number that becomes 0, and the distance that becomes 1."""
        bounds = column.bounds
        if bounds is None or (self.counts and column is self.target):
            return 0.0, 1.0
        return (bounds.lower + bounds.upper) / 2, bounds.width / 2

    def _entries(
        self, dataset: Dataset, column: Column, rows: NDArray[np.intp]
    ) -> FloatArray:
        declared = dataset.column(column.name)
        if declared.kind is not column.kind or declared.labels != column.labels:
            message = f"the data set declares {column.name!r} otherwise."
            raise ParameterError(message)
        numbers = dataset.numbers(column.name)[rows]
        if column.missing is MissingPolicy.REPLACE and column.replacement is not None:
            constant = (
                column.labels.index(column.replacement)
                if isinstance(column.replacement, str)
                else column.replacement
            )
            numbers = np.where(np.isnan(numbers), float(constant), numbers)
        if column.bounds is None:
            return numbers
        center, width = self._scale(column)
        return np.asarray((column.bounds.clip(numbers) - center) / width)

    def _unit(self, rows: FloatArray) -> FloatArray:
        if self.unit_rows is UnitRows.DIVIDE:
            rows /= math.sqrt(rows.shape[-1])
        elif self.unit_rows is UnitRows.CLIP:
            lengths = np.sqrt(np.einsum("...i,...i->...", rows, rows))
            rows /= np.maximum(lengths, 1.0)[..., np.newaxis]
        return rows
