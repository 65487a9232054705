"""What errors a plan must not exceed, and the epsilon or group size that meets them.

A target is the half-width that somebody wants. Where nobody said one, the best split
assumes a tenth of what the answer can be by public bounds: of the width of the bounds
for a mean, of the people for a count, of the places in the sorted table for a median.
That is no judgment; it only lets questions of different units be compared.

How many people a group has is private, so that the error of its number is worked out
for a size that somebody assumed. Whether it meets the target depends on that size:
``size_condition`` says from which size on it does, at this epsilon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.base import Question
from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.formatting import in_full, significant
from dpcore.mechanisms.search import first_where
from dpcore.planning.analysis_plan import LEAST, MOST, PlannedQuery
from dpcore.statistics.kinds import StatisticKind

MOST_PEOPLE = 10**9
_FEWEST = 1
_EXACT = 1 + 1e-12
_SAME = 1 - 1e-6
_LARGE = (MOST, 100.0, 30.0, 10.0, 3.0, 1.0)


def epsilon_for(item: PlannedQuery, half: float) -> float:
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


def _largest(item: PlannedQuery) -> float:
    """Return a large epsilon that it can be asked for with: some noise has a limit."""
    known = (x for x in _LARGE if math.isfinite(item.half_at(x)))
    return max(next(known, 0.0), item.epsilon)


def people_for(item: PlannedQuery, half: float) -> int | None:
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


def _half(item: PlannedQuery, people: int) -> float | None:
    """Return the half-width with so many people; infinite where they are too few."""
    try:
        asked = item.of_people(people)
    except ParameterError:
        return math.inf
    return None if asked is None else asked.width.half


def _require(half: float) -> None:
    if not 0 < half < math.inf:
        raise ParameterError("an error must be a positive number.")


PART: Final = 0.1


def aim(item: PlannedQuery) -> float | None:
    """Return the half-width that an answer shall have, said or assumed.

    ``None`` where nobody said it and nothing can be assumed: of a model, say.
    """
    return assumed_aim(item) if item.wanted is None else item.wanted


def assumed_aim(item: PlannedQuery) -> float | None:
    """Return a tenth of what the answer can be, in the unit of its half-width."""
    asked, width = item.request.asked, item.width
    if not isinstance(asked, Question) or (not math.isfinite(width.half) and not width.of):
        return None
    span = _span(asked, item)
    return PART * span if span is not None and 0 < span < math.inf else None


def is_uninformative(item: PlannedQuery) -> bool:
    """Tell whether the error is as wide as all that the answer can be.

    Where that hangs on a number of people, only if that number is public.
    """
    half = item.width.half
    return math.isfinite(half) and half >= uninformative_width(item)


def uninformative_width(item: PlannedQuery) -> float:
    """Return from which error on an answer says nothing; NaN where that is not known.

    Where it hangs on a number of people, it is known only if that number is public.
    """
    asked = item.request.asked
    if not isinstance(asked, Question):
        return math.nan
    of_people = item.width.unit == "ranks" or asked.kind.of_totals
    if of_people and not asked.size.public:
        return math.nan
    return _span(asked, item)


def _span(asked: Question, item: PlannedQuery) -> float:
    """Return how far the answer can go, in the unit of its half-width."""
    if item.width.relative:
        return 1.0
    return float(asked.size.people) if item.width.unit == "ranks" else asked.span


def least_epsilon(item: PlannedQuery) -> float:
    """Return the least epsilon at which a question meets its target, or its aim."""
    target = aim(item)
    if target is None or not item.divisible:
        return math.inf
    return _least(item.at(1.0), target)


@lru_cache(maxsize=2_000)
def _least(item: PlannedQuery, half: float) -> float:
    """Return ``epsilon_for``; infinite where no epsilon does."""
    try:
        return epsilon_for(item, half)
    except ParameterError:
        return math.inf


OF_A_DIFFERENCE: Final = (
    "A difference of two groups meets its target if its margin of error is at most the "
    "target. A gap of that size is then not noise alone."
)


def is_difference(item: PlannedQuery) -> bool:
    """Tell whether a question asks by how much two groups differ."""
    return getattr(item.request.asked, "kind", None) is StatisticKind.DIFFERENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeCondition:
    """On what it hangs whether an answer by group shows what must be seen.

    Attributes:
        wanted: What must be seen.
        fewest: From how many people in a group on it is; ``None`` if no number does.
        of_two: Whether both of two groups have to have so many.

    """

    wanted: float
    fewest: int | None
    of_two: bool


def size_condition(item: PlannedQuery) -> SizeCondition | None:
    """Return on which size of groups it hangs whether it shows what must be seen.

    ``None`` where nothing must be seen, or where the error hangs on no assumed size.
    """
    if item.wanted is None or not item.width.assumed:
        return None
    return SizeCondition(wanted=item.wanted, fewest=_fewest(item), of_two=is_difference(item))


def size_condition_text(item: PlannedQuery) -> str:
    """Return the same in words; empty where it hangs on none."""
    known = size_condition(item)
    if known is None:
        return ""
    whose = "both groups have" if known.of_two else "a group has"
    wanted = f"± {significant(known.wanted, 6)} {item.width.unit}".rstrip()
    counted = item.request.unit.counted
    fewest = known.fewest
    if fewest is None:
        return f"No size of groups makes it {wanted} at this ε: it takes a larger one."
    if item.seen:
        return (
            f"It is {wanted} or less only where {whose} at least {fewest:,} {counted}. "
            f"{item.group:,} was assumed, and sizes are private: for fewer than "
            f"{fewest:,} the ✓ is wrong, and a larger ε is needed."
        )
    each = "each of the two" if known.of_two else "a group"
    return (
        f"For groups of {item.group:,}, a size that was assumed, it is more than "
        f"{wanted}: it would take {fewest:,} {counted} in {each}, or a larger ε."
    )


@lru_cache(maxsize=512)
def _fewest(item: PlannedQuery) -> int | None:
    """Return from how many people on a group shows it; None if no number does."""
    try:
        return people_for(item, item.wanted or 0.0)
    except ParameterError:
        return None
