"""Counts and sums of several columns by group: what one person can change of them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation
from dpcore.statistics.group_sums import MeanMoments
from dpcore.statistics.grouping import Grouping
from tests.releases.questions import AGE, means
from tests.statistics.columns import number, yes_no
from tests.terms import ADD_REMOVE, SUBSTITUTION

BOUNDS = (
    Interval(lower=-2.0, upper=2.0),
    Interval(lower=10.0, upper=30.0),
    Interval(lower=0.0, upper=1.0),
)
RELATIONS = st.sampled_from(list(NeighboringRelation))


def moments(columns):
    bounds = tuple(BOUNDS[place % len(BOUNDS)] for place in range(columns))
    return MeanMoments(labels_of_groups=("a", "b"), bounds=bounds)


def record(statistic, heights, group):
    at = [b.lower + b.width * h for b, h in zip(statistic.bounds, heights, strict=True)]
    return [*at, group]


@st.composite
def tables(draw, least=1):
    """Return the moments of one to three columns, and a small table for them."""
    columns = draw(st.integers(1, 3))
    one = st.tuples(
        st.lists(st.floats(-0.5, 1.5), min_size=columns, max_size=columns), st.integers(0, 2)
    )
    people = draw(st.lists(one, min_size=least, max_size=5))
    statistic = moments(columns)
    return statistic, np.array([record(statistic, *person) for person in people])


def norms(change):
    return np.abs(change).sum(), np.sqrt(np.square(change).sum()), np.abs(change).max()


@settings(max_examples=40)
@given(tables(least=2), RELATIONS)
def test_no_neighbor_changes_more_than_the_sensitivity(drawn, relation):
    statistic, table = drawn
    # The last row is what the first one becomes.
    before, after = table[:-1], table[1:]
    if relation is ADD_REMOVE:
        after = table[1:-1]
    change = statistic.value(after.reshape(-1, table.shape[1])) - statistic.value(before)
    most = statistic.sensitivity(relation)
    rounding = 1 + 1e-12
    l1, l2, largest = norms(change)
    assert l1 <= most.l1 * rounding
    assert l2 <= most.l2 * rounding
    assert largest <= most.largest * rounding
    assert (np.abs(change) > 1e-12).sum() <= most.coordinates


@pytest.mark.parametrize("columns", [1, 2, 3, 9, 20])
def test_sensitivity_is_attained_at_the_bounds(columns):
    statistic = moments(columns)
    low, high = np.zeros(columns), np.ones(columns)

    def at(*people):
        rows = [record(statistic, *person) for person in people]
        return statistic.value(np.reshape(rows, (-1, columns + 1)))

    one = at((high, 1))
    removed = statistic.sensitivity(ADD_REMOVE)
    assert norms(at() - one) == pytest.approx((removed.l1, removed.l2, removed.largest))
    moved, turned = norms(at((high, 0)) - one), norms(at((low, 1)) - one)
    most = statistic.sensitivity(SUBSTITUTION)
    together = tuple(map(max, moved, turned))
    assert together == pytest.approx((most.l1, most.l2, most.largest))
    assert most.coordinates == 2 * (columns + 1)


@settings(max_examples=40)
@given(tables(), RELATIONS)
def test_shifts_are_those_of_leaving_or_changing_each_person(drawn, relation):
    statistic, table = drawn
    shifts = statistic.neighbors(table, relation)
    people, columns = table.shape[0], table.shape[1] - 1
    corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * columns), axis=-1)
    corners = corners.reshape(-1, columns)
    for person in range(people):
        rest = np.delete(table, person, axis=0)
        reached = shifts.alternatives[person]
        if relation is ADD_REMOVE:
            np.testing.assert_allclose(reached, [statistic.value(rest)], atol=1e-12)
            continue
        others = [
            statistic.value(np.vstack([rest, record(statistic, corner, group)]))
            for corner in corners
            for group in range(3)
        ]
        for order in (1, 2):
            far = np.linalg.norm(np.array(others) - shifts.actual, order, axis=1).max()
            found = np.linalg.norm(reached - shifts.actual, order, axis=1).max()
            assert found == pytest.approx(far)


def test_questions_that_are_no_means_of_groups_are_refused():
    query = means().query
    for numbers in ((AGE,), (AGE, AGE), ()):
        with pytest.raises(ParameterError, match="columns of numbers"):
            replace(query, numbers=numbers)
    with pytest.raises(ParameterError, match="public bounds"):
        replace(query, numbers=(AGE, yes_no()))
    with pytest.raises(ParameterError, match="public list of labels"):
        replace(query, group=Grouping.of(number("income")))
    with pytest.raises(ParameterError, match="must be one of laplace"):
        means("bit")
