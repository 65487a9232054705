"""Working on the parts of a table in two threads, in the order of the parts."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

_Part = TypeVar("_Part")
_Made = TypeVar("_Made")
_THREADS: Final = 2


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
