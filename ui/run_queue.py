"""What a run of a page waits for, and what it need not do.

Threads of Python take turns: twenty runs side by side all end when the last one does,
and lose time to each other. In a queue half of them end in half of the time. A run that
takes long lets the next one begin beside it, so that nobody waits for its work; so does
one that waits for a disk. One that begins anew goes first, once: a press is answered by
both, and has waited for its turn.

Streamlit copies the whole state for each control that it draws, to see whether the
value under its key is ``None``. On a page of thirty controls that is a third of a run:
so one setting is looked up without a copy of all of them.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from streamlit.runtime.scriptrunner import RerunException
from streamlit.runtime.state import SafeSessionState, SessionState

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
                self._thread.name = name
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

    def step_aside(self) -> None:
        """Let the next run begin now: that of this thread will wait for a disk."""
        with self._changed:
            name = getattr(self._thread, "name", None)
            if name in self._begun:
                self._begun[name] = -math.inf
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


class StateLookup(Mapping[str, Any]):
    """What ``SessionState.filtered_state`` would hold, looked up key by key."""

    def __init__(self, state: SessionState) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401 - whatever a control holds
        return self._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._state.filtered_state)

    def __len__(self) -> int:
        return len(self._state.filtered_state)


def _looked_up(state: SafeSessionState) -> StateLookup:
    return StateLookup(state._state)  # noqa: SLF001 - there is no public way


def install() -> None:
    """Let controls look their value up, for as long as the process runs."""
    SafeSessionState.filtered_state = property(_looked_up)  # type: ignore[assignment]
