"""A long study in the browser tells how far it is, stops when asked, and goes on."""

from __future__ import annotations

import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.rest import settled

pytestmark = pytest.mark.browser

LONG = {
    "study2-shares": ", ".join(["0.1"] * 10),
    "study2-epsilons": ", ".join(str(tenths / 10) for tenths in range(1, 11)),
    "study2-people": "50, 100, 200, 500, 1000",
    "study2-repetitions": "5000",
}


def test_long_run_tells_its_progress_and_stops_when_asked(context, server):
    page = context.new_page()
    page.goto(f"{server.url}/study2?{urlencode(LONG)}")
    expect(page.get_by_text(re.compile(r"\d+ of 50 settings done"))).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    stopped = page.get_by_text(re.compile(r"Stopped after \d+ of 50 settings"))
    expect(stopped).to_be_visible()
    settled(page)
    first = int(re.search(r"after (\d+)", stopped.inner_text())[1])
    assert 0 < first < 50
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_text(re.compile(r"\d+ of 50 settings done"))).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(stopped).to_be_visible()
    settled(page)
    assert first < int(re.search(r"after (\d+)", stopped.inner_text())[1]) < 50
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
