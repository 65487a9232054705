"""One row a person: against the rows of each person by hand, in every small table."""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.aggregation import (
    Derived,
    Ownerless,
    Preparation,
    Recipe,
    one_row_each,
)
from dpcore.data.proposals import proposed
from dpcore.errors import DataError, ParameterError
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.sums_and_means import Mean, Sum

KEY = bytes(range(32))
OF_X = Preparation(
    owners=("who",),
    derived=tuple(
        Derived(recipe=recipe, column="x")
        for recipe in (Recipe.MEAN, Recipe.SUM, Recipe.FIRST, Recipe.LAST, Recipe.MOST_FREQUENT)
    ),
)
ROWS_OF_ONE = [rows for m in (1, 2, 3) for rows in product((0.0, 2.0), repeat=m)]
TABLES = [
    people
    for count in range(5)
    for people in combinations_with_replacement(range(len(ROWS_OF_ONE)), count)
]


def table(rows, name="visits"):
    frame = pd.DataFrame(rows)
    frame.index = pd.RangeIndex(2, len(frame) + 2, name="line")
    return Dataset(name=name, frame=frame, columns=proposed(frame))


def by_hand(rows):
    present = [x for x in rows if not np.isnan(x)]
    if not present:
        return [np.nan] * len(OF_X.derived) + [float(len(rows))]
    times = Counter(present)
    most = min(x for x in times if times[x] == max(times.values()))
    mean = sum(sorted(present)) / len(present)
    return [mean, sum(sorted(present)), present[0], present[-1], most, float(len(rows))]


@pytest.fixture(scope="module")
def made():
    """What is made of every table of up to 4 people with up to 3 rows each.

    By one call: they stand in one table, and the rows of all people take turns.
    """
    rows = [
        (number, who, ROWS_OF_ONE[one][turn])
        for turn in range(3)
        for number, people in enumerate(TABLES)
        for who, one in enumerate(people)
        if turn < len(ROWS_OF_ONE[one])
    ]
    number, who, x = zip(*rows, strict=True)
    both = Preparation(owners=("table", "who"), derived=OF_X.derived)
    found = one_row_each(table({"table": number, "who": who, "x": x}), both)
    ends = np.cumsum([len(people) for people in TABLES])
    return np.split(found.frame.to_numpy(dtype=float), ends[:-1])


def test_every_small_table_is_made_as_by_hand(made):
    assert len(TABLES) == len(made) == 3060
    for people, found in zip(TABLES, made, strict=True):
        assert found.tolist() == [by_hand(ROWS_OF_ONE[one]) for one in people]


def neighbors(relation):
    """Each person of each table: the numbers of all tables with another in the place.

    Those without the person, where somebody is added or removed.
    """
    number = {people: place for place, people in enumerate(TABLES)}
    adding = relation is NeighboringRelation.ADD_REMOVE
    others = [()] if adding else [(one,) for one in range(len(ROWS_OF_ONE))]
    return [
        [number[tuple(sorted((*people[:place], *people[place + 1 :], *other)))] for other in others]
        for people in TABLES
        for place in range(len(people))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("relation", list(NeighboringRelation))
def test_everybodys_change_with_all_rows_is_exact_and_the_largest_the_sensitivity(made, relation):
    """Of sums and means of a mean, a sum and a number of rows.

    Bounds are those of what is made: 3 rows of up to 2 add up to 6.
    """
    adding = relation is NeighboringRelation.ADD_REMOVE
    others = np.array(neighbors(relation))
    owner = np.repeat(np.arange(len(TABLES)), [len(people) for people in TABLES])
    for kind, position, lower, upper in (
        (Mean, 0, 0.0, 2.0),
        (Sum, 1, 0.0, 6.0),
        (Sum, 5, 1.0, 3.0),
    ):
        bounds = Interval(lower=lower, upper=upper)
        asked = [
            kind(
                bounds=bounds,
                size=TableSize(people=2, public=False)
                if adding
                else TableSize(people=max(len(one), 1), public=True),
            )
            for one in made
        ]
        columns = [one[:, position] for one in made]
        pairs = list(zip(asked, columns, strict=True))
        # A public number of people is never none.
        values = np.array([one.value(x).item() if adding or len(x) else 0.0 for one, x in pairs])
        change = np.abs(values[others] - values[owner][:, None]).max(axis=1)
        shifts = [one.neighbors(x, relation).distances() for one, x in pairs if len(x)]
        assert np.concatenate(shifts) == pytest.approx(change, abs=1e-12)
        most = np.array([one.sensitivity(relation).l1 for one in asked])[owner]
        assert np.all(change <= most + 1e-12)
        if kind is Sum or not adding:
            for people in range(1, 5):
                of_them = np.array([len(TABLES[one]) == people for one in owner])
                assert change[of_them].max() == pytest.approx(most[of_them][0])


@st.composite
def mixed(draw):
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from([1.0, 2.0, 3.0, np.nan]),
                st.sampled_from(["a", "b", None]),
                st.sampled_from([-1.1, 0.1, 0.2, 7.0, np.nan]),
                st.sampled_from(["ü", "x", "y", None]),
            ),
            min_size=1,
            max_size=12,
        )
    )
    return rows, draw(st.permutations(range(len(rows))))


