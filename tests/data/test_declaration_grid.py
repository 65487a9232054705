"""Declarations as cells that are typed or pasted, and as CSVW-EO metadata."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace

import pytest

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, yes_no
from dpcore.data.csvw import declared_in, metadata_of
from dpcore.data.dates import DateFormat, DateOrder
from dpcore.data.declaration_grid import Field, cells_of, declared, with_common_bounds
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation
from dpcore.releases.declarations import Declaration, declaration_in, written

ADD_REMOVE = NeighboringRelation.ADD_REMOVE
AGE = Column(name="age", kind=ColumnKind.WHOLE)
DAY = Column(name="day", kind=ColumnKind.DATE)
WARD = Column(name="ward", kind=ColumnKind.CATEGORY)
SMOKER = yes_no("smoker", ("no", "yes"))
ID = Column(name="id", kind=ColumnKind.IDENTIFIER)


@pytest.mark.parametrize("typed", ["abc", "1,5", "1e", "--3"])
def test_what_is_no_number_is_refused_without_being_repeated(typed):
    with pytest.raises(ParameterError, match="lower: type a number") as error:
        declared(AGE, {Field.LOWER: typed, Field.UPPER: "9"})
    assert typed not in str(error.value)


def test_a_day_is_typed_as_the_file_writes_it():
    day = replace(DAY, dates=DateFormat(order=DateOrder.DAY_FIRST))
    found = declared(day, {Field.LOWER: "02.01.1960", Field.UPPER: "2024-12-31"})
    assert [cells_of(found)[end] for end in (Field.LOWER, Field.UPPER)] == [
        "1960-01-02",
        "2024-12-31",
    ]
    with pytest.raises(ParameterError, match="a date such as"):
        declared(day, {Field.LOWER: "31.31.1960", Field.UPPER: "2024-12-31"})


def test_bounds_in_the_wrong_order_are_refused():
    with pytest.raises(ParameterError, match="below the upper"):
        declared(AGE, {Field.LOWER: "9", Field.UPPER: "9"})


def test_a_column_that_leaves_people_out_has_a_minimum_of_its_own():
    listed = declared(WARD, {Field.LABELS: "a; b", Field.AT_LEAST: "1,400"})
    assert (listed.at_least, cells_of(listed)[Field.AT_LEAST]) == (1400, "1400")
    assert declared(listed, {Field.UNIT: "x"}).at_least == 1400
    assert declared(listed, {Field.AT_LEAST: None}).at_least is None
    assert declared(listed, {Field.IMPUTED: "a"}).at_least is None
    terms = {"relation": ADD_REMOVE, "rows": 1, "minimum_people": 100, "day": dt.date(2026, 1, 1)}
    kept = Declaration(columns=(listed,), **terms)
    assert declaration_in(written(kept)) == kept
    for wrong in ("2", "3.5", "many", "inf", "nan"):
        with pytest.raises(ParameterError):
            declared(listed, {Field.AT_LEAST: wrong})
    with pytest.raises(ParameterError, match="left out"):
        declared(listed, {Field.IMPUTED: "a", Field.AT_LEAST: "400"})


def test_common_bounds_fill_only_what_is_empty_and_known():
    assert with_common_bounds(AGE).bounds == Interval(lower=0, upper=100)
    own = declared(AGE, {Field.LOWER: "18", Field.UPPER: "70"})
    assert with_common_bounds(own) == own
    # A share may be 0 to 1 or 0 to 100, and the sum of ages is no age.
    names = ("wage", "share_white", "height", "sum of age", "age_months")
    for column in (WARD, DAY, *(Column(name=one, kind=ColumnKind.NUMBER) for one in names)):
        assert with_common_bounds(column) == column


def test_metadata_come_back_as_they_were_declared():
    columns = (
        declared(AGE, {Field.LOWER: "0", Field.UPPER: "99", Field.IF_MISSING: "none is missing"}),
        declared(DAY, {Field.LOWER: "2024-01-01", Field.UPPER: "2024-12-31"}),
        declared(WARD, {Field.LABELS: "a;b;c", Field.MEANING: "the ward"}),
        SMOKER,
        ID,
    )
    text = metadata_of(columns, rows_of_one=3)
    assert declared_in(text, (AGE, DAY, WARD, SMOKER, ID)) == columns
    table = json.loads(text)
    assert table["maxContributions"] == 3
    age = table["tableSchema"]["columns"][0]
    assert (age["datatype"], age["minimum"], age["maximum"]) == ("integer", 0, 99)
    assert table["tableSchema"]["columns"][-1]["privacyId"] is True


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"tableSchema": 3}', '{"tableSchema": {"columns": [{"name": "x"}]}}']
)
def test_what_is_no_metadata_of_the_table_is_refused(text):
    with pytest.raises(ParameterError):
        declared_in(text, (AGE,))
