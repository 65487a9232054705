"""Of a table with hostile names: nothing serious for axe-core, no scroll, no request.

`make test-all` looks at all views about a survey, in both color schemes, at 200% zoom too.
"""

from __future__ import annotations

import re

import pytest
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import Error, Page, expect

from tests.browser.visitor import visit
from tests.browser.wire import Wire
from tests.conftest import everything
from tests.registry import HEADINGS

pytestmark = pytest.mark.browser

# Streamlit's tables number their cells from 0, all tables of a page alike.
_CELL = 'id="glide-cell-'
_LOOK = """rules => axe.run(
    {exclude: [[".js-plotly-plot .main-svg *"], ["label[disabled] *"]]},
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
HOSTILE = (
    "![x](https://evil.test/p.png) <img src=https://evil.test/i.png onerror=alert(1)> "
    ":material/bomb: :red[stop] $\\latex$ [link](https://evil.test/l) "
    '<a href="https://evil.test/a">link</a>'
)
GROUP = f"{HOSTILE} group"
HOSTILE_FILE = "![x](https:evil.test) <img src=x onerror=alert(2)> $\\f$.csv"


def test_views_with_hostile_names_are_accessible_fit_and_ask_nobody(context, server):
    wire, dialogs = Wire(context), []
    visitor = visit(context, server.url)
    visitor.page.on("dialog", lambda dialog: (dialogs.append(dialog), dialog.dismiss()))
    rows = "\n".join(f"{i % 9},{'ab'[i % 2]}" for i in range(120))
    quoted = HOSTILE.replace('"', '""')
    visitor.go("data")
    visitor.upload(f'"{quoted}","{quoted} group"\n{rows}\n', HOSTILE_FILE)
    visitor.edit_columns()
    visitor.choose("Column", GROUP)
    visitor.choose("Type", "category")
    categories = visitor.page.get_by_role("textbox", name="Public list")
    categories.fill(f"{HOSTILE}\na\nb")
    categories.press("Control+Enter")
    visitor.settle()
    visitor.choose("Column", HOSTILE)
    visitor.declare(0, 10)
    looked_at(visitor, "data", "dark")
    visitor.go_on_to_release()
    visitor.pick("Classroom")
    visitor.go("privacy_loss")
    visitor.choose("Compare groups by", GROUP)
    looked_at(visitor, "privacy_loss", "light")
    visitor.go("release")
    visitor.choose("Column", GROUP)
    visitor.choose("Statistic", "histogram")
    visitor.press_release()
    expect(visitor.page.get_by_text("the largest").first).to_be_visible()
    visitor.settle()
    assert f"istogram of {GROUP}" in names(visitor)
    visitor.choose("Column", HOSTILE)
    visitor.button("Add to plan").click()
    visitor.release()
    visitor.unfold()
    looked_at(visitor, "release", "dark")
    visitor.go("plan")
    visitor.unfold()
    looked_at(visitor, "plan", "dark")
    visitor.go("documents")
    visitor.unfold()
    looked_at(visitor, "documents", "light")
    for name in ("accuracy", "regression", "budget", "manage") if everything() else ():
        visitor.go(name)
        visitor.unfold()
        names(visitor)
    assert dialogs == []
    assert wire.outside(server.url) == []
    checks_find_what_is_wrong(visitor)


def names(visitor):
    """Return the words of the page; hold that they name the file and draw nothing of it."""
    strange = visitor.page.locator("[src*=evil], [*|href*=evil], [onerror], [src=x], .katex")
    assert strange.evaluate_all("places => places.map(place => place.outerHTML)") == []
    expect(visitor.page.get_by_text("bomb", exact=True)).to_have_count(0)
    # Without what keeps letters from being a link.
    text = visitor.text.replace("\u2060", "")
    assert HOSTILE_FILE in text
    return text


def looked_at(visitor, name, scheme):
    """Hold that a view names columns letter by letter, is accessible and fits a phone."""
    names(visitor)
    accessible(visitor, name, scheme)
    fits_windows(visitor, name, PHONE, DESK)


@pytest.mark.exhaustive
def test_all_views_are_accessible_and_fit_double_zoom_and_a_phone(context, server):
    visitor = visit(context, server.url, "release?example=rand-hie")
    visitor.release()
    visitor.button("Add to plan").click()
    visitor.settle()
    for name in HEADINGS:
        visitor.go(name)
        visitor.unfold()
        for scheme in SCHEMES:
            accessible(visitor, name, scheme)
        fits_windows(visitor, name, ZOOMED, PHONE, DESK)


def accessible(visitor, name, scheme):
    """Hold that every figure is drawn and axe-core finds nothing serious in a color scheme."""
    # A few views have none before something is chosen.
    for figure in visitor.page.get_by_role("figure").all():
        expect(figure).to_have_class(re.compile("js-plotly-plot"))
    visitor.page.emulate_media(color_scheme=scheme)
    visitor.settle()
    found = violations(visitor.page)
    assert grave(found) == [], f"{name}, {scheme}: {found}"


def fits_windows(visitor, name, *sizes):
    """Hold that a view fits windows of these sizes, and leave it in the last one."""
    for size in sizes:
        visitor.page.set_viewport_size(size)
        visitor.settle()
        fits(visitor.page, name)


def grave(found):
    """Return the violations that keep somebody out."""
    return [line for line in found if line.split()[-1] in GRAVE]


def checks_find_what_is_wrong(visitor):
    """Hold that both schemes are seen, and no name, faint words and a wide page noticed."""
    page, backgrounds = visitor.page, set()
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        visitor.settle()
        backgrounds.add(background(page))
    assert len(backgrounds) == len(SCHEMES)
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

    What a chart draws is left out: a text and a table say the same beside it. So is the
    label of a control that is switched off, which needs no contrast (WCAG 2.2, 1.4.3).
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
