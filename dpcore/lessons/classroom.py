"""Classes that answer from phones: rooms, signed seats, and a limit on attempts.

A room holds which question is open, and which answer each seat gave: places in lists of
public answers. It holds no names, no addresses and nothing of any table. Rooms are
shared by threads; a room is forgotten once nobody has led it for some hours.
"""

from __future__ import annotations

import hmac
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from dpcore.errors import ParameterError

if TYPE_CHECKING:  # the pages of phones load no figures
    from dpcore.lessons.lesson import QuizQuestion

DIGEST: Final = "sha256"


def token_of(seat: str, *, code: str, key: bytes) -> str:
    """Return what a phone shows for its seat in a class.

    Args:
        seat: Name of the seat, without a full stop.
        code: Code of the class.
        key: Key of the server.

    >>> token_of("a", code="KXTBHRM", key=b"key")[:4]
    'a.dc'

    """
    return f"{seat}.{_signature(seat, code, key)}"


def seat_of(token: str, *, code: str, key: bytes) -> str | None:
    """Return the seat of a token; ``None`` if it was not signed for this class.

    >>> token = token_of("a", code="KXTBHRM", key=b"key")
    >>> seat_of(token, code="KXTBHRM", key=b"key")
    'a'
    >>> seat_of(token, code="KXTBHRN", key=b"key")
    """
    seat, _, signature = token.partition(".")
    expected = _signature(seat, code, key).encode()
    return seat if hmac.compare_digest(signature.encode(), expected) else None


def _signature(seat: str, code: str, key: bytes) -> str:
    return hmac.new(key, f"{code}.{seat}".encode(), DIGEST).hexdigest()


MOST_KEYS: Final = 10_000
"""How many names are counted at once; beyond them all others are at their limit."""


@dataclass(slots=True, kw_only=True)
class RateLimit:
    """A count by name, which begins anew after some time. The caller holds a lock.

    Attributes:
        most: How often a name may be counted within the time.
        within: The time.

    """

    most: int
    within: timedelta
    _counts: dict[str, int] = field(default_factory=dict)
    _window: float = -math.inf

    def reached(self, name: str, *, now: datetime) -> bool:
        """Return whether a name is at its limit."""
        self._begin(now)
        if name not in self._counts and len(self._counts) >= MOST_KEYS:
            return True
        return self._counts.get(name, 0) >= self.most

    def count(self, name: str, *, now: datetime) -> None:
        """Count a name once."""
        self._begin(now)
        self._counts[name] = self._counts.get(name, 0) + 1

    def _begin(self, now: datetime) -> None:
        """Forget the counts of an earlier time."""
        window = now.timestamp() // self.within.total_seconds()
        if window != self._window:
            self._window = window
            self._counts.clear()


LETTERS: Final = "ABCDEFGHJKLMNPRSTUVWXYZ"
"""Letters of a code: none that is read as a digit or as another letter."""
LENGTH: Final = 7
"""Letters in a code: 31.7 bits."""
MOST_ROOMS, MOST_SEATS = 50, 500
SEATS_OF_CLIENT: Final = 5
"""Seats that one network address can take in a class, unless the class shares it."""
SEATS_A_MINUTE: Final = 300
WRONG_CODES_A_MINUTE: Final = 30
MINUTE: Final = timedelta(minutes=1)
LASTS: Final = timedelta(hours=4)


