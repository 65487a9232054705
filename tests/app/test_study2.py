"""Study 2 in process: shown at once, editable, stoppable, and honest about both."""

from __future__ import annotations

import re

import pytest

from tests.app.test_pages import button, by_label, charts
from tests.conftest import assert_says, few

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
    few(
        3,
        ("Proportions of the cells", "0.5, 0.4", "sum to 1"),
        ("Privacy parameters ε", "0", "positive"),
        (PEOPLE, "10.5", "whole"),
        ("Proportions of the cells", "half, half", "must be numbers"),
        ("Proportions of the cells", "", "2 to 10"),
        ("Proportions of the cells", "nan, 1", "0 to 1"),
        ("Privacy parameters ε", "1e-300", "10⁻⁹ or more"),
        (PEOPLE, "0", "1 to 1,000,000,000"),
        (PEOPLE, "1e308", "1 to 1,000,000,000"),
        (PEOPLE, "inf", "whole"),
    ),
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
