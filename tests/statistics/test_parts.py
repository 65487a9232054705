"""A table in parts has the value, and everybody the shifts, of the table as one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.covariance import Covariance, CovarianceMatrix
from dpcore.statistics.group_sums import (
    Grouped,
    GroupMoments,
    MeanMoments,
    PairMoments,
    WeightedMoments,
)
from dpcore.statistics.histogram import Histogram, Proportions
from dpcore.statistics.joint_moments import JointMoments
from dpcore.statistics.marginals import Marginals
from dpcore.statistics.pooled import GroupSizes, PooledCovariance, PooledVariance
from dpcore.statistics.quantiles import CumulativeCounts, RankScores
from dpcore.statistics.sums_and_means import Count, Mean, Proportion, Sum
from dpcore.statistics.variance import StandardDeviation, Variance

BOUNDS = Interval(lower=1000.0, upper=1010.0)
SECOND = Interval(lower=-3.0, upper=0.5)
PEOPLE = 40
PUBLIC = TableSize(people=PEOPLE, public=True)
PRIVATE = TableSize(people=7, public=False)
SIZES = (13, 27)
CELLS = ("a", "b", "c")

OF_NUMBERS = {
    "sum": Sum(bounds=BOUNDS, size=PUBLIC),
    "mean": Mean(bounds=BOUNDS, size=PRIVATE),
    "variance": Variance(bounds=BOUNDS, size=PUBLIC),
    "deviation": StandardDeviation(bounds=BOUNDS, size=PRIVATE, ddof=0),
    "joint moments": JointMoments(bounds=BOUNDS, size=PRIVATE),
    "ranks": RankScores(bounds=BOUNDS, q=0.3, size=PRIVATE, candidates=11),
    "nested counts": CumulativeCounts(bounds=BOUNDS, size=PUBLIC),
}
OF_CELLS = {
    "count": Count(size=PRIVATE),
    "proportion": Proportion(size=PUBLIC),
    "histogram": Histogram(labels=CELLS, size=PUBLIC),
    "shares": Proportions(cells=CELLS, size=PRIVATE),
}
OF_GROUPS = {
    "sum of groups": Grouped.alike(
        labels_of_groups=("a", "b"), part=Sum(bounds=BOUNDS, size=PRIVATE)
    ),
    "moments": GroupMoments(labels_of_groups=("a", "b"), bounds=BOUNDS, degree=2),
    "pair": PairMoments(groups=3, pair=(2, 0), bounds=BOUNDS),
    "means": MeanMoments(labels_of_groups=("a", "b"), bounds=(BOUNDS,)),
}
OF_WEIGHTS = {
    "weighted": WeightedMoments(
        labels_of_groups=("a", "b"), bounds=BOUNDS, weights=Interval(lower=0.0, upper=2.0)
    )
}
OF_SEVERAL = {
    "covariance": Covariance(bounds=(BOUNDS, SECOND), size=PUBLIC),
    "matrix": CovarianceMatrix(names=("x", "y"), bounds=(BOUNDS, SECOND), size=PRIVATE),
}
OF_TABLES = {
    "marginals": Marginals(
        shape=(2, 3), tables=((1,), (0, 1)), labels=tuple("abcdefghi"), size=PRIVATE
    )
}
OF_PUBLIC_GROUPS = {
    "pooled variance": PooledVariance(bounds=BOUNDS, groups=GroupSizes(sizes=SIZES)),
    "pooled covariance": PooledCovariance(bounds=(BOUNDS, SECOND), groups=GroupSizes(sizes=SIZES)),
}
ALL = OF_NUMBERS | OF_CELLS | OF_GROUPS | OF_WEIGHTS | OF_SEVERAL | OF_PUBLIC_GROUPS | OF_TABLES
EXACT = {"marginals", "ranks", "nested counts", "count", "proportion", "histogram", "shares"}

cuts = st.lists(st.integers(0, PEOPLE), max_size=6).map(sorted)
seeds = st.integers(0, 2**32 - 1)


def table(name, seed):
    """Entries of 40 people, some beyond the bounds, some alike."""
    rng = np.random.default_rng(seed)
    first = rng.uniform(998, 1012, PEOPLE).round(rng.integers(0, 12))
    second = rng.normal(-1, 2, PEOPLE)
    if name in OF_NUMBERS:
        return first
    if name in OF_CELLS:
        cells = 2 if name in {"count", "proportion"} else len(CELLS)
        return rng.integers(0, cells, PEOPLE).astype(float)
    if name in OF_GROUPS:
        return np.column_stack([first, rng.integers(0, 3, PEOPLE)])
    if name in OF_TABLES:
        return rng.integers(0, [2, 3], (PEOPLE, 2)).astype(float)
    if name in OF_WEIGHTS | OF_SEVERAL:
        codes = [rng.integers(0, 3, PEOPLE)] if name in OF_WEIGHTS else []
        return np.column_stack([first, second, *codes])
    codes = rng.permutation(np.repeat([0.0, 1.0], SIZES))
    columns = [first] if name == "pooled variance" else [first, second]
    return np.column_stack([*columns, codes])


def value_of_parts(statistic, parts):
    return statistic.finalize(statistic.combine([statistic.partial(each) for each in parts]))


@pytest.mark.parametrize("name", ALL)
@settings(deadline=None, max_examples=30)
@given(seed=seeds, cuts=cuts)
def test_any_parts_give_the_value_of_the_table_as_one(name, seed, cuts):
    statistic, values = ALL[name], table(name, seed)
    parts = np.split(values, cuts)
    found, whole = value_of_parts(statistic, parts), statistic.value(values)
    if name in EXACT:
        np.testing.assert_array_equal(found, whole)
    np.testing.assert_allclose(found, whole, rtol=1e-12, atol=1e-12)
    # Whoever is done first.
    np.testing.assert_array_equal(value_of_parts(statistic, parts[::-1]), found)


@pytest.mark.parametrize("name", [name for name, each in ALL.items() if each.neighbors_of_parts])
@pytest.mark.parametrize("relation", NeighboringRelation)
@settings(deadline=None, max_examples=10)
@given(seed=seeds, cuts=cuts)
def test_the_shifts_of_a_part_are_those_of_these_people(name, relation, seed, cuts):
    statistic, values = ALL[name], table(name, seed)
    everybody = statistic.neighbors(values, relation)
    parts = np.split(values, cuts)
    whole = statistic.combine([statistic.partial(each) for each in parts])
    distances = [statistic.neighbors(each, relation, whole).distances() for each in parts]
    np.testing.assert_allclose(np.concatenate(distances), everybody.distances(), rtol=0, atol=1e-11)
