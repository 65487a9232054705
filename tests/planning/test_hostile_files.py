"""Files of plans that somebody has changed: a plan again, or a clear error."""

import json
import math

import pytest
from hypothesis import given, settings, strategies

from dpcore.errors import DataError
from dpcore.planning.analysis_plan import AnalysisPlan
from dpcore.planning.plan_files import from_json, to_json
from tests.planning.planned import item
from tests.planning.test_files import TABLE

ASKED = ("mean", "median", "group, gaussian")
PLAN = json.loads(to_json(AnalysisPlan(items=tuple(map(item, ASKED)), delta=1e-7)))
VALUES = (
    *(math.nan, math.inf, -math.inf, -1, 0, -0.0, 5e-324, 1e308, 1e18, 10**400, 2**63),
    *(None, True, "", "x" * 10_000, "\ud800", "NaN", [], {}, [None], [[[[]]]]),
    *({"a": 1}, [1, 2, 3]),
)


def places(content, path=()):
    yield path
    parts = content.items() if isinstance(content, dict) else ()
    parts = enumerate(content) if isinstance(content, list) else parts
    for name, part in parts:
        yield from places(part, (*path, name))


PLACES = [path for path in places(PLAN) if path]


def changed(path, value=None, *, left_out=False):
    content = json.loads(json.dumps(PLAN))
    at = content
    for name in path[:-1]:
        at = at[name]
    if left_out:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return json.dumps(content)


def read(text):
    """Read a text: either the pages can show all of the plan, or it is refused."""
    message = ""
    try:
        basket = from_json(text, TABLE).basket
    except DataError as error:
        message = str(error)
    if message:
        assert "plan" in message
        assert len(message) < 400
        assert "x" * 50 not in message
        return
    assert 0 < basket.planned < math.inf or not basket.items
    for each in basket.items:
        assert 0 < each.epsilon < math.inf
        assert not math.isnan(each.width.half)
        _ = each.key, each.request.cost, each.request.title
    to_json(basket)


@settings(max_examples=25)
@given(strategies.sampled_from(PLACES), strategies.sampled_from(VALUES))
def test_any_value_of_a_plan_may_be_any_other(path, value):
    read(changed(path, value))


@settings(max_examples=10)
@given(strategies.sampled_from(PLACES))
def test_any_field_of_a_plan_may_be_missing(path):
    read(changed(path, left_out=True))


@pytest.mark.parametrize("written", ["NaN", "Infinity", "-Infinity", "1e400", "-1e400"])
@pytest.mark.parametrize(
    ("path", "field"),
    [
        (("total",), "total"),
        (("items", 1, "weight"), "items, 2, weight"),
        (("items", 0, "request", "epsilon"), "items, 1, request, epsilon"),
        (("items", 0, "request", "query", "size"), "items, 1, request, query, size"),
    ],
)
def test_a_number_that_is_none_is_refused_by_the_name_of_its_field(path, field, written):
    text = changed(path, "here").replace('"here"', written)
    with pytest.raises(DataError, match=f"“{field}” the number is not finite"):
        from_json(text, TABLE)


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("items", 0, "request", "epsilon"), -1, "question 1: the ε .* must be from"),
        (("items", 0, "request", "epsilon"), 1e6, "question 1: the ε .* must be from"),
        (("items", 0, "request", "epsilon"), "1", "epsilon” the value is not allowed"),
        (("items", 0, "request", "delta"), 2, "question 1: the δ .* below 1"),
        (("items", 2, "weight"), 0, "question 3: a weight must be above 0"),
        (("items", 2, "name"), 7, "“items, 3, name” the value is not allowed"),
        (("total",), 1e9, "the total must be from"),
        (("delta",), None, "“delta” the value is not allowed"),
        (("items", 0, "request", "epsilon"), 10**400, "number is too large"),
        (("items", 0, "name"), "\ud800", "half a character"),
    ],
)
def test_each_field_is_checked_and_named(path, value, why):
    with pytest.raises(DataError, match=why) as error:
        from_json(changed(path, value), TABLE)
    assert "Correct the file" in str(error.value)


def test_a_missing_field_is_named():
    with pytest.raises(DataError, match="“items, 1, weight” the value is missing"):
        from_json(changed(("items", 0, "weight"), left_out=True), TABLE)


def test_a_field_that_is_there_twice_is_refused():
    text = json.dumps(PLAN).replace('"total":', '"total": 2, "total":')
    with pytest.raises(DataError, match="no plan"):
        from_json(text, TABLE)


def test_no_field_of_another_file_is_quoted():
    with pytest.raises(DataError, match="no plan") as error:
        from_json('{"salary of Ann": NaN}', TABLE)
    assert "Ann" not in str(error.value)
