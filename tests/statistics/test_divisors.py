"""Variance and deviation over n beside n - 1: enumerated, and how useful."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation
from dpcore.statistics.variance import StandardDeviation, Variance
from tests.statistics.neighbors import changes, check
from tests.terms import ADD_REMOVE, SUBSTITUTION, UNIT, private, public

BOUNDS = Interval(lower=-3.0, upper=3.0)
GRID = (0.0, 0.25, 0.5, 0.75, 1.0)
KINDS = [(kind, ddof) for kind in (Variance, StandardDeviation) for ddof in (0, 1)]

numbers = st.lists(st.floats(-3, 3).map(lambda x: round(x, 6)), min_size=1, max_size=10).map(
    np.array
)


def reference(kind, ddof, size, table):
    """The statistic by its definition."""
    n = len(table) if size.public else max(len(table), size.people)
    values = np.asarray(table, dtype=float)
    squares = np.square(values - values.mean()).sum() if len(values) else 0.0
    variance = squares / (n - ddof)
    return variance if kind is Variance else np.sqrt(variance)


def all_changes(kind, ddof, size, relation, people):
    return changes(
        lambda table: [reference(kind, ddof, size, table)],
        GRID,
        relation,
        people,
        drop=not size.public,
    )


@pytest.mark.parametrize(("kind", "ddof"), KINDS)
@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7])
def test_sensitivity_is_the_largest_change_of_a_public_size(kind, ddof, relation, n):
    if n < 2 + ddof:
        with pytest.raises(ParameterError, match="at least 3 rows"):
            kind(bounds=UNIT, size=public(n), ddof=ddof)
        return
    statistic = kind(bounds=UNIT, size=public(n), ddof=ddof)
    moves = all_changes(kind, ddof, public(n), relation, [n])
    check(statistic.sensitivity(relation), moves)


@pytest.mark.parametrize(("kind", "ddof"), KINDS)
@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("least", [2, 3, 4])
def test_sensitivity_of_a_private_size_covers_every_size(kind, ddof, relation, least):
    least += ddof
    statistic = kind(bounds=UNIT, size=private(least), ddof=ddof)
    moves = all_changes(kind, ddof, private(least), relation, range(1, 8))
    check(statistic.sensitivity(relation), moves)


@pytest.mark.parametrize("kind", [Variance, StandardDeviation])
@pytest.mark.parametrize("least", [None, 2, 8])
@settings(deadline=None, max_examples=20)
@given(values=numbers)
def test_shifts_over_n_are_those_of_the_neighbors(kind, least, values):
    values = np.append(values, [0.5, 1.0]) if least is None else values
    size = public(len(values)) if least is None else private(least)
    statistic = kind(bounds=BOUNDS, size=size, ddof=0)
    removed = statistic.neighbors(values, ADD_REMOVE).alternatives
    replaced = statistic.neighbors(values, SUBSTITUTION).alternatives
    assert statistic.value(values)[0] == pytest.approx(reference(kind, 0, size, values))
    for i in range(len(values)):
        rest = np.delete(values, i)
        without = reference(kind, 0, size, rest)
        assert removed[i, 0, 0] == pytest.approx(without, abs=1e-9)
        middle = rest.mean() if len(rest) else 0.0
        reached = [reference(kind, 0, size, np.append(rest, new)) for new in (-3, 3, middle)]
        reached += [without] * (least is not None)
        assert replaced[i, 0, 0] == pytest.approx(min(reached), abs=1e-7)
        assert replaced[i, 1, 0] == pytest.approx(max(reached), abs=1e-9)
    joined = statistic.neighbors_added(values, ADD_REMOVE)
    most = statistic.sensitivity(ADD_REMOVE).l1 * (1 + 1e-9)
    assert np.abs(joined - statistic.value(values)).max() <= most


@settings(deadline=None, max_examples=100)
@given(
    share=st.floats(0.01, 0.99),
    middle=st.floats(0, 1),
    n=st.integers(2, 40),
    least=st.one_of(st.none(), st.integers(2, 40)),
)
def test_variance_over_n_is_no_more_spread_than_its_bound(share, middle, n, least):
    points = np.array([0.0, middle, 1.0])
    weights = np.array([share, 0.3, 1 - share]) / 1.3
    mean = weights @ points
    variance, fourth = (weights @ (points - mean) ** power for power in (2, 4))
    exact = (fourth - variance**2 * (n - 3) / (n - 1)) / n
    size = public(n) if least is None else private(least)
    ratio = (n - 1) / (n if least is None else max(n, least))
    statistic = Variance(bounds=UNIT, size=size, ddof=0)
    bound = statistic.sampling_sd(np.array([ratio * variance]))[0]
    assert ratio * np.sqrt(max(exact, 0.0)) <= bound * (1 + 1e-9) + 1e-12


def test_deviation_over_n_is_spread_like_that_over_one_less():
    estimate = np.array([0.3])
    bounds = {"bounds": UNIT, "size": public(50)}
    unbiased = StandardDeviation(**bounds).sampling_sd(estimate)
    shrunk = np.sqrt(49 / 50)
    over_n = StandardDeviation(**bounds, ddof=0).sampling_sd(shrunk * estimate)
    np.testing.assert_allclose(over_n, shrunk * unbiased, rtol=1e-12)


def test_other_divisors_are_refused():
    with pytest.raises(ParameterError, match="ddof must be 0"):
        Variance(bounds=UNIT, size=public(5), ddof=2)
    with pytest.raises(ParameterError, match="divisor n need at least 2"):
        Variance(bounds=UNIT, size=public(1), ddof=0)
