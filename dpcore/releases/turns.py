"""The queue of a process before its ledger: first come, first served.

A database lets its waiting writers in by chance. One writer of a process at a time asks
it, so that nobody of the others is passed.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from dpcore.errors import LedgerError

if TYPE_CHECKING:
    import sqlite3

PATIENCE = 30.0
"""Seconds in the queue after which a release is refused."""
MANY = "many releases are waiting for the ledger. Nothing was charged. Try again in a moment."


class Turns:
    """The queue of the threads that want to write to one ledger.

    Attributes:
        seen: How the file of the ledger looked when this process last found it right,
            or left it.
        connection: What the turn before wrote through, open for the next one.

    """

    def __init__(self) -> None:
        self.seen: tuple[int, ...] = ()
        self.connection: sqlite3.Connection | None = None
        self._guard = threading.Lock()
        self._queue: deque[threading.Event] = deque()
        self._is_outside = False

    @property
    def is_awaited(self) -> bool:
        """Return whether another thread waits for the end of this turn."""
        return len(self._queue) > 1

    @contextlib.contextmanager
    def taken(self, patience: float, busy: str) -> Iterator[None]:
        """Wait for a turn, and take it.

        Args:
            patience: How many seconds to wait; 0 takes a turn only if it is free.
            busy: What is said where the thread in front waits for another program.

        Raises:
            LedgerError: The turn did not come in that time.

        """
        turn = threading.Event()
        with self._guard:
            if self._queue and patience <= 0:
                raise LedgerError(MANY)  # so that nobody in front is awaited by it
            self._queue.append(turn)
            if self._queue[0] is turn:
                turn.set()
        try:
            if not turn.wait(patience):
                raise LedgerError(busy if self._is_outside else MANY)
            yield
        finally:
            with self._guard:
                self._queue.remove(turn)
                if self._queue:
                    self._queue[0].set()
                else:
                    self.close()

    def close(self) -> None:
        """Close what the turn before has left open."""
        left, self.connection = self.connection, None
        if left is not None:
            left.close()

    @contextlib.contextmanager
    def outside(self) -> Iterator[None]:
        """Note that the thread whose turn it is waits for another program."""
        self._is_outside = True
        try:
            yield
        finally:
            self._is_outside = False


@cache
def turns_at(place: str) -> Turns:
    """Return the queue before the ledger at a place; there is one in a process."""
    del place
    return Turns()
