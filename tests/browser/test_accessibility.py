"""axe-core finds nothing serious; neither 200 % zoom nor a phone needs a scroll."""

from __future__ import annotations

import pytest
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Error, Page, expect

from tests.browser.visitor import PAGES, visit

pytestmark = pytest.mark.browser

# Streamlit's tables number their cells from 0, all tables of a page alike.
_CELL = 'id="glide-cell-'
_LOOK = """rules => axe.run(
    {exclude: [[".js-plotly-plot .main-svg *"]]},
    {resultTypes: ["violations"], ...(rules.length ? {runOnly: rules} : {})},
).then(found => found.violations)"""
_SIDEWAYS = (
    "Math.max(document.documentElement.scrollWidth,"
    " document.querySelector('[data-testid=stMain]').scrollWidth)"
)
GRAVE = {"serious", "critical"}


def test_no_page_has_a_serious_violation(browser, server):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    visitor = visit(context, server.url)
    visitor.use_example()
    visitor.release()
    visitor.button("Add to plan").click()
    visitor.settle()
    found = []
    for name in PAGES:
        visitor.go(name)
        if name not in {"Data", "About"}:
            expect(visitor.page.locator(".js-plotly-plot").first).to_be_visible()
        visitor.unfold()
        backgrounds = []
        # Only colors depend on the scheme.
        for scheme, rules in (("light", ()), ("dark", ("color-contrast",))):
            visitor.page.emulate_media(color_scheme=scheme)
            visitor.settle()
            backgrounds.append(background(visitor.page))
            lines = violations(visitor.page, *rules)
            found += [f"{name}, {scheme}: {line}" for line in lines]
        assert backgrounds[0] != backgrounds[1]
    grave = [line for line in found if line.split()[-1] in GRAVE]
    assert grave == [], "\n".join(found)
    # The check itself finds what is wrong: a picture and a button without a name.
    visitor.page.evaluate(
        "document.body.append(document.createElement('button'), new Image())"
    )
    assert len(violations(visitor.page)) >= 2
    visitor.page.evaluate("document.querySelector('h1').style.color = 'Canvas'")
    assert violations(visitor.page, "color-contrast") != []
    context.close()


def test_double_zoom_and_a_phone_need_no_sideways_scroll(browser, server):
    # A window of 1280 pixels at 200 % has 640 of them.
    context = browser.new_context(viewport={"width": 640, "height": 450})
    visitor = visit(context, server.url)
    visitor.use_example()
    visitor.release()
    visitor.button("Add to plan").click()
    visitor.settle()
    for name in PAGES:
        visitor.go(name)
        visitor.unfold()
        fits(visitor.page, name)
        visitor.page.set_viewport_size({"width": 390, "height": 844})
        visitor.settle()
        fits(visitor.page, name)
        visitor.page.set_viewport_size({"width": 640, "height": 450})
        visitor.settle()
    visitor.page.evaluate(
        "document.querySelector('[data-testid=stMainBlockContainer]')"
        ".style.width = '900px'"
    )
    assert sideways(visitor.page) > 640
    context.close()


def background(page: Page) -> str:
    """Return the color behind the page."""
    return page.evaluate(
        "getComputedStyle(document.querySelector('[data-testid=stApp]'))"
        ".backgroundColor"
    )


def violations(page: Page, *rules: str) -> list[str]:
    """Return rule, place and impact of each violation; of all rules, if none is named.

    What a chart draws is left out: a text and a table say the same beside it.
    """
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
