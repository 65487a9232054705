"""What is written comes back, and what was not written is refused."""

import json
import math
from dataclasses import dataclass

import pytest

from dpcore import codec


@dataclass(frozen=True, kw_only=True)
class Visit:
    name: str
    ends: tuple[float, float]
    days: tuple[int, ...] | None = None
    sure: bool = True
    note: str | None = None


VISIT = codec.Schema(
    Visit,
    who=codec.Part(codec=codec.TEXT, argument="name"),
    ends=codec.ENDS,
    days=codec.optional(codec.several(codec.WHOLE)),
    sure=codec.since(codec.TRUTH),
    note=codec.if_any(codec.TEXT),
)
SHORT = {"who": "a", "ends": [0.0, None], "days": None, "sure": True}


@pytest.mark.parametrize(
    "visit",
    [
        Visit(name="a", ends=(0.0, math.inf)),
        Visit(name="b", ends=(-math.inf, 1.5), days=(1, 2), sure=False, note="c"),
    ],
)
def test_a_value_comes_back(visit):
    assert VISIT.read(json.loads(json.dumps(VISIT.write(visit)))) == visit


def test_parts_are_left_out_old_or_known():
    visit = Visit(name="a", ends=(0.0, math.inf))
    assert VISIT.write(visit) == SHORT
    assert VISIT.read({"who": "a", "ends": [0, None], "days": None}) == visit
    assert VISIT.read(SHORT, name="b").name == "b"


@pytest.mark.parametrize(
    "change", [{"who": 1}, {"ends": [1]}, {"ends": [True, 1]}, {"days": [1.0]}, {"sure": None}]
)
def test_content_of_another_type_is_refused(change):
    with pytest.raises((TypeError, ValueError)):
        VISIT.read(SHORT | change)
    with pytest.raises(LookupError):
        VISIT.read({name: SHORT[name] for name in ("who", "days")})


def test_the_field_that_is_wrong_is_named_and_its_value_is_not():
    visits = codec.Schema(dict, all=codec.several(VISIT))
    with pytest.raises(codec.FieldError) as error:
        visits.read({"all": [SHORT, SHORT | {"sure": "secret"}]})
    assert str(error.value) == "all, 2, sure: the value is not allowed"
    with pytest.raises(codec.FieldError, match="who: the value is missing"):
        VISIT.read({})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": [0, {"b": NaN}]}', "a, 2, b: the number is not finite"),
        ('{"a": -1e400}', "a: the number is not finite"),
        ('{"a": 1' + "0" * 400 + "}", "a: the number is too large"),
        ('{"a": 1' + "0" * 5_000 + "}", "limit"),
        ('{"a": "\\ud800"}', "a: the text holds half a character"),
        ('{"a": 1, "a": 2}', "two fields of one name"),
        ("{", "Expecting"),
    ],
)
def test_text_that_no_program_would_write_is_refused(text, why):
    with pytest.raises(ValueError, match=why):
        codec.parsed(text)


def test_deep_nesting_is_refused():
    with pytest.raises(RecursionError):
        codec.parsed("[" * 100_000 + "]" * 100_000)


def test_what_programs_write_is_parsed():
    text = '{"a": [1, 2.5, null, true, "\u00e9"], "b": {}}'
    assert codec.parsed(text) == json.loads(text)
    assert codec.parsed(text.encode()) == json.loads(text)
