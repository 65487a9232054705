"""The Mechanism lab in process: the lesson, the repair, every station."""

from __future__ import annotations

import pytest

from dpcore.mechanisms.catalog import CATALOG
from tests.app.figures import figures
from tests.app.test_pages import button, by_label
from tests.conftest import assert_says, few


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


@pytest.mark.parametrize("key", few(3, *reversed(CATALOG)))
def test_every_mechanism_of_the_catalog_can_be_looked_at(lab, key):
    choose(lab, "Mechanism", key)
    assert "Claimed ε = 1, actual ε" in said(lab)
    by_label(lab.slider, "True value").set_value(1.0)
    visit(lab, "Spot the flaw")


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
