"""Medians and quantiles, and plain statistics, of a table with gaps."""

from __future__ import annotations

import csv
import io
import re
from html import unescape

import pytest

from dpcore.statistics.kinds import MEANINGS, StatisticKind
from tests.app.asking import COLUMNS, choose, go, use_survey
from tests.app.figures import figures
from tests.app.test_pages import button, by_label, fill
from tests.app.test_questions import release, set_to, shown
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
    assert median.tradeoffs.endswith(" ranks**")
    # The question is kept, on this page and on the next.
    assert by_label(app.selectbox, "Statistic").value == "median"
    assert "x-axis" not in [box.label for box in app.selectbox]
    choose(go(app, "release"), "Statistic", "quantile")
    set_to(app, "number_input", "Percent of people below it", 75.0)
    quantile = follow(app)
    assert quantile.title == "75 % quantile of age"
    assert quantile.tradeoffs.endswith(" ranks**")
    for seen in (median, quantile):
        assert 0 <= seen.answer[0] <= 100
    assert figures(choose(app, "Statistic", "mean"))


def test_plain_statistics_of_a_table_with_gaps(open_page, follow):
    app = use_survey(open_page)
    go(app, "release")
    assert set(by_label(app.selectbox, "Statistic").options) == set(StatisticKind)
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
        for kind, meaning in MEANINGS.items():
            assert (f"**{kind}**: {meaning}" in box.help) is (kind in box.options)


@pytest.mark.parametrize("statistic", ["median", "correlation"])
def test_people_without_a_value_can_be_left_out(open_page, follow, statistic):
    app = use_survey(open_page)
    app = open_page("data")
    choose(app, "If a value is missing", "drop")
    choose(go(app, "release"), "Statistic", statistic)
    assert follow(app).title.startswith(statistic)


# Above the 90% quantile of 240 people there is only the bound.
@pytest.mark.parametrize(("statistic", "more"), [("median", 2), ("quantile", 1)])
def test_a_quantile_has_no_interval_until_two_more_are_paid_for(open_page, files, statistic, more):
    use_survey(open_page, budget=4.0)
    app = choose(open_page("release"), "Statistic", statistic)
    set_to(app, "number_input", "ε for this release", 1.0)
    asked = release(app)
    assert "**This answer has no interval in " in shown(asked)
    # Of what the interval is one is said before and after it is paid for.
    counted = "values below 0 counted as 0, above 100 as 100; missing values counted"
    (offer,) = (m.value for m in asked.markdown if "has no interval" in m.value)
    assert counted in offer.replace("\\", "")
    assert f"Costs ε = {more}" in shown(asked)
    # In a tab that has spent nothing on the table yet, it is asked about once more.
    asked.session_state["_confirmed"] = frozenset()
    button(asked, "Release the interval").click().run()
    assert_says(shown(asked), "1 release was made about these people before", "has no interval")
    button(asked, f"Spend ε = {more}").click().run()
    (interval,) = (m.value for m in asked.markdown if "**Interval: " in m.value)
    assert counted in interval.replace("\\", "")
    assert "has no interval" not in shown(asked)
    assert not [each for each in asked.button if each.label == "Release the interval"]
    # The files hold it, with what the other two are.
    shown_ends = re.search(r"Interval: ([\d.]+) to ([\d.]+)", interval).groups()
    rows = list(csv.DictReader(io.StringIO(files["Download CSV"]().decode("utf-8-sig"))))
    assert rows[0]["interval_from"]
    assert float(shown_ends[0]) <= float(rows[0]["noise_lower"])
    assert float(rows[0]["noise_upper"]) <= float(shown_ends[1])
    open_page("documents")
    notice = unescape(files["Download: Public notice"]())
    assert f"{shown_ends[0]} to {shown_ends[1]}" in notice
    assert notice.count("end of the interval for the") == 2 * more
    open_page("release")
    # All questions were paid for, and are kept as such.
    (listed,) = (frame.value for frame in app.dataframe if "question" in frame.value)
    assert list(listed["privacy cost"]) == ["ε = 1"] * (1 + more)
    assert sum("% quantile of age" in what for what in listed["question"]) == 2


def test_an_interval_that_cannot_be_paid_is_not_offered(open_page):
    use_survey(open_page, budget=1.5)
    app = choose(open_page("release"), "Statistic", "median")
    set_to(app, "number_input", "ε for this release", 1.0)
    release(app)
    assert button(app, "Release the interval").disabled
    choose(app, "Statistic", "mean")
    assert "has no interval" not in shown(app)
    fill(app, selectbox={"Statistic": "median"}, number_input={"ε for this release": 0.01})
    release(app)
    assert "only the bounds of the column enclose it" in shown(app)
