"""New columns, row by row, and the steps that are remembered."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, LabelEquality, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.aggregation import Derived, Ownerless, Preparation, Recipe
from dpcore.data.preparation.conditions import (
    Comparison,
    DateCondition,
    LabelCondition,
    NumberCondition,
)
from dpcore.data.preparation.contribution_bounds import RowCap
from dpcore.data.preparation.date_columns import Age, DatePart, PartOfDate
from dpcore.data.preparation.derived_columns import (
    Bins,
    Calculated,
    Calculation,
    Flag,
    Recode,
    Recoded,
    Without,
    with_new_columns,
)
from dpcore.data.preparation.steps import STEPS, PreparationSteps, as_read, prepared, steps_of
from dpcore.data.proposals import proposed
from dpcore.errors import ParameterError

KEY = bytes(range(32))
OLD = NumberCondition(column="age", comparison=Comparison.AT_LEAST, number=60.0)
MADE = (
    Bins(column="age", edges=(18.0, 65.0)),
    Calculated(calculation=Calculation.DIFFERENCE, first="cost", second="stay"),
    Calculated(calculation=Calculation.RATIO, first="cost", second="stay"),
    Flag(condition=OLD),
)
BY_PERSON = Preparation(owners=("who",), derived=(Derived(recipe=Recipe.MEAN, column="stay"),))
EVERY = [
    PreparationSteps(),
    PreparationSteps(made=MADE),
    PreparationSteps(made=MADE, whose=RowCap(owners=("who",), most=2), conditions=(OLD,)),
    PreparationSteps(whose=RowCap(owners=("who",), most=1, ownerless=Ownerless.ALONE)),
    PreparationSteps(made=MADE[:1], whose=BY_PERSON),
    PreparationSteps(conditions=(OLD, LabelCondition(column="who", labels=("a", "b")))),
    PreparationSteps(
        whose=BY_PERSON,
        conditions=(
            NumberCondition(column="rows per who", comparison=Comparison.ABOVE, number=1.0),
        ),
    ),
    PreparationSteps(made=(Without(column="who", codes=("b", "n/a")),)),
]


def test_steps_with_dates_and_recoded_labels_are_kept():
    steps = PreparationSteps(
        made=(
            PartOfDate(part=DatePart.YEAR, column="day"),
            Age(born="day", at="end"),
            Age(born="day", at=dt.date(2024, 2, 29)),
            Recoded(column="who", recodes=(Recode(labels=("a", "-"), into="unknown"),)),
        ),
        conditions=(
            DateCondition(column="day", first=dt.date(2024, 1, 1)),
            DateCondition(column="end", last=dt.date(2024, 12, 31)),
            LabelCondition(column="who", labels=("1",), equality=LabelEquality.AS_WRITTEN),
        ),
    )
    content = json.loads(json.dumps(STEPS.write(steps)))
    assert STEPS.read(content) == steps
    (condition,) = content["conditions"][-1:]
    assert condition["equality"] == "as written"
    old = LabelCondition(column="who", labels=("1",))
    assert "equality" not in STEPS.write(PreparationSteps(conditions=(old,)))["conditions"][0]


def table():
    frame = pd.DataFrame(
        {
            "who": pd.Series(["a", "b", "a", "c", "c", "c"], dtype="str"),
            "age": [17.0, 18.0, 64.5, 65.0, np.nan, 90.0],
            "cost": [10.0, 20.0, 5.0, np.nan, 8.0, 6.0],
            "stay": [2.0, 0.0, -1.0, 4.0, np.inf, 3.0],
        }
    )
    frame.index = pd.RangeIndex(2, len(frame) + 2, name="line")
    return Dataset(name="visits", frame=frame, columns=proposed(frame))


def test_what_is_declared_of_a_column_holds_of_it_without_codes():
    stay = replace(table().column("stay"), bounds=Interval(lower=0, upper=9), unit="days")
    who = replace(table().column("who"), labels=("a", "b", "c"))
    made = (Without(column="stay", codes=("-1",)), Without(column="who", codes=("c",)))
    found = with_new_columns(table().with_columns(stay, who), made)
    assert found.columns[-2] == replace(stay, name="stay without -1")
    assert found.columns[-1].labels == ("a", "b")


@given(st.floats(-1e6, 1e6, width=32, allow_subnormal=False).filter(bool), st.integers(1, 7))
def test_codes_are_found_in_columns_of_32_bits(number, digits):
    code = f"{number:.{digits}g}"
    held = float(np.float32(float(code)))
    frame = pd.DataFrame({"x": [held, float(code), 0.0, np.inf, held + 1e7]})
    source = Dataset(name="t", frame=frame, columns=proposed(frame))
    made = Without(column="x", codes=(code,))
    left = with_new_columns(source, (made,)).numbers(made.name)
    assert np.isnan(left).tolist()[:4] == [True, True, float(code) == 0, False]
    assert left[4] == held + 1e7


@pytest.mark.parametrize("codes", [(), ("9", "9.0"), ("n/a", "n/a"), tuple(map(str, range(21)))])
def test_codes_that_are_none_or_twice_or_many_are_refused(codes):
    with pytest.raises(ParameterError, match="different codes"):
        Without(column="x", codes=codes)


@settings(deadline=None, max_examples=40)
@given(
    ends=st.tuples(*[st.integers(-20, 20)] * 4),
    values=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1),
)
def test_bounds_hold_for_all_that_lies_within_those_of_the_two(ends, values):
    one, other = (sorted(pair) for pair in (ends[:2], ends[2:]))
    if one[0] == one[1] or other[0] == other[1]:
        return
    source = table().with_columns(
        *(
            Column(
                name=name,
                kind=ColumnKind.NUMBER,
                bounds=Interval(lower=float(low), upper=float(high)),
            )
            for name, (low, high) in (("cost", one), ("stay", other))
        )
    )
    x, y = np.array(values).T
    x = np.clip(one[0] + x * (one[1] - one[0]), *one)
    y = np.clip(other[0] + y * (other[1] - other[0]), *other)
    for calculation, found in (
        (Calculation.DIFFERENCE, x - y),
        (Calculation.RATIO, x / np.where(np.abs(y) < 1e-300, 1, y)),
    ):
        both = Calculated(calculation=calculation, first="cost", second="stay")
        bounds = both.described(source).bounds
        if bounds is None:
            assert calculation is Calculation.RATIO
            assert other[0] <= 0 <= other[1]
            continue
        slack = 1e-12 * max(1.0, abs(bounds.lower), abs(bounds.upper))
        assert bounds.lower - slack <= found.min()
        assert found.max() <= bounds.upper + slack


def test_no_two_recipes_have_one_name():
    pairs = [("a", "b minus c"), ("a minus b", "c"), ("a", "b")]
    made = [
        Calculated(calculation=way, first=one, second=other)
        for one, other in pairs
        for way in Calculation
    ]
    near = [Bins(column="a", edges=(x,)) for x in (0.1, 0.1 + 1e-16, 0.10000000000001)]
    names = [one.name for one in (*made, *near)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("new", "says"),
    [
        (lambda: Bins(column="age", edges=()), "edges of bins"),
        (lambda: Bins(column="age", edges=(2.0, 1.0)), "ascending"),
        (lambda: Bins(column="age", edges=(np.nan,)), "ascending"),
        (
            lambda: Calculated(calculation=Calculation.RATIO, first="age", second="age"),
            "two different columns",
        ),
        (lambda: with_new_columns(table(), (MADE[0], MADE[0])), "name already"),
        (lambda: with_new_columns(table(), (Bins(column="no", edges=(1.0,)),)), "no column"),
    ],
)
def test_what_is_no_recipe_is_refused(new, says):
    with pytest.raises(ParameterError, match=says):
        new()
    with pytest.raises(ParameterError, match="not of numbers"):
        with_new_columns(table(), (Bins(column="who", edges=(1.0,)),))


@pytest.mark.parametrize("steps", EVERY, ids=lambda steps: "; ".join(steps.describe()))
def test_steps_are_found_again_kept_and_taken_again(steps):
    made = prepared(table(), steps, key=KEY)
    assert steps_of(made) == steps
    written = json.loads(json.dumps(STEPS.write(steps)))
    assert STEPS.read(written) == steps
    source = as_read(made)
    assert [one.name for one in source.columns] == list(table().header)
    again = prepared(source, steps, key=KEY)
    pd.testing.assert_frame_equal(again.frame, made.frame)


WARD = Column(name="ward", kind=ColumnKind.CATEGORY, labels=("north", "Unknown", "south"))
UNKNOWN = Recoded(column="ward", recodes=(Recode(labels=("Unknown", "-"), into="unknown"),))


def wards(cells, column=WARD):
    frame = pd.DataFrame({"ward": pd.Series(cells, dtype="str")})
    return Dataset(name="t", frame=frame, columns=(column,))


def recoded(cells, recipe=UNKNOWN, column=WARD):
    return prepared(wards(cells, column), PreparationSteps(made=(recipe,)), key=KEY)


def test_a_missing_code_that_is_recoded_becomes_an_answer():
    column = replace(WARD, missing_codes=("-", "NA"))
    made = recoded(["-", "NA"], column=column)
    assert made.missing("ward").tolist() == [True, True]
    assert made.codes(UNKNOWN.name).tolist() == [1, -1]


def test_the_imputed_label_is_recoded():
    column = replace(WARD, missing=MissingPolicy.REPLACE, replacement="Unknown")
    assert recoded(["north"], column=column).columns[-1].replacement == "unknown"


@given(
    cells=st.lists(st.sampled_from(["north", "Unknown", "-", "x", None]), min_size=2),
    other=st.sampled_from(["north", "-", "y", None]),
    data=st.data(),
)
def test_a_cell_changes_no_other(cells, other, data):
    place = data.draw(st.integers(0, len(cells) - 1))
    changed = [*cells[:place], other, *cells[place + 1 :]]
    one, two = (recoded(each).codes(UNKNOWN.name).tolist() for each in (cells, changed))
    del one[place], two[place]
    assert one == two


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Recode(labels=(), into="x"),
        lambda: Recode(labels=("a ",), into="x"),
        lambda: Recoded(column="ward", recodes=()),
        lambda: Recoded(
            column="ward",
            recodes=(Recode(labels=("a",), into="x"), Recode(labels=("a",), into="y")),
        ),
        lambda: recoded(["1"], column=Column(name="ward", kind=ColumnKind.NUMBER)),
    ],
)
def test_what_is_no_recoding_is_refused(wrong):
    with pytest.raises(ParameterError):
        wrong()


def test_conditions_say_how_labels_that_are_numbers_compare():
    texts, rows = [], []
    for equality in LabelEquality:
        one = LabelCondition(column="ward", labels=("1",), equality=equality)
        texts.append(one.text)
        rows.append(one.met(wards(["1", "1.0", "2"])).tolist())
        words = LabelCondition(column="ward", labels=("north",), equality=equality)
        assert words.text == "ward is north"
    assert texts == ['ward is "1" (as written)', 'ward is "1" (as numbers)', 'ward is "1"']
    # Where it is not stated, the column says it: here as written.
    assert rows == [[True, False, False], [True, True, False], [True, False, False]]
