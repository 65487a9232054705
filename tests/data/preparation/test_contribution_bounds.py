"""At most m rows a person: which rows stay, and that it is nobody else's matter."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.analyses.base import Request
from dpcore.analyses.groups import ANY_SIZE, GroupedQuery
from dpcore.analyses.matrix import JointQuery
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.aggregation import Preparation, one_row_each
from dpcore.data.preparation.conditions import Comparison, NumberCondition
from dpcore.data.preparation.contribution_bounds import RowCap, at_most, chosen
from dpcore.data.proposals import proposed
from dpcore.errors import DataError, ParameterError
from dpcore.models.design import Design
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.conditions import statement
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind
from tests.conftest import few
from tests.data.preparation.test_recipes import HELD

KEY = bytes(range(32))
TWO = RowCap(owners=("who",), most=2)
OLD = NumberCondition(column="x", comparison=Comparison.AT_LEAST, number=2.0)
VISITS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", None]),
        st.integers(0, 4),
        st.sampled_from(["north", "south", None]),
    ),
    min_size=1,
    max_size=25,
)


def table(rows):
    frame = pd.DataFrame(
        {
            "who": pd.Series([row[0] for row in rows], dtype="str"),
            "x": [float(row[1]) for row in rows],
            "ward": pd.Series([row[2] for row in rows], dtype="str"),
        }
    )
    frame.index = pd.RangeIndex(2, len(frame) + 2, name="line")
    return Dataset(name="visits", frame=frame, columns=proposed(frame))


def kept(rows, rule=TWO, conditions=(), key=KEY):
    """What stays of whom, or nothing where no row does."""
    try:
        made = at_most(table(rows), rule, conditions, key=key)
    except DataError:
        return {}
    found = {}
    lines = made.frame.index.to_numpy() - 2
    for line, person in zip(lines, made.persons, strict=True):
        found.setdefault(person, []).append(rows[line])
    for own in found.values():
        assert len({row[0] for row in own}) == 1 or own[0][0] is None
    return {own[0][0]: Counter(own) for own in found.values() if own[0][0] is not None}


@pytest.mark.slow
@settings(deadline=None, max_examples=15)
@given(rows=VISITS, seed=st.integers(0, 10), most=st.integers(1, 3))
def test_the_choice_is_each_persons_own(rows, seed, most):
    rule = RowCap(owners=("who",), most=most)
    here = kept(rows, rule)
    owned = Counter(row[0] for row in rows if row[0] is not None)
    assert {who: sum(own.values()) for who, own in here.items()} == {
        who: min(count, most) for who, count in owned.items()
    }
    order = np.random.default_rng(seed).permutation(len(rows))
    assert kept([rows[i] for i in order], rule) == here
    for who in owned:
        alone = kept([row for row in rows if row[0] in {who, None}], rule)
        assert alone == {who: here[who]}
    # Fewer of the same choice: rows that stay under a lower limit stay under this.
    for who, own in kept(rows, RowCap(owners=("who",), most=1)).items():
        assert own <= here[who]


@settings(deadline=None, max_examples=20)
@given(rows=VISITS)
def test_conditions_come_first(rows):
    met = [row for row in rows if row[1] >= 2]
    assert kept(rows, conditions=(OLD,)) == (kept(met) if met else {})


def test_every_row_has_the_same_chance():
    """Of three rows, two of them alike, the third stays of a third of the people.

    Of 3,000 it is within 6 standard deviations, for this key as for all but one in
    5e8.
    """
    each = [(1, "north"), (1, "north"), (3, "south")]
    rows = [(f"p{who}", *row) for who in range(3000) for row in each]
    made = at_most(table(rows), RowCap(owners=("who",), most=1), key=KEY)
    stays = int((made.frame.iloc[:, 0] == 3.0).sum())
    assert abs(stays - 1000) < 6 * np.sqrt(3000 * (1 / 3) * (2 / 3))


def test_the_people_have_one_account_however_their_rows_count():
    source = table([("a", 1, "north"), ("a", 2, "south"), ("b", 3, "north")])
    made = at_most(source, TWO, key=KEY)
    each = one_row_each(source, Preparation(owners=("who",)))
    fewer = at_most(source, RowCap(owners=("who",), most=1), (OLD,), key=KEY)
    assert made.fingerprint(KEY) == each.fingerprint(KEY) == fewer.fingerprint(KEY)
    assert made.fingerprint(KEY) != source.fingerprint(KEY)
    assert made.header == source.header
    assert [one.name for one in made.columns] == [
        "x, at most 2 rows per who",
        "ward, at most 2 rows per who",
    ]
    assert fewer.columns[0].name == "x where x at least 2, at most 1 row per who"
    assert made.names(np.array([1, 0])) == {"who": ["b", "a"]}


@pytest.mark.parametrize(
    ("rule", "conditions", "says"),
    [
        (RowCap(owners=("who", "x", "ward"), most=2), (), "no column besides"),
        (RowCap(owners=("nobody",), most=2), (), "no column of that name"),
    ],
)
def test_what_cannot_be_is_refused(rule, conditions, says):
    with pytest.raises(ParameterError, match=says):
        at_most(table([("a", 1, "north")]), rule, conditions, key=KEY)
    with pytest.raises(DataError, match="no row is left"):
        at_most(table([("a", 1, "north")]), TWO, (OLD,), key=KEY)
    with pytest.raises(ParameterError, match="at least one row"):
        RowCap(owners=("who",), most=0)


def asked(column, kind=StatisticKind.MEAN, cap=2, **named):
    return Query(
        kind=kind,
        column=column,
        relation=NeighboringRelation.ADD_REMOVE,
        unit=PrivacyUnit(cap=cap),
        size=TableSize(people=3, public=False),
        **named,
    )


def declared(rows, most=2):
    made = at_most(table(rows), RowCap(owners=("who",), most=most), key=KEY)
    column, ward = made.columns
    column = Column(
        name=column.name,
        kind=ColumnKind.NUMBER,
        bounds=Interval(lower=0.0, upper=4.0),
        missing=MissingPolicy.DROP,
    )
    ward = Column(name=ward.name, kind=ColumnKind.CATEGORY, labels=("north", "south"))
    return made.with_columns(column, ward), column, ward


ROWS = [("a", 1, "north"), ("b", 4, None), ("a", 3, "south"), ("c", 2, "north")]


def test_a_question_is_about_people_with_their_rows():
    made, column, ward = declared(ROWS)
    query = asked(column)
    assert query.statistic.value(query.values(made)).tolist() == [2.5]
    assert query.rows(made).tolist() == [0, 1, 2]
    by_ward = GroupedQuery(
        part=Query(
            kind=StatisticKind.COUNT,
            column=column,
            relation=query.relation,
            unit=query.unit,
            size=ANY_SIZE,
            membership=_everyone(),
        ),
        group=Grouping.of(ward),
    )
    assert by_ward.statistic.value(by_ward.values(made)).tolist() == [2.0, 1.0, 1.0]
    assert by_ward.sensitivity.l1 == 2.0
    means = GroupedQuery(part=replace(query, size=ANY_SIZE), group=Grouping.of(ward))
    assert means.title == "mean of x by ward, at most 2 rows per who"
    said = statement(means.title, means.conditions)
    assert said.count("at most 2 rows per who") == 1
    request = Request(query=query, mechanism_key="laplace", epsilon=1.0)
    # Three rows at least: two more move the mean by two fifths of the width.
    assert request.plan.noise == pytest.approx(4 * 2 / 5, rel=1e-9)
    assert request.parameters()["query"]["unit"]["cap"] == 2
    plain = PrivacyUnit()
    assert (
        "cap"
        not in Request(
            query=Query(
                kind=StatisticKind.MEAN,
                column=column,
                relation=query.relation,
                unit=plain,
                size=query.size,
            ),
            mechanism_key="laplace",
            epsilon=1.0,
        ).parameters()["query"]["unit"]
    )


def _everyone():
    from dpcore.statistics.entries import Membership  # noqa: PLC0415 - used once

    return Membership()


def test_a_question_of_another_cap_is_refused():
    made, column, _ = declared(ROWS)
    with pytest.raises(ParameterError, match="another number of rows"):
        asked(column, cap=3).values(made)
    one_each = Query(
        kind=StatisticKind.MEAN,
        column=column,
        relation=NeighboringRelation.ADD_REMOVE,
        unit=PrivacyUnit(),
        size=TableSize(people=3, public=False),
    )
    with pytest.raises(ParameterError, match="another number of rows"):
        one_each.values(made)


@pytest.mark.parametrize(
    "kind", [StatisticKind.MEDIAN, StatisticKind.VARIANCE, StatisticKind.PROPORTIONS]
)
def test_what_is_not_known_of_several_rows_is_refused(kind):
    _, column, ward = declared(ROWS)
    about = ward if kind is StatisticKind.PROPORTIONS else column
    with pytest.raises(ParameterError, match="several rows of one person count"):
        asked(about, kind)


def test_what_was_asked_of_one_row_each_is_not_answered_of_several():
    """As by a plan that was loaded, of a table whose rows were people."""
    made, column, ward = declared(ROWS)
    other = replace(column, name="y")
    made = replace(
        made, frame=made.frame.assign(y=made.frame.iloc[:, 0]), columns=(column, ward, other)
    )
    terms = {"relation": NeighboringRelation.ADD_REMOVE, "size": TableSize(people=3, public=False)}
    both = {"kind": StatisticKind.COVARIANCE, "numbers": (column, other)}
    asked_then = JointQuery(unit=PrivacyUnit(), **both, **terms)
    with pytest.raises(ParameterError, match="another number of rows"):
        asked_then.values(made)
    with pytest.raises(ParameterError, match="not offered where several rows"):
        JointQuery(unit=PrivacyUnit(cap=2), **both, **terms)
    design = Design(target=column, features=(other,))
    with pytest.raises(ParameterError, match="one row a person"):
        design.rows(made)


FORMS = {
    "category": ("1", "01", "1.0", "-0", "b", "9007199254740993", "1e5"),
    "integers": ("0", "1", "-7", "9007199254740993"),
    "doubles": ("0.0", "1.0", "-2.5", "123456.75"),
    "floats": ("0", "1", "-2.5", "1e+300"),
}


@pytest.mark.parametrize("held", few(2, *FORMS))
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_rows_that_stay_are_those_of_the_same_cells_held_as_text(held, data):
    texts = data.draw(st.lists(st.sampled_from([*FORMS[held], None]), min_size=1, max_size=12))
    person = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(texts), max_size=len(texts)))
    )
    places = []
    for way in (held, "text"):
        frame = pd.DataFrame({"who": pd.Series(person), "x": HELD[way](texts)})
        places.append(chosen(frame, person, 2, key=KEY).tolist())
    assert places[0] == places[1]
