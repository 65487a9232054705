"""Counts of nested ranges: what they say, and what one person can change of them."""

import itertools

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.quantiles import GRID_SIZE, CumulativeCounts
from tests.terms import ADD_REMOVE

BOUNDS = Interval(lower=0.0, upper=511.0)
# Two neighbors, one in the same eighth of an eighth, of an eighth, and far away.
VALUES = (0.0, 1.0, 9.0, 65.0, 511.0)


def counts(people, *, public=True):
    return CumulativeCounts(bounds=BOUNDS, size=TableSize(people=people, public=public))


def at(table):
    return counts(len(table)).value(np.array(table))


@pytest.mark.parametrize("relation", list(NeighboringRelation))
def test_no_neighbor_of_any_small_table_changes_more(relation):
    changes = []
    for table in itertools.combinations_with_replacement(VALUES, 3):
        for place in range(3):
            rest = table[:place] + table[place + 1 :]
            others = [()] if relation is ADD_REMOVE else [(x,) for x in VALUES]
            changes += [at((*rest, *other)) - at(table) for other in others]
    found = np.array(changes)
    promised = counts(3).sensitivity(relation)
    assert promised.l1 == np.abs(found).sum(axis=1).max()
    assert promised.l2 == pytest.approx(np.sqrt(np.square(found).sum(axis=1)).max())
    assert promised.largest == np.abs(found).max()
    assert promised.coordinates == (found != 0).sum(axis=1).max()


@pytest.mark.parametrize("relation", list(NeighboringRelation))
@pytest.mark.parametrize("public", [True, False])
def test_shifts_are_those_of_leaving_each_person_out(relation, public):
    table = np.array([3.0, 3.0, 70.0, 255.0, 256.0, 600.0])
    statistic = counts(6, public=public)
    shifts = statistic.neighbors(table, relation)
    assert shifts.people == 6
    for person, kind in enumerate(shifts.kind):
        without = at(np.delete(table, person))
        reached = shifts.alternatives[kind]
        leaves = relation is ADD_REMOVE or not public
        assert any((one == without).all() for one in reached) is leaves
    # As far as anybody can go: the guarantee is met by everybody.
    assert (shifts.distances() == statistic.sensitivity(relation).l1).all()
    joins = relation is ADD_REMOVE or not public
    assert len(statistic.neighbors_added(table, relation)) == (GRID_SIZE if joins else 0)
    if joins:
        joined = statistic.neighbors_added(table, relation)[70]
        np.testing.assert_array_equal(joined, at([*table, 70.0]))
