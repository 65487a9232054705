"""From a column whose labels nobody can list to counts of them, in one tab."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.app.test_finding_labels import TOWNS
from tests.browser.test_accessibility import GRAVE, PHONE, fits, violations
from tests.browser.visitor import visit

pytestmark = pytest.mark.browser
PRICE = "ε = 0.3, δ = 10⁻⁶"


def test_labels_are_found_charged_and_used(context, server):
    visitor = visit(context, server.url)
    page = visitor.page
    visitor.go("data")
    visitor.upload(TOWNS, "towns.csv")
    block = page.locator(".st-key-find-labels")
    block.get_by_text("Find labels", exact=True).click()
    expect(block).to_contain_text("Left afterwards: ε = 2.7")
    visitor.settle()
    visitor.button("Open the account").click()
    visitor.button(f"Release and spend {PRICE}").click()
    visitor.button(f"Spend {PRICE}").click()
    expect(block).to_contain_text("2 labels found")
    expect(block).not_to_contain_text("Alone")
    visitor.button("Use as the column's list").click()
    expect(block).to_contain_text("Recorded as the public list of this column.")
    visitor.settle()
    found = violations(page)
    assert [line for line in found if line.split()[-1] in GRAVE] == [], found
    page.set_viewport_size(PHONE)
    visitor.settle()
    fits(page, "labels that were found")
