"""What is typed and not left yet is in the file, whatever document it is."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from tests.browser.visitor import table, visit

pytestmark = pytest.mark.browser

AGES = [18 + i * i % 71 for i in range(400)]
PURPOSE = "to see whether the wards need more nurses"
PLACE = "Where the council meets"


def test_a_download_holds_the_field_that_is_still_typed_in(context, server):
    visitor = visit(context, server.url)
    page = visitor.page
    visitor.use_upload(table(AGES, column="years"), name="wards.csv")
    visitor.go("release")
    visitor.button("Add to plan").click()
    visitor.settle()
    visitor.go("documents")
    visitor.button("Entries").click()
    purpose = page.get_by_role("textbox", name="Purpose", exact=True)
    purpose.click()
    page.keyboard.type(PURPOSE)
    assert PURPOSE in visitor.download("Download: Public notice")
    visitor.settle()
    # A number of the plan itself.
    visitor.go("plan")
    visitor.settle()
    total = page.get_by_role("spinbutton", name="Total ε", exact=True)
    total.click()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("0.8125")
    expect(total).to_have_value("0.8125")
    visitor.button("More").click()
    plan = json.loads(visitor.download("Download plan (JSON)"))
    assert plan["total"] == 0.8125
    visitor.settle()
    visitor.go("sign_off")
    page.get_by_role("textbox", name="Place", exact=True).click()
    page.keyboard.type(PLACE)
    assert PLACE in visitor.download("Download sign-off sheet (HTML)")
