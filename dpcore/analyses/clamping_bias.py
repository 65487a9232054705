"""What bounds, filled-in values and minimum sizes do to an answer. CONFIDENTIAL.

The value of a statistic is that of a table which was prepared: missing values may be
filled in, values outside the bounds are moved to them, and a private number of people
counts as at least its public minimum. Each step moves the value a little further from
what the column itself says. The steps are taken one after the other here, in that order
and the lower bound before the upper, so that their effects add up to the whole bias.

A statistic of numbers as they are: no bounds, no public minimum. CONFIDENTIAL.

What noise is added to is never this; it is what people mean by the statistic's name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpcore.analyses.base import Question
from dpcore.analyses.cross_table import CrossedQuery
from dpcore.analyses.differences import DifferenceQuery
from dpcore.analyses.groups import GroupedQuery
from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.means import MeansQuery
from dpcore.analyses.number import Query, quantile_names
from dpcore.arrays import FloatArray
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.mechanisms.covariances import vector_of
from dpcore.statistics.bins import bins_of
from dpcore.statistics.entries import group_codes
from dpcore.statistics.kinds import StatisticKind

_ROUNDING: Final = 1e-13
CAUSES: Final = (
    "missing values filled in",
    "values below a bound",
    "values above a bound",
    "the minimum number of people",
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
    columns = _read(question)
    clamps = [_clamp(question, column) for column in columns]
    raw = np.column_stack([_values(dataset, column) for column in columns])
    filled = np.column_stack(
        [_filled(values, column) for values, column in zip(raw.T, columns, strict=True)]
    )
    lower, upper = np.array(clamps).T
    raised = np.maximum(filled, lower)
    lowered = np.minimum(raised, upper)
    codes = _codes(question, dataset)
    labels, measure = measure_of(question)
    with np.errstate(all="ignore"):
        stages = [
            _of_groups(measure, values, codes, labels, question)
            for values in (raw, filled, raised, lowered)
        ]
        if isinstance(question, MeansQuery):
            stages[0] = _each_alone(measure, raw, codes, question)
    by_rank = question.kind.of_places or question.kind is StatisticKind.CORRELATION
    of_sums = (isinstance(question, GroupedQuery) and question.moments is not None) or isinstance(
        question, DifferenceQuery | MeansQuery
    )
    computed = (
        stages[-1] if by_rank or of_sums else question.statistic.value(question.values(dataset))
    )
    return Bias(
        labels=labels,
        stages=np.array([*stages, computed]),
        columns=tuple(
            _outside(values, column, clamp)
            for values, column, clamp in zip(raw.T, columns, clamps, strict=True)
        ),
        rounding=_ROUNDING * np.maximum(np.abs(computed), _largest(question)),
    )


def _read(question: Question) -> tuple[Column, ...]:
    """Return the columns whose values the statistic is of, without that of groups."""
    if isinstance(question, JointQuery | MeansQuery):
        return question.numbers
    return question.columns if isinstance(question, CrossedQuery) else (question.column,)


def _largest(question: Question) -> float:
    """Return the size of what sums of the answer add up, which may cancel."""
    if question.kind.of_matrix:
        return 0.0  # its numbers have no common scale
    most = max(abs(question.bounds.lower), abs(question.bounds.upper))
    return most if np.isfinite(most) else 0.0


def _clamp(question: Question, column: Column) -> tuple[float, float]:
    """Return the bounds that values are moved to; infinite where they are not."""
    part = question.part if isinstance(question, GroupedQuery) else question
    if isinstance(question, CrossedQuery):
        part = next(each for each in question.crossed if each.column == column)
    edges = getattr(part, "edges", None)
    if edges is not None:
        return edges[0], edges[-1]
    if question.kind.of_members or column.bounds is None:
        return -np.inf, np.inf
    return column.bounds.lower, column.bounds.upper


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


def _outside(values: FloatArray, column: Column, clamp: tuple[float, float]) -> Outside:
    return Outside(
        name=column.title,
        clamped=bool(np.isfinite(clamp[1])),
        people=len(values),
        missing=int(np.count_nonzero(np.isnan(values))),
        below=int(np.count_nonzero(values < clamp[0])),
        above=int(np.count_nonzero(values > clamp[1])),
    )


def _codes(question: Question, dataset: Dataset) -> NDArray[np.intp] | None:
    """Return everybody's group, ``None`` where there are no groups."""
    group = getattr(question, "group", None)
    if group is None:
        return None
    return group_codes(dataset, group, np.arange(dataset.rows))


