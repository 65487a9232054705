import csv
import io
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.analyses.base import Mode
from dpcore.analyses.measurement import LabelledIntervals
from dpcore.errors import DataError, ParameterError
from dpcore.releases.record import WATERMARK, Release
from dpcore.releases.table import to_csv
from tests.releases.sample_releases import make_release

finite = st.floats(allow_nan=False, allow_infinity=False)
INTERVALS = LabelledIntervals(
    level=0.95, noise={"mean": (38.0, 44.5)}, total={"mean": (-math.inf, math.inf)}
)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.text(), finite), min_size=1), st.text())
def test_json_gives_back_the_same_release(cells, title):
    labels, values = zip(*cells, strict=True)
    release = make_release(labels=labels, values=values, title=title, intervals=INTERVALS)
    assert Release.from_json(release.to_json()) == release


def test_a_classroom_release_carries_its_watermark_everywhere():
    lesson = make_release(mode=Mode.CLASSROOM)
    assert json.loads(lesson.to_json())["watermark"] == WATERMARK
    assert Release.from_json(lesson.to_json()) == lesson
    (row,) = csv.DictReader(io.StringIO(to_csv([lesson])))
    assert row["watermark"] == WATERMARK
    (row,) = csv.DictReader(io.StringIO(to_csv([make_release()])))
    assert row["watermark"] == ""


def test_a_watermark_cannot_be_stripped():
    content = json.loads(make_release(mode=Mode.CLASSROOM).to_json())
    del content["watermark"]
    with pytest.raises(DataError, match="watermark"):
        Release.from_json(json.dumps(content))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("values", ["secret"]),
        ("values", [10**400]),
        ("labels", "mean"),
        ("noise", True),
        ("cost", {"epsilon": "0.1"}),
        ("relation", "secret"),
        ("draw", 1.5),
        ("event", [1]),
        ("intervals", {"level": 0.95}),
        ("intervals", {"level": 0.95, "noise": {"mean": [1]}, "total": None}),
        ("intervals", {"level": 2, "noise": None, "total": None}),
        ("derived", {"corr(x, y)": "secret"}),
        ("derived", [0.5]),
        ("statement", 1),
        ("budget", {"secret": "1"}),
        ("version", None),
    ],
)
def test_a_wrong_field_is_named_and_not_quoted(name, wrong):
    content = json.loads(make_release().to_json())
    content[name] = wrong
    with pytest.raises(DataError, match=repr(name)) as caught:
        Release.from_json(json.dumps(content))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema_version": 1}', "NaN", "[" * 100_000])
def test_what_is_no_record_is_refused(text):
    with pytest.raises(DataError):
        Release.from_json(text)


def test_missing_unknown_and_unfinite_fields_are_refused():
    content = json.loads(make_release().to_json())
    for change in ({"extra": 1}, {"schema_version": 2}, {"noise": math.inf}):
        with pytest.raises(DataError):
            Release.from_json(json.dumps(content | change))
    del content["noise"]
    with pytest.raises(DataError, match="noise"):
        Release.from_json(json.dumps(content))


@pytest.mark.parametrize("values", [(), (1.0, 2.0), (math.nan,), (math.inf,)])
def test_values_fit_the_labels_and_are_finite(values):
    with pytest.raises(ParameterError):
        make_release(values=values)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_of_the_table_runs_as_a_formula(start):
    release = make_release(title=f"{start}HYPERLINK()", labels=(f"{start}1",), values=(-3.5,))
    (row,) = csv.DictReader(io.StringIO(to_csv([release]), newline=""))
    assert row["title"] == f"'{start}HYPERLINK()"
    assert row["label"] == f"'{start}1"
    assert float(row["value"]) == -3.5
