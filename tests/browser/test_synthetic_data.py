"""A synthetic table from one press, in one tab: from its columns to its file."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.test_accessibility import GRAVE, PHONE, fits, violations
from tests.browser.visitor import visit

pytestmark = pytest.mark.browser


def test_a_synthetic_table_is_made_with_one_press(context, server):
    visitor = visit(context, server.url)
    page = visitor.page
    visitor.use_example()
    visitor.go("synthetic_data")
    main = page.get_by_test_id("stMainBlockContainer")
    expect(main).to_contain_text("all counts at once")
    visitor.press_release()
    expect(main).to_contain_text("synthetic rows; the first 20")
    expect(main).to_contain_text("Pairs counted together")
    visitor.settle()
    found = violations(page)
    assert [line for line in found if line.split()[-1] in GRAVE] == [], found
    page.set_viewport_size(PHONE)
    visitor.settle()
    fits(page, "a synthetic table")
