"""Ranges of a key, read by several connections at once and given in their order."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from queue import Empty, Queue
from threading import Event
from typing import Final, TypeVar

_T = TypeVar("_T")
_P = TypeVar("_P")
AHEAD: Final = 16
"""Blocks that a reader may be ahead of its turn."""
_MOMENT: Final = 0.05
"""Seconds."""
_MOST: Final = 1 << 12
"""Ranges at most: each costs a statement."""


def ranges_of(first: int, last: int, count: int) -> list[tuple[int, int]]:
    """Return ranges of about the same width that hold all of it, at most so many.

    Both ends of each belong to it.

    >>> ranges_of(1, 10, 3)
    [(1, 3), (4, 6), (7, 10)]
    """
    width = last - first + 1
    count = max(1, min(count, width, _MOST))
    ends = [first + width * place // count for place in range(count + 1)]
    return [(ends[place], ends[place + 1] - 1) for place in range(count)]


def in_turn(
    readers: Sequence[Callable[[_P], Generator[_T, None, None]]],
    parts: Sequence[_P],
    cancel: Callable[[], None],
) -> Generator[_T, None, None]:
    """Yield what is read of all parts, in their order; readers take them in turn.

    All readers are at work at once, each a few blocks ahead of what was asked for. The
    error of any of them is raised in its turn. Closing it stops all: ``cancel`` is
    called while one works.
    """
    boxes: list[Queue[_T | Exception | None]] = [Queue(AHEAD) for _ in readers]
    stopped = Event()

    def fetch(place: int) -> None:
        try:
            for part in parts[place :: len(readers)]:
                with contextlib.closing(readers[place](part)) as blocks:
                    for block in blocks:
                        boxes[place].put(block)
                        if stopped.is_set():
                            return
                boxes[place].put(None)
        except Exception as error:  # noqa: BLE001 - raised where it is waited for
            boxes[place].put(error)

    with ThreadPoolExecutor(len(readers), thread_name_prefix="database") as pool:
        working = [pool.submit(fetch, place) for place in range(len(readers))]
        try:
            for turn in range(len(parts)):
                yield from _until_its_end(boxes[turn % len(readers)])
        finally:
            stopped.set()
            while wait(working, timeout=_MOMENT).not_done:
                for box in boxes:
                    _empty(box)
                cancel()


def _until_its_end(box: Queue[_T | Exception | None]) -> Generator[_T, None, None]:
    while (block := box.get()) is not None:
        if isinstance(block, Exception):
            raise block
        yield block


def _empty(box: Queue[_T]) -> None:
    """Make room, so that nobody waits for it."""
    with contextlib.suppress(Empty):
        while True:
            box.get_nowait()
