"""What bounds, filled-in values and minimum sizes do to an answer. CONFIDENTIAL.

The value of a statistic is that of a table which was prepared: missing values may be
filled in, values outside the bounds are moved to them, and a private number of people
counts as at least its public minimum. Each step moves the value a little further from
what the column itself says. The steps are taken one after the other here, in that order
and the lower bound before the upper, so that their effects add up to the whole bias.

The first is the statistic of numbers as they are (``Question.raw``): what people mean by
its name, and never what noise is added to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.base import Question
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.statistics.entries import group_codes
from dpcore.statistics.joint_moments import JointMoments

_ROUNDING: Final = 1e-13
CAUSES: Final = (
    "missing values filled in",
    "values below a bound",
    "values above a bound",
    "a public minimum above the number of people",
)
"""What moves the value of a statistic, in the order in which it is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """How many values of a column are missing, or beyond its bounds. CONFIDENTIAL.

    ``clamped`` tells whether the question moves values to the bounds at all.
    """

    name: str
    clamped: bool
    people: int
    missing: int
    below: int
    above: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bias:
    """A statistic as it is computed, beside that of the raw columns. CONFIDENTIAL.

    Attributes:
        labels: Name of each of ``k`` numbers.
        stages: Shape ``(5, k)``: of the columns as they were read, without people who
            have no value; then after each of ``CAUSES``. NaN where it is not defined.
        columns: What is outside, column by column.
        rounding: Shape ``(k,)``: by how much a sum in another order is another float.
            What is moved by no more than that is not moved.

    """

    labels: tuple[str, ...]
    stages: FloatArray
    columns: tuple[Outside, ...]
    rounding: FloatArray

    @property
    def raw(self) -> FloatArray:
        """Return the statistic of the columns as they were read, shape ``(k,)``."""
        return np.asarray(self.stages[0])

    @property
    def computed(self) -> FloatArray:
        """Return what noise is added to, shape ``(k,)``."""
        return np.asarray(self.stages[-1])

    @property
    def effects(self) -> FloatArray:
        """Return by how much each of ``CAUSES`` moves it, shape ``(4, k)``."""
        return self._moved(self.stages[:-1], self.stages[1:])

    @property
    def total(self) -> FloatArray:
        """Return the bias, shape ``(k,)``: what is computed less what is there."""
        return self._moved(self.raw, self.computed)

    def _moved(self, before: FloatArray, after: FloatArray) -> FloatArray:
        with np.errstate(invalid="ignore"):  # from infinity to infinity
            moved = np.asarray(after - before, dtype=np.float64)
        return np.where(np.abs(moved) <= self.rounding, 0.0, moved)


def bias(question: Question, dataset: Dataset) -> Bias:
    """Return what the declarations of a question do to its answer.

    Raises:
        DataError: A column cannot be read as declared.
        ParameterError: The data set declares a column otherwise.

    """
    columns = question.measured
    lower, upper = np.array([question.clamp(column) for column in columns]).T
    raw = np.column_stack([_values(dataset, column) for column in columns])
    filled = np.column_stack(
        [_filled(values, column) for values, column in zip(raw.T, columns, strict=True)]
    )
    raised = np.maximum(filled, lower)
    lowered = np.minimum(raised, upper)
    codes = _codes(question, dataset)
    with np.errstate(all="ignore"):
        stages = [question.raw_as_read(raw, codes)]
        for values in (filled, raised, lowered):
            there = ~np.isnan(values).any(axis=1)
            stages.append(question.raw(values[there], codes[there]))
    # What follows from other numbers than those that noise is added to has no minimum.
    computed = stages[-1]
    if isinstance(question.statistic, JointMoments):
        computed = question.statistic.described(question.value(dataset))
    elif not question.follows:
        computed = question.value(dataset)
    return Bias(
        labels=question.labels,
        stages=np.array([*stages, computed]),
        columns=tuple(
            Outside(
                name=column.title,
                clamped=bool(np.isfinite(high)),
                people=len(values),
                missing=int(np.count_nonzero(np.isnan(values))),
                below=int(np.count_nonzero(values < low)),
                above=int(np.count_nonzero(values > high)),
            )
            for values, column, low, high in zip(raw.T, columns, lower, upper, strict=True)
        ),
        rounding=_ROUNDING * np.maximum(np.abs(computed), _largest(question)),
    )


def _largest(question: Question) -> float:
    """Return the size of what sums of the answer add up, which may cancel."""
    if question.kind.of_matrix:
        return 0.0  # its numbers have no common scale
    most = max(abs(question.bounds.lower), abs(question.bounds.upper))
    return most if np.isfinite(most) else 0.0


def _values(dataset: Dataset, column: Column) -> FloatArray:
    """Return the values as they were read, or positions of labels; NaN if missing."""
    if column.kind.is_numeric:
        return dataset.numbers(column.name)
    codes = dataset.codes(column.name).astype(np.float64)
    return np.where(codes < 0, np.nan, codes)


def _filled(values: FloatArray, column: Column) -> FloatArray:
    said = column.replacement
    if said is None:
        return values
    constant = column.labels.index(said) if isinstance(said, str) else said
    return np.where(np.isnan(values), float(constant), values)


def _codes(question: Question, dataset: Dataset) -> NDArray[np.intp]:
    """Return everybody's group, 0 where there are no groups."""
    rows = np.arange(dataset.rows)
    if question.grouping is None:
        return np.zeros_like(rows)
    return group_codes(dataset, question.grouping, rows)
