"""Figures stay on the page, follow each change, and films follow a dragged slider."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.rest import settled
from tests.browser.test_accessibility import FADED, grave, violations
from tests.browser.visitor import visit

pytestmark = pytest.mark.browser

# From the right end to the left one and back.
FRAMES = 40
# Moves the pointer there and back with every frame, and counts the pictures that it meets.
DRAG = """async ([left, right, y, frames]) => {
  const chart = document.querySelector(".live-chart");
  const curve = () => [...chart.querySelectorAll("path.js-line")]
    .map(each => each.getAttribute("d")).join();
  let [pictures, empty, last] = [0, 0, curve()];
  for (let frame = 0; frame < frames; frame += 1) {
    await new Promise(requestAnimationFrame);
    const now = curve();
    pictures += now !== last;
    empty += now === "";
    last = now;
    const part = Math.abs(((frame / 20) % 2) - 1);
    const clientX = left + (right - left) * part;
    const about = {pointerId: pointer, pointerType: "mouse", buttons: 1, bubbles: true};
    window.dispatchEvent(new PointerEvent("pointermove", {...about, clientX, clientY: y}));
  }
  return {pictures, empty};
}"""


def curve(page):
    return page.locator(".live-chart path.js-line").first


def thumb(page, slider="miniature"):
    return page.locator(f".st-key-{slider} input[type=range]")


def drag(page, slider="miniature"):
    """Drag a slider, and return what was seen."""
    listen = "() => addEventListener('pointerdown', e => { window.pointer = e.pointerId; }, true)"
    page.evaluate(listen)
    track = page.locator(f".st-key-{slider} [role=group]").bounding_box()
    knob = page.locator(f".st-key-{slider} [data-rac][style*=left]").bounding_box()
    x, y = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 10, y)
    return page.evaluate(DRAG, [track["x"], track["x"] + track["width"], y, FRAMES])


def test_a_film_is_words_at_first_and_follows_a_link_the_keys_and_the_slider(context, server):
    context.route("**/plotly.min.js", lambda route: route.abort())
    home = visit(context, server.url, "?miniature=1.1")
    page, figure = home.page, home.page.get_by_role("figure")
    expect(figure).to_contain_text("Two overlapping bumps")
    context.unroute("**/plotly.min.js")
    thumb(page).focus()
    page.keyboard.press("ArrowLeft")
    expect(curve(page)).to_be_visible()
    expect(figure).not_to_contain_text("Two overlapping bumps")
    settled(page)
    began = curve(page).get_attribute("d")
    page.keyboard.press("ArrowRight")
    expect(curve(page)).not_to_have_attribute("d", began)
    settled(page)
    assert "miniature=1.1" in page.url
    page.keyboard.press("ArrowLeft")
    expect(curve(page)).to_have_attribute("d", began)
    settled(page)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        settled(page)
        page.wait_for_function(FADED)
        has_the_colors_of_the_page(page)
    assert grave(violations(page)) == []
    asked = page.evaluate("rest.asked")
    said = page.get_by_test_id("stMetricValue").first
    expect(said).to_have_text("50% → at most 73.2%")
    found = drag(page)
    assert found["empty"] == 0
    assert found["pictures"] > 10
    assert page.evaluate("rest.asked") == asked
    assert float(thumb(page).get_attribute("value")) != 1.0
    followed = said.text_content()
    assert followed != "50% → at most 73.2%"
    page.mouse.up()
    settled(page)
    assert page.evaluate("rest.asked") > asked
    value = float(thumb(page).get_attribute("value"))
    assert f"miniature={value:g}" in page.url
    expect(said).to_have_text(followed)


def has_the_colors_of_the_page(page):
    app, paper, words = page.evaluate("""() => {
      const style = place => getComputedStyle(document.querySelector(place));
      const text = style(".live-chart .xtitle");
      return [style(".stApp").backgroundColor, style(".live-chart .main-svg").backgroundColor,
        [text.fill, style(".stApp").color, text.fontFamily, style(".stApp").fontFamily]];
    }""")
    assert paper == app
    assert words[:2] == [words[1]] * 2
    assert words[2] == words[3]


def test_an_epsilon_that_is_dragged_or_typed_is_the_same_in_both_controls(context, server):
    page = visit(context, server.url, "release?example=rand-hie").page
    margin, beside = ".st-key-release-margin [data-testid=stMetricValue]", ".st-key-beside strong"
    in_both_controls(page, "epsilon", margin, beside)


@pytest.mark.exhaustive
def test_of_two_sliders_the_one_counts_that_moved_last(context, server):
    page = visit(context, server.url, "meaning?example=rand-hie").page
    page.get_by_text("Custom ε").click()
    settled(page)
    in_both_controls(page, "meaning-epsilon", ".live-title")
    title = page.locator(".live-title").text_content()
    thumb(page, "meaning-prior").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".live-title")).not_to_have_text(title)
    settled(page)
    expect(page.locator(".live-title")).to_contain_text("51% sure")


def in_both_controls(page, key, *heard):
    """Drag a slider of ε and type into its box; what is said follows both."""
    slider = f"{key}-slider"
    box = page.locator(f".st-key-{key} input")
    said = [page.locator(place).first for place in heard]
    expect(curve(page)).to_be_visible()
    # Frames are computed once the slider is reached.
    page.locator(f".st-key-{slider}").hover()
    settled(page)
    asked, before = page.evaluate("rest.asked"), [one.text_content() for one in said]
    found = drag(page, slider)
    assert found["empty"] == 0
    assert found["pictures"] > 1
    assert page.evaluate("rest.asked") == asked
    dragged = thumb(page, slider).get_attribute("aria-valuetext")
    expect(box).to_have_value(dragged)
    followed = [one.text_content() for one in said]
    assert all(one != other for one, other in zip(before, followed, strict=True))
    page.mouse.up()
    settled(page)
    assert f"{key}={dragged}" in page.url
    expect(box).to_have_value(dragged)
    for one, text in zip(said, followed, strict=True):
        expect(one).to_have_text(text)

    box.fill("0.37")
    box.press("Enter")
    settled(page)
    expect(thumb(page, slider)).to_have_attribute("aria-valuetext", "0.37")
    thumb(page, slider).focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    expect(box).to_have_value("0.4")
    expect(thumb(page, slider)).to_be_focused()


def test_many_figures_share_one_script_and_fit_any_width(context, server):
    asked = []
    context.on("request", lambda request: asked.append(request.url))
    study = visit(context, server.url, "study1")
    charts = study.page.get_by_role("figure")
    expect(charts.locator("path, rect").first).to_be_attached()
    assert charts.count() > 1
    assert sum(url.endswith("plotly.min.js") for url in asked) == 1
    assert grave(violations(study.page)) == []
    study.page.get_by_role("tab", name="Covariance and correlation").click()
    study.settle()
    for width in (1280, 390):
        study.page.set_viewport_size({"width": width, "height": 844})
        chart = charts.first
        expect(chart.locator(".main-svg").first).to_be_visible()
        fits = "box => box.querySelector('.main-svg').getBoundingClientRect().width"
        expect(chart).to_have_js_property("clientWidth", round(chart.evaluate(fits)))
    study.page.emulate_media(media="print")
    study.page.set_viewport_size({"width": 300, "height": 844})
    assert chart.evaluate(fits) <= 300
