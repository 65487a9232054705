"""Medians and quantiles, and plain statistics, of a table with gaps."""

from __future__ import annotations

from dpcore.statistics.kinds import NOT_ON_RELEASE, StatisticKind
from tests.app.asking import choose, go, use_survey
from tests.app.figures import figures
from tests.app.test_pages import by_label
from tests.app.test_questions import set_to

# The others have tests of their own, here and in the neighboring files.
PLAIN = ("standard deviation", "histogram")


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


def test_people_without_a_value_can_be_left_out(open_page, follow):
    app = use_survey(open_page)
    app = open_page("data")
    choose(app, "If a value is missing", "drop")
    choose(go(app, "release"), "Statistic", "correlation")
    assert follow(app).title.startswith("correlation")
