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
from dpcore.privacy_filter import PrivacyBudget
from dpcore.releases.record import A_SAMPLE, EVERYBODY, WATERMARK, Release
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


def test_json_is_sorted_and_versioned():
    text = make_release(intervals=INTERVALS).to_json()
    names = list(json.loads(text))
    assert names == sorted(names)
    assert json.loads(text)["schema_version"] == 1
    assert "watermark" not in names


def test_a_classroom_release_carries_its_watermark_everywhere():
    lesson = make_release(mode=Mode.CLASSROOM)
    assert json.loads(lesson.to_json())["watermark"] == WATERMARK
    assert Release.from_json(lesson.to_json()) == lesson
    (row,) = csv.DictReader(io.StringIO(to_csv([lesson])))
    assert row["watermark"] == WATERMARK
    (row,) = csv.DictReader(io.StringIO(to_csv([make_release()])))
    assert row["watermark"] == ""


def test_derived_numbers_are_kept_and_older_records_have_none():
    derived = make_release(derived={"corr(x, y)": -0.25})
    assert Release.from_json(derived.to_json()) == derived
    content = json.loads(make_release().to_json())
    assert content.pop("derived") == {}
    assert Release.from_json(json.dumps(content)) == make_release()
    with pytest.raises(ParameterError, match="finite"):
        make_release(derived={"corr(x, y)": math.nan})


def test_what_was_computed_is_kept_and_older_records_say_their_title():
    new = make_release(
        statement="mean of age, values above 90 counted as 90",
        budget=PrivacyBudget.of(epsilon=3.0, delta=1e-5),
        version="1.2",
    )
    assert Release.from_json(new.to_json()) == new
    assert new.said == new.statement
    content = json.loads(make_release().to_json())
    for name in ("statement", "budget", "version"):
        content.pop(name)
    old = Release.from_json(json.dumps(content))
    assert old == make_release()
    assert old.said == "mean of age"


def test_a_table_of_everybody_has_no_interval_for_a_population():
    answer = make_release(intervals=INTERVALS)
    alone = answer.of_everybody()
    assert alone.intervals.noise == INTERVALS.noise
    assert alone.intervals.total is None
    assert Release.from_json(alone.to_json()) == alone
    assert make_release().of_everybody() == make_release()


def test_a_file_says_whether_the_table_is_a_sample_and_the_record_does_not():
    answer = make_release()
    for table in (A_SAMPLE, EVERYBODY):
        written = answer.to_json(table=table)
        assert json.loads(written)["table"] == table
        assert Release.from_json(written) == answer
        (row,) = csv.DictReader(io.StringIO(to_csv([answer], table=table)))
        assert row["table"] == table
    assert "table" not in json.loads(answer.to_json())


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


def test_the_table_has_one_row_for_each_coordinate():
    pair = make_release(
        labels=("a", "b"),
        values=(1.0, 0.1 + 0.2),
        intervals=LabelledIntervals(level=0.9, noise={"b": (-math.inf, 2.0)}),
    )
    rows = list(csv.DictReader(io.StringIO(to_csv([pair, make_release()]))))
    assert [row["label"] for row in rows] == ["a", "b", "mean"]
    assert float(rows[1]["value"]) == 0.1 + 0.2
    assert [row["noise_upper"] for row in rows] == ["", "2.0", ""]
    assert [row["level"] for row in rows] == ["0.9", "0.9", ""]
    assert rows[0]["epsilon"] == "0.1"
