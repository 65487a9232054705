"""The page Lessons: predicting, stepping, and addresses of steps."""

from __future__ import annotations

import secrets
from datetime import UTC, datetime

import pytest
from streamlit import config

from dpcore.lessons.classroom import spaced
from dpcore.lessons.paths import LESSONS, PATHS
from tests.app.phone import Phone
from tests.app.test_pages import button, by_label, charts
from ui.lessons import phones
from ui.lessons.phones import ROOMS


def next_step(app):
    next(one for one in app.button if one.key == "lesson-next").click().run()


def linked(app, **settings):
    app.query_params |= settings
    app.switch_page("pages/lessons.py").run()
    return app


def address(app):
    return tuple(app.query_params[key] for key in ("path", "lesson", "step"))


def test_a_lesson_is_taken_from_first_to_last_step(open_page):
    app = open_page("lessons")
    first, second, *_ = PATHS["class"].lessons
    lesson_text = LESSONS[first].text()
    assert address(app) == ("class", first, "predict")
    assert not charts(app)
    next_step(app)
    # What is true is not shown to whoever has not predicted.
    assert not charts(app)
    question = by_label(app.radio, lesson_text.predict.text)
    question.set_value(lesson_text.predict.choices.index(lesson_text.predict.right)).run()
    assert len(charts(app)) == 1
    assert app.success[0].value.startswith("Correct")
    next_step(app)
    before = charts(app)
    by_label(app.slider, "Privacy parameter ε").set_value(3.0).run()
    assert charts(app) != before
    next_step(app)
    for asked in lesson_text.questions:
        wrong = next(i for i, one in enumerate(asked.choices) if not one.right)
        by_label(app.radio, asked.text).set_value(wrong)
    app.run()
    assert len(app.warning) == len(lesson_text.questions)
    next_step(app)
    assert address(app) == ("class", first, "home")
    next_step(app)
    assert address(app) == ("class", second, "predict")
    button(app, "Back").click().run()
    assert address(app) == ("class", first, "home")


def test_a_link_leads_to_its_step(app):
    linked(app, path="seminar", lesson="clamping", step="play", projector="true")
    assert address(app) == ("seminar", "clamping", "play")
    assert by_label(app.toggle, "Projector view").value
    assert len(charts(app)) == 1


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"path": "x", "lesson": "y", "step": "z"}, ("class", "why-noise", "predict")),
        ({"path": "board", "lesson": "x"}, ("board", "meaning", "predict")),
        # A path that no longer has the lesson: one that has it.
        ({"path": "class", "lesson": "bootstrap"}, ("seminar", "bootstrap", "predict")),
    ],
)
def test_a_link_that_leads_nowhere_leads_to_the_beginning_or_another_path(app, asked, found):
    linked(app, **asked)
    assert address(app) == found


def leading(open_page):
    """Return a tab that leads a class, and the code of the class."""
    app = open_page("lessons")
    button(app, "Open a class for phones").click().run()
    (address,) = [code.value for code in app.code if "/class/" in code.value]
    return app, address.rpartition("/")[2]


def test_an_address_without_the_key_leads_no_class(open_page):
    app = open_page("lessons")
    code = ROOMS.open(now=datetime.now(UTC), draw=secrets.choice)
    linked(app, **{"class": code, "clock": "soon"})
    assert button(app, "Open a class for phones")
    assert button(app, "Start the clock")


def test_a_class_answers_from_its_phones(open_page):
    app, code = leading(open_page)
    lesson = LESSONS["why-noise"].text().predict
    visitors = [Phone(code), Phone(code)]
    for phone, choice in zip(visitors, (0, 1), strict=True):
        assert phone.join() == 200
        assert phone.question()["question"] == lesson.text
        phone.answer(choice)
    visitors[1].answer(0)
    app.run()
    said = f"Class **{spaced(code)}**: 2 of 2 phones answered."
    assert said in [markdown.value for markdown in app.markdown]
    next_step(app)
    # The truth beside what they expected; nobody predicted in this tab.
    assert len(charts(app)) == 2
    shown = visitors[0].question()
    assert (shown["right"], shown["why"]) == (lesson.right.text, lesson.choices[0].why)
    # Back at the question: who has seen the answer cannot vote on it.
    button(app, "Back").click().run()
    assert any("answers are closed" in markdown.value for markdown in app.markdown)
    assert not visitors[0].question()["open"]
    for _ in range(3):
        next_step(app)
    assert any("Ask them aloud" in caption.value for caption in app.caption)
    button(app, "End the class").click().run()
    assert visitors[0].ask("question")[0] == 404


def test_many_phones_behind_one_address_are_admitted_by_the_teacher(open_page):
    app, code = leading(open_page)
    while Phone(code).join() == 200:
        pass
    app.run()
    box = "All phones use the school’s Wi-Fi"
    next_step(app)
    (said,) = [one.value for one in app.warning]
    assert said.startswith("1 attempt to join failed")
    assert box in said
    by_label(app.checkbox, box).check().run()
    assert not any("failed" in one.value for one in app.warning)
    assert Phone(code).join() == 200


@pytest.mark.parametrize("hosts", [["localhost"], ["localhost", "studio.lan"]])
def test_the_panel_shows_an_address_for_phones_or_the_command(open_page, monkeypatch, hosts):
    options = {"server.address": "", "server.allowedHosts": hosts}
    real = config.get_option
    monkeypatch.setattr(phones.st, "get_option", lambda name: options.get(name, real(name)))
    app = open_page("lessons")
    button(app, "Open a class for phones").click().run()
    shown = [code.value for code in app.code]
    addresses = [one for one in shown if one.startswith("http://studio.lan:")]
    commands = [one for one in shown if "--classroom" in one]
    # The class and the step; no phone scans the step, or a code that it cannot use.
    named = "studio.lan" in hosts
    assert (len(addresses), len(app.get("image"))) == (2 * named, named)
    assert len(commands) == 1 - named
    assert len([one for one in app.caption if "cannot open" in one.value]) == 1 - named


def test_a_server_without_pages_of_phones_names_the_one_command_for_them(open_page, monkeypatch):
    monkeypatch.setattr(phones, "are_served", lambda: False)
    app = open_page("lessons")
    assert len([code for code in app.code if "--classroom" in code.value]) == 1
    assert not [one for one in app.button if one.key == "class-open"]
