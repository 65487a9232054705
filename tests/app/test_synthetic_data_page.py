"""Synthetic data, from choosing columns to the file."""

from __future__ import annotations

import pytest

from tests.app.asking import go, use_survey
from tests.app.test_pages import button, charts, press_release
from tests.app.test_questions import set_to, shown
from tests.conftest import assert_says


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """However busy the machine is, the counts are fitted before the page is read."""
    monkeypatch.setattr("ui.work._AT_FIRST", 60.0)


def test_counts_are_planned_released_and_made_a_table_of(open_page):
    use_survey(open_page)
    app = open_page("synthetic_data")
    set_to(app, "radio", "Made from", "Released counts")
    assert "Synthetic data needs released counts" in shown(app)
    set_to(app, "number_input", "ε for all counts", 40.0)
    assert "4 questions with" in shown(app)
    button(app, "Add 4 questions to the plan").click().run()
    go(app, "plan")
    assert next(n for n in app.number_input if n.label == "Total ε").value == 40.0
    app.button(key="plan-release").click().run()
    app.button(key="spend-plan").click().run()
    go(app, "synthetic_data")
    set_to(app, "radio", "Made from", "Released counts")
    said = shown(app).replace("\\", "")
    assert_says(said, "synthetic rows; the first 20", "all released counts")
    (rows,) = (d.value for d in app.dataframe if "smoker" in d.value)
    assert list(rows) == ["age", "income", "weight", "region", "smoker"]
    assert set(rows["region"]) <= {"north", "south", "west", "other"}
    assert rows["income"].between(0, 5000).all()
    assert len(charts(app)) == 1
    app.toggle[0].set_value(True).run()
    assert len(charts(app)) == 2
    assert any("original" in d.value for d in app.dataframe)


def test_one_press_makes_a_table_with_its_bounds_and_its_data_sheet(open_page, files):
    use_survey(open_page)
    app = open_page("release")
    set_to(app, "selectbox", "Statistic", "mean")
    button(app, "Add to plan").click().run()
    press_release(app)
    set_to(app, "selectbox", "By group", 0)
    button(app, "Add to plan").click().run()
    app = open_page("synthetic_data")
    assert "all counts at once" in shown(app)
    press_release(app)
    assert not app.error, [error.value for error in app.error]
    said = shown(app).replace("\\", "")
    assert_says(said, "synthetic rows; the first 20", "Pairs counted together: ")
    (rows,) = (d.value for d in app.dataframe if "smoker" in d.value)
    assert list(rows) == ["age", "income", "weight", "region", "smoker"]
    assert len(charts(app)) == 1
    (planned,) = (d.value for d in app.dataframe if "from synthetic data" in d.value)
    alone, grouped = planned.to_dict("records")
    assert alone["released"]
    assert not grouped["released"]
    assert_says(grouped["from synthetic data"], "north: ", "south: ", "west: ")
    assert "ounted together" in grouped["note"]
    assert all(one["margin of a direct release"].startswith("± ") for one in (alone, grouped))
    sheet = files["Download data sheet"]()
    assert "Data sheet of a synthetic table" in sheet
    assert "counted together" in sheet
    app.toggle[0].set_value(True).run()
    assert len(charts(app)) == 2
    assert any("rows that differ" in d.value for d in app.dataframe)


def test_without_a_delta_its_noise_is_laplace_noise_and_pairs_are_kept(open_page, files):
    use_survey(open_page)
    app = open_page("synthetic_data")
    set_to(app, "number_input", "δ for the table", 0.0)
    (pairs,) = (m for m in app.multiselect if m.label == "Pairs to keep")
    pairs.set_value([0, 1, 4]).run()
    assert "cycle with “income” with “weight”" in shown(app)
    (pairs,) = (m for m in app.multiselect if m.label == "Pairs to keep")
    pairs.set_value([0, 1]).run()
    press_release(app)
    assert not app.error, [error.value for error in app.error]
    said = shown(app).replace("\\", "")
    assert "Pairs counted together: age with income, age with weight, " in said
    sheet = " ".join(files["Download data sheet"]().split())
    assert_says(sheet, "Laplace noise of scale", "The first 2 of them were asked for.", "chose 2.")
