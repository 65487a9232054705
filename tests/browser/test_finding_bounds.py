"""From a column that nobody knows the range of to a mean of it, in one tab."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import DESK, GRAVE, PHONE, fits, violations
from tests.browser.visitor import visit

# In CI the page says the same in process: tests/app/test_finding_bounds.py.
pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

PEOPLE = 2000
# All of 21 to 50, in one bin, but for a far one that no bin has enough of.
STAY = "stay\n" + "".join(f"{4000 if i == 0 else 21 + i % 30}\n" for i in range(PEOPLE))


def test_bounds_are_found_charged_and_used(context, server):
    visitor = visit(context, server.url)
    page = visitor.page
    visitor.go("data")
    visitor.upload(STAY, "stays.csv")
    block = page.locator(".st-key-find-bounds")
    block.get_by_text("Find bounds", exact=True).click()
    expect(block).to_contain_text("Left afterwards: ε = 2.85")
    visitor.settle()
    visitor.button("Open the account").click()
    visitor.button("Release and spend ε = 0.15").click()
    visitor.button("Spend ε = 0.15").click()
    # All rows but one are in one bin, which passes; an empty one passes now and then.
    expect(block).to_contain_text("Recorded as the public bounds of this column.")
    visitor.settle()
    page.get_by_text("Show how these bounds fit the data").click()
    expect(block).to_contain_text("outside the bounds")
    found = violations(page)
    assert [line for line in found if line.split()[-1] in GRAVE] == [], found
    page.set_viewport_size(PHONE)
    visitor.settle()
    fits(page, "bounds that were found")
    page.set_viewport_size(DESK)
    visitor.settle()
    visitor.go("release")
    visitor.release()
    visitor.go("budget")
    expect(page.get_by_text("2 releases spent")).to_be_visible()