class ClassroomRefusal(StrEnum):
    """Why a phone gets no seat."""

    UNKNOWN = "There is no class with this code."
    GUESSING = "Too many wrong codes were entered. Try again in one minute."
    FULL = "This class is full."
    HURRY = "Too many phones joined in this minute. Try again in one minute."
    CROWDED = (
        "Too many phones joined from this network. Ask the teacher to allow it, and press Join."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a class was asked, and what it answered.

    Attributes:
        code: What phones join it by.
        led: When somebody last led it.
        lesson: Key of the lesson whose question is on screen; empty before the first.
        situation: What the question is about, in two sentences.
        question: That question.
        open: Whether answers are taken: the truth is not shown yet.
        shown: Keys of the lessons whose truth a phone may have seen: they take no more answers.
        answers: For each lesson the place of the answer that each seat chose.
        seats: How many seats each client has.
        shares_address: Whether one network address may be that of many phones.
        crowded: How many phones were refused because it may not.

    """

    code: str
    led: datetime
    lesson: str = ""
    situation: str = ""
    question: QuizQuestion | None = None
    open: bool = False
    shown: frozenset[str] = frozenset()
    answers: dict[str, dict[str, int]] = field(default_factory=dict)
    seats: dict[str, int] = field(default_factory=dict)
    shares_address: bool = False
    crowded: int = 0

    def counts(self, lesson: str, choices: int) -> list[int]:
        """Return how many chose each of the answers of a lesson's question."""
        given = list(self.answers.get(lesson, {}).values())
        return [given.count(place) for place in range(choices)]

    def turnout(self, lesson: str) -> tuple[int, int]:
        """Return how many answered the question of a lesson, of how many that joined."""
        return len(self.answers.get(lesson, {})), sum(self.seats.values())

    def answered(self, lesson: str, seat: str) -> int | None:
        """Return the answer of a seat, if it gave one."""
        return self.answers.get(lesson, {}).get(seat)


class Rooms:
    """All rooms of a server, for its threads. No room holds anything confidential."""

    def __init__(self) -> None:
        """Begin without rooms."""
        self._rooms: dict[str, Room] = {}
        self._wrong = RateLimit(most=WRONG_CODES_A_MINUTE, within=MINUTE)
        self._joined = RateLimit(most=SEATS_A_MINUTE, within=MINUTE)
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
                raise ParameterError(
                    f"{MOST_ROOMS} classes are being held on this server already; "
                    "count hands instead, or wait until one has ended."
                )
            code = _code(draw)
            while code in self._rooms:
                code = _code(draw)
            self._rooms[code] = Room(code=code, led=now)
            return code

    def lead(
        self,
        code: str,
        *,
        lesson: str,
        situation: str = "",
        question: QuizQuestion,
        taking: bool,
        now: datetime,
    ) -> None:
        """Put the question of a lesson before the class; a lost room is no error.

        Once phones were shown the truth, the question takes no answers again.
        """
        with self._lock:
            room = self._rooms.get(code)
            if room is not None:
                shown = room.shown if taking or not room.seats else room.shown | {lesson}
                self._rooms[code] = replace(
                    room,
                    led=now,
                    lesson=lesson,
                    situation=situation,
                    question=question,
                    open=taking and lesson not in shown,
                    shown=shown,
                )

    def share_address(self, code: str, *, shared: bool) -> None:
        """Set whether one network address may be that of many phones."""
        with self._lock:
            room = self._rooms.get(code)
            if room is not None:
                self._rooms[code] = replace(room, shares_address=shared, crowded=0)

    def join(self, code: str, *, client: str, now: datetime) -> ClassroomRefusal | None:
        """Give a client one more seat in a room, or return why it gets none.

        Args:
            code: The code, as somebody typed it.
            client: Name of what one phone cannot change, such as a network address.
            now: The time.

        """
        code = typed(code)
        with self._lock:
            self._forget(now)
            # Checked first, so that right and wrong codes cannot be distinguished.
            if self._wrong.reached(client, now=now):
                return ClassroomRefusal.GUESSING
            room = self._rooms.get(code)
            if room is None:
                self._wrong.count(client, now=now)
                return ClassroomRefusal.UNKNOWN
            if sum(room.seats.values()) >= MOST_SEATS:
                return ClassroomRefusal.FULL
            taken = room.seats.get(client, 0)
            if taken >= SEATS_OF_CLIENT and not room.shares_address:
                self._rooms[code] = replace(room, crowded=room.crowded + 1)
                return ClassroomRefusal.CROWDED
            if self._joined.reached(code, now=now):
                return ClassroomRefusal.HURRY
            self._joined.count(code, now=now)
            self._rooms[code] = replace(room, seats=room.seats | {client: taken + 1})
            return None

    def answer(self, code: str, *, lesson: str, seat: str, choice: int) -> bool:
        """Note an answer, or another one in its place; return whether it was taken.

        It is not where the question is no longer open, or has no such answer.
        """
        with self._lock:
            room = self._rooms.get(code)
            if room is None or not room.open or room.lesson != lesson:
                return False
            if room.question is None or choice not in range(len(room.question.choices)):
                return False
            answers = room.answers | {lesson: room.answers.get(lesson, {}) | {seat: choice}}
            self._rooms[code] = replace(room, answers=answers)
            return True

    def room(self, code: str) -> Room | None:
        """Return a room as it is now; ``None`` if there is none by that code."""
        with self._lock:
            return self._rooms.get(typed(code))

    def close(self, code: str) -> None:
        """Forget a room and all of its answers."""
        with self._lock:
            self._rooms.pop(code, None)

    def _forget(self, now: datetime) -> None:
        for code in [c for c, room in self._rooms.items() if now - room.led > LASTS]:
            del self._rooms[code]


def typed(code: str) -> str:
    """Return a code that was typed in groups or small letters.

    >>> typed(" kxt-bhrm ")
    'KXTBHRM'
    """
    return "".join(code.split()).replace("-", "").upper()


def spaced(code: str) -> str:
    """Return a code in two groups, to be read aloud.

    >>> spaced("KXTBHRM")
    'KXT BHRM'
    """
    half = LENGTH // 2
    return f"{code[:half]} {code[half:]}"


def _code(draw: Callable[[str], str]) -> str:
    return "".join(draw(LETTERS) for _ in range(LENGTH))
