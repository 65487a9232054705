import math

import pandas as pd
import pytest

from dpcore.data.bounds import TEMPLATES, Interval
from dpcore.data.columns import Column, ColumnKind, LabelEquality, MissingPolicy
from dpcore.data.dialects import Dialect
from dpcore.data.proposals import proposed
from dpcore.data.readers.csv_reader import read_csv
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
        ({"kind": NUMBER, "bounds": Interval(lower=0, upper=math.inf)}, "1e100"),
        ({"kind": NUMBER, "bounds": Interval(lower=-1e308, upper=1.7e308)}, "1e100"),
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


@pytest.mark.parametrize(
    ("cells", "kind", "labels"),
    [
        ("0 1 1", YES_NO, ("0", "1")),
        ("0.0 NA 1.0", YES_NO, ("0", "1")),
        ("0 0 0", ColumnKind.WHOLE, ()),
        ("0 1 2", ColumnKind.WHOLE, ()),
        ("1.5 NA 2", NUMBER, ()),
        ("NA NA NA", NUMBER, ()),
        ("yes no yes", YES_NO, ("no", "yes")),
        ("Ja Nein NA", YES_NO, ("Nein", "Ja")),
        ("TRUE FALSE TRUE", YES_NO, ("FALSE", "TRUE")),
        ("OUI NON OUI", YES_NO, ("NON", "OUI")),
        ("yes YES no", YES_NO, ("no", "yes")),
        ("WAHR FALSCH NA", YES_NO, ("FALSCH", "WAHR")),
        ("2024-02-29 NA 1999-12-31", ColumnKind.DATE, ()),
        ("2024-02-29 2023-02-29", CATEGORY, ()),
        ("yes yes yes", CATEGORY, ()),
        ("yes no maybe", CATEGORY, ()),
        ("left right left", CATEGORY, ()),
        ("1 2 x", CATEGORY, ()),
        ("01 1.10 2", NUMBER, ()),
    ],
)
def test_kind_is_proposed_without_bounds_or_categories(cells, kind, labels):
    frame = read_csv(("x\n" + cells.replace(" ", "\n")).encode(), Dialect())
    (found,) = proposed(frame)
    known = {}
    if labels == ("0", "1"):
        known["equality"] = AS_NUMBERS
    assert found == Column(name="x", kind=kind, labels=labels, **known)


def test_one_proposal_a_column_in_their_order():
    frame = pd.DataFrame({"b": [1.0], "a": ["x"]})
    assert [column.name for column in proposed(frame)] == ["b", "a"]


def test_templates_are_usable_bounds_with_different_titles():
    titles = [template.title for template in TEMPLATES]
    assert len(set(titles)) == len(titles) >= 9
    for template in TEMPLATES:
        column = Column(name="x", kind=NUMBER, bounds=template.bounds)
        assert column.is_declared


def test_identifiers_and_dates_in_digits_are_proposed():
    places = range(60)
    frame = pd.DataFrame(
        {
            "subject_id": [1000 + place for place in places],
            "admitted": [20240101 + place % 28 for place in places],
            "name": [f"person {place}" for place in places],
            "ward": [f"ward {place % 59}" for place in places],
            "visits": [*places],
            "score": [20240101 + place for place in places],
        }
    )
    kinds = {column.name: column.kind for column in proposed(frame)}
    assert kinds == {
        "subject_id": ColumnKind.IDENTIFIER,
        "admitted": ColumnKind.DATE,
        "name": ColumnKind.IDENTIFIER,
        "ward": ColumnKind.CATEGORY,
        "visits": ColumnKind.WHOLE,
        "score": ColumnKind.WHOLE,
    }
    few = {column.name: column.kind for column in proposed(frame[:40])}
    assert few["subject_id"] is ColumnKind.WHOLE
    assert few["name"] is ColumnKind.CATEGORY
