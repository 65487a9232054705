"""Whoever is most exposed is called what the table calls them, however prepared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dpcore.data.dataset import Dataset
from dpcore.data.preparation.aggregation import Derived, Preparation, Recipe
from dpcore.data.preparation.conditions import Comparison, NumberCondition
from dpcore.data.preparation.contribution_bounds import RowCap
from dpcore.data.preparation.steps import PreparationSteps, names_of, prepared
from dpcore.data.proposals import proposed

KEY = bytes(range(32))
MEAN = Preparation(owners=("who",), derived=(Derived(recipe=Recipe.MEAN, column="x"),), count=False)


@pytest.fixture
def visits():
    frame = pd.DataFrame({"who": [*"babcac"], "x": [1.0, 2.0, 3.0, 9.0, 4.0, 9.0]})
    frame.index = pd.RangeIndex(2, 8, name="line")
    return Dataset(name="visits", frame=frame, columns=proposed(frame))


def called(dataset):
    return names_of(dataset, np.arange(dataset.people))


def test_rows_that_are_people_have_no_name(visits):
    assert called(visits) == {}


def test_whoever_several_rows_were_put_together_of_has_one(visits):
    made = prepared(visits, PreparationSteps(whose=MEAN), key=KEY)
    assert called(made) == {"who": ["b", "a", "c"]}
    large = NumberCondition(column=made.columns[0].name, comparison=Comparison.AT_LEAST, number=2.5)
    left = prepared(visits, PreparationSteps(whose=MEAN, conditions=(large,)), key=KEY)
    assert called(left) == {"who": ["a", "c"]}


def test_whoever_some_rows_count_of_has_one(visits):
    cap = RowCap(owners=("who",), most=1)
    made = prepared(visits, PreparationSteps(whose=cap), key=KEY)
    assert [*called(made)] == ["who"]
    rows = visits.frame.loc[made.frame.index, "who"]
    assert called(made)["who"] == [*rows]
