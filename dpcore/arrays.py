"""What arrays hold, and long ones a block at a time, in turn or in threads side by side."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

_Part = TypeVar("_Part")
_Made = TypeVar("_Made")
_BLOCK: Final = 1 << 16
_THREADS: Final = 2

FloatArray = NDArray[np.float64]
"""An array of floats, of any shape."""


def in_blocks(entries: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield some entries after the others; of none, one block that is empty.

    What is computed of a block on the way stays in the processor's cache.

    >>> [block.tolist() for block in in_blocks(np.array([])[:, np.newaxis])]
    [[]]
    """
    for start in range(0, max(len(entries), 1), _BLOCK):
        yield entries[start : start + _BLOCK]


def in_turn(make: Callable[[_Part], _Made], parts: Iterable[_Part]) -> Iterator[_Made]:
    """Yield what is made of each part in turn, while those that follow are worked on.

    Not more than three are begun of which none was asked for.
    """
    ahead: deque[Future[_Made]] = deque()
    with ThreadPoolExecutor(_THREADS) as threads:
        for part in parts:
            ahead.append(threads.submit(make, part))
            if len(ahead) > _THREADS:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()


def side_by_side(work: Callable[[slice], None], people: int, size: int) -> None:
    """Do the work for consecutive slices of ``size`` people, a thread a processor.

    Each slice has to leave what belongs to the others alone. Functions of whole arrays
    let other threads go on meanwhile.
    """
    blocks = [slice(start, min(start + size, people)) for start in range(0, people, size)]
    threads = min(os.cpu_count() or 1, len(blocks))
    if threads < 2:  # noqa: PLR2004 - nothing to share
        for block in blocks:
            work(block)
        return
    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(work, blocks):
            pass
