"""The resized bootstrap in process: simulated, on a column, refused and released."""

from __future__ import annotations

import pytest

from tests.app.test_pages import (
    by_label,
    charts,
    use_upload,
)
from tests.app.test_study2 import shown

TABLE = "age,smoker\n" + "".join(
    f"{20 + i % 50},{'yes' if i % 20 == 0 else 'no'}\n" for i in range(200)
)
STATIONS = (
    "Which ε holds",
    "Proof",
    "Averages",
    "Scores",
    "Errors",
    "Fair comparison",
)


def metrics(app):
    return [metric.value for metric in app.metric if metric.label == "Privacy"]


def own(open_page, column="smoker"):
    """Choose the column of an upload, and give missing values a public one."""
    use_upload(open_page, TABLE)
    app = open_page("resized")
    by_label(app.radio, "Data").set_value("my column").run()
    assert not app.exception
    assert app.info, "people without a value make the number of people private"
    place = 1 if column == "smoker" else 0
    by_label(app.selectbox, "Column").set_value(place).run()
    key = next(key for key in app.session_state.filtered_state if "generation" in key)
    assert key
    return app


def test_first_view_shows_claim_measurement_and_repair(open_page):
    app = open_page("resized")
    assert metrics(app) == ["ε 0.1", "no finite ε", "ε 0.1"]
    assert app.metric[1].delta == "δ 0.0953 at every ε"
    text = shown(app)
    assert "**9.52 %** where the claim" in text
    assert "30 are enough for 95 %" in text
    assert "ε 0.643 at δ 1e-6 for one score, 2.97 for 30" in text
    assert "9.9 times the claim" in text
    assert len(charts(app)) == 1


@pytest.mark.parametrize("station", STATIONS)
def test_every_station_opens(open_page, station):
    app = open_page("resized")
    app.session_state["resized-station"] = station
    app.run()
    assert not app.exception
    assert len(charts(app)) == (2 if station == "Fair comparison" else 1)


def test_claimed_epsilon_is_taken_by_its_decimals(open_page):
    app = open_page("resized")
    by_label(app.number_input, "People").set_value(100).run()
    by_label(app.selectbox, "Sample size set by").set_value("claimed ε = 1/Z").run()
    by_label(app.number_input, "Claimed ε").set_value(0.07).run()
    assert not app.exception
    assert "7 of 100 rows are drawn" in shown(app)


@pytest.mark.parametrize(
    ("label", "value", "message"),
    [
        ("Z", 1000.0, "strictly between 0 and the number of people"),
        ("People with the trait", 1001, "at most 1,000 people"),
        ("People", 5, "at most 5 people"),
    ],
)
def test_what_does_not_go_together_is_explained(open_page, label, value, message):
    app = open_page("resized")
    by_label(app.number_input, label).set_value(value).run()
    assert not app.exception
    assert message in app.info[0].value.replace("\\", "")
    assert not charts(app)


@pytest.mark.parametrize("ones", [0, 1, 1000])
def test_extreme_tables_are_shown(open_page, ones):
    app = open_page("resized")
    by_label(app.number_input, "People with the trait").set_value(ones).run()
    for station in STATIONS:
        app.session_state["resized-station"] = station
        app.run()
        assert not app.exception
        assert not app.info


def test_one_person_is_always_drawn(open_page):
    app = open_page("resized")
    by_label(app.number_input, "People with the trait").set_value(1).run()
    by_label(app.number_input, "People").set_value(1).run()
    by_label(app.number_input, "Z").set_value(0.5).run()
    assert not app.exception
    assert app.metric[1].delta == "δ 1 at every ε"