def made_of(rows, ownerless):
    who, where, x, word = zip(*rows, strict=True)
    frame = pd.DataFrame({"who": pd.Series(who), "x": pd.Series(x, dtype=float)})
    # As stored by the reading: in the order of the table, whatever the alphabet says.
    for name, cells in (("where", where), ("word", word)):
        kept = list(dict.fromkeys(cell for cell in cells if cell is not None))
        frame[name] = pd.Categorical(cells, categories=kept)
    recipe = Preparation(
        owners=("who", "where"),
        derived=(
            Derived(recipe=Recipe.MEAN, column="x"),
            Derived(recipe=Recipe.SUM, column="x"),
            Derived(recipe=Recipe.MOST_FREQUENT, column="x"),
            Derived(recipe=Recipe.MOST_FREQUENT, column="word"),
        ),
        ownerless=ownerless,
    )
    try:
        found = one_row_each(table(frame), recipe).frame
    except DataError:
        return None
    return sorted(map(repr, found.astype(object).itertuples(index=False, name=None)))


@settings(max_examples=40, deadline=None)
@given(case=mixed(), ownerless=st.sampled_from(Ownerless))
def test_no_order_of_rows_changes_what_does_not_go_by_it(case, ownerless):
    rows, order = case
    made = made_of(rows, ownerless)
    assert made == made_of([rows[place] for place in order], ownerless)
    known = [row for row in rows if not np.isnan(row[0]) and row[1] is not None]
    owners = len({row[:2] for row in known})
    alone = len(rows) - len(known) if ownerless is Ownerless.ALONE else 0
    assert (0 if made is None else len(made)) == owners + alone


@settings(max_examples=40, deadline=None)
@given(case=mixed(), who=st.sampled_from([1.0, 2.0, 3.0]))
def test_the_rows_of_one_person_change_no_row_and_no_order_of_others(case, who):
    rows, _ = case

    def others(kept):
        whose, x = [row[0] for row in kept], [row[2] for row in kept]
        try:
            made = one_row_each(table({"who": whose, "x": x}), OF_X)
        except DataError:
            return []
        mine = [one for one in dict.fromkeys(whose) if not np.isnan(one)]
        found = made.frame.to_numpy(dtype=float).tolist()
        return [repr(row) for one, row in zip(mine, found, strict=True) if one != who]

    assert others(rows) == others([row for row in rows if row[0] != who] or rows[:0])


def test_the_same_people_have_one_account_and_others_another():
    visits = table({"who": [1, 1, 2], "day": [1, 2, 2], "x": [1.0, 2.0, 3.0]})

    def name(**parts):
        return one_row_each(visits, Preparation(**parts)).fingerprint(KEY)

    mean = (Derived(recipe=Recipe.MEAN, column="x"),)
    people = name(owners=("who",))
    assert people == name(owners=("who",), derived=mean)
    others = {
        people,
        name(owners=("who",), ownerless=Ownerless.ALONE),
        name(owners=("who", "day")),
        name(owners=("day",)),
        visits.fingerprint(KEY),
    }
    assert len(others) == 5
    described = one_row_each(visits, Preparation(owners=("who",)))
    assert described.with_columns(*described.columns).fingerprint(KEY) == people


@pytest.mark.parametrize(
    "parts",
    [
        {"owners": ()},
        {"owners": ("who",), "count": False},
        {"owners": ("who", "who")},
        {"owners": ("who",), "derived": (Derived(recipe=Recipe.SUM, column="x"),) * 2},
    ],
)
def test_what_cannot_be_made_is_refused(parts):
    with pytest.raises(ParameterError):
        Preparation(**parts)


def test_a_table_that_says_nobodys_rows_and_recipes_of_another_kind_are_refused():
    visits = table({"who": [np.nan], "x": [1.0], "word": ["a"]})
    with pytest.raises(DataError, match="no row has"):
        one_row_each(visits, OF_X)
    summed = Preparation(owners=("x",), derived=(Derived(recipe=Recipe.SUM, column="word"),))
    with pytest.raises(ParameterError, match="cannot be made"):
        one_row_each(visits, summed)
