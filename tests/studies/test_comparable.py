"""Which questions can be compared, and for how many people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.analyses.matrix import JointQuery
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.pooled import GroupSizes
from tests.statistics.columns import category, number

AGE, INCOME = number("age"), number("income")
REGION = category()
COMMON = {"relation": NeighboringRelation.SUBSTITUTION, "unit": PrivacyUnit()}


def joint(kind, groups=None):
    columns = (AGE,) if kind is StatisticKind.POOLED_VARIANCE else (AGE, INCOME)
    group = Grouping.of(REGION) if groups else None
    size = TableSize(people=90, public=True)
    return JointQuery(kind=kind, numbers=columns, size=size, group=group, groups=groups, **COMMON)


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
