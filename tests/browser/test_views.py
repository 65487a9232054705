"""The views of one person's privacy under a model: accessible, and fit for a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import GRAVE, fits, violations
from tests.browser.visitor import visit

pytestmark = pytest.mark.browser

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
VIEWS = {
    "One person": ("An attacker", "Actual releases", "Bounds"),
    "What-if": ("Blend into the crowd",),
    "Publishing losses": (),
    "All releases": (),
    "All people": (),
}


def test_views_of_a_model_are_accessible_and_fit_a_phone(context, server):
    visitor = visit(context, server.url)
    visitor.use_example()
    visitor.release()
    visitor.go("privacy_loss")
    visitor.page.get_by_text("a regression model", exact=True).click()
    visitor.settle()
    found = []
    for view, sides in VIEWS.items():
        for tab in (view, *sides):
            visitor.page.get_by_role("tab", name=tab, exact=True).click()
            visitor.settle()
            expect(visitor.page.locator(".js-plotly-plot").first).to_be_visible()
            visitor.unfold()
            expect(visitor.page.get_by_test_id("stException")).to_have_count(0)
            found += [f"{tab}: {line}" for line in violations(visitor.page)]
            visitor.page.set_viewport_size(NARROW)
            visitor.settle()
            fits(visitor.page, tab)
            visitor.page.set_viewport_size(WIDE)
    assert [line for line in found if line.split()[-1] in GRAVE] == [], found
