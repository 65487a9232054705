"""Means of several columns by group: asked, released, compared, followed."""

from __future__ import annotations

from tests.app.asking import choose, go, use_survey
from tests.app.test_pages import by_label, charts, fill
from tests.app.test_questions import shown


def test_means_of_several_columns_are_asked_in_one_question(open_page, follow):
    use_survey(open_page)
    app = choose(open_page("release"), "Statistic", "means of several columns")
    fill(
        app,
        selectbox={"By group": 0},
        number_input={"ε for this release": 20.0, "Assumed group size": 40},
    )
    off = by_label(app.metric, "Margin / range, group of 40").value
    assert off.startswith("± ")
    assert off.endswith("%")
    table = next(d.value for d in app.dataframe if "mean of" in d.value)
    assert list(table["mean of"]) == ["age", "income", "weight"]
    assert "As separate questions at the same total cost" in shown(app)
    seen = follow(app)
    assert seen.title == "means of age, income and weight by region"
    assert {"row", "age in use", "income in use", "region in use"} <= set(seen.exposed)
    assert "RMSE of the mean of age" in seen.tradeoffs
    # Any two groups of the answer, in each column, for free.
    go(app, "release")
    before = len(charts(app))
    fill(
        app,
        selectbox={"Number to compare": 2, "Compare the group": "south", "With the group": "west"},
    )
    assert "“south”" in shown(app).replace("\\", "")
    assert len(charts(app)) == before
