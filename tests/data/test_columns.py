import math

import pandas as pd
import pytest

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, LabelEquality, MissingPolicy
from dpcore.data.proposals import proposed
from dpcore.errors import ParameterError

NUMBER, YES_NO, CATEGORY = ColumnKind.NUMBER, ColumnKind.YES_NO, ColumnKind.CATEGORY
IDENTIFIER = ColumnKind.IDENTIFIER
AS_NUMBERS = LabelEquality.AS_NUMBERS
TEN = Interval(lower=0, upper=10)
REPLACE = MissingPolicy.REPLACE


@pytest.mark.parametrize(
    "parts",
    [
        {"kind": NUMBER},
        {"kind": NUMBER, "bounds": TEN},
        {"kind": NUMBER, "bounds": TEN, "missing": REPLACE, "replacement": 10},
        {"kind": NUMBER, "missing": REPLACE, "replacement": -3.5},
        {"kind": YES_NO, "labels": ("no", "yes")},
        {"kind": CATEGORY},
        {"kind": CATEGORY, "labels": tuple(map(str, range(200)))},
        {"kind": CATEGORY, "labels": ("a",), "missing": REPLACE, "replacement": "a"},
    ],
)
def test_consistent_description_is_accepted(parts):
    column = Column(name="x", **parts)
    assert column.is_declared == ("bounds" in parts or "labels" in parts)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"kind": NUMBER, "bounds": Interval(lower=1, upper=1)}, "got 1 and 1"),
        ({"kind": NUMBER, "bounds": Interval(lower=0, upper=math.inf)}, "10¹⁰⁰"),
        ({"kind": NUMBER, "bounds": Interval(lower=-1e308, upper=1.7e308)}, "10¹⁰⁰"),
        ({"kind": NUMBER, "labels": ("a",)}, "no labels"),
        ({"kind": CATEGORY, "bounds": TEN}, "no bounds"),
        ({"kind": YES_NO}, "two labels"),
        ({"kind": YES_NO, "labels": ("no", "yes", "maybe")}, "two labels"),
        ({"kind": CATEGORY, "labels": tuple(map(str, range(201)))}, "200"),
        ({"kind": CATEGORY, "labels": ("a", "b", "a")}, "are the same"),
        ({"kind": YES_NO, "labels": ("no", "NO")}, "capitals"),
        ({"kind": CATEGORY, "labels": ("1", "01"), "equality": AS_NUMBERS}, "the same number"),
        ({"kind": CATEGORY, "missing_codes": ("NA", "NA")}, "different codes"),
        ({"kind": CATEGORY, "missing_codes": ("",)}, "blank"),
        ({"kind": IDENTIFIER, "labels": ("a",)}, "no labels"),
        ({"kind": CATEGORY, "labels": ("a", "")}, "blank"),
        ({"kind": CATEGORY, "labels": ("a ",)}, "space"),
        ({"kind": NUMBER, "replacement": 3}, "'replace'"),
        ({"kind": NUMBER, "missing": REPLACE}, "finite number"),
        ({"kind": NUMBER, "missing": REPLACE, "replacement": "3"}, "finite number"),
        ({"kind": NUMBER, "missing": REPLACE, "replacement": math.nan}, "finite"),
        (
            {"kind": NUMBER, "bounds": TEN, "missing": REPLACE, "replacement": 11},
            "within 0 and 10, got 11",
        ),
        ({"kind": CATEGORY, "labels": ("a",), "missing": REPLACE}, "one of the labels"),
        (
            {"kind": CATEGORY, "labels": (), "missing": REPLACE, "replacement": "a"},
            "one of the labels",
        ),
    ],
)
def test_contradictory_description_is_refused(parts, message):
    with pytest.raises(ParameterError, match=message):
        Column(name="x", **parts)


def test_digits_with_leading_zeros_are_no_numbers():
    frame = pd.DataFrame({"postcode": ["04102", "10115"], "rooms": ["2", "10"], "pets": ["0", "3"]})
    kinds = [column.kind for column in proposed(frame)]
    assert kinds == [CATEGORY, ColumnKind.WHOLE, ColumnKind.WHOLE]


def test_one_proposal_a_column_in_their_order():
    frame = pd.DataFrame({"b": [1.0], "a": ["x"]})
    assert [column.name for column in proposed(frame)] == ["b", "a"]
