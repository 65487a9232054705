"""Bias from clamping, filling in and minimum sizes, against pandas and by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from dpcore.analyses.clamping_bias import bias
from dpcore.analyses.groups import GroupedQuery
from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.entries import Membership
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind as Kind
from dpcore.statistics.pooled import GroupSizes
from tests.statistics.columns import DROP, category, number, yes_no

TERMS = {"relation": NeighboringRelation.SUBSTITUTION, "unit": PrivacyUnit()}
PAY = Column(
    name="pay",
    kind=ColumnKind.NUMBER,
    bounds=Interval(lower=15_000.0, upper=150_000.0),
    missing=MissingPolicy.REPLACE,
    replacement=82_500.0,
)


def asked(kind=Kind.MEAN, column=PAY, people=5, *, public=True, **changes):
    size = TableSize(people=people, public=public)
    return Query(kind=kind, column=column, size=size, **TERMS, **changes)


def table(*columns, **cells):
    return Dataset(name="t", frame=pd.DataFrame(cells), columns=columns)


def test_every_step_of_a_mean_pay_is_told_with_its_side():
    pay = [10_000.0, 40_000.0, 60_000.0, 400_000.0, np.nan]
    found = bias(asked(), table(PAY, pay=pay))
    raw = (10_000 + 40_000 + 60_000 + 400_000) / 4
    filled = (10_000 + 40_000 + 60_000 + 400_000 + 82_500) / 5
    assert_allclose(found.raw, [raw])
    assert_allclose(found.effects[:, 0], [filled - raw, 5_000 / 5, -250_000 / 5, 0.0], atol=1e-9)
    assert_allclose(found.computed, [(15_000 + 40_000 + 60_000 + 150_000 + 82_500) / 5])
    (column,) = found.columns
    assert (column.missing, column.below, column.above) == (1, 1, 1)


RAW = {
    Kind.MEAN: pd.Series.mean,
    Kind.SUM: pd.Series.sum,
    Kind.VARIANCE: pd.Series.var,
    Kind.STANDARD_DEVIATION: pd.Series.std,
    Kind.POPULATION_VARIANCE: lambda x: x.var(ddof=0),
    Kind.POPULATION_STANDARD_DEVIATION: lambda x: x.std(ddof=0),
    Kind.MEDIAN: pd.Series.median,
    Kind.QUANTILE: lambda x: x.quantile(0.9),
}
numbers = st.lists(
    st.one_of(st.none(), st.floats(-1e4, 1e4, width=32)), min_size=5, max_size=20
).filter(lambda cells: sum(cell is not None for cell in cells) > 2)


@pytest.mark.parametrize("kind", RAW, ids=str)
@given(cells=numbers, drop=st.booleans(), more=st.integers(0, 9))
def test_the_raw_value_is_that_of_the_column_and_effects_add_up(kind, cells, drop, more):
    people = sum(cell is not None for cell in cells) + more if drop else len(cells)
    column = number("x", 10.0, missing=DROP) if drop else number("x", 10.0)
    query = asked(kind, column, people, public=not drop, q=0.9 if kind is Kind.QUANTILE else None)
    frame = table(column, x=np.array(cells, dtype=float))
    found = bias(query, frame)
    expected = RAW[kind](frame.frame["x"])
    scale = float(np.nanmax(np.abs(frame.frame["x"]))) + 1
    assert_allclose(found.raw, [expected], rtol=1e-6, atol=1e-6 * scale**2)
    assert_allclose(found.effects.sum(axis=0), found.total, atol=1e-6 * scale**2)
    if not kind.of_ranks:
        assert_allclose(found.computed, query.statistic.value(query.values(frame)))
    if drop:
        assert_allclose(found.effects[0], 0.0)
    if not more and drop:
        assert_allclose(found.effects[3], 0.0, atol=1e-6 * scale**2)
    inside = np.clip(frame.frame["x"].dropna(), 0, 10)
    if (inside == frame.frame["x"].dropna()).all():
        assert_allclose(found.effects[1:3], 0.0)


def test_counts_and_shares_take_values_as_they_stand():
    pay = table(PAY, pay=[1.0, 2e4, 9e4, 4e5, np.nan])
    from_90 = Membership(interval=Interval(lower=9e4, upper=1e9))
    share = bias(asked(Kind.PROPORTION, membership=from_90), pay)
    assert_allclose(share.raw, [2 / 4])
    assert_allclose(share.computed, [2 / 5])
    assert_allclose(share.effects[1:], 0.0, atol=1e-12)
    bins = bias(asked(Kind.HISTOGRAM, edges=(0.0, 5e4, 1e5)), pay)
    assert_allclose(bins.raw, [2, 1])
    assert_allclose(bins.effects[:3], [[0, 1], [0, 0], [0, 1]])
    smokers = yes_no()
    answers = bias(
        asked(Kind.PROPORTIONS, smokers, 4), table(smokers, smoker=["yes", "no", None, "yes"])
    )
    assert_allclose(answers.raw, [1 / 3, 2 / 3])
    assert_allclose(answers.computed, [1 / 2, 1 / 2])


def test_pooled_scatter_and_groups_have_raw_values_of_their_own():
    x, region = number("x", 10.0), category()
    places = ["north", "north", "south", "south", "west"]
    frame = table(x, region, x=[1.0, 3.0, 20.0, 5.0, 2.0], region=places)
    size = TableSize(people=5, public=True)
    pooled = JointQuery(
        kind=Kind.POOLED_VARIANCE,
        numbers=(x,),
        size=size,
        group=Grouping.of(region),
        groups=GroupSizes(sizes=(5, 0, 0), labels_public=False),
        **TERMS,
    )
    found = bias(pooled, frame)
    assert_allclose(found.raw, [(2.0 + 112.5) / (5 - 3)])
    assert_allclose(found.computed, [(2.0 + 12.5) / (5 - 3)])
    grouped = GroupedQuery(part=asked(Kind.SUM, x, 5, public=False), group=Grouping.of(region))
    each = bias(grouped, frame)
    assert_allclose(each.raw, [4.0, 25.0, 2.0])
    assert_allclose(each.effects[2], [0.0, -10.0, 0.0])
