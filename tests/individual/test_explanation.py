"""Sentences that say why a person is exposed."""

import numpy as np
import pytest

from dpcore import arrays
from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.individual.explanation import explain, tied_text
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.mechanisms.laplace import Laplace
from dpcore.relations import PrivacyUnit, TableSize
from dpcore.statistics.entries import Membership
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.pooled import GroupSizes
from tests.individual.plans import Plan
from tests.releases.questions import asked, by_group, ranks, terms
from tests.statistics.columns import category
from tests.terms import ADD_REMOVE, SUBSTITUTION

AGE = Column(
    name="age",
    kind=ColumnKind.NUMBER,
    bounds=Interval(lower=0.0, upper=100.0),
    missing=MissingPolicy.REPLACE,
    replacement=40.0,
)
COLOR = Column(name="color", kind=ColumnKind.CATEGORY, labels=("red", "green"))
SMOKER = Column(name="smoker", kind=ColumnKind.YES_NO, labels=("no", "yes"))


@pytest.fixture(params=[3, 1 << 16])
def some_at_a_time(request, monkeypatch):
    """Add values up in blocks of so many people."""
    monkeypatch.setattr(arrays, "_BLOCK", request.param)


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
    exposure = per_instance_losses(
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
                "= 130 (clamped to 100), 70 above the mean of the others (30)",
                "Leaving it out changes the mean by 12.5: a loss of ε = 0.625.",
            ),
        ),
        (
            StatisticKind.VARIANCE,
            AGE,
            ADD_REMOVE,
            [60, 60, 60, 10],
            None,
            ("= 10, 50 below the mean of the others (60)",),
        ),
        (
            StatisticKind.MEAN,
            AGE,
            SUBSTITUTION,
            [20, 30, 40, 90],
            None,
            (
                "= 90. The farthest value from 0 to 100 changes",
                "changes the mean by 22.5: a loss of ε = 0.9.",
            ),
        ),
        (
            StatisticKind.SUM,
            AGE,
            ADD_REMOVE,
            [20, 30],
            None,
            ("= 30. Leaving it out changes the sum by 30",),
        ),
        (
            StatisticKind.COUNT,
            SMOKER,
            ADD_REMOVE,
            [0, 1, 1],
            Membership(label="yes"),
            ("one of the 2 of 3 that are counted. Leaving it out changes the count by 1",),
        ),
        (
            StatisticKind.PROPORTION,
            SMOKER,
            SUBSTITUTION,
            [0, 0, 0],
            Membership(label="yes"),
            ("one of the 3 of 3 that are not counted. Another record changes",),
        ),
        (
            StatisticKind.HISTOGRAM,
            COLOR,
            ADD_REMOVE,
            [1, 2, 1],
            None,
            ("one of 2 in the cell green. Leaving it out changes the histogram by 1",),
        ),
        (
            StatisticKind.HISTOGRAM,
            COLOR,
            SUBSTITUTION,
            [2, 2, 2],
            None,
            ("3 in the cell other. Moving it to another cell changes",),
        ),
    ],
)
@pytest.mark.usefixtures("some_at_a_time")
def test_reason_names_what_is_unusual(kind, column, relation, values, membership, expected):
    sentence = explained(kind, column, relation, values, membership)
    for part in expected:
        assert part in sentence


def sentence(request, values, relation=None):
    """Why the most exposed person of a request's plan is that."""
    query = request.query
    exposure = per_instance_losses(
        request.plan,
        query.statistic,
        np.array(values, dtype=float),
        relation=relation or query.relation,
    )
    return explain(exposure.most_exposed(1)[0], exposure, query)


RANKED = [10.0, 20.0, 30.0, 130.0, 140.0]


def test_ranks_are_explained_by_ranks_as_they_are_counted():
    told = sentence(ranks(people=5), RANKED)
    assert "people below. Replacing it changes every rank by at most 1" in told
    # Whoever lies beyond the bounds counts as lying on them, beside each other.
    both = sentence(ranks(people=2), [130.0, 140.0])
    assert "= 130 (clamped to 100), with 0 of 2 people below" in both
    left = sentence(ranks(people=5, relation=ADD_REMOVE), RANKED)
    assert "Leaving it out changes every rank by at most 1" in left


def test_groups_are_compared_with_the_others_in_them():
    request = by_group(relation=ADD_REMOVE)
    # Of those who are tied, however their losses were rounded, the first is told of.
    values = [[99, 0], [40, 0], [42, 0], [44, 0], [40, 1], [60, 2]]
    told = sentence(request, values)
    assert told.startswith("Group region = north: This person has age = 99, 57 above ")
    assert "the mean of the others there. Leaving this record out changes the counts" in told
    assert "changes the counts and sums of the groups by 1 in total:" in told
    # Of a ratio everybody moves as much, of a sum whoever has the largest value.
    total = by_group(relation=ADD_REMOVE, kind=StatisticKind.SUM)
    lonely = sentence(total, [[5, 0], [5, 0], [5, 0], [10, 2]])
    assert "Leaving this record out changes the sum of the groups by 10:" in lonely
    assert lonely.startswith("Group all other people: This person has age = 10. Leaving")


def test_ties_are_counted_over_all_groups():
    request = by_group(relation=ADD_REMOVE)
    values = np.array([[40.0, 0], [99, 0], [40, 1], [60, 2], [7, 1]])
    found = per_instance_losses(request.plan, request.query.statistic, values, relation=ADD_REMOVE)
    said = tied_text(found, request.query, listed=2)
    assert said.startswith("5 people are tied at rank 1 (region: “north” 2, “south” 2")
    assert "other" in said
    said = tied_text(found, request.query, listed=5)
    assert said.startswith("The first 5 are tied at rank 1")


def test_pooled_scatter_is_explained_within_the_group():
    query = JointQuery(
        kind=StatisticKind.POOLED_VARIANCE,
        numbers=(AGE,),
        group=Grouping.of(category()),
        groups=GroupSizes(sizes=(3, 3, 2)),
        **terms(8),
    )
    values = [[10, 0], [10, 0], [100, 0], [90, 1], [90, 1], [90, 1], [5, 2], [5, 2]]
    told = sentence(asked(query, "bit"), values)
    assert told.startswith("Group region = north: This person has age = 100, 90 above")
    assert ". Another record within the bounds changes the pooled variance by " in told
