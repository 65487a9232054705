"""A long study in the browser tells how far it is, stops when asked, and goes on."""

from __future__ import annotations

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.held import FEW, gate
from tests.browser.rest import settled

# In CI tests/app/test_study2.py says the same, and test_large_tables.py stops work.
pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

SETTINGS = {"study2-epsilons": "0.5, 1, 2", "study2-people": "50, 100, 200"}


def test_long_run_tells_its_progress_and_stops_when_asked(context, held):
    gate(held.home).touch()
    page = context.new_page()
    page.goto(f"{held.url}/study2?{urlencode(SETTINGS)}")
    stop = page.get_by_role("button", name="Stop", exact=True)
    expect(page.get_by_text(f"{FEW} of 9 settings done")).to_be_visible()
    stop.click()
    stopped = page.get_by_text(f"Stopped after {FEW} of 9 settings")
    expect(stopped).to_be_visible()
    settled(page)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_text(f"{FEW} of 9 settings done")).to_be_visible()
    stop.click()
    expect(stopped).to_be_visible()
    gate(held.home).unlink()
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(stopped).to_have_count(0)
    expect(stop).to_have_count(0)
    settled(page)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
