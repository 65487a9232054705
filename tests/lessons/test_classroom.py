"""Rooms of classes: many phones at once, one answer a seat, nothing kept for long."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from dpcore.errors import ParameterError
from dpcore.lessons import classroom
from dpcore.lessons.classroom import LASTS, LENGTH, LETTERS, MOST_ROOMS, Rooms

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)


def opened(lesson="why-noise"):
    rooms, letters = Rooms(), iter("KXTB" * 100)
    code = rooms.open(now=NOW, draw=lambda _: next(letters))
    rooms.lead(code, lesson=lesson, taking=True, now=NOW)
    return rooms, code


def test_thirty_phones_at_once_are_all_counted():
    rooms, code = opened()

    def phone(number):
        for choice in (0, 2, number % 3):  # who changes their mind counts once
            assert rooms.answer(
                code, lesson="why-noise", seat=str(number), choice=choice
            )

    with ThreadPoolExecutor(max_workers=30) as pool:
        list(pool.map(phone, range(30)))
    assert rooms.room(code).counts("why-noise", 3) == [10, 10, 10]
    assert rooms.room(code).answered("why-noise", "4") == 1
    assert rooms.room(code).answered("why-noise", "nobody") is None


def test_answers_are_taken_while_the_question_is_open_and_no_longer():
    rooms, code = opened()
    assert not rooms.answer(code, lesson="averaging", seat="a", choice=0)
    rooms.lead(code, lesson="why-noise", taking=False, now=NOW)
    assert not rooms.answer(code, lesson="why-noise", seat="a", choice=0)
    rooms.lead(code, lesson="averaging", taking=True, now=NOW)
    assert rooms.answer(code, lesson="averaging", seat="a", choice=1)
    assert rooms.room(code).counts("averaging", 2) == [0, 1]
    assert rooms.room(code).counts("why-noise", 2) == [0, 0]


def test_codes_are_read_aloud_and_typed_carelessly():
    rooms, code = opened()
    assert len(code) == LENGTH
    assert set(code) <= set(LETTERS)
    assert not set("IO01Q") & set(LETTERS)
    assert rooms.room(f" {code.lower()} ").code == code
    assert rooms.room("") is None


def test_no_two_rooms_share_a_code():
    rooms, letters = Rooms(), iter("AAAA" + "AAAA" + "BBBB")
    codes = [rooms.open(now=NOW, draw=lambda _: next(letters)) for _ in range(2)]
    assert codes == ["AAAA", "BBBB"]


def test_rooms_and_seats_are_limited_and_left_rooms_forgotten(monkeypatch):
    monkeypatch.setattr(classroom, "MOST_SEATS", 2)
    rooms, code = opened()
    taken = [
        rooms.answer(code, lesson="why-noise", seat=seat, choice=0)
        for seat in ("a", "b", "c", "a")
    ]
    assert taken == [True, True, False, True]
    places = iter(range(10**6))

    def draw(letters):
        place = next(places)
        return letters[
            place // LENGTH // len(letters) ** (place % LENGTH) % len(letters)
        ]

    for _ in range(MOST_ROOMS - 1):
        rooms.open(now=NOW, draw=draw)
    with pytest.raises(ParameterError, match="classes are being held"):
        rooms.open(now=NOW, draw=draw)
    later = NOW + LASTS + timedelta(seconds=1)
    rooms.lead(code, lesson="why-noise", taking=True, now=later)
    rooms.open(now=later, draw=draw)
    assert rooms.room(code) is not None


def test_a_closed_room_takes_nothing_and_knows_nothing():
    rooms, code = opened()
    rooms.answer(code, lesson="why-noise", seat="a", choice=0)
    rooms.close(code)
    rooms.lead(code, lesson="why-noise", taking=True, now=NOW)
    assert not rooms.answer(code, lesson="why-noise", seat="a", choice=0)
    assert rooms.room(code) is None
