"""The picture of two groups compared: what can be told, and what cannot."""

import math

import pytest

from dpcore.figures.group_answers import (
    GroupDifference,
    difference_picture,
    difference_table,
    difference_text,
    untold_picture,
)
from dpcore.inference.group_differences import IntervalEstimate, difference, more_in_percent


def compared(one, other):
    return GroupDifference(
        one="a", other="b", apart=difference(one, other), percent=more_in_percent(one, other)
    )


def held(value, off, wide=None):
    total = None if wide is None else (value - wide, value + wide)
    return IntervalEstimate(value=value, noise=(value - off, value + off), total=total)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (50.0, "The mean of “a” is higher than for “b”, by 10.0 days"),
        (30.0, "The mean of “a” is lower than for “b”, by 10.0 days"),
        (41.0, "The release cannot tell whether “a” or “b” has the larger mean"),
    ],
)
def test_larger_group_is_named_only_where_it_is_sure(value, said):
    text = difference_text(compared(held(value, 2.0), held(40.0, 1.0)), noun="mean", unit="days")
    assert text.startswith(said)
    assert "% (" in text
    assert text.count("(95% CI ") == text.count("noise only)") == 1
    # Lower by a number that is written without a sign.
    assert "by -" not in text


def test_a_percentage_of_a_larger_group_does_not_read_as_none():
    apart = IntervalEstimate(value=320.0, noise=(40.0, 600.0))
    part = IntervalEstimate(value=70.0, noise=(7.0, 210.0))
    found = GroupDifference(one="a", other="b", apart=apart, percent=part)
    assert "70% (7 to 210)" in difference_text(found, noun="mean", unit="euros")


@pytest.mark.parametrize(("value", "side"), [(50.0, "left"), (30.0, "right")])
def test_no_difference_is_in_view_and_named_below_the_legend(value, side):
    found = compared(held(value, 2.0), held(40.0, 1.0))
    figure = difference_picture(found, noun="mean", unit="days", statement="mean by x").figure
    assert figure.layout.xaxis.rangemode == "tozero"
    label = figure.layout.shapes[0].label
    assert (label.textposition, label.xanchor) == ("start", side)


def test_truth_stands_beside_the_answer_in_a_lesson_only():
    found = compared(held(50.0, 2.0), held(40.0, 1.0))
    told = difference_picture(
        found, noun="mean", unit="days", statement="mean by x", holds="all holds", truth=9.0
    )
    assert told.title.startswith("As released: The mean of “a” is higher")
    assert "; all holds." in told.alt
    assert told.table["difference without noise"].tolist() == [9.0]
    assert "without noise it is −3 days" in untold_picture(-3.0, unit="days").title
    assert "not defined" in untold_picture(math.nan, unit="days").title


def test_table_of_pairs_leaves_untold_percentages_out():
    pairs = [compared(held(5.0, 1.0), held(0.5, 1.0)), compared(held(5, 1), held(4, 1))]
    table = difference_table(pairs, noun="mean", unit="")
    assert table["difference, %"] == [None, 25.0]
    assert not any("sampling" in name for name in table)
