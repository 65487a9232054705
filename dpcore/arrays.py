"""What arrays hold, and long ones a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_BLOCK: Final = 1 << 16

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
