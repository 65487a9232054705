"""Questions about columns: what is allowed, what is read, what is written down."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.bins import equal_edges
from dpcore.statistics.entries import Membership
from dpcore.statistics.kinds import OF_ONE, StatisticKind
from tests.terms import ADD_REMOVE, SUBSTITUTION

DROP, REPLACE = MissingPolicy.DROP, MissingPolicy.REPLACE
AGES = Interval(lower=0.0, upper=100.0)
EVERYBODY = Membership()


class Table:
    """One column as a data set shows it."""

    def __init__(self, column, entries):
        self._column = column
        self.entries = np.asarray(entries)
        self.people = self.rows = len(self.entries)
        self.cap = None

    def column(self, _name):
        return self._column

    def numbers(self, _name):
        return self.entries.astype(float)

    def codes(self, _name):
        return self.entries.astype(np.int64)

    def missing(self, _name):
        if self._column.kind is ColumnKind.NUMBER:
            return np.isnan(self.entries)
        return self.entries < 0


def age(missing=REPLACE, **changes):
    replacement = 40.0 if missing is REPLACE else None
    settings = {"name": "age", "kind": ColumnKind.NUMBER, "bounds": AGES}
    settings |= {"missing": missing, "replacement": replacement, "unit": "years"}
    return Column(**(settings | changes))


def color(missing=REPLACE):
    return Column(
        name="color",
        kind=ColumnKind.CATEGORY,
        labels=("red", "green"),
        missing=missing,
        replacement="green" if missing is REPLACE else None,
    )


def smoker():
    return Column(
        name="smoker",
        kind=ColumnKind.YES_NO,
        labels=("no", "yes"),
        missing=REPLACE,
        replacement="no",
    )


def query(kind, column, **changes):
    settings = {"relation": SUBSTITUTION, "unit": PrivacyUnit()}
    private = changes.get("relation") is ADD_REMOVE or column.missing is DROP
    settings["size"] = TableSize(people=4, public=not private)
    return Query(kind=kind, column=column, **(settings | changes))


@pytest.mark.parametrize(
    ("asked", "title", "unit"),
    [
        (query(StatisticKind.MEAN, age()), "mean of age", "years"),
        (query(StatisticKind.VARIANCE, age()), "variance of age", "(years)²"),
        (
            query(StatisticKind.COUNT, smoker(), membership=Membership(label="yes")),
            "number of people with smoker = yes",
            "people",
        ),
        (
            query(
                StatisticKind.PROPORTION,
                age(),
                membership=Membership(interval=Interval(lower=18, upper=30)),
            ),
            "share of people with age from 18 to 30",
            "",
        ),
        (
            query(StatisticKind.COUNT, age(), relation=ADD_REMOVE, membership=EVERYBODY),
            "number of people",
            "people",
        ),
        (
            query(
                StatisticKind.COUNT,
                age(DROP),
                relation=ADD_REMOVE,
                membership=EVERYBODY,
                unit=PrivacyUnit(noun="household", rows=2),
            ),
            "number of rows with a value of age",
            "rows",
        ),
        (
            query(StatisticKind.HISTOGRAM, color(), unit=PrivacyUnit(noun="household")),
            "histogram of color",
            "households",
        ),
    ],
)
def test_title_and_unit_say_what_is_asked(asked, title, unit):
    assert asked.title == title
    assert asked.unit_text == unit


def test_sensitivity_is_that_of_all_rows_of_a_unit():
    three = PrivacyUnit(rows=3)
    few = TableSize(people=4, public=False)
    mean = query(StatisticKind.MEAN, age(), unit=three, size=few)
    assert mean.sensitivity.l1 == pytest.approx(3 * 100 / 4)
    cells = query(StatisticKind.HISTOGRAM, smoker(), unit=three, size=few)
    cells = cells.sensitivity
    assert (cells.coordinates, cells.l1, cells.largest) == (2, 6, 3)
    assert mean.bounds == AGES


@pytest.mark.parametrize(
    ("kind", "column", "changes", "match"),
    [
        (
            StatisticKind.MEAN,
            age(),
            {"relation": ADD_REMOVE, "size": TableSize(people=4, public=True)},
            "private under add/remove",
        ),
        (
            StatisticKind.MEAN,
            age(DROP),
            {"size": TableSize(people=4, public=True)},
            "private where those with a missing",
        ),
        (StatisticKind.MEAN, age(bounds=None), {}, "needs public bounds"),
        (StatisticKind.MEAN, age(), {"membership": EVERYBODY}, "no use for a cond"),
        (StatisticKind.COUNT, age(), {}, "needs a condition"),
        (StatisticKind.COUNT, age(), {"membership": EVERYBODY}, "public under substitution"),
        (
            StatisticKind.PROPORTION,
            age(),
            {"membership": EVERYBODY, "relation": ADD_REMOVE},
            "name a condition",
        ),
        (StatisticKind.COUNT, age(), {"membership": Membership(label="old")}, "name a range"),
        (
            StatisticKind.COUNT,
            color(),
            {"membership": Membership(label="blue")},
            "not on the public list",
        ),
        (StatisticKind.COUNT, color(), {"membership": Membership(interval=AGES)}, "has labels"),
        (StatisticKind.HISTOGRAM, age(), {}, "needs edges"),
        (StatisticKind.HISTOGRAM, color(), {"edges": (0.0, 1.0, 2.0)}, "no use for"),
        (StatisticKind.MEAN, age(), {"edges": (0.0, 1.0, 2.0)}, "no use for edges"),
        (StatisticKind.HISTOGRAM, age(), {"edges": (0.0, 2.0, 1.0)}, "ascending"),
        (StatisticKind.HISTOGRAM, age(), {"edges": (0.0, 2.0)}, "3 to 201 edges"),
        (StatisticKind.VARIANCE, age(), {"size": TableSize(people=2, public=True)}, "at least 3"),
    ],
)
def test_questions_without_an_answer_are_refused(kind, column, changes, match):
    with pytest.raises(ParameterError, match=match):
        query(kind, column, **changes)


def test_a_label_and_an_interval_exclude_each_other():
    with pytest.raises(ParameterError, match="not both"):
        Membership(label="yes", interval=AGES)


def test_missing_numbers_are_dropped_or_replaced():
    entries = [10.0, np.nan, 70.0, np.inf]
    replacing, dropping = age(), age(DROP)
    asked = query(StatisticKind.MEAN, replacing)
    assert asked.values(Table(replacing, entries)).tolist() == [10, 40, 70, np.inf]
    assert asked.rows(Table(replacing, entries)).tolist() == [0, 1, 2, 3]
    asked = query(StatisticKind.MEAN, dropping)
    table = Table(dropping, entries)
    assert asked.values(table).tolist() == [10, 70, np.inf]
    assert asked.rows(table).tolist() == [0, 2, 3]
    assert asked.statistic.value(asked.values(table)).tolist() == [
        pytest.approx(50 + (-40 + 20 + 50) / 4)
    ]


def test_members_are_found_among_raw_numbers():
    column = age()
    table = Table(column, [18.0, 30.0, 30.5, 500.0])
    for interval, members in (
        (Interval(lower=18, upper=30), [1, 1, 0, 0]),
        (Interval(lower=200, upper=np.inf), [0, 0, 0, 1]),
    ):
        asked = query(StatisticKind.COUNT, column, membership=Membership(interval=interval))
        assert asked.values(table).tolist() == members
    everybody = query(StatisticKind.COUNT, column, membership=EVERYBODY, relation=ADD_REMOVE)
    assert everybody.values(table).tolist() == [1, 1, 1, 1]


def test_bins_leave_out_their_upper_edge_and_take_what_lies_beyond():
    column = age()
    asked = query(StatisticKind.HISTOGRAM, column, edges=equal_edges(AGES, 4))
    table = Table(column, [-5.0, 25.0, 99.0, np.inf])
    assert asked.values(table).tolist() == [0, 1, 3, 3]
    assert asked.statistic.labels[0] == "0 to below 25"
    assert asked.statistic.labels[-1] == "75 to 100"
    with pytest.raises(ParameterError, match="2 to 200 bins"):
        equal_edges(AGES, 1)


def test_values_off_the_public_list_are_counted_as_other():
    column = color()
    asked = query(StatisticKind.HISTOGRAM, column)
    assert asked.statistic.labels == ("red", "green", "other")
    values = asked.values(Table(column, [0, 2, -1, 1]))
    assert asked.statistic.value(values).tolist() == [1, 2, 1]
    members = query(StatisticKind.COUNT, column, membership=Membership(label="green"))
    assert members.values(Table(column, [0, 2, -1, 1])).tolist() == [0, 0, 1, 1]
    dropping = color(DROP)
    asked = query(StatisticKind.HISTOGRAM, dropping)
    assert asked.values(Table(dropping, [0, 2, -1, 1])).tolist() == [0, 2, 1]


def test_labels_of_another_declaration_are_refused():
    asked = query(StatisticKind.HISTOGRAM, color())
    with pytest.raises(ParameterError, match="have changed since"):
        asked.values(Table(smoker(), [0, 1, 0, 1]))


intervals = st.tuples(st.one_of(st.just(-np.inf), st.integers(-5, 40)), st.integers(41, 90)).map(
    lambda ends: Interval(lower=ends[0], upper=ends[1])
)
memberships = st.one_of(
    st.just(EVERYBODY), intervals.map(lambda interval: Membership(interval=interval))
)


@settings(deadline=None, max_examples=80)
@given(
    kind=st.sampled_from(OF_ONE),
    missing=st.sampled_from(MissingPolicy),
    relation=st.sampled_from(NeighboringRelation),
    membership=memberships,
    rows=st.integers(1, 5),
    people=st.integers(3, 10**6),
)
def test_parameters_describe_the_query_and_survive_json(
    kind, missing, relation, membership, rows, people
):
    if membership.everyone and relation is SUBSTITUTION:
        membership = Membership(label=None, interval=AGES)
    if membership.everyone and kind is StatisticKind.PROPORTION:
        membership = Membership(interval=AGES)
    asked = query(
        kind,
        age(missing, unit=""),
        relation=relation,
        size=TableSize(people=people, public=False),
        unit=PrivacyUnit(rows=rows),
        membership=membership if kind.of_members else None,
        edges=equal_edges(AGES, 3) if kind.of_cells else None,
        q=0.25 if kind is StatisticKind.QUANTILE else None,
        qs=(0.1, 0.5) if kind is StatisticKind.QUANTILES else None,
    )
    text = json.dumps(asked.parameters(), allow_nan=False, sort_keys=True)
    assert json.loads(text) == asked.parameters()
    other = replace(asked, unit=PrivacyUnit(rows=rows + 1))
    assert json.dumps(other.parameters(), sort_keys=True) != text
