"""Answers of a class from its own phones: gathered under a code, kept in memory.

A room holds which question is open, and which answer each seat gave: places in lists of
public answers. It holds no names, no addresses and nothing of any table. Rooms are
shared by threads; a room is forgotten once nobody has led it for some hours.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from dpcore.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

LETTERS: Final = "ABCDEFGHJKLMNPRSTUVWXYZ"
"""Letters of a code: none that is read as a digit or as another letter."""
LENGTH: Final = 4
MOST_ROOMS, MOST_SEATS = 50, 500
LASTS: Final = timedelta(hours=4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a class was asked, and what it answered.

    Attributes:
        code: What phones join it by.
        led: When somebody last led it.
        lesson: Key of the lesson whose question is on screen; empty before the first.
        open: Whether answers are taken: the truth is not shown yet.
        answers: For each lesson the place of the answer that each seat chose.

    """

    code: str
    led: datetime
    lesson: str = ""
    open: bool = False
    answers: dict[str, dict[str, int]] = field(default_factory=dict)

    def counts(self, lesson: str, choices: int) -> list[int]:
        """Return how many chose each of the answers of a lesson's question."""
        given = list(self.answers.get(lesson, {}).values())
        return [given.count(place) for place in range(choices)]

    def answered(self, lesson: str, seat: str) -> int | None:
        """Return the answer of a seat, if it gave one."""
        return self.answers.get(lesson, {}).get(seat)


class Rooms:
    """All rooms of a server, for its threads. No room holds anything confidential."""

    def __init__(self) -> None:
        """Begin without rooms."""
        self._rooms: dict[str, Room] = {}
        self._lock = threading.Lock()

    def open(self, *, now: datetime, draw: Callable[[str], str]) -> str:
        """Open a room and return its code.

        Args:
            now: The time.
            draw: Returns one of the letters that it is given, at random.

        Raises:
            ParameterError: There are as many rooms as there may be.

        """
        with self._lock:
            self._forget(now)
            if len(self._rooms) >= MOST_ROOMS:
                message = (
                    f"{MOST_ROOMS} classes are being held on this server already; "
                    "count hands instead, or wait until one has ended."
                )
                raise ParameterError(message)
            code = _code(draw)
            while code in self._rooms:
                code = _code(draw)
            self._rooms[code] = Room(code=code, led=now)
            return code

    def lead(self, code: str, *, lesson: str, taking: bool, now: datetime) -> None:
        """Put the question of a lesson before the class; a lost room is no error."""
        with self._lock:
            room = self._rooms.get(code)
            if room is not None:
                self._rooms[code] = replace(room, led=now, lesson=lesson, open=taking)

    def answer(self, code: str, *, lesson: str, seat: str, choice: int) -> bool:
        """Note an answer, or another one in its place; tell whether it was taken.

        It is not where the question is no longer open, or the room is full.
        """
        with self._lock:
            room = self._rooms.get(code)
            if room is None or not room.open or room.lesson != lesson:
                return False
            given = room.answers.get(lesson, {})
            if seat not in given and len(given) >= MOST_SEATS:
                return False
            answers = room.answers | {lesson: given | {seat: choice}}
            self._rooms[code] = replace(room, answers=answers)
            return True

    def room(self, code: str) -> Room | None:
        """Return a room as it is now; ``None`` if there is none by that code."""
        with self._lock:
            return self._rooms.get(code.strip().upper())

    def close(self, code: str) -> None:
        """Forget a room and all of its answers."""
        with self._lock:
            self._rooms.pop(code, None)

    def _forget(self, now: datetime) -> None:
        for code in [c for c, room in self._rooms.items() if now - room.led > LASTS]:
            del self._rooms[code]


def _code(draw: Callable[[str], str]) -> str:
    return "".join(draw(LETTERS) for _ in range(LENGTH))
