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
    "change",
    [{"who": 1}, {"ends": [1]}, {"ends": [True, 1]}, {"days": [1.0]}, {"sure": None}],
)
def test_content_of_another_type_is_refused(change):
    with pytest.raises((TypeError, ValueError)):
        VISIT.read(SHORT | change)
    with pytest.raises(LookupError):
        VISIT.read({name: SHORT[name] for name in ("who", "days")})
