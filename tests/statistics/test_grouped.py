"""A sum of each group: every sensitivity enumerated, every shift recomputed."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.group_sums import Grouped
from dpcore.statistics.sums_and_means import Count, Sum
from tests.statistics.neighbors import changes, check
from tests.terms import ADD_REMOVE, SUBSTITUTION, private

BOUNDS = Interval(lower=-1.0, upper=3.0)
NUMBERS = (-1.0, 1.0, 3.0)
FAR = (100.0, 100.5, 101.0)


PARTS = {
    "count": (Count(size=private(2)), (0.0, 1.0)),
    "sum": (Sum(bounds=BOUNDS, size=private(2)), NUMBERS),
    "signed": (Sum(bounds=Interval(lower=-2.0, upper=2.0), size=private(2)), NUMBERS),
    "far": (Sum(bounds=Interval(lower=100.0, upper=101.0), size=private(2)), FAR),
}


def alike(name):
    return Grouped.alike(labels_of_groups=("a",), part=PARTS[name][0])


def by_group(statistic, table):
    """The parts, each of the records that carry its code."""
    values = np.array(table, dtype=float).reshape(-1, 2)
    return np.array(
        [part.value(values[values[:, 1] == j, 0])[0] for j, part in enumerate(statistic.parts)]
    )


def all_changes(statistic, numbers, relation, people):
    records = tuple(product(numbers, range(len(statistic.parts))))
    return changes(lambda table: by_group(statistic, table), records, relation, people, drop=False)


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("relation", NeighboringRelation)
def test_sensitivity_is_the_largest_change(name, relation):
    statistic, numbers = alike(name), PARTS[name][1]
    ends = statistic.parts[0].bounds
    numbers = (*numbers, ends.lower, ends.upper)
    moves = all_changes(statistic, tuple(sorted(set(numbers))), relation, range(1, 5))
    check(statistic.sensitivity(relation), moves)


records = st.lists(
    st.tuples(st.sampled_from([-2.0, -1.0, 0.5, 1.5, 3.0]), st.integers(0, 2)),
    min_size=1,
    max_size=8,
)
three = {"labels_of_groups": ("a", "b")}


def shaped(name, table):
    """The table, with memberships where numbers are members or not."""
    values = np.array(table, dtype=float)
    if name == "count":
        values[:, 0] = values[:, 0] > 1
    return values


@pytest.mark.parametrize("name", PARTS)
@settings(deadline=None, max_examples=25)
@given(table=records)
def test_removal_is_the_statistic_of_the_others(name, table):
    statistic = Grouped.alike(part=PARTS[name][0], **three)
    values = shaped(name, table)
    shifts = statistic.neighbors(values, ADD_REMOVE)
    np.testing.assert_allclose(shifts.actual, by_group(statistic, values), atol=1e-12)
    np.testing.assert_allclose(shifts.actual, statistic.value(values), atol=1e-12)
    assert shifts.people == len(values)
    each = shifts.alternatives
    left_out = [[by_group(statistic, np.delete(values, i, axis=0))] for i in range(len(values))]
    np.testing.assert_allclose(each, left_out, atol=1e-9)


@pytest.mark.parametrize("name", PARTS)
@settings(deadline=None, max_examples=15)
@given(table=records)
def test_substitution_moves_as_far_as_any_other_record(name, table):
    statistic = Grouped.alike(part=PARTS[name][0], **three)
    values = shaped(name, table)
    shifts = statistic.neighbors(values, SUBSTITUTION)
    distances = shifts.distances()
    ends = statistic.parts[0].bounds
    for i in range(len(values)):
        rest = np.delete(values, i, axis=0)
        new = [ends.lower, (ends.lower + ends.upper) / 2, ends.upper]
        if name == "count":
            new = [0.0, 1.0]
        reached = [
            by_group(statistic, np.append(rest, [[x, j]], axis=0))
            for x, j in product(new, range(3))
        ]
        # A record may lose its value, too, which takes the person out.
        reached.append(by_group(statistic, rest))
        most = max(np.abs(other - shifts.actual).sum() for other in reached)
        assert distances[i] == pytest.approx(most, abs=1e-9)


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("relation", NeighboringRelation)
@settings(deadline=None, max_examples=15)
@given(table=records)
def test_no_shift_exceeds_the_sensitivity(name, relation, table):
    statistic = Grouped.alike(part=PARTS[name][0], **three)
    values = shaped(name, table)
    most = statistic.sensitivity(relation).l1 * (1 + 1e-9)
    shifts = statistic.neighbors(values, relation)
    assert shifts.distances().max() <= most
    joined = statistic.neighbors_added(values, relation) - shifts.actual
    assert np.abs(joined).sum(axis=1).max() <= most
    each = [shifts.of_person(person) for person in range(shifts.people)]
    np.testing.assert_array_equal(shifts.alternatives, each)


def test_parameters_outside_their_domain_are_refused():
    total = PARTS["sum"][0]
    with pytest.raises(ParameterError, match="need 2 statistics"):
        Grouped(labels_of_groups=("a",), parts=(total,))
    with pytest.raises(ParameterError, match="0 groups"):
        Grouped.alike(labels_of_groups=(), part=total)
    public = replace(total, size=TableSize(people=4, public=True))
    with pytest.raises(ParameterError, match="sizes of groups are private"):
        Grouped.alike(labels_of_groups=("a",), part=public)
    statistic = alike("sum")
    for values, match in (
        ([[0.0, 2.0]], "0 to 1"),
        ([[np.nan, 0.0]], "missing"),
        ([0.0, 1.0], "2 values a person"),
    ):
        with pytest.raises(ParameterError, match=match):
            statistic.neighbors(values, SUBSTITUTION)
