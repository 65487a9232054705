"""Rows and targets follow from public declarations, person by person."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.data.dataset import Dataset
from dpcore.errors import ParameterError
from dpcore.models.design import Design, UnitRows


def number(name, lower, upper, **other):
    bounds = Interval(lower=lower, upper=upper)
    return Column(name=name, kind=ColumnKind.NUMBER, bounds=bounds, **other)


AGE = number("age", 20.0, 60.0)
PAY = number("pay", 0.0, 1000.0)
KIDS = number("kids", 0.0, 9.0)
OWNS = Column(name="owns", kind=ColumnKind.YES_NO, labels=("no", "yes"))
TOWN = Column(name="town", kind=ColumnKind.CATEGORY, labels=("north", "south", "west"))
OFF = UnitRows.OFF


def table(*columns, **values):
    frame = pd.DataFrame(values)
    frame.index = pd.RangeIndex(2, len(frame) + 2)
    return Dataset(name="t", frame=frame[[c.name for c in columns]], columns=columns)


SIX = table(
    *(AGE, PAY, KIDS, OWNS),
    age=[20.0, 40.0, 50.0, np.nan, 70.0, -np.inf],
    pay=[0.0, 500.0, 250.0, 10.0, np.inf, 100.0],
    kids=[0.0, 2.0, 12.0, 1.0, 3.0, 1.0],
    owns=["yes", "no", "yes", "no", "yes", "no"],
)


@pytest.mark.parametrize("unit_rows", [UnitRows.DIVIDE, UnitRows.CLIP])
@pytest.mark.parametrize("intercept", [True, False])
def test_rows_are_at_most_one_long(unit_rows, intercept):
    design = Design(
        target=KIDS, features=(AGE, PAY, OWNS), unit_rows=unit_rows, intercept=intercept
    )
    x = design.matrix(SIX).features
    plain = Design(target=KIDS, features=(AGE, PAY, OWNS), unit_rows=OFF, intercept=intercept)
    raw = plain.matrix(SIX).features
    assert np.linalg.norm(x, axis=1).max() <= 1 + 1e-15
    lengths = np.maximum(np.linalg.norm(raw, axis=1), 1.0)
    if unit_rows is UnitRows.DIVIDE:
        lengths = np.full(5, x.shape[1] ** 0.5)
    assert x == pytest.approx(raw / lengths[:, np.newaxis])


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32), st.sampled_from(list(UnitRows)), st.booleans())
def test_legal_rows_are_those_of_somebody(seed, unit_rows, intercept):
    design = Design(target=PAY, features=(AGE, OWNS), unit_rows=unit_rows, intercept=intercept)
    rows = design.legal(np.random.default_rng(seed).normal(size=(20, 2 + intercept)))
    again = design.legal(rows.copy())
    if unit_rows is not UnitRows.CLIP:
        assert again == pytest.approx(rows)
    if unit_rows is not OFF:
        assert np.linalg.norm(rows, axis=1).max() <= 1 + 1e-15
    if intercept:
        assert (rows[:, 0] > 0).all()
        people = rows / rows[:, :1]
        assert np.abs(people[:, 1]).max() <= 1 + 1e-12
        assert np.isin(np.round(people[:, 2], 12), [0, 1]).all()
    somebody = design.matrix(SIX).features
    if unit_rows is not UnitRows.CLIP:
        assert design.legal(somebody.copy()) == pytest.approx(somebody)


@pytest.mark.parametrize(
    ("kwargs", "match"),
    [
        ({"target": PAY, "features": ()}, "at least one feature"),
        ({"target": PAY, "features": (AGE, AGE)}, "all different"),
        ({"target": PAY, "features": (PAY,)}, "all different"),
        (
            {
                "target": PAY,
                "features": (Column(name="c", kind=ColumnKind.CATEGORY, labels=("a",)),),
            },
            "a single label",
        ),
        (
            {
                "target": Column(name="c", kind=ColumnKind.CATEGORY, labels=("a", "b")),
                "features": (AGE,),
            },
            "yes/no or a number",
        ),
        (
            {"target": PAY, "features": (Column(name="c", kind=ColumnKind.CATEGORY),)},
            "public labels",
        ),
        ({"target": PAY, "features": (number("intercept", 0, 1),)}, "same name"),
        ({"target": PAY, "features": (number("constant", 0, 1),)}, "same name"),
        ({"target": PAY, "features": (number("town: south", 0, 1), TOWN)}, "same name"),
        (
            {
                "target": PAY,
                "features": (
                    replace(TOWN, labels=tuple(map(str, range(200)))),
                    replace(TOWN, name="u", labels=tuple(map(str, range(100)))),
                ),
            },
            "at most 250 coefficients, this one 299",
        ),
        ({"target": PAY, "features": (AGE,), "origin": 1001.0}, "within its bounds"),
        ({"target": PAY, "features": (AGE,), "origin": np.nan}, "within its bounds"),
        ({"target": OWNS, "features": (AGE,), "origin": 0.5}, "usual value"),
        ({"target": KIDS, "features": (AGE,), "origin": 1.0, "counts": True}, "usual value"),
        ({"target": Column(name="c", kind=ColumnKind.NUMBER), "features": (AGE,)}, "public bounds"),
        ({"target": OWNS, "features": (AGE,), "counts": True}, "counts only"),
        ({"target": number("z", -1.0, 4.0), "features": (AGE,), "counts": True}, "counts only"),
    ],
)
def test_columns_that_do_not_serve(kwargs, match):
    with pytest.raises(ParameterError, match=match):
        Design(**kwargs)


TOWNS = table(
    *(AGE, PAY, TOWN),
    age=[20.0, 40.0, 60.0, 30.0, 50.0],
    pay=[0.0, 500.0, 1000.0, 250.0, 750.0],
    town=["north", "west", "south", "elsewhere", None],
)


def test_categories_have_an_entry_for_each_label_but_the_reference():
    design = Design(target=PAY, features=(TOWN, AGE), unit_rows=OFF)
    assert design.labels == ("intercept", "town: south", "town: west", "age")
    got = design.matrix(TOWNS)
    assert got.rows.tolist() == [0, 1, 2, 3]
    assert got.features[:, 1:3].tolist() == [[0, 0], [0, 1], [1, 0], [0, 0]]
    apart = replace(design, others_apart=True)
    assert apart.labels[1:4] == ("town: north", "town: south", "town: west")
    entries = apart.matrix(TOWNS).features[:, 1:4]
    assert entries.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize("unit_rows", [UnitRows.DIVIDE, UnitRows.CLIP])
@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_rows_with_categories_are_at_most_one_long_and_reach_it(unit_rows, apart, intercept):
    design = Design(
        target=PAY,
        features=(TOWN, AGE),
        unit_rows=unit_rows,
        others_apart=apart,
        intercept=intercept,
    )
    lengths = np.linalg.norm(design.matrix(TOWNS).features, axis=1)
    assert lengths.max() <= 1 + 1e-15
    # Somebody of age 60 in the south has a 1 or the like in every column.
    assert lengths[2] == pytest.approx(1.0)
    rows = design.legal(np.random.default_rng(0).normal(size=(200, len(design.labels))))
    assert np.linalg.norm(rows, axis=1).max() <= 1 + 1e-15
    _, places = design.blocks[0]
    ones = (rows[:, places] != 0).sum(axis=1)
    assert set(ones.tolist()) == {0, 1}
    somebody = design.matrix(TOWNS).features
    if unit_rows is UnitRows.DIVIDE:
        assert design.legal(somebody.copy()) == pytest.approx(somebody)
