"""Counts and sums of groups: sensitivity enumerated, everybody's shift recomputed."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.analyses.measurement import OneMechanism
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import NeighboringRelation
from dpcore.statistics.group_sums import GroupMoments
from tests.statistics.neighbors import changes, check
from tests.terms import ADD_REMOVE, SUBSTITUTION

BOUNDS = Interval(lower=-1.0, upper=3.0)


def moments(degree, groups=("a",)):
    return GroupMoments(labels_of_groups=groups, bounds=BOUNDS, degree=degree)


def by_hand(statistic, table):
    """Sums of Bernstein's polynomials over the records of each group."""
    rows = np.array(table, dtype=float).reshape(-1, 2)
    found = []
    for group in range(len(statistic.groups)):
        a = (rows[rows[:, 1] == group, 0].clip(-1, 3) + 1) / 4
        if statistic.degree == 1:
            found += [(1 - a).sum(), a.sum()]
        else:
            found += [((1 - a) ** 2).sum(), (2 * a * (1 - a)).sum(), (a**2).sum()]
    return np.array(found)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("relation", NeighboringRelation)
def test_sensitivity_is_the_largest_change_of_any_small_table(degree, relation):
    statistic = moments(degree)
    records = tuple(product((-1.0, -0.5, 1.0, 3.0), (0, 1)))
    moves = changes(
        lambda table: by_hand(statistic, table), records, relation, range(1, 4), drop=True
    )
    check(statistic.sensitivity(relation), moves)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("relation", NeighboringRelation)
def test_rows_of_a_unit_may_change_in_number_too(degree, relation):
    """Two rows go, and up to two come: no change exceeds twice that of one row."""
    statistic = moments(degree)
    records = list(product((-1.0, 1.0, 3.0), (0, 1)))
    limit = statistic.sensitivity(relation).times(2, coordinates=99)
    sets = [[], *([r] for r in records), *map(list, product(records, repeat=2))]
    values = [by_hand(statistic, table) for table in sets]
    pairs = product(values, values if relation is SUBSTITUTION else values[:1])
    moves = np.array([first - second for first, second in pairs])
    assert np.abs(moves).sum(axis=1).max() == pytest.approx(limit.l1)
    assert np.linalg.norm(moves, axis=1).max() == pytest.approx(limit.l2)
    assert np.abs(moves).max() == pytest.approx(limit.largest)


tables = st.lists(
    st.tuples(st.sampled_from([-2.0, -1.0, 0.25, 1.5, 3.0]), st.integers(0, 2)),
    min_size=1,
    max_size=7,
)


@pytest.mark.parametrize("degree", [1, 2])
@settings(deadline=None, max_examples=30)
@given(table=tables)
def test_value_and_count_follow_from_the_records(degree, table):
    statistic = moments(degree, ("a", "b"))
    values = np.array(table, dtype=float)
    found = statistic.value(values)
    np.testing.assert_allclose(found, by_hand(statistic, table), atol=1e-12)
    people = np.bincount(values[:, 1].astype(int), minlength=3)
    np.testing.assert_allclose(found.reshape(3, -1).sum(axis=1), people, atol=1e-12)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("relation", NeighboringRelation)
@pytest.mark.parametrize("noise", [Laplace(noise=2.0), Gaussian(noise=1.5)])
@settings(deadline=None, max_examples=12)
@given(table=tables)
def test_losses_are_those_of_every_other_table(degree, relation, noise, table):
    """Brute force over records at the bounds, between them, and of no value."""
    statistic = moments(degree, ("a", "b"))
    values = np.array(table, dtype=float)
    delta = 0.0 if isinstance(noise, Laplace) else 1e-5
    plan = OneMechanism(mechanism=noise, sensitivity=statistic.sensitivity(relation))
    found = per_instance_losses(plan, statistic, values, relation=relation, delta=delta)
    here = by_hand(statistic, table)
    records = list(product((-1.0, 0.0, 1.0, 3.0), range(3)))
    for i in range(len(values)):
        rest = [record for j, record in enumerate(table) if j != i]
        others = [rest]
        if relation is SUBSTITUTION:
            others += [[*rest, record] for record in records]
        losses = [
            float(noise.pairwise_epsilon(here, by_hand(statistic, other), delta=delta))
            for other in others
        ]
        assert found.epsilon[i] == pytest.approx(max(losses), rel=1e-9)
    assert found.maximum <= found.for_all * (1 + 1e-12)
    assert found.for_all <= found.worst_case * (1 + 1e-9)


def test_names_range_and_refusals():
    statistic = moments(2, ("a", "other"))
    assert statistic.groups == ("a", "other", "other values")
    assert len(set(statistic.labels)) == len(statistic.labels) == 9
    assert statistic.range == Interval(lower=0.0, upper=np.inf)
    assert statistic.sensitivity(ADD_REMOVE) == Sensitivity(
        coordinates=3, l1=1.0, l2=1.0, largest=1.0
    )
    assert statistic.value(np.empty((0, 2))).tolist() == [0.0] * 9
    joined = statistic.neighbors_added(np.empty((0, 2)), SUBSTITUTION)
    assert sorted(joined.argmax(axis=1)) == [0, 2, 3, 5, 6, 8]
    np.testing.assert_allclose(statistic.sampling_sd(np.array([4.0, -1.0])), [2, 0])
    for change in ({"degree": 3}, {"labels_of_groups": ()}):
        known = {"labels_of_groups": ("a",), "bounds": BOUNDS, "degree": 1}
        with pytest.raises(ParameterError, match="moments of groups"):
            GroupMoments(**(known | change))
