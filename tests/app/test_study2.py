"""Study 2 in process: shown at once, editable, stoppable, and honest about both."""

from __future__ import annotations

import re

import pytest

from tests.app.test_pages import button, by_label, charts, fill
from tests.conftest import assert_says

PEOPLE = "Numbers of people n"


def set_text(app, label, value):
    by_label(app.text_input, label).set_value(value).run()
    return app


def shown(app):
    kinds = ("markdown", "caption", "info", "warning", "error")
    return "\n".join(str(e.value) for kind in kinds for e in getattr(app, kind))


def see(app, view):
    app.session_state["study2-measure"] = view
    app.run()
    return app


@pytest.fixture
def page(open_page):
    return open_page("study2")


def test_first_view_shows_the_default_study_and_its_findings(page):
    assert page.title[0].value == "Study 2: proportions"
    assert len(charts(page)) == 1
    assert_says(
        shown(page),
        "claims ε = 0.1 but costs ε = **0.191**",
        "the cost is ε = 0.196",
        "Reconstructed: the proportions",
    )
    assert not page.warning
    text = shown(see(page, "Claims"))
    assert text.count("**holds.**") == 9
    assert text.count("**depends.**") == 1
    assert "RMSE matches the non\\-private estimator\\. Ratio of RMSE at" in text


def test_new_settings_are_run_on_the_button_only(page):
    before = charts(page)
    set_text(page, "Proportions of the cells", "0.2, 0.3, 0.5")
    assert charts(page) == before
    assert "The settings have changed" in shown(page)
    button(page, "Run the study").click().run()
    assert "The settings have changed" not in shown(page)
    titles = [note["text"] for note in charts(page)[0]["layout"]["annotations"]]
    assert titles == ["p1 = 0.2", "p2 = 0.3", "p3 = 0.5"]


@pytest.mark.parametrize(
    ("label", "value", "message"),
    [
        ("Proportions of the cells", "0.5, 0.4", "sum to 1"),
        ("Proportions of the cells", "half, half", "must be numbers"),
        ("Proportions of the cells", "", "2 to 10"),
        ("Proportions of the cells", "nan, 1", "0 to 1"),
        ("Privacy parameters ε", "0", "positive"),
        (PEOPLE, "10.5", "whole"),
        ("Privacy parameters ε", "1e-300", "10⁻⁹ or more"),
        (PEOPLE, "0", "1 to 1,000,000,000"),
        (PEOPLE, "1e308", "1 to 1,000,000,000"),
        (PEOPLE, "inf", "whole"),
    ],
)
def test_wrong_settings_are_explained_in_place(page, label, value, message):
    set_text(page, label, value)
    assert message in page.info[0].value.replace("\\", "")
    assert by_label(page.text_input, label).value == value
    assert not charts(page)


def test_run_that_was_stopped_says_so_and_goes_on(page, monkeypatch):
    by_label(page.number_input, "Seed").set_value(2).run()
    monkeypatch.setattr("ui.work._WITHOUT_PROGRESS", 0.0)
    monkeypatch.setattr("ui.work._PATIENCE", 0.0)
    button(page, "Run the study").click().run()
    button(page, "Stop").click().run()
    assert re.match(r"Stopped after \d of 15 settings", page.warning[0].value)
    monkeypatch.setattr("ui.work._PATIENCE", 60.0)
    button(page, "Continue").click().run()
    page.run()
    assert not page.warning
    assert len(charts(page)[0]["data"]) == 20


def test_choice_of_what_is_drawn_keeps_the_run(page):
    fill(
        page,
        selectbox={"Panels": "pairs of cells", "Mechanism": "bit"},
        multiselect={"Compare": ["re-scaling"]},
    )
    titles = [note["text"] for note in charts(page)[0]["layout"]["annotations"]]
    assert titles == ["p1 + p4 = 0.6", "p1 + p2 = 0.25", "p1 + p3 = 0.35"]
    assert len(charts(page)[0]["data"]) == 3
    assert "claims ε = 0.1 and keeps it" in shown(page)
    assert "settings have changed" not in shown(page)
    by_label(page.multiselect, "Compare").set_value([]).run()


def test_closer_looks_draw_one_figure_each(open_page):
    app = see(open_page("study2"), "A closer look")
    look = by_label(app.selectbox, "Look at")
    for option in look.options:
        by_label(app.selectbox, "Look at").set_value(option).run()
        assert len(charts(app)) == 1
    set_text(app, "Proportions of the cells", "0.5, 0.5")
    button(app, "Run the study").click().run()
    by_label(app.selectbox, "Look at").set_value("one vector, many releases").run()
    assert "three cells or more" in app.info[-1].value


def test_one_measure_is_drawn_at_a_time(page):
    for tab, label in (
        ("Coverage", "coverage, %"),
        ("Typical error", "typical error"),
        ("Bias", "bias"),
    ):
        page.session_state["study2-measure"] = tab
        page.run()
        assert len(charts(page)) == 1
        assert charts(page)[0]["layout"]["yaxis"]["title"]["text"] == label
