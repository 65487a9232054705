"""What each answer takes to show what must be seen, and what would take less.

All of it follows from public numbers: the error of a question falls with its epsilon,
with the width of the bounds, and with the size of the smallest group.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from dpcore.analyses.base import Request
from dpcore.analyses.groups import GroupedQuery
from dpcore.errors import DPCoreError
from dpcore.formatting import epsilon_text, significant
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery, Split
from dpcore.planning.targets import is_difference, least_epsilon, size_condition
from dpcore.relations import TableSize
from dpcore.statistics.kinds import StatisticKind

_AS_WIDE: Final = frozenset({StatisticKind.MEAN, StatisticKind.MEAN_AND_SPREAD, StatisticKind.SUM})
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

    item: PlannedQuery
    epsilon: float
    total: float
    cheaper: tuple[str, ...]


def needs(basket: AnalysisPlan, size: TableSize) -> tuple[Need, ...]:
    """Return what each question takes of which it is said what must be seen.

    ``size`` is what is public about the number of people in the table.
    """
    return tuple(
        Need(
            item=item,
            epsilon=least_epsilon(item),
            total=_total(basket, item),
            cheaper=() if item.seen else _cheaper(item, size),
        )
        for item in basket.items
        if item.wanted is not None
    )


def smallest_total(items: Sequence[PlannedQuery]) -> float:
    """Return the smallest total at which every question with a target meets it.

    A locked question keeps its epsilon, and every other one has the least epsilon that
    meets its target: so the best split shares out that total. Questions without a
    target are not part of it. It is infinite where a target cannot be met, and NaN
    without a target or where every epsilon is fixed.
    """
    targets = [item for item in items if item.wanted is not None]
    if not targets or all(item.fixed for item in items):
        return math.nan
    return math.fsum(
        (item.epsilon if item.seen else math.inf) if item.fixed else least_epsilon(item)
        for item in targets
    )


def every_target(targets: int) -> str:
    """Return all of so many targets in words.

    >>> every_target(1), every_target(2), every_target(6)
    ('the target', 'both targets', 'all 6 targets')
    """
    return {1: "the target", 2: "both targets"}.get(targets, f"all {targets} targets")


def smallest_text(items: Sequence[PlannedQuery]) -> str:
    """Return the smallest total that meets every target, in a clause; or nothing."""
    targets = sum(item.wanted is not None for item in items)
    return total_text(smallest_total(items), targets=targets, others=len(items) - targets)


def total_text(total: float, *, targets: int, others: int) -> str:
    """Return in a clause which total meets so many targets, beside other questions.

    It is rounded up, so that it does when it is typed; nothing is said of NaN.

    >>> total_text(1.0153, targets=6, others=0)
    'ε = 1.02 meets all 6 targets (optimal allocation)'
    >>> total_text(math.inf, targets=1, others=0)
    'no total meets the target'
    """
    if math.isnan(total):
        return ""
    every = every_target(targets)
    if math.isinf(total):
        return f"no total meets {every}"
    beside = (
        f", beside {others} question{'s' if others > 1 else ''} without a target" if others else ""
    )
    return f"ε = {epsilon_text(total)} meets {every} (optimal allocation{beside})"


def _total(basket: AnalysisPlan, item: PlannedQuery) -> float:
    """Return the total at which the share of a question is what it needs."""
    if item.fixed:
        return basket.total if item.seen else math.nan
    free = [one for one in basket.items if not one.fixed]
    kept = math.fsum(one.epsilon for one in basket.items if one.fixed)
    if basket.split is Split.BEST:  # all are met at once
        return kept + math.fsum(map(least_epsilon, free))
    parts = {
        Split.EQUAL: [1.0 for _ in free],
        Split.WEIGHTS: [one.weight for one in free],
        Split.TYPED: [one.epsilon for one in free],
    }[basket.split]
    return kept + least_epsilon(item) * math.fsum(parts) / parts[free.index(item)]


def _cheaper(item: PlannedQuery, size: TableSize) -> tuple[str, ...]:
    return tuple(
        told for told in (_larger(item, size), _narrower(item), _of_all(item, size)) if told
    )


def _larger(item: PlannedQuery, size: TableSize) -> str:
    """Return how large groups would have to be, unless there are too few people."""
    known = size_condition(item)
    if known is None or known.fewest is None:
        return ""
    if size.public and known.fewest * (2 if known.of_two else 1) > size.people:
        return ""
    counted = item.request.unit.counted
    if known.of_two:
        return f"two groups of {known.fewest:,} {counted} or more each"
    return f"fewer groups, joined to {known.fewest:,} {counted} or more each"


def _narrower(item: PlannedQuery) -> str:
    """Return how wide bounds may be at this epsilon."""
    asked = item.request.asked
    bounds = getattr(asked, "column", None) and asked.columns[0].bounds
    kind = getattr(asked, "kind", None)
    half, wanted = item.width.half, item.wanted
    if bounds is None or wanted is None or not half < bounds.width:
        return ""
    if kind not in _AS_WIDE and not is_difference(item):
        return ""
    width = f"{significant(bounds.width * wanted / half)} {item.width.unit}".rstrip()
    return f"bounds no wider than {width}, if known without looking at the data"


def _of_all(item: PlannedQuery, size: TableSize) -> str:
    """Return what the same takes of everybody together, without groups."""
    request = item.request
    if not isinstance(request, Request) or not isinstance(request.query, GroupedQuery):
        return ""
    if request.query.kind.weighted:
        return ""
    try:
        whole = replace(request.query.part, size=size)
        epsilon = least_epsilon(replace(item, request=replace(request, query=whole)))
    except DPCoreError:
        return ""
    if not epsilon < least_epsilon(item):
        return ""
    every = f"all {item.request.unit.counted}"
    return f"the same of {every} together, from ε = {epsilon_text(epsilon)}"
