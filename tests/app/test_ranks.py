"""Medians and quantiles, and plain statistics, of a table with gaps."""

from __future__ import annotations

import pytest

from dpcore.statistics.kinds import NOT_ON_RELEASE, StatisticKind
from tests.app.asking import COLUMNS, choose, go, use_survey
from tests.app.figures import figures
from tests.app.test_pages import by_label
from tests.app.test_questions import set_to, shown
from tests.conftest import assert_says

# The others have tests of their own, here and in the neighboring files.
PLAIN = ("sum", "standard deviation", "histogram", "variance, divisor n")


def test_median_and_quantile_are_chosen_and_have_a_margin_in_ranks(open_page, follow):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "median")
    assert len(by_label(app.selectbox, "Mechanism").options) == 1
    median = follow(app)
    assert median.title == "median of age"
    assert "moves the answer by" not in median.exposed
    assert median.tradeoffs.startswith("**Margin of error at ε = ")
    assert median.tradeoffs.endswith(" ranks (Exponential mechanism)**")
    # The question is kept, on this page and on the next.
    assert by_label(app.selectbox, "Statistic").value == "median"
    assert "x-axis" not in [box.label for box in app.selectbox]
    choose(go(app, "release"), "Statistic", "quantile")
    set_to(app, "number_input", "Percent of people below it", 75.0)
    quantile = follow(app)
    assert quantile.title == "75% quantile of age"
    assert quantile.tradeoffs.endswith(" ranks (Exponential mechanism)**")
    for seen in (median, quantile):
        assert 0 <= seen.answer[0] <= 100
    assert figures(choose(app, "Statistic", "mean"))


def test_plain_statistics_of_a_table_with_gaps(open_page, follow):
    app = use_survey(open_page)
    go(app, "release")
    # Bounds are asked for on Data.
    every = {*StatisticKind} - NOT_ON_RELEASE
    assert {*by_label(app.selectbox, "Statistic").options} == every
    for statistic in PLAIN:
        seen = follow(choose(go(app, "release"), "Statistic", statistic))
        cells = 10 if statistic == "histogram" else 1
        assert len(seen.answer) == cells
        assert "RMSE" in seen.tradeoffs


def test_statistics_are_explained_beside_their_list(open_page):
    app = use_survey(open_page)
    for column in ("age", "region"):
        choose(go(app, "release"), "Column", COLUMNS.index(column))
        box = by_label(app.selectbox, "Statistic")
        for kind in (kind for kind in StatisticKind if kind.meaning):
            assert (f"**{kind}**: {kind.meaning}" in box.help) is (kind in box.options)


@pytest.mark.parametrize("statistic", ["median", "correlation"])
def test_people_without_a_value_can_be_left_out(open_page, follow, statistic):
    app = use_survey(open_page)
    app = open_page("data")
    choose(app, "If a value is missing", "drop")
    choose(go(app, "release"), "Statistic", statistic)
    assert follow(app).title.startswith(statistic)


def test_a_quantile_has_no_interval_and_the_page_says_which_question_has_one(open_page):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "median")
    assert_says(shown(app), "has no interval in", "“Several quantiles” gives each one")
    choose(app, "Statistic", "mean")
    assert "has no interval" not in shown(app)
