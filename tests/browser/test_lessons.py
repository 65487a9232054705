"""Lessons by keys alone, in the projector view and outside it."""

from __future__ import annotations

from contextlib import suppress

import pytest
from playwright.sync_api import Error, expect

from dpcore.lessons.lesson import LessonStep
from dpcore.lessons.paths import LESSONS, PATHS
from tests.browser.test_accessibility import grave, violations
from tests.browser.visitor import Visitor

pytestmark = pytest.mark.browser

# Into the next lesson and no farther: every step is another page, and takes its time.
_PRESSES = 2
# How long a press may take to be heard, in milliseconds, and how often it is tried.
_HEARD, _TRIES = 15_000, 5


def press(page, key):
    """Press a key until it is heard: a page just drawn may not listen yet."""
    asked = page.evaluate("rest.asked")
    for _ in range(_TRIES):
        page.keyboard.press(key)
        with suppress(Error):
            page.wait_for_function("asked => rest.asked > asked", arg=asked, timeout=_HEARD)
            return
    pytest.fail(f"{key} is never heard")


def checked(page, step):
    box = page.get_by_role("radio", name=step.label, exact=True)
    expect(box).to_be_checked()


def test_a_path_is_walked_by_the_keys_of_a_clicker(context, server):
    page = context.new_page()
    page.set_viewport_size({"width": 1024, "height": 768})
    visitor = Visitor(page, server.url)
    path = PATHS["board"]
    place = (next(iter(path.lessons)), LessonStep.PLAY)
    link = f"lessons?path=board&lesson={place[0]}&step={place[1]}&projector=true"
    visitor.open(link)
    for _ in range(_PRESSES):
        lesson, step = place
        heading = page.get_by_role("heading", name=path.lessons[lesson].title)
        heading.wait_for()
        checked(page, step)
        assert f"lesson={lesson}" in page.url
        wide = "document.documentElement.scrollWidth"
        assert page.evaluate(wide) <= 1024
        visitor.settle()
        place = path.after(*place)
        press(page, "PageDown")
    page.get_by_role("heading", name=path.lessons[place[0]].title).wait_for()
    checked(page, place[1])
    assert not page.get_by_test_id("stSidebar").is_visible()
    assert not page.get_by_test_id("stHeader").is_visible()
    visitor.settle()
    press(page, "PageUp")
    checked(page, path.before(*place)[1])


def test_keys_lead_on_from_an_answer_that_has_the_focus_and_a_click_opens_the_tools(
    context, server
):
    page = context.new_page()
    visitor = Visitor(page, server.url)
    visitor.open("lessons")
    question = LESSONS["why-noise"].text().predict
    visitor.pick(question.right.text)
    # Until then an arrow moves the choice.
    expect(page.locator(".st-key-lesson-next button")).to_be_enabled()
    press(page, "ArrowRight")
    checked(page, LessonStep.REVEAL)
    visitor.settle()
    foot = page.get_by_role("button", name="Back").bounding_box()
    press(page, "PageDown")
    checked(page, LessonStep.PLAY)
    visitor.settle()
    assert page.get_by_role("button", name="Back").bounding_box() == foot
    slider = page.get_by_role("slider", name="Privacy parameter ε")
    slider.focus()
    # An arrow moves a slider that has the focus, and leads nowhere.
    press(page, "ArrowRight")
    visitor.settle()
    checked(page, LessonStep.PLAY)
    assert grave(violations(page)) == []
    an_arrow_opens_the_tools(page)


def an_arrow_opens_the_tools(page):
    """Click the arrow of a button in a browser that is slow."""
    # Whatever happens next seems to happen a second later.
    page.evaluate("(() => { let now = Date.now(); Date.now = () => (now += 1000); })()")
    tools = page.get_by_role("button", name="Teach", exact=True)
    # Before its font is there, the arrow is a word that reaches beyond the button.
    page.evaluate("Promise.all([...document.fonts].map(font => font.load()))")
    box = tools.bounding_box()
    assert box is not None
    tools.click(position={"x": box["width"] - 16, "y": box["height"] / 2})
    expect(page.get_by_role("dialog", name="Teach")).to_be_visible()
    expect(tools).to_have_attribute("aria-expanded", "true")
