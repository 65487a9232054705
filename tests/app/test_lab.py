"""The Mechanism lab in process: the lesson, the repair, every station."""

from __future__ import annotations

import pytest

from dpcore.mechanisms.catalog import CATALOG
from tests.app.figures import figures
from tests.app.test_pages import button, by_label, charts
from tests.conftest import assert_says

STATIONS = (
    "Two worlds",
    "Lowest error",
    "Exactly 0 or 1",
    "Redraws",
    "Spot the flaw",
    "Equal privacy",
)


@pytest.fixture
def lab(open_page):
    return open_page("lab")


def meter(app, label):
    return by_label(app.metric, label)


def choose(app, label, value):
    by_label(app.selectbox, label).set_value(value).run()
    return app


def visit(app, station):
    app.session_state["lab-station"] = station
    app.run()
    return app


def said(app):
    return "\n".join(element.value for element in app.markdown)


def test_first_view_tells_the_lesson_and_what_to_use(lab):
    assert by_label(lab.selectbox, "Mechanism").value == "truncated-published"
    assert_says(
        said(lab),
        "Claimed ε = 1, actual ε = 1.49",
        "accepted with probability 50% at value 0",
        "Clamp such draws (BIT)",
    )
    assert meter(lab, "Actual ε").value == "1.49"
    assert meter(lab, "δ needed at the claimed ε").value == "0.0716"
    assert "factor up to 4.42" in figures(lab)[0].title


def test_repair_moves_to_the_calibrated_scale_and_back(lab):
    before = float(meter(lab, "RMSE").value)
    button(lab, "Repair: more noise").click().run()
    assert by_label(lab.selectbox, "Mechanism").value == "truncated"
    assert meter(lab, "Actual ε").value == "1"
    assert "✓ Claimed ε = 1, actual ε = 1" in said(lab)
    assert float(meter(lab, "RMSE").value) > before
    button(lab, "Back to as published").click().run()
    assert by_label(lab.selectbox, "Mechanism").value == "truncated-published"
    button(lab, "Clamp instead (BIT)").click().run()
    assert by_label(lab.selectbox, "Mechanism").value == "bit"
    assert "needs no extra noise" in said(lab)
    assert float(meter(lab, "RMSE").value) < before


def test_earlier_links_to_views_are_followed(app):
    app.query_params["lab-station"] = "Catch the liar"
    app.switch_page("pages/lab.py").run()
    assert by_label(app.select_slider, "Draws per dataset")


@pytest.mark.parametrize("key", CATALOG)
def test_every_mechanism_of_the_catalog_can_be_looked_at(lab, key):
    choose(lab, "Mechanism", key)
    assert "Claimed ε = 1, actual ε" in said(lab)
    by_label(lab.slider, "True value").set_value(1.0)
    visit(lab, "Spot the flaw")


def test_extremes_of_the_knobs_are_drawn(lab):
    for shift, epsilon in ((0.02, 5.0), (1.0, 0.1), (1.0, 5.0), (0.02, 0.1)):
        by_label(lab.slider, "Sensitivity").set_value(shift)
        by_label(lab.slider, "Claimed ε").set_value(epsilon).run()
        for station in STATIONS:
            visit(lab, station)


def test_where_the_shift_is_the_range_the_published_scale_keeps_its_promise(lab):
    by_label(lab.slider, "Sensitivity").set_value(1.0).run()
    assert meter(lab, "Actual ε").value == "1"
    assert "✓ Claimed" in said(lab)
    assert "both values are rejected equally often" in said(lab)


def test_only_the_open_station_is_drawn(lab):
    drawn = {station: len(charts(visit(lab, station))) for station in STATIONS}
    assert drawn == dict(zip(STATIONS, (1, 1, 1, 1, 1, 0), strict=True))


def test_maps_of_every_kind_are_drawn(lab):
    visit(lab, "Lowest error")
    for fairness in ("same nominal ε", "same actual ε"):
        choose(lab, "Compare at the", fairness)
        for quantity in ("mean squared error", "bias", "variance"):
            choose(lab, "Map of", quantity)
            nominal = fairness == "same nominal ε"
            told = "changes twice" in said(lab)
            assert told is (nominal and quantity == "mean squared error")
            assert ("flatters truncation" in said(lab)) is nominal


def test_audit_refutes_with_enough_draws_only(lab):
    visit(lab, "Spot the flaw")
    draws = by_label(lab.select_slider, "Draws per dataset")
    draws.set_value(300_000).run()
    assert "Refuted" in said(lab)
    draws = by_label(lab.select_slider, "Draws per dataset")
    draws.set_value(100).run()
    assert "Not refuted yet" in said(lab)
    choose(lab, "Mechanism", "bit")
    assert "Nothing to refute" in said(lab)
    assert "Audit any mechanism" in [link.proto.label for link in lab.get("page_link")]
