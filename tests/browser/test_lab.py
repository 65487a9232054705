"""A newcomer in the Mechanism lab: the lesson at first sight, the repair at a click."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import GRAVE, fits, violations
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

STATIONS = ("Exactly 0 or 1", "Redraws", "Spot the flaw", "Equal privacy")


@pytest.fixture
def lab(context, server):
    visitor = Visitor(context.new_page(), server.url)
    visitor.open("lab")
    visitor.heading("Mechanism lab").wait_for()
    visitor.settle()
    return visitor


def test_lesson_and_repair_are_seen_without_scrolling(lab):
    lesson = lab.page.get_by_text("Claimed ε = 1, actual ε = 1.49")
    expect(lesson).to_be_in_viewport()
    expect(lab.page.get_by_role("figure").first).to_be_in_viewport(ratio=0.8)
    repair = lab.button("Repair: more noise")
    expect(repair).to_be_in_viewport()
    repair.click()
    lab.page.get_by_text("✓ Claimed ε = 1, actual ε = 1").wait_for()
    lab.settle()
    assert lab.metric("Actual ε") == "1"
    assert "lab-mechanism=" in lab.page.url
    # The link carries the settings to another visitor.
    lab.page.reload()
    lab.page.get_by_text("✓ Claimed ε = 1, actual ε = 1").wait_for()


def test_every_station_is_accessible_and_fits_a_phone(lab):
    lab.page.get_by_text("Methods and data", exact=True).click()
    lab.page.locator(".katex").first.wait_for()
    assert lab.page.locator(".katex-error").count() == 0
    for station in STATIONS:
        lab.page.get_by_role("tab", name=station, exact=True).click()
        lab.settle()
        found = violations(lab.page)
        grave = [line for line in found if line.split()[-1] in GRAVE]
        assert grave == [], station
    lab.page.set_viewport_size({"width": 390, "height": 844})
    lab.settle()
    fits(lab.page, "the lab")
