"""axe-core finds nothing serious; neither 200 % zoom nor a phone needs a scroll."""

from __future__ import annotations

import pytest
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.visitor import PAGES, visit

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

# Streamlit's tables number their cells from 0, all tables of a page alike.
_CELL = 'id="glide-cell-'
GRAVE = {"serious", "critical"}


def test_no_page_has_a_serious_violation(browser, server):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    visitor = visit(context, server.url)
    visitor.use_example()
    visitor.release()
    found = []
    for name in PAGES:
        visitor.go(name)
        if name not in {"Data", "About"}:
            expect(visitor.page.locator(".js-plotly-plot").first).to_be_visible()
        visitor.unfold()
        backgrounds = []
        for scheme in ("light", "dark"):
            visitor.page.emulate_media(color_scheme=scheme)
            visitor.settle()
            backgrounds.append(background(visitor.page))
            found += [f"{name}, {scheme}: {x}" for x in violations(visitor.page)]
        assert backgrounds[0] != backgrounds[1]
    grave = [line for line in found if line.split()[-1] in GRAVE]
    assert grave == [], "\n".join(found)
    # The check itself finds what is wrong: a picture and a button without a name.
    visitor.page.evaluate(
        "document.body.append(document.createElement('button'), new Image())"
    )
    assert len(violations(visitor.page)) >= 2
    context.close()


def test_double_zoom_and_a_phone_need_no_sideways_scroll(browser, server):
    # A window of 1280 pixels at 200 % has 640 of them.
    context = browser.new_context(viewport={"width": 640, "height": 450})
    visitor = visit(context, server.url)
    visitor.use_example()
    visitor.release()
    for name in PAGES:
        visitor.go(name)
        visitor.unfold()
        assert sideways(visitor.page) <= 640, name
        visitor.page.set_viewport_size({"width": 390, "height": 844})
        visitor.settle()
        assert sideways(visitor.page) <= 390, name
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


def violations(page: Page) -> list[str]:
    """Return rule, place and impact of each violation."""
    return [
        f"{rule['id']} at {node['target']} {node['html'][:120]} {rule['impact']}"
        for rule in Axe().run(page)["violations"]
        for node in rule["nodes"]
        if not ("duplicate-id" in rule["id"] and _CELL in node["html"])
    ]


def sideways(page: Page) -> int:
    """Return how wide the page and its scrolling part are, whichever is wider."""
    return page.evaluate(
        "Math.max(document.documentElement.scrollWidth,"
        " document.querySelector('[data-testid=stMain]').scrollWidth)"
    )
