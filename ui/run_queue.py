"""Runs of pages in the order in which they began to wait, one at a time.

Threads of Python take turns: twenty runs side by side all end when the last one does,
and lose time to each other. In a queue half of them end in half of the time. A run that
takes long lets the next one begin beside it, so that nobody waits for its work. One that
begins anew goes first, once: a press is answered by both, and has waited for its turn.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final

from streamlit.runtime.scriptrunner import RerunException

_AT_ONCE: Final = 1
_SHORT_SECONDS: Final = 0.5


class RunQueue:
    """A queue of runs; each one in it is a thread of its own.

    Args:
        at_once: How many short runs there are at once.
        seconds: For how long a run counts as a short one.
        clock: The time in seconds, for tests.

    """

    def __init__(
        self,
        at_once: int = _AT_ONCE,
        seconds: float = _SHORT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._at_once, self._seconds, self._clock = at_once, seconds, clock
        self._changed = threading.Condition()
        self._thread = threading.local()
        self._names = itertools.count()
        self._waiting: deque[int] = deque()
        self._begun: dict[int, float] = {}

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for a turn, and have it until the end of the block."""
        first = getattr(self._thread, "begins_anew", False)
        self._thread.begins_anew = False
        with self._changed:
            name = next(self._names)
            self._waiting.insert(0 if first else len(self._waiting), name)
            try:
                while self._waiting[0] != name or len(self._short()) >= self._at_once:
                    self._changed.wait(self._until_one_is_long())
                self._begun[name] = self._clock()
            finally:
                self._waiting.remove(name)
                self._changed.notify_all()
        try:
            yield
        except RerunException:
            self._thread.begins_anew = not first
            raise
        finally:
            with self._changed:
                del self._begun[name]
                self._changed.notify_all()

    def _short(self) -> list[float]:
        """Return when the runs began that are still short."""
        now = self._clock()
        return [start for start in self._begun.values() if now < start + self._seconds]

    def _until_one_is_long(self) -> float | None:
        short = self._short()
        return min(short) + self._seconds - self._clock() if short else None


RUNS: Final = RunQueue()
"""The runs of all tabs of this server."""
