"""Samples and resamples for real releases, drawn by the operating system.

What a sample hides, it hides only from those who cannot tell who was drawn: a generator
that can be predicted protects nobody.
"""

from __future__ import annotations

import os
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import ParameterError

MOST_DRAWS = 10**9
"""More draws than that do not fit into one release."""
_SHORT = 2**24
_WORDS = 2**64
_AT_ONCE = 2**20


def poisson_sample(people: int, rate: float) -> NDArray[np.bool_]:
    """Return who is in a sample that takes everybody with chance ``rate``.

    Shape ``(people,)``. Everybody is decided alone, by a word of 64 bits below
    ``floor(rate 2^64)``: with at most the chance asked for, never more.

    Raises:
        ParameterError: ``people`` is negative, or ``rate`` not in [0, 1].

    >>> int(poisson_sample(50, 1.0).sum()), int(poisson_sample(50, 0.0).sum())
    (50, 0)

    """
    _check_people(people)
    if not 0 <= rate <= 1:
        raise ParameterError(f"the rate of a sample must be from 0 to 1, got {rate}.")
    limit = int(Fraction(rate) * _WORDS)
    if limit == _WORDS:
        return np.ones(people, dtype=np.bool_)
    taken = np.empty(people, dtype=np.bool_)
    for start in range(0, people, _AT_ONCE):
        stop = min(start + _AT_ONCE, people)
        taken[start:stop] = _words(stop - start) < np.uint64(limit)
    return taken


def fixed_size_sample(people: int, count: int) -> NDArray[np.bool_]:
    """Return who is in a uniform sample of ``count`` people without replacement.

    Shape ``(people,)``. Everybody gets a random word of 64 bits, and the ``count``
    smallest are in: a shuffle that is cut off. Two equal words at the cut would favor
    somebody; then all are drawn again, which treats everybody alike.

    Raises:
        ParameterError: ``people`` is negative, or ``count`` not in [0, people].

    >>> int(fixed_size_sample(50, 7).sum())
    7

    """
    _check_people(people)
    if not 0 <= count <= people:
        raise ParameterError(f"a sample of {people} people has from 0 to {people}, got {count}.")
    if count in (0, people):
        return np.full(people, count > 0)
    while True:
        words = _words(people)
        cut = np.partition(words, (count - 1, count))
        if cut[count - 1] < cut[count]:
            return np.asarray(words <= cut[count - 1])


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
        raise ParameterError(f"the number of people must be at least 1, got {people}.")
    if not 0 <= draws <= MOST_DRAWS:
        raise ParameterError(f"the number of draws must be in [0, {MOST_DRAWS}], got {draws}.")
    counts = np.zeros(people, dtype=np.int64)
    while draws > 0:
        drawn = _indices(people, min(draws, _AT_ONCE))
        counts += np.bincount(drawn, minlength=people)
        draws -= len(drawn)
    return counts


def _words(count: int) -> NDArray[np.uint64]:
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def _check_people(people: int) -> None:
    if people < 0:
        raise ParameterError(f"the number of people must be at least 0, got {people}.")


def _indices(people: int, most: int) -> NDArray[np.int64]:
    """Return uniform positions, nearly always ``most`` of them, at times fewer."""
    # Words of 32 bits take less time, and hardly any is thrown away.
    size = 4 if people <= _SHORT else 8
    words = np.frombuffer(os.urandom(size * most), dtype=f"u{size}")
    whole = 2 ** (8 * size) // people * people
    if whole < 2 ** (8 * size):
        words = words[words < whole]
    return np.asarray(words % people, dtype=np.int64)