def _of_groups(
    measure: Measure,
    values: FloatArray,
    codes: NDArray[np.intp] | None,
    labels: Sequence[str],
    question: Question,
) -> FloatArray:
    """Return the statistic of who has all values: together, pooled, or by group."""
    there = ~np.isnan(values).any(axis=1)
    values = values[there]
    if codes is None:
        return measure(values)
    codes = codes[there]
    if isinstance(question, DifferenceQuery):
        places = map(question.group.labels.index, question.pair)
        one, other = (measure(values[codes == place]) for place in places)
        return one - other
    if isinstance(question, JointQuery):
        return _pooled(question, values, codes)
    if isinstance(question, MeansQuery):
        groups = range(len(question.groups))
        return np.stack([measure(values[codes == j]) for j in groups], axis=-1).ravel()
    return np.concatenate([measure(values[codes == j]) for j in range(len(labels))])


def _each_alone(
    measure: Measure, values: FloatArray, codes: NDArray[np.intp] | None, question: MeansQuery
) -> FloatArray:
    """Return the means of each column of who has a value of it, whatever of others.

    Who is left out for want of another column is missing from what is computed, and
    that is part of how far it is away.
    """
    found = []
    for column in values.T:
        there = ~np.isnan(column)
        found += [
            measure(column[there & (codes == j), np.newaxis]) for j in range(len(question.groups))
        ]
    return np.concatenate(found)


def _pooled(question: JointQuery, values: FloatArray, codes: NDArray[np.intp]) -> FloatArray:
    sums = np.zeros((values.shape[1], values.shape[1]))
    for code in np.unique(codes):
        away = values[codes == code]
        away = away - away.mean(axis=0)
        sums += away.T @ away
    groups = question.groups
    freedom = len(values) - (0 if groups is None else groups.people - groups.freedom)
    return np.array([sums[0, -1] / freedom if freedom > 0 else np.nan])


Measure = Callable[[FloatArray], FloatArray]


def measure_of(question: Question) -> tuple[tuple[str, ...], Measure]:
    """Return the names of the numbers, and what computes them from entries ``(n, d)``.

    Whatever is not defined, such as the mean of nobody, is NaN; the caller silences
    what numpy says about it. Of a question by group it is that of one group.
    """
    kind, labels = question.kind, question.statistic.labels
    if isinstance(question, GroupedQuery):
        labels = question.groups
    if isinstance(question, CrossedQuery | DifferenceQuery | MeansQuery):
        return _raw_of_groups(question)
    if isinstance(question, JointQuery):
        if kind is StatisticKind.CORRELATION:
            return (question.title,), _correlation
        if kind.of_matrix:
            return labels, lambda values: vector_of(_covariances(values))
        return labels, lambda values: _covariances(values)[:1, 1]
    part = question.part if isinstance(question, GroupedQuery) else question
    if kind.of_places:
        return _of_places(part)  # type: ignore[arg-type] # a Query
    return labels, _of_one(part)  # type: ignore[arg-type] # a Query


