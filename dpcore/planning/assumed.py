"""On which sizes of groups a judgment hangs: that an answer shows what must be seen.

How many people a group has is private, so that the error of its number is worked out
for a size that somebody assumed. Whether it is good enough hangs on that size: here is
said from which size on it is, at this epsilon.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from dpcore.errors import ParameterError
from dpcore.formatting import significant
from dpcore.planning.inverting import people_for
from dpcore.planning.item import Item
from dpcore.statistics.difference_query import DifferenceQuery

OF_A_DIFFERENCE: Final = (
    "A difference of two groups shows what must be seen where a gap of that size, "
    "found between the two, would not be noise alone: where its own ± is at most that."
)


def is_difference(item: Item) -> bool:
    """Tell whether a question asks by how much two groups differ."""
    return isinstance(item.request.asked, DifferenceQuery)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hangs:
    """On what it hangs whether an answer by group shows what must be seen.

    Attributes:
        wanted: What must be seen.
        fewest: From how many people in a group on it is; ``None`` if no number does.
        of_two: Whether both of two groups have to have so many.

    """

    wanted: float
    fewest: int | None
    of_two: bool


def hangs(item: Item) -> Hangs | None:
    """Return on which size of groups it hangs whether it shows what must be seen.

    ``None`` where nothing must be seen, or where the error hangs on no assumed size.
    """
    if item.wanted is None or not item.width.assumed:
        return None
    return Hangs(wanted=item.wanted, fewest=_fewest(item), of_two=is_difference(item))


def condition(item: Item) -> str:
    """Return the same in words; empty where it hangs on none."""
    known = hangs(item)
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
def _fewest(item: Item) -> int | None:
    """Return from how many people on a group shows it; None if no number does."""
    try:
        return people_for(item, item.wanted or 0.0)
    except ParameterError:
        return None
