"""Every sensitivity against all neighbors of all small tables."""

import itertools

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.sums_and_means import Count, Mean, Proportion, Sum
from dpcore.statistics.variance import StandardDeviation, Variance

SUBSTITUTION = NeighboringRelation.SUBSTITUTION
ADD_REMOVE = NeighboringRelation.ADD_REMOVE
GRID = (0.0, 0.25, 0.5, 0.75, 1.0)
MEMBERS = (0.0, 1.0)
CELLS = (0.0, 1.0, 2.0)


def bounded(statistic, lower=0.0, upper=1.0):
    """Return a maker of the statistic on ``[lower, upper]``, and the grid there."""
    bounds = Interval(lower=lower, upper=upper)
    grid = tuple(lower + (upper - lower) * x for x in GRID)
    return (lambda size: statistic(bounds=bounds, size=size)), grid


FAMILIES = {
    "count": (lambda size: Count(size=size), MEMBERS),
    "proportion": (lambda size: Proportion(size=size), MEMBERS),
    "histogram": (lambda size: Histogram(labels=("a", "b", "c"), size=size), CELLS),
    "sum": bounded(Sum, -1.0, 3.0),
    "positive sum": bounded(Sum, 1.0, 4.0),
    "negative sum": bounded(Sum, -4.0, -1.0),
    "mean": bounded(Mean),
    "variance": bounded(Variance),
    "standard deviation": bounded(StandardDeviation),
}


def public(n):
    return TableSize(people=n, public=True)


def private(n):
    return TableSize(people=n, public=False)


def tables(grid, n):
    """All multisets of n values: no statistic here minds the order."""
    return list(itertools.combinations_with_replacement(grid, n))


def value(make, size, table):
    own = public(len(table)) if size.public else size
    return make(own).value(np.array(table))


def changes(make, grid, size, relation, people):
    """Every change by one neighbor, over all tables of those numbers of people."""
    memo = {}

    def at(table):
        key = tuple(sorted(table))
        if key not in memo:
            memo[key] = value(make, size, key)
        return memo[key]

    for n in people:
        for table in tables(grid, n):
            here = at(table)
            for i in range(n):
                if i and table[i] == table[i - 1]:
                    continue
                rest = table[:i] + table[i + 1 :]
                if relation is ADD_REMOVE or not size.public:
                    yield at(rest) - here
                if relation is SUBSTITUTION:
                    for other in grid:
                        yield at((*rest, other)) - here


def check(sensitivity, moves):
    moves = np.array(list(moves))
    norms = {
        "l1": np.abs(moves).sum(axis=1).max(),
        "l2": np.sqrt(np.square(moves).sum(axis=1)).max(),
        "largest": np.abs(moves).max(),
        "coordinates": (moves != 0).sum(axis=1).max(),
    }
    for name, attained in norms.items():
        assert getattr(sensitivity, name) == pytest.approx(attained, abs=1e-12), name


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("n", [4, 5, 6])
def test_sensitivity_of_a_public_size_is_the_largest_substitution(name, n):
    make, grid = FAMILIES[name]
    moves = changes(make, grid, public(n), SUBSTITUTION, [n])
    check(make(public(n)).sensitivity(SUBSTITUTION), moves)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("n", [4, 5, 6])
def test_sensitivity_of_a_public_size_is_the_largest_removal(name, n):
    make, grid = FAMILIES[name]
    moves = changes(make, grid, public(n), ADD_REMOVE, [n])
    check(make(public(n)).sensitivity(ADD_REMOVE), moves)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("least", [3, 4])
def test_sensitivity_of_a_private_size_covers_tables_of_every_size(name, relation, least):
    make, grid = FAMILIES[name]
    moves = changes(make, grid, private(least), relation, range(1, 7))
    check(make(private(least)).sensitivity(relation), moves)


@pytest.mark.parametrize("statistic", [Mean, Sum])
@pytest.mark.parametrize("least", [1, 2])
@pytest.mark.parametrize("relation", NeighboringRelation)
def test_sensitivity_holds_for_the_smallest_minimum(statistic, least, relation):
    make, grid = bounded(statistic)
    moves = changes(make, grid, private(least), relation, range(1, 6))
    check(make(private(least)).sensitivity(relation), moves)


def test_published_sensitivities():
    unit = Interval(lower=0.0, upper=1.0)
    five = {"bounds": unit, "size": public(5)}
    assert Variance(**five).sensitivity(SUBSTITUTION).l1 == pytest.approx(0.2)
    deviation = StandardDeviation(**five).sensitivity(SUBSTITUTION)
    assert deviation.l1 == pytest.approx(0.4472135955, abs=1e-10)
    shifted = Sum(bounds=Interval(lower=1.0, upper=4.0), size=public(5))
    assert shifted.sensitivity(ADD_REMOVE).l1 == 4.0
    assert shifted.sensitivity(SUBSTITUTION).l1 == 3.0


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("size", [public(5), public(6), private(3), private(4)])
def test_range_is_where_the_statistic_lies(name, size):
    make, grid = FAMILIES[name]
    people = [size.people] if size.public else range(8)
    seen = [value(make, size, table) for n in people for table in tables(grid, n)]
    found, claimed = np.concatenate(seen), make(size).range
    assert claimed.lower - 1e-12 <= found.min()
    assert found.max() <= claimed.upper + 1e-12
    if np.isfinite(claimed.upper):
        assert found.max() == pytest.approx(claimed.upper, abs=1e-12)
    if np.isfinite(claimed.lower):
        assert found.min() == pytest.approx(claimed.lower, abs=1e-12)


@pytest.mark.parametrize(
    ("n", "largest"), [(3, 1 / 3), (4, 1 / 3), (5, 0.3), (6, 0.3), (9, 0.27777777778)]
)
def test_largest_variance_depends_on_parity(n, largest):
    unit = Interval(lower=0.0, upper=1.0)
    assert Variance(bounds=unit, size=public(n)).range.upper == pytest.approx(largest)
    deviation = StandardDeviation(bounds=unit, size=public(n))
    assert deviation.range.upper == pytest.approx(np.sqrt(largest))


def test_mean_of_one_public_person_has_no_removal():
    mean = Mean(bounds=Interval(lower=0.0, upper=1.0), size=public(1))
    assert mean.sensitivity(SUBSTITUTION).l1 == 1.0
    assert np.isnan(mean.neighbors([0.5], ADD_REMOVE).alternatives).all()
    with pytest.raises(ParameterError, match="undefined without"):
        mean.sensitivity(ADD_REMOVE)
