"""Sentences that say why a person is exposed."""

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.individual.explanation import explain
from dpcore.individual.exposure import expose
from dpcore.mechanisms.laplace import Laplace
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.membership import Membership
from dpcore.statistics.query import Query
from tests.individual.plans import Plan

AGE = Column(
    name="age",
    kind=ColumnKind.NUMBER,
    bounds=Interval(lower=0.0, upper=100.0),
    missing=MissingPolicy.REPLACE,
    replacement=40.0,
)
COLOR = Column(name="color", kind=ColumnKind.CATEGORY, labels=("red", "green"))
SMOKER = Column(name="smoker", kind=ColumnKind.YES_NO, labels=("no", "yes"))
SUBSTITUTION = NeighboringRelation.SUBSTITUTION
ADD_REMOVE = NeighboringRelation.ADD_REMOVE


def explained(kind, column, relation, values, membership=None):
    public = relation is SUBSTITUTION and column is AGE
    query = Query(
        kind=kind,
        column=column,
        relation=relation,
        unit=PrivacyUnit(),
        size=TableSize(people=len(values), public=public),
        membership=membership,
    )
    exposure = expose(
        Plan(Laplace(noise=query.sensitivity.l1), query.sensitivity),
        query.statistic,
        np.array(values, dtype=float),
        relation=relation,
    )
    return explain(exposure.most_exposed(1)[0], exposure, query)


@pytest.mark.parametrize(
    ("kind", "column", "relation", "values", "membership", "expected"),
    [
        (
            StatisticKind.MEAN,
            AGE,
            ADD_REMOVE,
            [20, 30, 40, 130],
            None,
            (
                "is 130 (counted as 100), which is 70 above the mean of the others, 30",
                "leaving it out moves the mean by 12.5: a loss of epsilon 0.625",
            ),
        ),
        (
            StatisticKind.VARIANCE,
            AGE,
            ADD_REMOVE,
            [60, 60, 60, 10],
            None,
            ("is 10, which is 50 below the mean of the others, 60",),
        ),
        (
            StatisticKind.MEAN,
            AGE,
            SUBSTITUTION,
            [20, 30, 40, 90],
            None,
            (
                "is 90 and could be anything from 0 to 100; the farthest of these",
                "moves the mean by 22.5: a loss of epsilon 0.9, where the guarantee is",
                "at most 1.",
            ),
        ),
        (
            StatisticKind.SUM,
            AGE,
            ADD_REMOVE,
            [20, 30],
            None,
            ("is 30; leaving it out moves the sum by 30",),
        ),
        (
            StatisticKind.COUNT,
            SMOKER,
            ADD_REMOVE,
            [0, 1, 1],
            Membership(label="yes"),
            ("one of 2 of 3 who are counted; leaving them out moves the count by 1",),
        ),
        (
            StatisticKind.PROPORTION,
            SMOKER,
            SUBSTITUTION,
            [0, 0, 0],
            Membership(label="yes"),
            ("one of 3 of 3 who are not counted; another record moves",),
        ),
        (
            StatisticKind.HISTOGRAM,
            COLOR,
            ADD_REMOVE,
            [1, 2, 1],
            None,
            ("one of 2 in the cell green; leaving them out moves the histogram by 1",),
        ),
        (
            StatisticKind.HISTOGRAM,
            COLOR,
            SUBSTITUTION,
            [2, 2, 2],
            None,
            ("3 in the cell other; taking them to another cell moves",),
        ),
    ],
)
def test_reason_names_what_is_unusual(
    kind, column, relation, values, membership, expected
):
    sentence = explained(kind, column, relation, values, membership)
    for part in expected:
        assert part in sentence


def test_the_change_explained_is_that_of_the_losses():
    query = Query(
        kind=StatisticKind.MEAN,
        column=AGE,
        relation=SUBSTITUTION,
        unit=PrivacyUnit(),
        size=TableSize(people=3, public=True),
    )
    removal = expose(
        Plan(Laplace(noise=query.sensitivity.l1), query.sensitivity),
        query.statistic,
        np.array([10.0, 20.0, 90.0]),
        relation=ADD_REMOVE,
    )
    sentence = explain(removal.most_exposed(1)[0], removal, query)
    assert "75 above the mean of the others, 15; leaving it out moves" in sentence
    assert "by 25: a loss of epsilon 0.75" in sentence
