"""What is typed and not left yet is in the file, whatever document it is."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import visit
from tests.conftest import everything

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("undrawn")]

PURPOSE = "to see whether the wards need more nurses"
PLACE = "Where the council meets"


def test_a_download_holds_the_field_that_is_still_typed_in(context, server):
    visitor = visit(context, server.url, "release?example=rand-hie")
    page = visitor.page
    visitor.button("Add to plan").click()
    visitor.settle()
    # A number of the plan itself.
    visitor.go("plan")
    total = page.get_by_role("spinbutton", name="Total ε", exact=True)
    total.click()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("0.8125")
    expect(total).to_have_value("0.8125")
    visitor.button("More").click()
    visitor.button("Download plan (JSON)").wait_for()
    plan = json.loads(visitor.download("Download plan (JSON)"))
    assert plan["total"] == 0.8125
    visitor.settle()
    visitor.go("sign_off")
    page.get_by_role("textbox", name="Place", exact=True).click()
    page.keyboard.type(PLACE)
    assert PLACE in visitor.download("Download sign-off sheet (HTML)")
    if everything():
        visitor.settle()
        visitor.go("documents")
        visitor.button("Entries").click()
        page.get_by_role("textbox", name="Purpose", exact=True).click()
        page.keyboard.type(PURPOSE)
        assert PURPOSE in visitor.download("Download: Public notice")
