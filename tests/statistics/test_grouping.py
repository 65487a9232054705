"""Groups of people by the labels of several columns."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from dpcore.analyses.base import Request
from dpcore.analyses.groups import ANY_SIZE, GroupedQuery
from dpcore.analyses.number import Query
from dpcore.analyses.reading import request_from
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.statistics.entries import Membership
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from tests.statistics.columns import category, dataset, number, yes_no

AGE = number("age", unit="years")
COLUMNS = (category("region"), category("grade", labels=("A", "B", "C")), yes_no())
KINDS = (StatisticKind.MEAN, StatisticKind.SUM, StatisticKind.COUNT, StatisticKind.PROPORTION)
RELATIONS = tuple(NeighboringRelation)
CELLS = [*product(("north", "elsewhere", ""), ("A", "C"))]


def query(kind, relation=NeighboringRelation.SUBSTITUTION, columns=COLUMNS):
    counts = kind.of_members
    part = Query(
        kind=kind,
        column=category("color", labels=("red", "blue")) if counts else AGE,
        relation=relation,
        unit=PrivacyUnit(),
        size=ANY_SIZE,
        membership=Membership(label="red") if counts else None,
    )
    return GroupedQuery(part=part, group=Grouping.of(*columns))


def table(rows):
    """Return a data set of rows (age, color, region, grade, smoker)."""
    names = ("age", "color", "region", "grade", "smoker")
    columns = (AGE, category("color", labels=("red", "blue")), *COLUMNS)
    return dataset(columns, **dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 2, 3])
def test_numbers_without_noise_are_those_of_pandas(kind, count):
    rng = np.random.default_rng(3)
    rows = [
        tuple(
            rng.choice(np.array(values, dtype=object))
            for values in (
                (10.0, 20.0, 35.0),
                ("red", "blue"),
                ("north", "south", "elsewhere", ""),
                ("A", "B", "C"),
                ("yes", "no"),
            )
        )
        for _ in range(200)
    ]
    asked, people = query(kind, columns=COLUMNS[:count]), table(rows)
    plan = Request(query=asked, mechanism_key="laplace", epsilon=1.0).plan
    value = asked.value(people)
    found = plan.truth(value) if asked.moments else value
    frame = pd.DataFrame(rows, columns=["age", "color", "region", "grade", "smoker"])
    frame["red"] = frame["color"] == "red"
    by = [column.name for column in asked.group.columns]
    listed = frame[frame["region"].isin(["north", "south"])]
    of = "red" if kind.of_members else "age"
    how = {"proportion": "mean", "count": "sum"}.get(kind.value, kind.value)
    expected = listed.groupby(by)[of].agg(how)
    index = pd.MultiIndex.from_tuples(asked.group.cells, names=by)
    expected = expected.reindex(index if count > 1 else [cell[0] for cell in asked.group.cells])
    assert found[:-1] == pytest.approx(expected.to_numpy(dtype=float))
    others = frame[~frame["region"].isin(["north", "south"])][of].agg(how)
    assert found[-1] == pytest.approx(others)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("relation", RELATIONS)
def test_sensitivity_is_that_of_every_change_of_one_row(kind, relation):
    asked = query(kind, relation, COLUMNS[:2])
    rows = [
        (age, color, *cell, "yes")
        for age, color, cell in product((0.0, 100.0), ("red", "blue"), CELLS)
    ]
    # What a row adds does not depend on the others: all pairs of rows are all neighbors.
    added = np.array([asked.value(table([row])) for row in rows])
    moves = added[:, np.newaxis] - (
        added if relation is NeighboringRelation.SUBSTITUTION else np.zeros((1, len(added[0])))
    )
    assert np.abs(moves).sum(axis=-1).max() == asked.sensitivity.l1
    assert np.linalg.norm(moves, axis=-1).max() == pytest.approx(asked.sensitivity.l2)
    assert np.abs(moves).max() == asked.sensitivity.largest
    assert np.count_nonzero(moves, axis=-1).max() <= asked.sensitivity.coordinates


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_record_leads_back_to_its_question(count):
    asked = query(StatisticKind.MEAN, columns=COLUMNS[:count])
    people = table([(10.0, "red", "north", "A", "yes")])
    request = Request(query=asked, mechanism_key="laplace", epsilon=1.0)
    assert request_from(request.parameters(), people).query == asked
    by = request.parameters()["query"]["group"]
    assert isinstance(by, dict) is (count == 1)
