"""Recoded labels, and conditions on labels that are numbers."""

from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.data.columns import Column, ColumnKind, LabelEquality, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.conditions import LabelCondition
from dpcore.data.preparation.derived_columns import Recode, Recoded
from dpcore.data.preparation.steps import PreparationSteps, prepared
from dpcore.errors import ParameterError

KEY = bytes(range(32))
WARD = Column(name="ward", kind=ColumnKind.CATEGORY, labels=("north", "Unknown", "south"))
UNKNOWN = Recoded(column="ward", recodes=(Recode(labels=("Unknown", "-"), into="unknown"),))


def table(cells, column=WARD):
    frame = pd.DataFrame({"ward": pd.Series(cells, dtype="str")})
    return Dataset(name="t", frame=frame, columns=(column,))


def recoded(cells, recipe=UNKNOWN, column=WARD):
    return prepared(table(cells, column), PreparationSteps(made=(recipe,)), key=KEY)


def test_the_list_follows_the_recoding():
    made = recoded(["north", "Unknown", "-", None, "west"])
    column = made.column(UNKNOWN.name)
    assert column.labels == ("north", "unknown", "south")
    assert made.codes(UNKNOWN.name).tolist() == [0, 1, 1, -1, 3]


def test_a_missing_code_that_is_recoded_becomes_an_answer():
    column = replace(WARD, missing_codes=("-", "NA"))
    made = recoded(["-", "NA"], column=column)
    assert made.missing("ward").tolist() == [True, True]
    assert made.codes(UNKNOWN.name).tolist() == [1, -1]


def test_the_imputed_label_is_recoded():
    column = replace(WARD, missing=MissingPolicy.REPLACE, replacement="Unknown")
    assert recoded(["north"], column=column).columns[-1].replacement == "unknown"


def test_labels_are_met_as_the_column_declares():
    recipe = Recoded(column="ward", recodes=(Recode(labels=("1",), into="one"),))
    codes = Column(name="ward", kind=ColumnKind.CATEGORY, labels=("1", "2"))
    for equality, expected in (
        (LabelEquality.AS_WRITTEN, [0, 2, 2]),
        (LabelEquality.AS_NUMBERS, [0, 0, 0]),
    ):
        made = recoded(["1", "1.0", "01"], recipe, replace(codes, equality=equality))
        assert made.column(recipe.name).labels == ("one", "2")
        assert made.codes(recipe.name).tolist() == expected


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
        rows.append(one.met(table(["1", "1.0", "2"])).tolist())
        words = LabelCondition(column="ward", labels=("north",), equality=equality)
        assert words.text == "ward is north"
    assert texts == ['ward is "1" (as written)', 'ward is "1" (as numbers)', 'ward is "1"']
    # Where it is not stated, the column says it: here as written.
    assert rows == [[True, False, False], [True, True, False], [True, False, False]]
