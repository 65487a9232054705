"""Phones of a class: seats from the server, and answers to the open question."""

from __future__ import annotations

import secrets
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
import streamlit as st

from dpcore.lessons import classroom
from dpcore.lessons.classroom import MOST_SEATS, ClassroomRefusal, Rooms
from dpcore.lessons.lesson import ask, right, wrong
from tests.app.phone import Phone
from tests.conftest import ROOT
from ui.lessons import phones

QUESTION = ask("Which one?", right("this", "It is."), wrong("that", "It is not."))


@pytest.fixture(autouse=True)
def rooms(monkeypatch):
    fresh = Rooms()
    monkeypatch.setattr(phones, "ROOMS", fresh)
    return fresh


@pytest.fixture
def code(rooms):
    return opened(rooms)


def opened(rooms, *, taking=True):
    code = rooms.open(now=datetime.now(UTC), draw=secrets.choice)
    lead(rooms, code, taking=taking)
    return code


def lead(rooms, code, *, taking):
    rooms.lead(
        code,
        lesson="why-noise",
        situation="Two averages are published.",
        question=QUESTION,
        taking=taking,
        now=datetime.now(UTC),
    )


def texts(question):
    return [choice.text for choice in question.choices]


def test_a_phone_answers_and_learns_the_truth_when_the_question_is_closed(rooms, code):
    phone = Phone(code)
    assert phone.join() == 200
    shown = phone.question()
    assert shown["situation"] == "Two averages are published."
    assert shown["choices"] == texts(QUESTION)
    assert shown["chosen"] is None
    assert not {"why", "right", "because"} & set(shown)
    wrong_one = texts(QUESTION).index("that")
    assert phone.answer(wrong_one) == 200
    assert phone.question()["chosen"] == wrong_one
    lead(rooms, code, taking=False)
    shown = phone.question()
    assert (shown["why"], shown["right"], shown["because"]) == ("It is not.", "this", "It is.")
    late = Phone(code, "192.0.2.2")
    late.join()
    assert (late.question()["right"], late.question()["chosen"]) == ("this", None)
    rooms.close(code)
    assert phone.ask("question")[0] == 404


def test_many_phones_join_and_answer_at_once(rooms, code):
    def visit(number):
        phone = Phone(code, f"10.0.0.{number}")
        return phone.join(), phone.answer(number % 2), phone.question()["chosen"]

    with ThreadPoolExecutor(max_workers=20) as pool:
        found = list(pool.map(visit, range(100)))
    assert found == [(200, 200, number % 2) for number in range(100)]
    assert rooms.room(code).counts("why-noise", 2) == [50, 50]


@pytest.mark.parametrize("token", ["", "a", "a.", "a.b", "é.ü", "." * 3])
def test_a_forged_seat_is_refused(rooms, code, token):
    phone = Phone(code)
    phone.cookies[phones.COOKIE] = (token, "/")
    assert phone.ask("question")[0] == 403
    assert phone.answer(0) == 403
    assert rooms.room(code).answers == {}


@pytest.mark.parametrize("path", ["seat", "answer/why-noise/0"])
def test_a_page_of_another_site_takes_no_seat_and_sends_no_answer(rooms, code, path):
    phone = Phone(code)
    if path != "seat":
        phone.join()
    assert phone.ask(path, "POST", own=False)[0] == 403
    assert rooms.room(code).answers == {}


def test_one_phone_cannot_fill_a_class(rooms, code, monkeypatch):
    taken = [Phone(code, "2001:db8::1").join() for _ in range(20)]
    # Another address of the same network is the same phone.
    taken += [Phone(code, f"2001:db8::{number}").join() for number in range(2, 9)]
    assert taken.count(200) == classroom.SEATS_OF_CLIENT
    assert Phone(code, "2001:db9::1").join() == 200
    assert rooms.room(code).crowded == len(taken) - classroom.SEATS_OF_CLIENT
    rooms.share_address(code, shared=True)
    monkeypatch.setattr(classroom, "MOST_SEATS", 10)
    taken = [Phone(code).join() for _ in range(20)]
    assert taken.count(200) == 10 - classroom.SEATS_OF_CLIENT - 1
    assert MOST_SEATS >= 300


def test_guessing_codes_is_limited(code):
    guesses = [Phone("AAAAAAA").ask("seat", "POST") for _ in range(99)]
    assert {status for status, _ in guesses} == {404, 429}
    assert guesses[-1][1] == {"refusal": ClassroomRefusal.GUESSING.value}
    # A right code, too, is refused to whoever guesses, and to nobody else.
    assert Phone(code).join() == 429
    assert Phone(code, "192.0.2.2").join() == 200


def test_classes_are_kept_where_no_browser_can_clear_them(code):
    phone = Phone(code)
    phone.join()
    # What the frame `clear_cache` does.
    st.cache_data.clear()
    st.cache_resource.clear()
    assert phone.question()["open"]


def test_phones_need_nothing_that_is_slow_to_import():
    # They are imported before the server answers.
    script = "import sys, asgi; print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not {"numpy", "pandas", "opendp"} & set(found.stdout.split())


HOME = ("localhost", "127.0.0.1")
EVERYWHERE = "0.0.0.0"  # noqa: S104


@pytest.mark.parametrize(
    ("page", "address", "hosts", "found"),
    [
        ("http://127.0.0.1:8501/x", "127.0.0.1", HOME, None),
        ("http://localhost:8501/x", "localhost", HOME, None),
        ("http://[::1]:8501/x", "::1", HOME, None),
        ("http://localhost:8501/x", EVERYWHERE, HOME, None),
        ("http://localhost:8501/x", EVERYWHERE, (*HOME, "10.0.0.7"), "http://10.0.0.7:8502/x"),
        ("http://localhost/x", "", (*HOME, "fd00::7"), "http://[fd00::7]:8502/x"),
        ("http://localhost/x", "10.0.0.7", (), "http://10.0.0.7:8502/x"),
        ("http://localhost/x", "", (), "http://10.9.9.9:8502/x"),
        ("http://localhost/x", "", ("*",), "http://10.9.9.9:8502/x"),
        ("http://localhost/x", "studio.lan", (), "http://studio.lan:8502/x"),
        ("https://studio.org/x", "127.0.0.1", HOME, "https://studio.org/x"),
    ],
)
def test_the_address_is_one_that_phones_can_open(monkeypatch, page, address, hosts, found):
    monkeypatch.setattr(phones, "own_address", lambda: "10.9.9.9")
    assert phones.for_devices(page, address=address, hosts=hosts, port=8502) == found
