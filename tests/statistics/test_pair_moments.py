"""Counts and sums of two groups: what one person can change, and who they are."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from dpcore.analyses.clamping_bias import bias
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.group_sums import PairMoments
from dpcore.statistics.grouping import Grouping
from tests.releases.questions import apart
from tests.statistics.columns import DROP, dataset, number
from tests.terms import ADD_REMOVE

BOUNDS = Interval(lower=-2.0, upper=2.0)
PAIR = PairMoments(groups=4, pair=(2, 0), bounds=BOUNDS)
RECORDS = tuple(itertools.product((-3.0, 0.0, 2.0), range(4)))


def at(records):
    return PAIR.value(np.array(records, dtype=float).reshape(-1, 2))


@pytest.mark.parametrize("relation", list(NeighboringRelation))
def test_no_neighbor_of_any_small_table_changes_more(relation):
    changes = []
    for table in itertools.combinations_with_replacement(RECORDS, 2):
        for place in range(2):
            rest = table[:place] + table[place + 1 :]
            others = [()] if relation is ADD_REMOVE else [(one,) for one in RECORDS]
            changes += [at((*rest, *other)) - at(table) for other in others]
    found = np.array(changes)
    promised = PAIR.sensitivity(relation)
    assert promised.l1 == pytest.approx(np.abs(found).sum(axis=1).max())
    assert promised.l2 == pytest.approx(np.sqrt(np.square(found).sum(axis=1)).max())
    assert promised.largest == np.abs(found).max()
    assert promised.coordinates >= (found != 0).sum(axis=1).max()


@pytest.mark.parametrize("relation", list(NeighboringRelation))
def test_shifts_are_those_of_leaving_each_person_out(relation):
    table = np.array([(-3.0, 0), (1.0, 2), (0.5, 1), (2.0, 3), (0.0, 0)])
    shifts = PAIR.neighbors(table, relation)
    for person in range(len(table)):
        (reached,) = shifts.alternatives[person]
        expected = at(np.delete(table, person, axis=0))
        if relation is not ADD_REMOVE:
            # To the far group, where nobody who was here would be nearer.
            moves = [
                at(np.vstack([np.delete(table, person, axis=0), record])) for record in RECORDS
            ]
            far = max(np.abs(move - shifts.actual).sum() for move in moves)
            assert np.abs(reached - shifts.actual).sum() == pytest.approx(far)
            continue
        np.testing.assert_allclose(reached, expected, atol=1e-12)
    # Who is in neither group loses nothing by being there.
    if relation is ADD_REMOVE:
        assert shifts.distances()[[2, 3]].tolist() == [0, 0]
    joined = PAIR.neighbors_added(table, relation)
    np.testing.assert_allclose(joined[0], at([*table, (-2.0, 2)]))


def test_people_of_other_groups_are_left_out():
    query = apart(pair=("south", "north")).query
    table = dataset(
        query.columns,
        age=[10.0, 30.0, 200.0, None, 50.0],
        region=["north", "south", "south", "north", "east"],
    )
    first, second = query.statistic.value(query.values(table)).reshape(2, 2)
    # South: 30 and 200, counted as 100. North: 10, and none counted as 50.
    assert first.sum() == pytest.approx(2)
    assert first[1] == pytest.approx(1.3)
    assert second[1] == pytest.approx(0.6)
    assert query.title == "mean of age by region, south less north"
    assert query.conditions[-1] == "missing values and other groups of region left out"
    told = bias(query, table)
    assert told.raw[0] == 115 - 10
    assert told.computed[0] == pytest.approx(65 - 30)


def test_questions_that_are_no_difference_are_refused():
    query = apart().query
    with pytest.raises(ParameterError, match="two different groups"):
        replace(query, pair=("north", "north"))
    with pytest.raises(ParameterError, match="two different groups"):
        replace(query, pair=("north", "east"))
    with pytest.raises(ParameterError, match="public list of labels"):
        replace(query, group=Grouping.of(number("weight", missing=DROP)))
    sized = replace(query.part, size=TableSize(people=5, public=True))
    with pytest.raises(ParameterError, match="two means of private sizes"):
        replace(query, part=sized)
