"""The difference of two groups, asked for alone, followed over the pages."""

from __future__ import annotations

from html import unescape

import pytest

from tests.app.asking import SURVEY, choose, go, use_survey
from tests.app.test_pages import by_label, charts, fill
from tests.app.test_questions import release, shown


def test_two_groups_are_compared_in_one_question(open_page, follow):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "difference of groups")
    choose(app, "Mean of", "south")
    assert by_label(app.selectbox, "Minus").options == ["north", "west"]
    # Of three regions and all others, not of the two that are compared.
    assert by_label(app.number_input, "Assumed size of each group").value == 100
    fill(app, number_input={"ε for this release": 20.0, "Assumed size of each group": 40})
    assert by_label(app.metric, "Margin, groups of 40").value.startswith("± ")
    seen = follow(app)
    assert seen.title == "mean of age by region, south less north"
    assert len(seen.answer) == 1
    assert {"row", "age in use", "region in use"} <= set(seen.exposed)
    assert "RMSE of the mean of age by region, south less north" in seen.tradeoffs


@pytest.mark.usefixtures("known_noise")
def test_difference_with_a_group_of_nobody_is_no_number(open_page):
    use_survey(open_page, text=SURVEY.replace(",west,", ",south,"))
    app = choose(open_page("release"), "Statistic", "difference of groups")
    fill(app, selectbox={"Mean of": "west"}, number_input={"ε for this release": 5.0})
    release(app)
    assert "The difference: too few to say" in shown(app)
    assert not charts(app)
    assert "too few to say" in app.dataframe[-1].value.iloc[0]["result"]


def test_a_stratified_mean_has_the_finite_population_correction_and_stands_in_the_report(
    open_page, files
):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "mean")
    fill(app, selectbox={"By group": 0}, number_input={"ε for this release": 20.0})
    app = release(app)
    sizes = next(box for box in app.text_input if box.label.startswith("Public population sizes"))
    count = len(sizes.label.split(","))
    corrected = "finite population correction"
    wide = shown(sizes.set_value(", ".join(["0.5"] * count)).run())
    assert corrected not in wide
    told = shown(sizes.set_value(", ".join(["100"] * count)).run())
    assert corrected in told
    by_label(app.checkbox, "State it in the documents").check().run()
    go(app, "documents")
    by_label(app.selectbox, "Document").set_value("Full report").run()
    report = unescape(files["Download: Full report"]())
    assert "Stratified mean" in report
    assert "by public sizes: " in report
