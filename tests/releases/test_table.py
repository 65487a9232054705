"""Releases as a spreadsheet reads them."""

import csv
import io

from dpcore.releases.labelled import LabelledIntervals
from dpcore.releases.table import to_csv
from tests.releases.sample_releases import make_release


def rows_of(*releases):
    return list(csv.DictReader(io.StringIO(to_csv(releases), newline="")))


def test_derived_numbers_follow_the_values_of_their_own_release():
    first = make_release(
        "a-1",
        labels=("var(x)", "var(y)"),
        values=(4.0, 1.0),
        intervals=LabelledIntervals(level=0.95, noise={"var(x)": (3.0, 5.0)}),
        derived={"corr(x, y)": 0.5},
    )
    second = make_release("b-1")
    rows = rows_of(first, second)
    assert [(row["id"], row["label"], row["value"]) for row in rows] == [
        ("a-1", "var(x)", "4.0"),
        ("a-1", "var(y)", "1.0"),
        ("a-1", "corr(x, y)", "0.5"),
        ("b-1", "mean", "41.25"),
    ]
    assert [row["noise_lower"] for row in rows] == ["3.0", "", "", ""]
    assert [row["level"] for row in rows] == ["0.95", "0.95", "", ""]
    # What follows need not have the unit of the values.
    assert [row["unit"] for row in rows] == ["years", "years", "", "years"]
    assert all(row["epsilon"] == "0.1" for row in rows)


def test_no_name_of_a_derived_number_is_run_as_a_formula():
    hostile = make_release(derived={"=1+1": -2.5, "@x": 1.0})
    cells = [(row["label"], row["value"]) for row in rows_of(hostile)[1:]]
    assert cells == [("'=1+1", "-2.5"), ("'@x", "1.0")]
