"""axe-core finds nothing serious; neither 200% zoom nor a phone needs a scroll.

`make test-all` looks at all views, in both color schemes.
"""

from __future__ import annotations

import re

import pytest
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Error, Page, expect

from tests.browser.visitor import visit
from tests.conftest import everything
from tests.registry import HEADINGS

pytestmark = pytest.mark.browser

# Streamlit's tables number their cells from 0, all tables of a page alike.
_CELL = 'id="glide-cell-'
_LOOK = """rules => axe.run(
    {exclude: [[".js-plotly-plot .main-svg *"]]},
    {resultTypes: ["violations"], ...(rules.length ? {runOnly: rules} : {})},
).then(found => found.violations)"""
# Colors fade from one scheme into the other; what turns for ever is no fading.
FADED = """() => document.getAnimations().every(
    one => one.playState !== "running"
        || one.effect.getComputedTiming().endTime === Infinity)"""
_SIDEWAYS = (
    "Math.max(document.documentElement.scrollWidth,"
    " document.querySelector('[data-testid=stMain]').scrollWidth)"
)
SCHEMES = ("dark", "light")
GRAVE = {"serious", "critical"}
DESK = {"width": 1280, "height": 900}
# A window of 1280 pixels at 200% has 640 of them.
ZOOMED = {"width": 640, "height": 450}
PHONE = {"width": 390, "height": 844}
# Of each kind one: a film, steps, panels and words; a grid, a question, a comparison,
# confidential numbers, rows, a list and papers. test_lab.py looks at stations.
KINDS = (
    *("home", "lessons", "study1", "glossary"),
    *("data", "release", "accuracy", "privacy_loss", "plan", "budget", "documents"),
)


def test_views_are_accessible_and_fit_double_zoom_and_a_phone(context, server):
    visitor = visit(context, server.url, "release?example=rand-hie")
    visitor.release()
    visitor.button("Add to plan").click()
    visitor.settle()
    backgrounds = set()
    for place, name in enumerate(HEADINGS if everything() else KINDS):
        visitor.go(name)
        visitor.unfold()
        # Every figure is drawn; a few views have none before something is chosen.
        for figure in visitor.page.get_by_role("figure").all():
            expect(figure).to_have_class(re.compile("js-plotly-plot"))
        for scheme in SCHEMES if everything() else SCHEMES[place % 2 :][:1]:
            visitor.page.emulate_media(color_scheme=scheme)
            visitor.settle()
            backgrounds.add((scheme, background(visitor.page)))
            found = violations(visitor.page)
            assert grave(found) == [], f"{name}, {scheme}: {found}"
        fits_windows(visitor, name, ZOOMED, PHONE, DESK)
    assert len(backgrounds) == len(SCHEMES)
    visitor.page.emulate_media(color_scheme="light")
    visitor.settle()
    checks_find_what_is_wrong(visitor.page)


def fits_windows(visitor, name, *sizes):
    """Hold that a view fits windows of these sizes, and leave it in the last one."""
    for size in sizes:
        visitor.page.set_viewport_size(size)
        visitor.settle()
        fits(visitor.page, name)


def grave(found):
    """Return the violations that keep somebody out."""
    return [line for line in found if line.split()[-1] in GRAVE]


def checks_find_what_is_wrong(page):
    """Hold that a picture without a name, faint words and a wide page are noticed."""
    page.evaluate("document.body.append(document.createElement('button'), new Image())")
    assert len(violations(page)) >= 2
    page.evaluate("document.querySelector('h1').style.color = '#ddd'")
    assert violations(page, "color-contrast") != []
    page.set_viewport_size(ZOOMED)
    page.evaluate(
        "document.querySelector('[data-testid=stMainBlockContainer]').style.width = '900px'"
    )
    page.wait_for_function(f"{_SIDEWAYS} > 640")


def background(page: Page) -> str:
    """Return the color behind the page."""
    return page.evaluate(
        "getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor"
    )


def violations(page: Page, *rules: str) -> list[str]:
    """Return rule, place and impact of each violation; of all rules, if none is named.

    What a chart draws is left out: a text and a table say the same beside it.
    """
    page.wait_for_function(FADED)
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found = page.evaluate(_LOOK, rules)
    return [
        f"{rule['id']} at {node['target']} {node['html'][:120]} {rule['impact']}"
        for rule in found
        for node in rule["nodes"]
        if not ("duplicate-id" in rule["id"] and _CELL in node["html"])
    ]


def fits(page: Page, name: str) -> None:
    """Hold that the page is no wider than its window, once all in it has followed.

    A chart or a table takes its new width some frames after the window has its own.
    """
    width = page.viewport_size["width"]
    try:
        page.wait_for_function(f"width => {_SIDEWAYS} <= width", arg=width)
    except Error:
        pytest.fail(f"{name} is {sideways(page)} pixels wide in {width}")


def sideways(page: Page) -> int:
    """Return how wide the page and its scrolling part are, whichever is wider."""
    return page.evaluate(_SIDEWAYS)
