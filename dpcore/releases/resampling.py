"""Resamples for real releases, drawn with the randomness of the operating system.

What a sample hides, it hides only from those who cannot tell who was drawn: a generator
that can be predicted protects nobody.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_DRAWS = 10**9
"""More draws than that do not fit into one release."""
_SHORT = 2**24
_AT_ONCE = 2**20


def secure_counts(people: int, draws: int) -> NDArray[np.int64]:
    """Return how often each person is drawn, with replacement, shape ``(people,)``.

    Each of the ``draws`` draws takes everybody with the same probability, exactly:
    random words at or above the largest multiple of ``people`` are thrown away.

    Raises:
        ParameterError: ``people`` is below 1, or ``draws`` is not in [0, 10^9].

    >>> int(secure_counts(5, 1000).sum()), secure_counts(1, 3).tolist()
    (1000, [3])

    """
    if people < 1:
        message = f"the number of people must be at least 1, got {people}."
        raise ParameterError(message)
    if not 0 <= draws <= MOST_DRAWS:
        message = f"the number of draws must be in [0, {MOST_DRAWS}], got {draws}."
        raise ParameterError(message)
    counts = np.zeros(people, dtype=np.int64)
    while draws > 0:
        drawn = _indices(people, min(draws, _AT_ONCE))
        counts += np.bincount(drawn, minlength=people)
        draws -= len(drawn)
    return counts


def _indices(people: int, most: int) -> NDArray[np.int64]:
    """Return uniform positions, nearly always ``most`` of them, at times fewer."""
    # Words of 32 bits take less time, and hardly any is thrown away.
    size = 4 if people <= _SHORT else 8
    words = np.frombuffer(os.urandom(size * most), dtype=f"u{size}")
    whole = 2 ** (8 * size) // people * people
    if whole < 2 ** (8 * size):
        words = words[words < whole]
    return np.asarray(words % people, dtype=np.int64)