def sample_quantile(values: ArrayLike, q: float) -> float:
    """Return the ``q``-quantile (type 7 of Hyndman and Fan 1996).

    ``(1 - g) x_(j) + g x_(j+1)`` with ``j + g = (n - 1) q`` and the values in ascending
    order from 0.

    Raises:
        ParameterError: There is no value, or ``q`` is not in [0, 1].

    >>> sample_quantile([3.0, 1.0, 2.0, 10.0], 0.5)
    2.5

    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if len(ordered) < 1 or not 0 <= q <= 1:
        raise ParameterError(f"a quantile needs a value and q from 0 to 1, got q = {q}.")
    h = (len(ordered) - 1) * q
    j = math.floor(h)
    above = min(j + 1, len(ordered) - 1)
    return float((1 - (h - j)) * ordered[j] + (h - j) * ordered[above])


def _raw_of_groups(
    question: CrossedQuery | DifferenceQuery | MeansQuery,
) -> tuple[tuple[str, ...], Measure]:
    if isinstance(question, MeansQuery):
        return tuple(chain.from_iterable(question.names)), _mean
    if isinstance(question, CrossedQuery):
        return question.cells, _pairs(question)
    return (question.title,), question.part.of_numbers.raw


def _of_places(query: Query) -> tuple[tuple[str, ...], Measure]:
    if query.qs is not None:
        return quantile_names(query.qs), _quantiles(query.qs)
    return (query.title,), _quantile(query)


def _of_one(query: Query) -> Measure:
    kind = query.kind
    if kind.of_cells:
        return _cells(query)
    if kind.of_members:
        return _members(query)
    return query.of_numbers.raw


def _mean(values: FloatArray) -> FloatArray:
    return np.asarray(values.sum(axis=0) / len(values))


def _quantile(query: Query) -> Measure:
    q = 0.5 if query.q is None else query.q

    def measure(values: FloatArray) -> FloatArray:
        found = sample_quantile(values[:, 0], q) if len(values) else np.nan
        return np.array([found])

    return measure


def _quantiles(qs: tuple[float, ...]) -> Measure:
    def measure(values: FloatArray) -> FloatArray:
        if not len(values):
            return np.full(len(qs), np.nan)
        return np.array([sample_quantile(values[:, 0], q) for q in qs])

    return measure


def _members(query: Query) -> Measure:
    membership, average = query.membership, query.kind is StatisticKind.PROPORTION

    def measure(values: FloatArray) -> FloatArray:
        if membership is None or membership.everyone:
            members = np.ones_like(values)
        elif membership.interval is not None:
            ends = membership.interval
            members = ((values >= ends.lower) & (values <= ends.upper)).astype(float)
        else:
            code = query.column.labels.index(str(membership.label))
            members = (values == code).astype(float)
        return _mean(members) if average else members.sum(axis=0)

    return measure


def _cells(query: Query) -> Measure:
    edges, count = query.edges, len(query.statistic.labels)
    average = query.kind is StatisticKind.PROPORTIONS

    def measure(values: FloatArray) -> FloatArray:
        codes = values[:, 0]
        if edges is not None:
            inside = (codes >= edges[0]) & (codes <= edges[-1])
            codes = bins_of(codes[inside], edges)
        counts = np.bincount(codes.astype(np.intp), minlength=count).astype(float)
        return counts / len(values) if average else counts

    return measure


def _pairs(query: CrossedQuery) -> Measure:
    """Count the cells of a cross table; who lies beyond the bins is in none."""

    def measure(values: FloatArray) -> FloatArray:
        inside = np.ones(len(values), dtype=bool)
        codes = []
        for each, column in zip(query.crossed, values.T, strict=True):
            edges = each.edges
            if edges is not None:
                inside &= (column >= edges[0]) & (column <= edges[-1])
                codes.append(bins_of(column, edges))
            else:
                codes.append(column)
        places = (codes[0] * query.shape[1] + codes[1])[inside]
        counted = np.bincount(places.astype(np.intp), minlength=len(query.cells))
        return counted.astype(np.float64)

    return measure


def _covariances(values: FloatArray) -> FloatArray:
    away = values - _mean(values)
    return np.asarray(away.T @ away / max(len(values) - 1, 0))


def _correlation(values: FloatArray) -> FloatArray:
    covariances = _covariances(values)
    first, second = np.diag(covariances)
    return np.array([covariances[0, 1] / np.sqrt(first * second)])
