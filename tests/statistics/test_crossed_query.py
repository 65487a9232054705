"""Cross tables: who is in which cell, and what one person can change."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.analyses.clamping_bias import bias
from dpcore.analyses.cross_table import MOST_CELLS, CrossedQuery
from dpcore.analyses.reading import request_from
from dpcore.data.columns import ColumnKind
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.kinds import StatisticKind
from tests.releases.questions import crossed, labels
from tests.statistics.columns import DROP, category, dataset, number, yes_no
from tests.terms import ADD_REMOVE, SUBSTITUTION

AGE = number("age")
EDGES = (0.0, 30.0, 60.0, 100.0)


def test_bins_and_people_left_out():
    columns = (replace(AGE, missing=DROP, replacement=None), category())
    query = crossed(columns=columns, edges=(EDGES, None), relation=ADD_REMOVE, people=3).query
    table = dataset(columns, age=[10.0, None, 200.0, 45.0], region=["north", "south", "x", None])
    # Who has no age is left out, and so is who has no region.
    assert query.rows(table).tolist() == [0, 2]
    found = query.statistic.value(query.values(table)).reshape(query.shape)
    assert np.argwhere(found).tolist() == [[0, 0], [2, 2]]
    told = bias(query, table)
    assert told.computed.sum() == 2
    # In the column itself the one beyond the bins is in none of them.
    assert told.raw.sum() == 1
    assert told.labels == query.cells


@pytest.mark.parametrize("relation", list(NeighboringRelation))
@pytest.mark.parametrize("rows", [1, 2])
def test_no_neighbor_of_any_small_table_changes_more(relation, rows):
    query = crossed(relation=relation, rows=rows, people=3).query
    cells = len(query.cells)
    changes = []
    for table in itertools.combinations_with_replacement(range(cells), 3):
        counts = np.bincount(table, minlength=cells)
        for places in itertools.combinations(range(3), rows):
            rest = np.bincount(np.delete(table, places), minlength=cells)
            if relation is ADD_REMOVE:
                changes.append(rest - counts)
                continue
            for others in itertools.product(range(cells), repeat=rows):
                changes += [rest + np.bincount(others, minlength=cells) - counts]
    found = np.array(changes)
    promised = query.sensitivity
    assert promised.l1 == np.abs(found).sum(axis=1).max()
    assert promised.l2 >= np.sqrt(np.square(found).sum(axis=1)).max() - 1e-12
    assert promised.largest == np.abs(found).max()


@pytest.mark.parametrize("relation", list(NeighboringRelation))
def test_shifts_are_those_of_leaving_each_person_out(relation):
    query = crossed(relation=relation, people=7).query
    values = np.array([0.0, 0, 0, 1, 3, 5, 5])
    shifts = query.statistic.neighbors(values, relation)
    # Of a public number nobody leaves: what differs is the own cell, by one.
    for person, kind in enumerate(shifts.kind):
        own = int(values[person])
        counts = np.bincount(values.astype(int), minlength=len(query.cells))
        assert (shifts.alternatives[kind][:, own] == counts[own] - 1).all()
    expected = 1.0 if relation is ADD_REMOVE else 2.0
    assert (shifts.distances() == expected).all()


def test_names_of_cells_and_sums_never_meet():
    tricky = labels("a", "x", "x × y", "b: z")
    other = labels("a: b", "y × z", "z", "x")
    query = crossed(columns=(tricky, other)).query
    names = (*query.cells, *query.margins)
    assert len(set(names)) == len(names) == 16 + 8


def test_questions_that_are_no_cross_table_are_refused():
    query = crossed().query
    first, second = query.crossed
    with pytest.raises(ParameterError, match="2 to 3 different columns"):
        CrossedQuery(crossed=(first, first))
    with pytest.raises(ParameterError, match="on the same terms"):
        CrossedQuery(crossed=(first, replace(second, size=TableSize(people=9, public=True))))
    shares = replace(second, kind=StatisticKind.PROPORTIONS)
    with pytest.raises(ParameterError, match="the histograms of its"):
        CrossedQuery(crossed=(first, shares))
    wide = tuple(str(place) for place in range(MOST_CELLS // 2))
    with pytest.raises(ParameterError, match="choose fewer bins"):
        crossed(columns=(labels("a", *wide), yes_no()))
    assert query.column.kind is ColumnKind.CATEGORY
    assert query.relation is SUBSTITUTION


def test_three_columns_are_counted_as_pandas_counts_them():
    columns = (labels("a", "x", "y"), labels("b", "z", "w"), yes_no())
    query = crossed(columns=columns, people=60).query
    rng = np.random.default_rng(4)
    cells = {one.name: rng.choice(one.labels, 60) for one in columns}
    table = dataset(columns, **cells)
    found = query.value(table).reshape(query.shape)
    frame = pd.DataFrame(cells)
    for names in itertools.product(*query.names):
        alike = (frame == list(names)).all(axis=1).sum()
        places = tuple(map(tuple.index, query.names, names))
        assert found[places] == alike
    request = crossed(columns=columns, people=60)
    assert request_from(request.parameters(), table).query == query
    answer = request.plan.answer(query.value(table), cost=request.cost)
    drawn = np.array(answer.values).reshape(query.shape)
    totals = [drawn.sum(axis=axes) for axes in ((1, 2), (0, 2), (0, 1))]
    assert list(answer.derived.values()) == pytest.approx(np.concatenate(totals).tolist())
    assert set(answer.intervals.noise) == {*query.cells, *query.margins}
    assert query.title == "number of people by a, b and smoker"
