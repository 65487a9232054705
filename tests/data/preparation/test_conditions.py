"""Rows that meet public conditions: against every row by hand, and by their names."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.conditions import Comparison, LabelCondition, NumberCondition, meeting
from dpcore.data.proposals import proposed
from dpcore.errors import DataError, ParameterError
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.sums_and_means import Sum
from tests.conftest import few

KEY = bytes(range(32))
SENIOR = NumberCondition(column="age", comparison=Comparison.AT_LEAST, number=60.0)
NORTH = LabelCondition(column="ward", labels=("north",))


def table(rows):
    frame = pd.DataFrame(rows)
    frame.index = pd.RangeIndex(2, len(frame) + 2, name="line")
    return Dataset(name="visits", frame=frame, columns=proposed(frame))


VISITS = table(
    {
        "who": [1, 1, 2, 3, 4],
        "age": [60.0, 59.9, 71.0, np.nan, 80.0],
        "ward": ["north", "north", "west", "north", None],
    }
)


@pytest.mark.parametrize(
    ("conditions", "lines"),
    [
        ((SENIOR,), [2, 4, 6]),
        ((NORTH,), [2, 3, 5]),
        ((SENIOR, NORTH), [2]),
        ((LabelCondition(column="ward", labels=("west", "north")),), [2, 3, 4, 5]),
        ((LabelCondition(column="who", labels=("1", "4")),), [2, 3, 6]),
        *(
            ((NumberCondition(column="age", comparison=one, number=71.0),), found)
            for one, found in (
                (Comparison.AT_LEAST, [4, 6]),
                (Comparison.AT_MOST, [2, 3, 4]),
                (Comparison.ABOVE, [6]),
                (Comparison.BELOW, [2, 3]),
            )
        ),
    ],
)
def test_rows_that_meet_all_conditions_stay(conditions, lines):
    assert [*meeting(VISITS, conditions).frame.index] == lines


def test_names_state_the_conditions_and_nothing_declared_is_lost():
    age = VISITS.column("age")
    bounded = VISITS.with_columns(
        type(age)(name="age", kind=age.kind, bounds=Interval(lower=0, upper=100))
    )
    found = meeting(bounded, (SENIOR, NORTH))
    assert [column.name for column in found.columns] == [
        f"{name} where age at least 60 and ward is north" for name in ("who", "age", "ward")
    ]
    assert found.columns[1].bounds == Interval(lower=0, upper=100)
    assert found.header == ("who", "age", "ward")
    assert found.undone().columns == bounded.columns
    assert found.undone().frame is bounded.frame
    assert found.number_is_private
    assert not VISITS.number_is_private
    same_people = found.with_columns(*found.columns).fingerprint(KEY)
    assert same_people == VISITS.fingerprint(KEY)


words = st.text(st.sampled_from('a1 "\\,'), min_size=1, max_size=3).filter(
    lambda word: word == word.strip()
)
names = st.one_of(words, st.sampled_from(["a is b", "a at least 1", "or", "a or b", "and"]))
one_condition = st.one_of(
    st.builds(
        NumberCondition,
        column=names,
        comparison=st.sampled_from(Comparison),
        number=st.sampled_from([1.0, -0.1, 1e6, 60.0, 60.00000000000001]),
    ),
    st.builds(
        LabelCondition,
        column=names,
        labels=st.lists(names, min_size=1, max_size=2, unique=True).map(tuple),
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(one_condition, min_size=1, max_size=2), max_size=8))
def test_no_two_conditions_have_one_name(several):
    """Where they had, the second question would get the answer to the first."""
    texts = {
        frozenset(conditions): " and ".join(sorted({one.text for one in conditions}))
        for conditions in several
    }
    assert len({*texts.values()}) == len(texts)


@pytest.mark.parametrize("people", few(2, *range(1, 5)))
def test_one_person_more_or_less_changes_a_sum_by_at_most_the_sensitivity(people):
    """By enumeration: whoever does not meet the conditions changes nothing."""
    relation = NeighboringRelation.ADD_REMOVE
    everybody = [(20.0, 5.0), (60.0, 3.0), (70.0, 8.0), (60.0, 1.0), (np.nan, 9.0)]
    statistic = Sum(bounds=Interval(lower=0.0, upper=8.0), size=TableSize(people=1, public=False))

    def total(rows):
        # One more who meets them and has nothing, so that some row always stays.
        ages, stays = zip(*rows, (99.0, 0.0), strict=True)
        kept = meeting(table({"age": ages, "stay": stays}), (SENIOR,))
        values = kept.numbers("stay where age at least 60")
        return statistic.value(values).item(), statistic.neighbors(values, relation)

    largest = 0.0
    for rows in combinations(everybody, people):
        answer, shifts = total(rows)
        changes = []
        for row in rows:
            rest = [*rows]
            rest.remove(row)
            changes.append(abs(answer - total(rest)[0]))
        met = [change for row, change in zip(rows, changes, strict=True) if row[0] >= 60]
        assert shifts.distances()[:-1].tolist() == pytest.approx(met)
        assert sum(changes) == pytest.approx(sum(met))
        largest = max(largest, *changes)
    assert largest == statistic.sensitivity(relation).l1


def test_what_cannot_be_chosen_is_refused():
    with pytest.raises(ParameterError):
        meeting(VISITS, ())
    with pytest.raises(ParameterError):
        LabelCondition(column="ward", labels=())
    with pytest.raises(ParameterError):
        NumberCondition(column="age", comparison=Comparison.ABOVE, number=np.nan)
    with pytest.raises(DataError):
        meeting(VISITS, (LabelCondition(column="ward", labels=("south",)),))
    with pytest.raises(ParameterError):
        meeting(meeting(VISITS, (NORTH,)), (NORTH,))
    number = NumberCondition(column="ward", comparison=Comparison.ABOVE, number=1.0)
    with pytest.raises(ParameterError, match="not of numbers"):
        meeting(VISITS, (number,))
