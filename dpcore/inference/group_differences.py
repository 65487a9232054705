"""How far two groups lie apart, from intervals that hold for all groups at once.

Wherever the intervals of all groups hold, the numbers of two groups lie in theirs. So
their difference lies between the least and the greatest that two such numbers can have,
and so does the part of one that it is. Nothing further can fail: the differences of all
pairs hold together with the confidence of the intervals themselves, it does not matter
that a pair is chosen in the light of the answer, and it costs nothing. Two groups
differ for sure where their intervals do not overlap.

>>> men, women = Held(value=50.0, noise=(48, 52)), Held(value=40.0, noise=(39, 42))
>>> difference(women, men).noise
(-13, -6)
>>> more_in_percent(women, men).noise
(-25.0, -12.5)
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpcore.errors import ParameterError

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A number with the intervals that hold for it. PUBLIC, as what it is made of.

    Attributes:
        value: The number, as it was drawn.
        noise: Where that of the table lies.
        total: Where that of the population lies; None where nothing is said of it.

    Raises:
        ParameterError: An end is not a number, or the lower one lies above the upper.

    """

    value: float
    noise: Ends
    total: Ends | None = None

    def __post_init__(self) -> None:
        for ends in (self.noise, self.total or self.noise):
            if not ends[0] <= ends[1]:
                raise ParameterError(f"an interval needs a lower and an upper end, got {ends}.")


def difference(one: Held, other: Held) -> Held:
    """Return by how much ``one`` is larger than ``other``, in their own unit."""
    both = one.total is not None and other.total is not None
    return Held(
        value=one.value - other.value,
        noise=_apart(one.noise, other.noise),
        total=_apart(one.total, other.total) if both else None,  # type: ignore[arg-type] # both are there
    )


def more_in_percent(one: Held, other: Held) -> Held | None:
    """Return by how many percent of ``other`` is ``one`` larger; None if untold.

    It is told only where ``other`` is above 0 for sure: of nothing, or of less, there
    is no part. Where that holds in the table and may not hold in the population,
    nothing is said of the latter.
    """
    if other.noise[0] <= 0 or other.value <= 0:
        return None
    told = one.total is not None and other.total is not None and other.total[0] > 0
    return Held(
        value=_percent(one.value, other.value),
        noise=_parts(one.noise, other.noise),
        total=_parts(one.total, other.total) if told else None,  # type: ignore[arg-type] # both are there
    )


def _apart(one: Ends, other: Ends) -> Ends:
    return one[0] - other[1], one[1] - other[0]


def _parts(one: Ends, other: Ends) -> Ends:
    """Return the least and the most percent; of a number below 0 more is less."""
    low, high = one
    return (
        _percent(low, other[1] if low >= 0 else other[0]),
        _percent(high, other[0] if high >= 0 else other[1]),
    )


def _percent(one: float, other: float) -> float:
    if math.isinf(other):
        # Part of ever more: nothing of it is left.
        return -100.0
    return 100 * (one - other) / other
