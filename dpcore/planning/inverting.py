"""From an error to the epsilon that it takes, and to the number of people."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.formatting import in_full, significant
from dpcore.mechanisms.search import first_where
from dpcore.planning.item import LEAST, MOST, Item

MOST_PEOPLE = 10**9
_FEWEST = 1
_EXACT = 1 + 1e-12
_SAME = 1 - 1e-6
_LARGE = (MOST, 100.0, 30.0, 10.0, 3.0, 1.0)


def epsilon_for(item: Item, half: float) -> float:
    """Return the least epsilon at which the half-width is at most ``half``.

    A half-width never grows with epsilon, so that halving finds it, on the scale of
    factors, to the last bits.

    Raises:
        ParameterError: ``half`` is not positive, no epsilon makes it that small, or the
            epsilon is fixed.

    """
    _require(half)
    high = _largest(item)
    if half * _EXACT < item.half_at(high):
        raise ParameterError(
            f"no ε up to {in_full(high)} makes the error of “{item.name}” as small as "
            f"{significant(half)}."
        )

    def small(logs: FloatArray) -> NDArray[np.bool_]:
        epsilon = min(max(float(np.exp(logs[0])), LEAST), MOST)
        return np.array([item.half_at(epsilon) <= half * _EXACT])

    ends = np.log([[LEAST], [high]])
    found = float(np.exp(first_where(small, ends[0], ends[1]))[0])
    return min(max(found, LEAST), high)


def _largest(item: Item) -> float:
    """Return a large epsilon that it can be asked for with: some noise has a limit."""
    known = (x for x in _LARGE if math.isfinite(item.half_at(x)))
    return max(next(known, 0.0), item.epsilon)


def people_for(item: Item, half: float) -> int | None:
    """Return how many people it takes for a half-width of at most ``half``.

    The error of a mean or a share falls as a table, or a group, grows. ``None`` where
    more people do not help.

    Raises:
        ParameterError: ``half`` is not positive, or not even a billion people do.

    """
    _require(half)
    most = _half(item, MOST_PEOPLE)
    if most is None or most >= item.width.half * _SAME:
        return None
    if most > half * _EXACT:
        raise ParameterError(
            f"not even {MOST_PEOPLE:,} people make the error of “{item.name}” as small "
            f"as {significant(half)} at this ε."
        )
    low, high = _FEWEST - 1, MOST_PEOPLE
    while high - low > 1:
        middle = (low + high) // 2
        found = _half(item, middle)
        if found is not None and found <= half * _EXACT:
            high = middle
        else:
            low = middle
    return high


def _half(item: Item, people: int) -> float | None:
    """Return the half-width with so many people; infinite where they are too few."""
    try:
        asked = item.of_people(people)
    except ParameterError:
        return math.inf
    return None if asked is None else asked.width.half


def _require(half: float) -> None:
    if not 0 < half < math.inf:
        raise ParameterError("an error must be a positive number.")
