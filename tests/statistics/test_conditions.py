"""What an answer says that it is an answer of, against what is computed."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.conditions import statement
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import StatisticKind
from tests.terms import SUBSTITUTION

DROP, REPLACE = MissingPolicy.DROP, MissingPolicy.REPLACE
PAY = Column(
    name="pay",
    kind=ColumnKind.NUMBER,
    bounds=Interval(lower=15_000.0, upper=150_000.0),
    missing=REPLACE,
    replacement=82_500.0,
)
AGE = Column(name="age", kind=ColumnKind.NUMBER, bounds=Interval(lower=18.0, upper=70.0))
REGION = Column(
    name="region",
    kind=ColumnKind.CATEGORY,
    labels=("north", "south"),
    missing=REPLACE,
    replacement="south",
)
PUBLIC = TableSize(people=812, public=True)
AT_LEAST = TableSize(people=300, public=False)
CLAMPED = "values clamped between 15,000 and 150,000"
ADULT = "values clamped between 18 and 70"
BINNED = "values below 0 counted in the first bin, above 200,000 in the last"
LISTED = "unlisted values counted as other"
FILLED, LEFT_OUT = "missing values imputed as 82,500", "people without a value left out"


def said(kind, column=PAY, size=PUBLIC, unit=None, **changes):
    query = Query(
        kind=kind,
        column=column,
        relation=SUBSTITUTION,
        unit=unit or PrivacyUnit(),
        size=size,
        **changes,
    )
    return statement(query.title, query.conditions)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (said(StatisticKind.MEAN), f"mean of pay, {CLAMPED}; {FILLED}"),
        (
            said(StatisticKind.MEAN, AGE, AT_LEAST),
            f"mean of age, {ADULT}; {LEFT_OUT}; divided by at least 300 people",
        ),
        (
            said(StatisticKind.VARIANCE, size=AT_LEAST, unit=PrivacyUnit(rows=2)),
            f"variance of pay, {CLAMPED}; {FILLED}; divided as for at least 300 rows",
        ),
        # Counts, totals and ranks divide by nothing.
        (said(StatisticKind.MEDIAN, size=AT_LEAST), f"median of pay, {CLAMPED}; {FILLED}"),
        # Whether somebody is a member is asked of the value as it stands.
        (
            said(
                StatisticKind.PROPORTION,
                membership=Membership(interval=Interval(lower=1e5, upper=1.5e5)),
            ),
            f"share of people with pay from 100,000 to 150,000, {FILLED}",
        ),
        (
            said(StatisticKind.HISTOGRAM, edges=(0.0, 1e5, 2e5)),
            f"histogram of pay, {BINNED}; {FILLED}",
        ),
        (
            said(StatisticKind.PROPORTIONS, REGION),
            f"all shares of region, {LISTED}; missing values imputed as south",
        ),
    ],
)
def test_a_statement_names_what_becomes_of_values(found, expected):
    assert found == expected


def test_a_count_of_everybody_has_no_conditions():
    query = Query(
        kind=StatisticKind.COUNT,
        column=PAY,
        relation=NeighboringRelation.ADD_REMOVE,
        unit=PrivacyUnit(),
        size=AT_LEAST,
        membership=Membership(),
    )
    assert statement(query.title, query.conditions) == "number of people"


@given(
    numbers=st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=1, max_size=9),
    ends=st.tuples(st.integers(-1000, 1000), st.integers(1, 1000)),
    part=st.integers(0, 4),
    fewest=st.one_of(st.none(), st.integers(1, 12)),
)
def test_whoever_follows_the_statement_of_a_mean_computes_it(numbers, ends, part, fewest):
    low, width = ends
    public = fewest is None
    column = Column(
        name="x",
        kind=ColumnKind.NUMBER,
        bounds=Interval(lower=float(low), upper=float(low + width)),
        missing=REPLACE if public or part else DROP,
        replacement=low + width * part / 4 if public or part else None,
    )
    query = Query(
        kind=StatisticKind.MEAN,
        column=column,
        relation=SUBSTITUTION,
        unit=PrivacyUnit(),
        size=TableSize(people=fewest or len(numbers), public=public),
    )
    table = Dataset(
        name="t", frame=pd.DataFrame({"x": np.array(numbers, dtype=float)}), columns=(column,)
    )
    words = statement(query.title, query.conditions)
    figures = [float(found.replace(",", "").replace("−", "-")) for found in _NUMBERS.findall(words)]
    lower, upper, *rest = figures
    kept = [x for x in numbers if x is not None or "left out" not in words]
    filled = [rest[0] if x is None else x for x in kept]
    middle = (lower + upper) / 2
    away = [min(max(x, lower), upper) - middle for x in filled]
    least = rest[-1] if "divided by at least" in words else 1
    expected = middle + sum(away) / max(len(filled), least)
    (computed,) = query.statistic.value(query.values(table))
    assert computed == pytest.approx(expected, rel=1e-9, abs=1e-6)


_NUMBERS = re.compile(r"−?\d[\d,]*(?:\.\d+)?(?=[ ,;]|$)")
