"""Two answers crossed, followed over the pages."""

from __future__ import annotations

from tests.app.asking import COLUMNS, choose, go, use_survey
from tests.app.test_pages import by_label, charts, fill
from tests.app.test_questions import shown


def test_two_categories_are_crossed_in_one_question(open_page, follow):
    use_survey(open_page)
    app = choose(open_page("release"), "Column", COLUMNS.index("smoker"))
    fill(app, selectbox={"Statistic": "cross table"}, number_input={"ε for this release": 2.0})
    seen = follow(app)
    # In the order of the table: the region first, whichever was chosen first.
    assert seen.title == "number of people by region and smoker"
    # North, south, west and "other", by yes and no.
    assert len(seen.answer) == 8
    assert {"row", "category or bin"} <= set(seen.exposed)
    assert "count of one cell" in shown(app)
    assert "RMSE of the count of one cell" in seen.tradeoffs
    go(app, "release")
    (figure,) = charts(app)
    (cells,) = figure["data"]
    assert cells["y"] == ["north", "south", "west", "other"]
    sums = next(d.value for d in app.dataframe if "all of smoker" in d.value)
    assert list(sums["region"]) == ["north", "south", "west", "other", "all of region"]
    told = [float(cell.split(" (")[0]) for cell in sums["all of smoker"][:4]]
    assert abs(sum(told) - sum(seen.answer)) < 5


def test_three_columns_are_crossed_and_have_totals(open_page, follow):
    use_survey(open_page)
    app = choose(open_page("release"), "Column", COLUMNS.index("smoker"))
    choose(app, "Statistic", "cross table")
    others = by_label(app.selectbox, "Crossed with")
    assert len(others.options) == 1
    choose(app, "Column", COLUMNS.index("age"))
    fill(
        app,
        selectbox={"Crossed with": 0, "Crossed with, column 2": 1},
        number_input={"Bins of equal width": 3, "ε for this release": 2.0},
    )
    seen = follow(app)
    assert seen.title == "number of people by age, region and smoker"
    assert len(seen.answer) == 3 * 4 * 2
    totals = next(d.value for d in go(app, "release").dataframe if "total" in d.value)
    assert totals["column"].tolist() == 3 * ["age"] + 4 * ["region"] + 2 * ["smoker"]
