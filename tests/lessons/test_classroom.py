"""Rooms of classes: many phones at once, one answer a seat, nothing kept for long."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from dpcore.lessons import classroom
from dpcore.lessons.classroom import (
    MINUTE,
    SEATS_A_MINUTE,
    SEATS_OF_CLIENT,
    WRONG_CODES_A_MINUTE,
    ClassroomRefusal,
    Rooms,
)
from dpcore.lessons.lesson import ask, right, wrong

NOW = datetime(2026, 11, 23, 9, tzinfo=UTC)
QUESTION = ask("Which?", right("a", "Yes."), wrong("b", "No."), wrong("c", "No."))


def opened(lesson="why-noise"):
    rooms, letters = Rooms(), iter("KXTBHRM" * 100)
    code = rooms.open(now=NOW, draw=lambda _: next(letters))
    lead(rooms, code, lesson=lesson)
    return rooms, code


def lead(rooms, code, *, lesson="why-noise", taking=True, now=NOW):
    rooms.lead(code, lesson=lesson, question=QUESTION, taking=taking, now=now)


def test_thirty_phones_at_once_are_all_counted():
    rooms, code = opened()

    def phone(number):
        for choice in (0, 2, number % 3):  # who changes their mind counts once
            assert rooms.answer(code, lesson="why-noise", seat=str(number), choice=choice)

    with ThreadPoolExecutor(max_workers=30) as pool:
        list(pool.map(phone, range(30)))
    assert rooms.room(code).counts("why-noise", 3) == [10, 10, 10]
    assert rooms.room(code).answered("why-noise", "4") == 1
    assert rooms.room(code).answered("why-noise", "nobody") is None


def test_no_two_rooms_share_a_code():
    rooms, letters = Rooms(), iter(2 * "AAAAAAA" + "BBBBBBB")
    codes = [rooms.open(now=NOW, draw=lambda _: next(letters)) for _ in range(2)]
    assert codes == ["AAAAAAA", "BBBBBBB"]


def test_a_class_and_each_client_have_so_many_seats(monkeypatch):
    monkeypatch.setattr(classroom, "MOST_SEATS", 7)
    rooms, code = opened()
    refusals = [rooms.join(code, client=client, now=NOW) for client in "a" * 6 + "b" * 3]
    kept = [None] * SEATS_OF_CLIENT
    assert refusals == [*kept, ClassroomRefusal.CROWDED, None, None, ClassroomRefusal.FULL]
    assert rooms.room(code).crowded == 1


def test_a_shared_address_has_many_seats_and_not_all_at_once():
    rooms, code = opened()
    rooms.share_address(code, shared=True)
    refusals = [rooms.join(code, client="proxy", now=NOW) for _ in range(SEATS_A_MINUTE + 1)]
    assert refusals == [None] * SEATS_A_MINUTE + [ClassroomRefusal.HURRY]
    assert rooms.join(code, client="proxy", now=NOW + MINUTE) is None


def test_whoever_guesses_codes_waits_a_minute():
    rooms, code = opened()
    wrong_ones = [rooms.join("AAAAAAA", client="a", now=NOW) for _ in range(WRONG_CODES_A_MINUTE)]
    assert set(wrong_ones) == {ClassroomRefusal.UNKNOWN}
    assert rooms.join(code, client="a", now=NOW) is ClassroomRefusal.GUESSING
    assert rooms.join(code, client="b", now=NOW) is None
    assert rooms.join(code, client="a", now=NOW + MINUTE) is None


def test_counting_clients_takes_bounded_memory(monkeypatch):
    monkeypatch.setattr(classroom, "MOST_KEYS", 3)
    rooms, code = opened()
    for client in "abc":
        rooms.join("AAAAAAA", client=client, now=NOW)
    assert rooms.join(code, client="d", now=NOW) is ClassroomRefusal.GUESSING
    assert rooms.join(code, client="a", now=NOW) is None


def test_a_question_whose_answer_was_shown_takes_no_answers_again():
    rooms, code = opened()
    # Nobody has joined yet: nobody has seen it.
    lead(rooms, code, taking=False)
    lead(rooms, code)
    rooms.join(code, client="a", now=NOW)
    assert rooms.answer(code, lesson="why-noise", seat="a", choice=0)
    lead(rooms, code, taking=False)
    lead(rooms, code)
    assert not rooms.answer(code, lesson="why-noise", seat="a", choice=1)
    assert rooms.room(code).answered("why-noise", "a") == 0
    lead(rooms, code, lesson="one-guest")
    assert rooms.answer(code, lesson="one-guest", seat="a", choice=1)


def test_a_closed_room_takes_nothing_and_knows_nothing():
    rooms, code = opened()
    rooms.answer(code, lesson="why-noise", seat="a", choice=0)
    rooms.close(code)
    lead(rooms, code)
    assert not rooms.answer(code, lesson="why-noise", seat="a", choice=0)
    assert rooms.room(code) is None
