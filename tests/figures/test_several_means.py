"""The picture of means of several columns: a panel a column, in its own unit."""

import numpy as np

from dpcore.data.quantities import Quantity
from dpcore.figures.answers import GroupNumbers
from dpcore.figures.group_answers import ColumnMeans, means_picture, means_text
from tests.conftest import assert_says


def column(name, unit, means, *, off=1.0, truth=None):
    means = np.array(means, dtype=float)
    ends = means[:, np.newaxis] + off * np.array([-1, 1])
    counts = np.full(len(means), 50.0)
    numbers = GroupNumbers(
        groups=tuple("abcd"[: len(means)]),
        ratios=means,
        noise=ends,
        total=ends,
        counts=counts,
        counts_noise=np.stack([counts - 5, counts + 5], axis=-1),
    )
    return ColumnMeans(name=name, quantity=Quantity(unit=unit), numbers=numbers, truth=truth)


TOLD = column("age", "years", [40.0, 30.0, np.nan], truth=np.array([41.0, 31.0, np.nan]))
OPEN = column("pay", "euros", [100.0, 99.5, np.nan], truth=np.array([1.0, 2.0, np.nan]))


def test_largest_is_named_for_each_column_where_it_can_be_told():
    text = means_text((TOLD, OPEN))
    assert_says(
        text,
        "of age: “a” with 40.0 years",
        "of pay: uncertain, the largest released one is “a” with 100.0 euros",
    )
    assert text.endswith("too few to say: “c”")
    assert "2 more columns below" in means_text((TOLD,) * 5)
    assert means_text((column("x", "", [np.nan] * 3),)).startswith("Every mean is uncertain")


def test_every_column_has_its_panel_and_every_group_its_row():
    picture = means_picture((TOLD, OPEN), statement="means", counted="people")
    figure = picture.figure
    drawn = {(trace.name, trace.xaxis): trace for trace in figure.data}
    assert {axis for _, axis in drawn} == {"x", "x2"}
    assert list(drawn["released mean", "x2"].x) == [100.0, 99.5]
    assert list(drawn["mean without noise", "x"].x) == [41.0, 31.0]
    words = [note.text for note in figure.layout.annotations]
    assert words.count("too few to say") == 2
    assert "<b>age</b>, years" in words
    assert picture.table["unit"].tolist() == ["years"] * 3 + ["euros"] * 3
    assert picture.table["note"].tolist().count("too few to say") == 2
    # What is said beside true numbers is about the released ones.
    assert picture.title.startswith("As released, largest mean of age")
