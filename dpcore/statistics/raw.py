"""A statistic of numbers as they are: no bounds, no public minimum. CONFIDENTIAL.

What noise is added to is never this; it is what people mean by the statistic's name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import chain

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.covariances import vector_of
from dpcore.statistics.bins import bins_of
from dpcore.statistics.crossed_query import CrossedQuery
from dpcore.statistics.difference_query import DifferenceQuery
from dpcore.statistics.grouped_query import GroupedQuery
from dpcore.statistics.joint_query import JointQuery
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.means_query import MeansQuery
from dpcore.statistics.query import Query, quantile_names
from dpcore.statistics.question import Question

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
        return _of_groups(question)
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


def _of_groups(
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
