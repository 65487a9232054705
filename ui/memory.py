"""What the process holds in memory, and how long the interpreter looks through it.

After every run of a page Streamlit collects garbage, which visits every object that
there is: hundreds of thousands belong to imported packages, and while they are visited
no answer reaches the browser. They are set aside. Everything is looked through again
where a tab's table has gone, so that nothing of it stays.
"""

from __future__ import annotations

import ctypes
import gc
import platform
from contextlib import contextmanager
from typing import TYPE_CHECKING

from starlette.formparsers import MultiPartParser

if TYPE_CHECKING:
    from collections.abc import Iterator

# glibc's names for the size from which a block of memory is the system's own, and for
# how much that is free at an end it keeps, and takes at a time.
_MMAP_THRESHOLD, _TRIM_THRESHOLD, _TOP_PAD = -3, -1, -2
_LARGE = 2 << 20
_AT_HAND = 16 << 20
_USUALLY_KEPT = 128 << 10
_GLIBC = platform.libc_ver()[0] == "glibc"


def tidy() -> None:
    """Collect all garbage, and set what is left aside."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def give_back_columns() -> None:
    """Let the memory of a large column return to the system as soon as it is freed.

    Left alone, glibc raises the limit with the first large array that is freed, and
    keeps the memory of all later ones. Of smaller blocks some megabytes are kept at
    hand: otherwise each is the system's again, and cleared by it, before the next step
    of the same computation asks for it. Other C libraries have no such setting.
    """
    if _GLIBC:
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, _LARGE)
        library.mallopt(_TRIM_THRESHOLD, _AT_HAND)


@contextmanager
def some_at_hand() -> Iterator[None]:
    """Keep some megabytes at hand meanwhile, and give them back at the end.

    Otherwise glibc asks the system for every block of a file that is read.
    """
    _keep_at_hand(_AT_HAND, _AT_HAND)
    try:
        yield
    finally:
        _keep_at_hand(_USUALLY_KEPT, 0)
        give_back()


def _keep_at_hand(kept: int, taken: int) -> None:
    if _GLIBC:
        library = ctypes.CDLL(None)
        library.mallopt(_TRIM_THRESHOLD, kept)
        library.mallopt(_TOP_PAD, taken)


def give_back() -> None:
    """Return the memory between smaller blocks to the system, where it is free."""
    if _GLIBC:
        ctypes.CDLL(None).malloc_trim(0)


def keep_uploads(largest: int) -> None:
    """Receive files of up to that many bytes in memory.

    Left alone, what is larger than 1 MB passes through a file on disk, where nothing
    confidential belongs, and a thread for every 64 kB of it.
    """
    MultiPartParser.spool_max_size = largest
