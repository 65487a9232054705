"""Rows of a large table, a block at a time.

A block stays in the second-level cache, and a product of its rows with a square matrix
is small enough (262,144 multiplications) for OpenBLAS not to start threads: on a busy
machine their waiting for each other costs far more than it saves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

CACHED: Final = 1 << 15
"""Numbers in a block that stays in the cache."""
UNTHREADED: Final = 1 << 13
"""Numbers in a block whose QR decomposition starts no threads either."""
_MULTIPLICATIONS: Final = 1 << 18
_LEAST: Final = 32


def row_blocks(people: int, columns: int, *, numbers: int = CACHED) -> Iterator[slice]:
    """Return consecutive slices of rows of ``columns`` numbers, ``numbers`` in each.

    >>> [(rows.start, rows.stop) for rows in row_blocks(1500, 20)]
    [(0, 655), (655, 1310), (1310, 1500)]
    """
    fitting = min(numbers // columns, _MULTIPLICATIONS // columns**2)
    size = max(_LEAST, fitting)
    for start in range(0, people, size):
        yield slice(start, min(start + size, people))
