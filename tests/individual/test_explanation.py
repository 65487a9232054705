"""Sentences that say why a person is exposed."""

import numpy as np
import pytest

from dpcore import arrays
from dpcore.analyses.groups import GroupedQuery
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
from tests.releases.questions import asked, by_group, matrix, ranks, shares, terms
from tests.statistics.columns import category, number
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
                "is 130 (clamped to 100), which is 70 above the mean of the others (30)",
                "leaving it out changes the mean by 12.5: a loss of ε = 0.625",
            ),
        ),
        (
            StatisticKind.VARIANCE,
            AGE,
            ADD_REMOVE,
            [60, 60, 60, 10],
            None,
            ("is 10, which is 50 below the mean of the others (60)",),
        ),
        (
            StatisticKind.MEAN,
            AGE,
            SUBSTITUTION,
            [20, 30, 40, 90],
            None,
            (
                "is 90 and could be anything from 0 to 100; the farthest of these",
                "changes the mean by 22.5: a loss of ε = 0.9, with a guarantee of",
                "at most 1.",
            ),
        ),
        (
            StatisticKind.SUM,
            AGE,
            ADD_REMOVE,
            [20, 30],
            None,
            ("is 30; leaving it out changes the sum by 30",),
        ),
        (
            StatisticKind.COUNT,
            SMOKER,
            ADD_REMOVE,
            [0, 1, 1],
            Membership(label="yes"),
            ("one of 2 of 3 who are counted; leaving them out changes the count by 1",),
        ),
        (
            StatisticKind.PROPORTION,
            SMOKER,
            SUBSTITUTION,
            [0, 0, 0],
            Membership(label="yes"),
            ("one of 3 of 3 who are not counted; another record changes",),
        ),
        (
            StatisticKind.HISTOGRAM,
            COLOR,
            ADD_REMOVE,
            [1, 2, 1],
            None,
            ("one of 2 in the cell green; leaving them out changes the histogram by 1",),
        ),
        (
            StatisticKind.HISTOGRAM,
            COLOR,
            SUBSTITUTION,
            [2, 2, 2],
            None,
            ("3 in the cell other; taking them to another cell changes",),
        ),
    ],
)
@pytest.mark.usefixtures("some_at_a_time")
def test_reason_names_what_is_unusual(kind, column, relation, values, membership, expected):
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
    removal = per_instance_losses(
        Plan(Laplace(noise=query.sensitivity.l1), query.sensitivity),
        query.statistic,
        np.array([10.0, 20.0, 90.0]),
        relation=ADD_REMOVE,
    )
    sentence = explain(removal.most_exposed(1)[0], removal, query)
    assert "75 above the mean of the others (15); leaving it out changes" in sentence
    assert "by 25: a loss of ε = 0.75" in sentence


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
    assert "people below; taking another value changes every rank by at most 1" in told
    assert "with a guarantee of at most 1." in told
    # Whoever lies beyond the bounds counts as lying on them, beside each other.
    both = sentence(ranks(people=2), [130.0, 140.0])
    assert "is 130 (clamped to 100), with 0 of 2 people below" in both
    left = sentence(ranks(people=5, relation=ADD_REMOVE), RANKED)
    assert "leaving it out changes every rank by at most 1" in left


def test_records_are_explained_by_where_they_lie_farthest_from_the_others():
    values = [[0.5, 0.5, 0.5]] * 8 + [[0.0, 0.4, 0.9]]
    request = matrix(columns=3, people=9, relation=ADD_REMOVE)
    told = sentence(request, values)
    assert "This person's a is 0, 0.5 below the mean of the others and c is 0.9" in told
    assert "c is 0.9, 0.4 above the mean of the others; leaving this" in told
    assert "changes the variances and covariances that are released" in told
    assert "b is" not in told
    # Whoever is replaced need not lie far from anybody: the new record may.
    replaced = sentence(request, values, SUBSTITUTION)
    assert "; another record within the bounds changes the variances" in replaced


def test_a_correlation_is_not_said_to_move_by_a_sum_of_other_things():
    request = matrix(kind=StatisticKind.CORRELATION, people=4)
    told = sentence(request, [[0, 0], [0, 0], [0, 0], [1, 2]])
    assert "b is 2 (clamped to 1), 1 above the mean of the others" in told
    assert "changes the mean" not in told
    assert told.endswith("a loss of ε = 1, with a guarantee of at most 1.")


def test_groups_are_compared_with_the_others_in_them():
    request = by_group(relation=ADD_REMOVE)
    # Of those who are tied, however their losses were rounded, the first is told of.
    values = [[99, 0], [40, 0], [42, 0], [44, 0], [40, 1], [60, 2]]
    told = sentence(request, values)
    assert told.startswith("Group region = north: This person's age is 99, 57 above ")
    assert "the mean of the others there; leaving this record out changes the counts" in told
    assert "changes the counts and sums of the groups by 1 in total:" in told
    # Of a ratio everybody moves as much, of a sum whoever has the largest value.
    total = by_group(relation=ADD_REMOVE, kind=StatisticKind.SUM)
    lonely = sentence(total, [[5, 0], [5, 0], [5, 0], [10, 2]])
    assert "leaving this record out changes the sum of the groups by 10:" in lonely
    assert lonely.startswith("Group all other people: This person's age is 10; leaving")


def test_ties_are_counted_over_all_groups():
    request = by_group(relation=ADD_REMOVE)
    values = np.array([[40.0, 0], [99, 0], [40, 1], [60, 2], [7, 1]])
    found = per_instance_losses(request.plan, request.query.statistic, values, relation=ADD_REMOVE)
    said = tied_text(found, request.query, listed=2)
    assert said.startswith("5 people are tied at the top (region: “north” 2, “south” 2")
    assert "other" in said
    said = tied_text(found, request.query, listed=5)
    assert said.startswith("The first 5 below are tied at the top")


def test_members_of_groups_are_counted_within_them():
    part = Query(
        kind=StatisticKind.COUNT,
        column=SMOKER,
        membership=Membership(label="yes"),
        **terms(3, relation=ADD_REMOVE),
    )
    request = asked(GroupedQuery(part=part, group=Grouping.of(category())), "laplace")
    told = sentence(request, [[1, 0], [1, 1], [0, 1], [1, 1]])
    assert told.startswith("Group region = north: This person is one of 1 of 1 who are")
    assert "leaving them out changes the count of the groups by 1:" in told


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
    assert told.startswith("Group region = north: This person's age is 100, 90 above")
    assert "; another record within the bounds changes the pooled variance by " in told


def test_a_covariance_moves_by_what_the_record_changes():
    query = JointQuery(
        kind=StatisticKind.COVARIANCE,
        numbers=(AGE, number("income", 10.0)),
        **terms(3, relation=ADD_REMOVE),
    )
    values = [[0, 0], [0, 0], [0, 0], [100, 10]]
    told = sentence(asked(query, "laplace"), values)
    assert "age is 100, 100 above the mean of the others and income is 10, 10" in told
    assert "leaving this record out changes the covariance by 250:" in told
    alone = sentence(asked(query, "laplace"), values[-1:])
    assert "This person's age is 100 and income is 10; leaving this record" in alone


def test_shares_are_explained_by_cells():
    told = sentence(shares(cells=3, people=4), [0, 0, 0, 2])
    assert "one of 3 in the cell a; taking them to another cell" in told
    assert "changes the shares by 0.5 in total:" in told
