"""The page of Figures 1 and 2: factors at first sight, settings, a run stopped."""

from __future__ import annotations

import pytest

from tests.app.test_pages import by_label, charts

WORST = "Guarantee ÷ worst newcomer"


@pytest.fixture
def page(open_page):
    return open_page("figures12")


def test_factors_of_the_first_figure_are_there_at_first_sight(page):
    assert not page.error
    assert len(charts(page)) == 1
    factors = {metric.label: metric.value for metric in page.metric}
    assert factors[WORST] == "5.89"
    assert factors["Guarantee ÷ worst in table"] == "21.4"
    assert "at most 1/5.29 of it (proved)" in " ".join(m.value for m in page.markdown)
    page.session_state["f12-pane"] = "Claims"
    page.run()
    words = " ".join(block.value for block in page.markdown)
    assert words.count("**tuned to.**") == 2
    assert words.count("**depends.**") == 1
    assert words.count("**fails.**") == 1


def test_the_posterior_sample_is_a_tab_of_its_own(page):
    page.session_state["f12-pane"] = "One posterior sample"
    page.run()
    assert "143 times" in " ".join(block.value for block in page.markdown)


def test_changed_settings_wait_for_the_button(page):
    by_label(page.number_input, "Penalty of Figure 1, times √n").set_value(1.0).run()
    assert "Run the simulation" in page.info[0].value
    assert by_label(page.metric, WORST).value == "5.89"
    by_label(page.button, "Run the simulation").click().run()
    assert not page.info
    assert by_label(page.metric, WORST).value == "11.5"


def test_long_run_shows_progress_and_stops(open_page, monkeypatch):
    monkeypatch.setattr("ui.work._WITHOUT_PROGRESS", 1e-4)
    monkeypatch.setattr("ui.work._PATIENCE", 1e-4)
    app = open_page("figures12")
    # Another table than the usual one, whose run is kept.
    by_label(app.number_input, "Seed").set_value(5).run()
    by_label(app.button, "Run the simulation").click().run()
    stop = by_label(app.button, "Stop")
    assert not charts(app)
    stop.click().run()
    assert "Stopped after" in app.warning[0].value
    assert charts(app)


@pytest.mark.parametrize(
    ("label", "text", "message"),
    [
        ("Numbers of people", "10, x", "commas"),
        ("Numbers of people", "0", "positive"),
        ("Numbers of people", "90000000", "at most 5"),
        ("Precisions γ", "", "1 to 12"),
    ],
)
def test_wrong_settings_are_explained_in_place(page, label, text, message):
    by_label(page.text_input, label).set_value(text).run()
    assert message in page.info[0].value
    assert not charts(page)
