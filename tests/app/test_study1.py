"""The page of Study 1: results at first sight, and runs that can be stopped."""

from __future__ import annotations

import pytest

from tests.app.test_pages import charts


def by_label(elements, label):
    return next(element for element in elements if element.label == label)


def said(page):
    return " ".join(block.value for block in page.markdown)


def see(page, view):
    page.session_state["s1-panels"] = view
    page.run()


@pytest.fixture
def page(open_page):
    return open_page("study1")


def test_results_are_there_at_first_sight_and_need_no_table(page):
    assert page.title[0].value == "Study 1: covariances"
    assert not page.error
    assert len(charts(page)) == 2
    assert "ε = **1.75**" in said(page)
    see(page, "Privacy cost")
    costs = {metric.label: metric.value for metric in page.metric}
    assert costs["Truncated Laplace, as published"] == "ε = 1.75"
    assert costs["BIT Laplace"] == costs["Truncated Laplace, calibrated"] == "ε = 1"
    see(page, "Claims")
    assert "depends" in said(page)
    assert said(page).count("holds.") == 6


def test_long_run_shows_progress_and_stops(open_page, monkeypatch):
    monkeypatch.setattr("ui.work._WITHOUT_PROGRESS", 1e-4)
    monkeypatch.setattr("ui.work._PATIENCE", 1e-4)
    app = open_page("study1")
    by_label(app.number_input, "Repetitions").set_value(200_000)
    by_label(app.button, "Run the study").click().run()
    stop = by_label(app.button, "Stop")
    assert not charts(app)
    stop.click().run()
    assert "Stopped after" in app.warning[0].value
    assert charts(app)
