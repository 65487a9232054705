"""Waiting for what another thread fetches, in moments between which one may stop."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Final, TypeVar

_T = TypeVar("_T")
_MOMENT: Final = 0.1
"""Seconds."""


def waited_for(
    blocks: Generator[_T, None, None], cancel: Callable[[], None]
) -> Generator[_T | None, None, None]:
    """Yield what ``blocks`` gives, and ``None`` ten times a second while it works.

    The next block is fetched while the last one is used. Whoever asks no longer has
    stopped it: then ``cancel`` is called if it works, and ``blocks`` is closed where it
    was running, without being waited for.
    """
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="database")
    coming = pool.submit(next, blocks, None)
    try:
        while True:
            while not wait([coming], timeout=_MOMENT).done:
                yield None
            block = coming.result()
            if block is None:
                return
            coming = pool.submit(next, blocks, None)
            yield block
    finally:
        if not coming.done():
            cancel()
        pool.submit(blocks.close)
        pool.shutdown(wait=False)
