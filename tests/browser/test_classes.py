"""Phones join a class under the host that the server was started with."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from websockets.exceptions import InvalidHandshake

from benchmarks import phones
from dpcore.lessons.lesson import LessonStep
from dpcore.lessons.paths import LESSONS, PATHS
from tests.browser.server import HOST
from tests.browser.tab import Tab
from tests.browser.test_accessibility import violations
from tests.browser.test_lessons import checked, press
from tests.browser.visitor import Visitor
from tests.conftest import everything

CLASS = PATHS["class"]
QUESTION = LESSONS[next(iter(CLASS.lessons))].text().predict

PHONES = 3
# A lesson that begins with all phones, and one that a phone joins late.
WALKED = [*CLASS.lessons.values()][: None if everything() else 2]


@pytest.fixture(scope="module")
def address(server):
    """The address that the teacher's tab shows."""
    return in_a_thread(opened(server.url))


def in_a_thread(work):
    """Run it where no other event loop is."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, work).result()


async def offered(url, page, query=""):
    """The buttons of a page, for somebody without a cookie."""
    async with Tab(url, page, query) as tab:
        return tab.buttons


async def opened(url):
    async with Tab(url, "lessons") as teacher:
        await teacher.press("Open a class for phones")
        return next(code for code in teacher.codes if "/class/" in code)


def test_a_phone_joins_at_the_address_that_is_shown(server, address):
    parts = urlsplit(address)
    assert parts.netloc == f"{HOST}:{server.port}"
    phone = HTTPConnection("127.0.0.1", server.port)
    headers = {"Host": parts.netloc, "x-class": "1"}

    def answered(method, path):
        phone.request(method, parts.path + path, headers=headers)
        response = phone.getresponse()
        body = response.read()
        assert response.status == 200
        return response, body

    answered("GET", "")
    response, _ = answered("POST", "/seat")
    cookie = response.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    headers["Cookie"] = cookie.partition(";")[0]
    response, body = answered("GET", "/question")
    assert json.loads(body)["question"] == QUESTION.text
    assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
    phone.close()


def test_tabs_are_served_to_the_named_host_and_to_no_other(server, address):
    del address
    in_a_thread(opened(f"http://{HOST}:{server.port}"))
    with pytest.raises(InvalidHandshake):
        in_a_thread(opened(f"http://other.test:{server.port}"))


@pytest.mark.browser
def test_a_phone_keeps_its_seat_and_answer_through_a_reload(context, server, address):
    page = context.new_page()
    page.set_viewport_size({"width": 360, "height": 740})
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(f"{server.url}/class")
    code = address.rpartition("/")[2]
    page.get_by_label("Class code").fill(f"{code[:3]} {code[3:]}".lower())
    page.get_by_role("button", name="Join").click()
    page.get_by_role("heading", name=QUESTION.text).wait_for()
    choice = page.get_by_role("button", name=QUESTION.choices[1].text)
    choice.click()
    page.get_by_text("Answer sent").wait_for()
    page.reload()
    page.get_by_text("Answer sent").wait_for()
    expect(choice).to_have_attribute("aria-pressed", "true")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate("document.cookie.includes('seat')") is False
    assert problems == []


def phone(browser, address):
    """Return a phone that has joined a class."""
    size = {"width": 390, "height": 844}
    page = browser.new_context(viewport=size, has_touch=True, is_mobile=True).new_page()
    page.goto(address)
    return page


def predict(phones, question):
    """Let phones choose the answers of a question in turn; return how many are right."""
    chosen = [question.choices[i % len(question.choices)] for i in range(len(phones))]
    for each, choice in zip(phones, chosen, strict=True):
        each.get_by_role("heading", name=question.text).wait_for()
        each.get_by_role("button", name=choice.text, exact=True).click()
        each.get_by_text("Answer sent").wait_for()
    return sum(choice.right for choice in chosen)


@pytest.mark.browser
@pytest.mark.usefixtures("undrawn")
def test_the_tutorial_of_a_teacher_is_walked_with_a_class_of_phones(browser, context, server):
    visitor = Visitor(context.new_page(), server.url)
    visitor.open("lessons")
    screen = visitor.page
    expect(screen.get_by_text("36 min of lessons to go, 9 min in reserve")).to_be_visible()
    visitor.button("Teach").click()
    visitor.button("Open a class for phones").click()
    address = screen.get_by_text("/class/").inner_text()
    for pressed in ("All phones use the school’s Wi-Fi", "Projector view", "Start the clock"):
        screen.get_by_text(pressed, exact=True).click()
        visitor.settle()
    screen.keyboard.press("Escape")
    phones = [phone(browser, address) for _ in range(PHONES)]
    for number, lesson in enumerate(WALKED):
        question = lesson.text().predict
        right = predict(phones, question)
        if number == 1:
            # A browser without the key leads no class by the same address.
            others = in_a_thread(offered(server.url, "lessons", urlsplit(screen.url).query))
            assert "Open a class for phones" in others
            assert "End the class" not in others
            screen.reload()
            visitor.settle()
            # Whoever comes late has a place, and joins in.
            phones.append(phone(browser, address))
            phones[-1].get_by_role("heading", name=question.text).wait_for()
        answered = f"{PHONES if number < 2 else len(phones)} of {len(phones)} phones answered"
        expect(screen.get_by_text(answered)).to_be_visible()
        expect(screen.get_by_text("min left")).to_be_visible()
        press(screen, "PageDown")
        checked(screen, LessonStep.REVEAL)
        # The title: the figure says the same to screen readers.
        told = f"{right} of {answered.partition(' ')[0]} predicted it"
        expect(screen.locator("strong", has_text=told)).to_be_visible()
        for each, choice in zip(phones, question.choices, strict=False):
            said = "✓ Correct" if choice.right else "✗ Incorrect"
            expect(each.get_by_text(said)).to_be_in_viewport()
            assert each.evaluate("document.documentElement.scrollWidth") <= 390
        if number == 1:
            expect(phones[-1].get_by_text("Correct answer")).to_be_in_viewport()
        if lesson is WALKED[-1] and not everything():
            break
        for step in (LessonStep.PLAY, LessonStep.QUESTIONS, LessonStep.HOME):
            visitor.settle()
            press(screen, "PageDown")
            checked(screen, step)
        visitor.settle()
        if CLASS.after(lesson.key, LessonStep.HOME):
            press(screen, "PageDown")
    visitor.button("Teach").click()
    visitor.button("End the class").click()
    for each in phones:
        each.get_by_text("This class has ended").wait_for()
        each.context.close()


def test_a_class_as_it_is_measured_joins_answers_and_leaves(server, address, monkeypatch, capsys):
    for name in ("_JOINING", "_ANSWERING", "_LEAVING"):
        monkeypatch.setattr(phones, name, 0.1)
    measured = SimpleNamespace(url=server.url, processor=lambda: 0.0)
    visitors = [phones.Phone(address, number) for number in range(20)]
    in_a_thread(phones.visit("class", measured, visitors))
    printed = capsys.readouterr().out
    assert [line.split(":")[0] for line in printed.splitlines()] == [
        f"class, 20 {what}" for what in ("join", "answer", "leave")
    ]
