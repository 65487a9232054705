"""A newcomer in the Mechanism lab: the lesson at first sight, dragged, and repaired at a click."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.rest import settled
from tests.browser.test_accessibility import PHONE, fits_windows, grave, violations
from tests.browser.test_live_charts import curve, drag, thumb
from tests.browser.visitor import Visitor
from tests.conftest import everything

pytestmark = pytest.mark.browser

STATIONS = ("Exactly 0 or 1", "Redraws", "Spot the flaw", "Equal privacy")
FILM = "lab-epsilon"
# Looks at a chart with every frame until it is asked: whether there was a figure in each.
WATCH = """() => {
  const chart = document.querySelector(".live-chart");
  const seen = {frames: 0, empty: 0, going: true, chart};
  const look = () => {
    seen.frames += 1;
    seen.empty += document.querySelector(".live-chart .scatterlayer path.js-line") === null;
    if (seen.going) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  window.seen = seen;
}"""
SEEN = """() => {
  seen.going = false;
  return {...seen, same: seen.chart === document.querySelector(".live-chart"), chart: null};
}"""


def test_a_newcomer_sees_lesson_and_repair_drags_epsilon_and_shares_a_link(context, server):
    lab = Visitor(context.new_page(), server.url)
    page = lab.page
    # What no control can hold is taken out of the address.
    lab.open("lab?lab-epsilon=1e309")
    assert "1e309" not in page.url
    lesson = page.get_by_text("Claimed ε = 1, actual ε = 1.49")
    expect(lesson).to_be_in_viewport()
    expect(page.get_by_role("figure").first).to_be_in_viewport(ratio=0.8)
    is_a_film(page)
    before = curve(page).get_attribute("d")
    page.evaluate(WATCH)
    repair = lab.button("Repair: more noise")
    expect(repair).to_be_in_viewport()
    repair.click()
    expect(curve(page)).not_to_have_attribute("d", before)
    seen = page.evaluate(SEEN)
    assert seen["same"]
    assert seen["frames"] > 0
    assert seen["empty"] == 0
    repaired = page.get_by_text("✓ Claimed ε = ")
    repaired.wait_for()
    lab.settle()
    said = repaired.inner_text()
    assert "lab-mechanism=" in page.url
    # The link carries the settings to another visitor.
    page.reload()
    lab.settle()
    expect(page.get_by_text(said)).to_be_visible()
    page.get_by_text("Methods and data", exact=True).click()
    page.locator(".katex").first.wait_for()
    assert page.locator(".katex-error").count() == 0
    for station in STATIONS if everything() else STATIONS[:1]:
        page.get_by_role("tab", name=station, exact=True).click()
        lab.settle()
        assert grave(violations(page)) == [], station
    fits_windows(lab, "the lab", PHONE)


def is_a_film(page):
    """Drag ε: the figure and its title, whose place stays, follow without the server."""
    expect(curve(page)).to_be_visible()
    asked, title = page.evaluate("rest.asked"), page.locator(".live-title").text_content()
    height = page.locator(".live-title").bounding_box()["height"]
    found = drag(page, FILM)
    assert found["empty"] == 0
    assert found["pictures"] > 1
    assert page.evaluate("rest.asked") == asked
    assert page.locator(".live-title").text_content() != title
    assert page.locator(".live-title").bounding_box()["height"] == height
    page.mouse.up()
    settled(page)
    claimed = f"Claimed ε = {float(thumb(page, FILM).get_attribute('value')):g},"
    expect(page.get_by_text(claimed)).to_be_visible()
