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


def test_changed_settings_wait_for_the_button(page):
    by_label(page.number_input, "Penalty of Figure 1, times √n").set_value(1.0).run()
    assert "Run the simulation" in page.info[0].value
    assert by_label(page.metric, WORST).value == "5.89"
    by_label(page.button, "Run the simulation").click().run()
    assert not page.info
    assert by_label(page.metric, WORST).value == "11.5"
