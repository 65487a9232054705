"""Samples for real releases, drawn with the randomness of the operating system.

Amplification is about what nobody can tell: who is in the sample. A generator that can
be predicted tells it.
"""

from __future__ import annotations

import os
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
        message = f"the rate of a sample must be from 0 to 1, got {rate}."
        raise ParameterError(message)
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
        message = f"a sample of {people} people has from 0 to {people}, got {count}."
        raise ParameterError(message)
    if count in (0, people):
        return np.full(people, count > 0)
    while True:
        words = _words(people)
        cut = np.partition(words, (count - 1, count))
        if cut[count - 1] < cut[count]:
            return np.asarray(words <= cut[count - 1])


def _words(count: int) -> NDArray[np.uint64]:
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def _check_people(people: int) -> None:
    if people < 0:
        message = f"the number of people must be at least 0, got {people}."
        raise ParameterError(message)
