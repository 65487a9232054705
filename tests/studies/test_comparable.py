"""Which questions can be compared, and for how many people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.analyses.groups import GroupedQuery
from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.number import Query
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.pooled import GroupSizes
from dpcore.studies.comparing.compared_points import ErrorSetting, comparable, each_number
from tests.statistics.columns import category, number

AGE, INCOME = number("age"), number("income")
REGION = category()
COMMON = {"relation": NeighboringRelation.SUBSTITUTION, "unit": PrivacyUnit()}
EDGES = {"edges": (0.0, 50.0, 100.0)}


def one(kind, column=AGE, **details):
    size = TableSize(people=90, public=False)
    return Query(kind=kind, column=column, size=size, **COMMON, **details)


def joint(kind, groups=None):
    columns = (AGE,) if kind is StatisticKind.POOLED_VARIANCE else (AGE, INCOME)
    group = Grouping.of(REGION) if groups else None
    size = TableSize(people=90, public=True)
    return JointQuery(kind=kind, numbers=columns, size=size, group=group, groups=groups, **COMMON)


@pytest.mark.parametrize(
    "query",
    [
        one(StatisticKind.MEDIAN),
        one(StatisticKind.QUANTILE, q=0.9),
        joint(StatisticKind.CORRELATION),
        joint(StatisticKind.COVARIANCE_MATRIX),
        GroupedQuery(part=one(StatisticKind.MEAN), group=Grouping.of(REGION)),
    ],
)
def test_what_is_not_a_number_with_noise_is_not_compared(query):
    assert not comparable(query)
    with pytest.raises(ParameterError, match="not a number with noise"):
        ErrorSetting(query=query, epsilon=1.0, delta=0.0, place=0.5)


@pytest.mark.parametrize(
    ("query", "name"),
    [
        (one(StatisticKind.MEAN), ""),
        (joint(StatisticKind.COVARIANCE), ""),
        (one(StatisticKind.PROPORTIONS, **EDGES), "share of one bin"),
        (one(StatisticKind.PROPORTIONS, REGION), "share of one category"),
        (one(StatisticKind.HISTOGRAM, **EDGES), "count of one bin"),
        (one(StatisticKind.HISTOGRAM, REGION), "count of one category"),
        (GroupedQuery(part=one(StatisticKind.SUM), group=Grouping.of(REGION)), "sum of one group"),
    ],
)
def test_one_of_several_numbers_is_named(query, name):
    assert comparable(query)
    assert each_number(query) == name
    assert (len(query.statistic.labels) > 1) is bool(name)


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("kind", [StatisticKind.POOLED_VARIANCE, StatisticKind.POOLED_COVARIANCE])
def test_pooled_statistics_are_compared_down_to_the_fewest_people(kind, public):
    sizes = (60, 26, 4) if public else (90, 0, 0)
    query = joint(kind, GroupSizes(sizes=sizes, labels_public=public))
    few = query.fewest_people
    assert few == (6 if public else 4)
    smaller = query.resized(few)
    assert smaller.size.people == smaller.groups.people == few
    assert smaller.sensitivity.l1 > query.sensitivity.l1
    assert query.resized(90) == query
    with pytest.raises(ParameterError, match=f"at least {few} rows"):
        query.resized(few - 1)


def test_sums_of_groups_need_no_number_of_people():
    query = GroupedQuery(part=one(StatisticKind.SUM), group=Grouping.of(REGION))
    assert query.resized(45).sensitivity == query.sensitivity
    assert query.resized(45).group == query.group


@given(st.lists(st.integers(2, 10**6), min_size=1, max_size=30), st.integers(0, 10**7))
def test_resized_groups_keep_their_proportions(sizes, more):
    groups = GroupSizes(sizes=tuple(sizes))
    people = groups.fewest_people + more
    resized = groups.resized(people)
    assert resized.people == people
    assert resized.count == groups.count
    assert groups.resized(groups.people) == groups
    above, room = groups.people - 2 * groups.count, people - 2 * groups.count
    if above:
        for before, after in zip(groups.sizes, resized.sizes, strict=True):
            assert abs(after - 2 - (before - 2) / above * room) < 1 + 1e-6
