"""Every sensitivity against all neighbors of all small tables."""

from functools import partial

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.joint_moments import JointMoments
from dpcore.statistics.sums_and_means import Count, Mean, Proportion, Sum
from dpcore.statistics.variance import StandardDeviation, Variance
from tests.statistics.neighbors import changes, check, multisets
from tests.terms import ADD_REMOVE, SUBSTITUTION, private, public

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
    "joint moments": bounded(JointMoments),
    "variance": bounded(Variance),
    "standard deviation": bounded(StandardDeviation),
}


def value(make, size, table):
    own = public(len(table)) if size.public else size
    return make(own).value(np.array(table))


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("n", [4, 5, 6])
def test_sensitivity_of_a_public_size_is_the_largest_change(name, n):
    make, grid = FAMILIES[name]
    for relation in NeighboringRelation:
        moves = changes(partial(value, make, public(n)), grid, relation, [n], drop=False)
        check(make(public(n)).sensitivity(relation), moves)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("least", [1, 2, 3, 4])
def test_sensitivity_of_a_private_size_covers_tables_of_every_size(name, least):
    make, grid = FAMILIES[name]
    fewest = 3 if "variance" in name or "deviation" in name else 2 if "moments" in name else 1
    size = private(max(least, fewest))
    for relation in NeighboringRelation:
        moves = changes(partial(value, make, size), grid, relation, range(1, 7), drop=True)
        check(make(size).sensitivity(relation), moves)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("size", [public(5), public(6), private(3), private(4)])
def test_range_is_where_the_statistic_lies(name, size):
    make, grid = FAMILIES[name]
    people = [size.people] if size.public else range(8)
    seen = [value(make, size, table) for n in people for table in multisets(grid, n)]
    found, claimed = np.concatenate(seen), make(size).range
    assert claimed.lower - 1e-12 <= found.min()
    assert found.max() <= claimed.upper + 1e-12
    if np.isfinite(claimed.upper):
        assert found.max() == pytest.approx(claimed.upper, abs=1e-12)
    if np.isfinite(claimed.lower):
        assert found.min() == pytest.approx(claimed.lower, abs=1e-12)


def test_mean_of_one_public_person_has_no_removal():
    mean = Mean(bounds=Interval(lower=0.0, upper=1.0), size=public(1))
    assert mean.sensitivity(SUBSTITUTION).l1 == 1.0
    assert np.isnan(mean.neighbors([0.5], ADD_REMOVE).alternatives).all()
    with pytest.raises(ParameterError, match="undefined without"):
        mean.sensitivity(ADD_REMOVE)
