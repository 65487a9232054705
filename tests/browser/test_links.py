"""What a link carries."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import visit

pytestmark = pytest.mark.browser


@pytest.mark.usefixtures("undrawn")
def test_link_opens_the_same_page_and_releases_nothing(browser, context, server):
    visitor = visit(context, server.url, "release?example=rand-hie&statistic=sum")
    visitor.choose("Mechanism", "BIT Laplace")
    visitor.number("ε for this release", 0.7)
    wanted = ("mechanism=BIT", "epsilon=0.7", "statistic=sum", "example=rand-hie")
    link = visitor.page.url
    assert [part for part in wanted if part not in link] == [], link
    elsewhere = browser.new_context()
    page = elsewhere.new_page()
    page.goto(link)
    for label, value in (("Statistic", "sum"), ("Mechanism", "BIT Laplace")):
        expect(page.get_by_role("combobox", name=label, exact=True)).to_have_value(value)
    field = page.get_by_role("spinbutton", name="ε for this release")
    expect(field).to_have_value("0.7")
    expect(page.get_by_text("0 of 3 ε spent")).to_be_visible()
    expect(page.get_by_text("Release 1 of this question")).to_have_count(0)
    expect(page.get_by_text("95% CI")).to_have_count(0)
    elsewhere.close()
