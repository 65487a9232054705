"""What each answer takes to show what must be seen, and what would take less.

All of it follows from public numbers: the error of a question falls with its epsilon,
with the width of the bounds, and with the size of the smallest group.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from dpcore.errors import DPCoreError, ParameterError
from dpcore.planning.aims import aim
from dpcore.planning.assumed import hangs, is_difference
from dpcore.planning.basket import Split
from dpcore.planning.inverting import epsilon_for
from dpcore.releases.request import Request
from dpcore.statistics.grouped_query import GroupedQuery
from dpcore.statistics.kinds import StatisticKind
from dpcore.wording import epsilon_text, significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dpcore.planning.basket import Basket
    from dpcore.planning.item import Item
    from dpcore.relations import TableSize

_AS_WIDE: Final = frozenset({StatisticKind.MEAN, StatisticKind.SUM})
"""Statistics whose error is in proportion to the width of the bounds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a question takes to show what must be seen. PUBLIC.

    Attributes:
        item: The question, as it is planned.
        epsilon: The least epsilon of its own that does; infinite where none does.
        total: The least total of the plan, split as it is, that does; infinite
            likewise, NaN where the question keeps its epsilon and does not show it.
        cheaper: What would do, or take less, in words; empty where it is shown.

    """

    item: Item
    epsilon: float
    total: float
    cheaper: tuple[str, ...]


def needs(basket: Basket, size: TableSize) -> tuple[Need, ...]:
    """Return what each question takes of which it is said what must be seen.

    ``size`` is what is public about the number of people in the table.
    """
    return tuple(
        Need(
            item=item,
            epsilon=_needed(item),
            total=_total(basket, item),
            cheaper=() if item.seen else _cheaper(item, size),
        )
        for item in basket.items
        if item.wanted is not None
    )


def all_needs(found: Sequence[Need]) -> float:
    """Return what all of them take together; infinite where one cannot be met."""
    return math.fsum(need.epsilon for need in found)


@lru_cache(maxsize=2_000)
def _needed(item: Item) -> float:
    try:
        return epsilon_for(item, aim(item) or math.inf)
    except ParameterError:
        return math.inf


def _total(basket: Basket, item: Item) -> float:
    """Return the total at which the share of a question is what it needs."""
    if item.fixed:
        return basket.total if item.seen else math.nan
    free = [one for one in basket.items if not one.fixed]
    kept = math.fsum(one.epsilon for one in basket.items if one.fixed)
    if basket.split is Split.BEST:  # all are met at once
        return kept + math.fsum(map(_needed, free))
    parts = {
        Split.EQUAL: [1.0 for _ in free],
        Split.WEIGHTS: [one.weight for one in free],
        Split.TYPED: [one.epsilon for one in free],
    }[basket.split]
    return kept + _needed(item) * math.fsum(parts) / parts[free.index(item)]


def _cheaper(item: Item, size: TableSize) -> tuple[str, ...]:
    return tuple(
        told
        for told in (_larger(item, size), _narrower(item), _of_all(item, size))
        if told
    )


def _larger(item: Item, size: TableSize) -> str:
    """Return how large groups would have to be, unless there are too few people."""
    known = hangs(item)
    if known is None or known.fewest is None:
        return ""
    if size.public and known.fewest * (2 if known.of_two else 1) > size.people:
        return ""
    counted = item.request.unit.counted
    if known.of_two:
        return f"two groups of {known.fewest:,} {counted} or more each"
    return f"fewer groups, joined to {known.fewest:,} {counted} or more each"


def _narrower(item: Item) -> str:
    """Return how wide bounds may be at this epsilon."""
    asked = item.request.asked
    bounds = getattr(asked, "column", None) and asked.columns[0].bounds
    kind = getattr(asked, "kind", None)
    half, wanted = item.width.half, item.wanted
    if bounds is None or wanted is None or not half < bounds.width:
        return ""
    if kind not in _AS_WIDE and not is_difference(item):
        return ""
    return (
        f"bounds no wider than {significant(bounds.width * wanted / half)} "
        f"{item.width.unit}, if known without the table"
    )


def _of_all(item: Item, size: TableSize) -> str:
    """Return what the same takes of everybody together, without groups."""
    request = item.request
    if not isinstance(request, Request) or not isinstance(request.query, GroupedQuery):
        return ""
    try:
        whole = replace(request.query.part, size=size)
        epsilon = _needed(replace(item, request=replace(request, query=whole)))
    except DPCoreError:
        return ""
    if not epsilon < _needed(item):
        return ""
    every = f"all {item.request.unit.counted}"
    return f"the same of {every} together, from ε {epsilon_text(epsilon)}"
