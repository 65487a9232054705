"""Numbers without a closed form: roots by halving, and the worst place of a pair."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray

ROUND_UP = 1 + 1e-12
"""Relative margin that keeps a computed scale, or level, on the private side."""

_HALVINGS = 64
_GRID = 401
_ZOOMS = 5
_FARTHEST = 40.0
_FEW = 16


def first_where(
    holds: Callable[[FloatArray], NDArray[np.bool_]], low: FloatArray, high: FloatArray
) -> FloatArray:
    """Return the smallest point where ``holds``, which turns true once, by halving.

    Elementwise, between ``low`` and ``high``; where it holds nowhere, ``high``. The
    upper end of the last bracket is returned, where it holds.

    >>> first_where(lambda x: x * x >= 2, np.zeros(1), np.full(1, 9.0)).round(12)
    array([1.41421356])
    """
    everywhere = holds(low)
    start = low
    for _ in range(_HALVINGS):
        middle = low + (high - low) / 2
        inside = holds(middle)
        low, high = np.where(inside, low, middle), np.where(inside, middle, high)
    return np.where(everywhere, start, high)


def first_where_of_each(
    holds: Callable[[FloatArray], NDArray[np.bool_]], low: FloatArray, high: FloatArray
) -> FloatArray:
    """Return what ``first_where`` does, for one axis and ``holds`` that broadcasts.

    >>> first_where_of_each(lambda x: x * x >= 2, np.zeros(1), np.full(1, 9.0)).round(9)
    array([1.41421356])
    """

    def middle(low: FloatArray, high: FloatArray) -> FloatArray:
        return low + (high - low) / 2

    found = halved(holds, low, high, middle=middle, halvings=_HALVINGS, together=4)
    return np.where(holds(low), low, found)


def halved(
    holds: Callable[[FloatArray], NDArray[np.bool_]],
    low: FloatArray,
    high: FloatArray,
    *,
    middle: Callable[[FloatArray, FloatArray], FloatArray],
    halvings: int,
    together: int,
) -> FloatArray:
    """Return the upper ends of brackets after so many halvings, shape ``(n,)``.

    Args:
        holds: Turns true once from ``low`` to ``high``; takes numbers of shape
            ``(n,)``, or ``(k, n)``.
        low: Lower ends, shape ``(n,)``.
        high: Upper ends, shape ``(n,)``.
        middle: Returns the middle of a bracket.
        halvings: How many there are.
        together: How many of them one call of ``holds`` is asked about where there are
            few brackets; it divides ``halvings``.

    """
    rounds = together if low.size <= _FEW else 1
    every = np.arange(low.size)
    for _ in range(halvings // rounds):
        ends = np.stack([low, high])
        for _ in range(rounds):
            between = np.empty((2 * len(ends) - 1, low.size))
            between[::2], between[1::2] = ends, middle(ends[:-1], ends[1:])
            ends = between
        place = np.count_nonzero(~holds(ends[1:-1]), axis=0)
        low, high = ends[place, every], ends[place + 1, every]
    return high


def largest_over_positions(
    answers: Callable[[FloatArray, FloatArray], FloatArray], rest: float
) -> float:
    """Return the largest answer over where a pair lies in its bounds, all over a scale.

    One value lies at distance ``a`` from the bound away from the other value, and that
    one at distance ``c`` from the other bound, ``a + c = rest``: ``answers(a, c)``.
    Both ends are searched, by zooming into a grid; farther inside the answer is that of
    unbounded noise, hence constant.
    """
    reach = min(rest, _FARTHEST)
    return max(
        _maximum(lambda a: answers(a, rest - a), reach),
        _maximum(lambda c: answers(rest - c, c), reach),
    )


def _maximum(answers: Callable[[FloatArray], FloatArray], stop: float) -> float:
    """Return the maximum over ``[0, stop]``, at least 0."""
    low, high, best = 0.0, stop, 0.0
    for _ in range(_ZOOMS):
        grid = np.linspace(low, high, _GRID)
        values = answers(grid)
        top = int(values.argmax())
        best = max(best, float(values[top]))
        low, high = grid[max(top - 1, 0)], grid[min(top + 1, _GRID - 1)]
    return best
