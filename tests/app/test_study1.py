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


def test_correlation_chosen_is_shown(page):
    before = page.markdown[1].value
    by_label(page.selectbox, "True correlation").set_value(-0.5).run()
    assert page.markdown[1].value == before  # variances do not depend on it
    see(page, "Covariance and correlation")
    by_label(page.selectbox, "True correlation").set_value(-0.5).run()
    assert charts(page)[0]["layout"]["shapes"][0]["y0"] == -1.0


def test_changed_settings_wait_for_the_button(page):
    by_label(page.text_input, "Numbers of people").set_value("40, 60").run()
    assert "Run the study" in page.info[0].value
    assert charts(page)[0]["layout"]["xaxis"]["ticktext"][0] == "50"
    by_label(page.button, "Run the study").click().run()
    assert not page.info
    assert charts(page)[0]["layout"]["xaxis"]["ticktext"] == ["40", "60"]


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


def test_long_run_comes_to_its_end_by_itself(open_page, monkeypatch):
    monkeypatch.setattr("ui.work._WITHOUT_PROGRESS", 1e-4)
    app = open_page("study1")
    app.run()
    assert not app.warning
    assert len(charts(app)) == 2


@pytest.mark.parametrize(
    ("label", "text", "message"),
    [
        ("Correlations (reconstructed)", "0, x", "commas"),
        ("Correlations (reconstructed)", "2", r"\-1\, 1"),
        ("Correlations (reconstructed)", "", "1 to 12"),
        ("Numbers of people", "1", "at least 2"),
        ("Numbers of people", "50.5", "whole numbers"),
    ],
)
def test_wrong_settings_are_explained_in_place(page, label, text, message):
    by_label(page.text_input, label).set_value(text).run()
    assert message in page.info[0].value
    assert not charts(page)


def test_mechanism_left_out_is_missed_nowhere(page):
    page.multiselect[0].set_value(["truncated"]).run()
    by_label(page.button, "Run the study").click().run()
    see(page, "Privacy cost")
    assert len(page.metric) == 1
    page.multiselect[0].set_value([]).run()
    assert "different mechanisms" in page.info[0].value


def test_bounds_can_be_given_as_a_share(page):
    by_label(page.selectbox, "Bounds given as").set_value("share of a Gaussian").run()
    by_label(page.button, "Run the study").click().run()
    assert not page.info


def test_another_draw_is_another_matrix(page):
    see(page, "One matrix")
    before = charts(page)[0]["data"][0]["text"]
    by_label(page.button, "Draw again").click().run()
    assert charts(page)[0]["data"][0]["text"] != before
    by_label(page.selectbox, "Variables").set_value(2).run()
    assert len(charts(page)[0]["data"][0]["x"]) == 2
