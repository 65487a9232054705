"""A newcomer in the Mechanism lab: the lesson at first sight, the repair at a click."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import PHONE, fits_windows, grave, violations
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

STATIONS = ("Exactly 0 or 1", "Redraws", "Spot the flaw", "Equal privacy")


def test_a_newcomer_sees_lesson_and_repair_and_every_station(context, server):
    lab = Visitor(context.new_page(), server.url)
    # What no control can hold is taken out of the address.
    lab.open("lab?lab-epsilon=1e309")
    assert "1e309" not in lab.page.url
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
    lab.settle()
    lab.page.get_by_text("Methods and data", exact=True).click()
    lab.page.locator(".katex").first.wait_for()
    assert lab.page.locator(".katex-error").count() == 0
    for station in STATIONS:
        lab.page.get_by_role("tab", name=station, exact=True).click()
        lab.settle()
        assert grave(violations(lab.page)) == [], station
    fits_windows(lab, "the lab", PHONE)
