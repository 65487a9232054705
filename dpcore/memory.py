"""What a process keeps of the memory that it no longer uses: settings of glibc.

They hold for all of a process, so that whoever owns it chooses: the server of the app,
and a worker of a cluster. Other C libraries have no such settings.
"""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# glibc's names for the size from which a block of memory is the system's own, and for
# how much that is free at an end it keeps, and takes at a time.
_MMAP_THRESHOLD, _TRIM_THRESHOLD, _TOP_PAD = -3, -1, -2
_LARGE: Final = 2 << 20
_AT_HAND: Final = 16 << 20
_USUALLY_KEPT: Final = 128 << 10
_GLIBC: Final = platform.libc_ver()[0] == "glibc"


def give_back_columns() -> None:
    """Let the memory of a large column return to the system as soon as it is freed.

    Left alone, glibc raises the limit with the first large array that is freed, and
    keeps the memory of all later ones.
    """
    _set(_MMAP_THRESHOLD, _LARGE)


@contextmanager
def some_at_hand() -> Iterator[None]:
    """Keep some megabytes of smaller blocks meanwhile, and give them back at the end.

    Otherwise glibc asks the system for every block of a file that is read, and of a
    computation in blocks; the system clears it, which takes longer than a step on it.
    """
    give_back_columns()
    _set(_TRIM_THRESHOLD, _AT_HAND)
    _set(_TOP_PAD, _AT_HAND)
    try:
        yield
    finally:
        _set(_TRIM_THRESHOLD, _USUALLY_KEPT)
        _set(_TOP_PAD, 0)
        give_back()


def give_back() -> None:
    """Return the memory between smaller blocks to the system, where it is free."""
    if _GLIBC:
        ctypes.CDLL(None).malloc_trim(0)


def _set(name: int, value: int) -> None:
    if _GLIBC:
        ctypes.CDLL(None).mallopt(name, value)
