"""What budgets would buy a plan, and two plans side by side. PUBLIC."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from dpcore.analyses.measurement import Width
from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.formatting import significant
from dpcore.planning.analysis_plan import AS_GOOD, LEAST, MOST, AnalysisPlan, PlannedQuery, Split
from dpcore.planning.needs import smallest_text
from dpcore.planning.plan_cost import PlanCost, cost_of_plan
from dpcore.planning.splits import can_split, comparable, scaled

BUDGETS: Final = (0.1, 0.5, 1.0, 2.0, 5.0)
"""The totals that are compared besides one's own."""
_PER_DECADE: Final = 10
"""How many totals a line has for each factor of ten."""
_BELOW, _ABOVE = 0.1, 4.0
"""How far a line of totals goes, in totals of the plan."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BudgetComparison:
    """The half-widths of ``k`` questions under ``t`` totals.

    Attributes:
        names: Name of each question.
        units: Unit of each half-width; empty for a share.
        notes: Of what each is one, where that is not the answer alone.
        assumed: Whether that is a group of a size that was assumed.
        wanted: What must be seen of each; NaN where nothing was said.
        totals: The totals, ascending.
        own: Which of them is that of the plan.
        halves: Shape ``(k, t)``; infinite where nothing can be said, NaN where what is
            locked does not fit into the total.
        epsilons: What each question would get, shape ``(k, t)``; NaN likewise.

    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    notes: tuple[str, ...]
    assumed: tuple[bool, ...]
    wanted: FloatArray
    totals: tuple[float, ...]
    own: int
    halves: FloatArray
    epsilons: FloatArray

    @property
    def enough(self) -> FloatArray:
        """Return 1 where what must be seen is, 0 where not, NaN where none must be."""
        asked = self.wanted[:, np.newaxis]
        known = np.isfinite(asked) & ~np.isnan(self.halves)
        return np.where(known, (self.halves / AS_GOOD <= asked) * 1.0, np.nan)


def compare(basket: AnalysisPlan, budgets: Sequence[float] = BUDGETS) -> BudgetComparison:
    """Return what the plan would show under ``budgets`` and its own total.

    A budget that reads like its own total is left out. Where every question keeps its
    epsilon, as once all are released, no budget changes anything: what the plan costs
    as it stands is then the only one. Where it is not said what must be seen, for the
    best split, the proportions stay as they are.
    """
    own = basket.dealt
    if all(item.fixed for item in basket.items):
        budgets, own = (), basket.planned
    split = basket.split if can_split(basket.items, basket.split) else Split.TYPED
    others = {one for one in budgets if significant(one) != significant(own)}
    totals = tuple(sorted({*others, own}))
    items = basket.items if split is Split.TYPED else comparable(basket.items)
    found = np.array([_under(items, total, split) for total in totals])
    epsilons, halves = found.transpose(1, 2, 0)
    widths = [item.width for item in basket.items]
    return BudgetComparison(
        names=tuple(item.name for item in basket.items),
        units=tuple(width.unit for width in widths),
        notes=tuple(width.of for width in widths),
        assumed=tuple(width.assumed for width in widths),
        wanted=np.array([item.wanted or math.nan for item in basket.items]),
        totals=totals,
        own=totals.index(own),
        halves=halves,
        epsilons=epsilons,
    )


@lru_cache(maxsize=1_024)
def _under(
    items: tuple[PlannedQuery, ...], total: float, split: Split
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return epsilons and half-widths under a total; NaN where what is locked does not fit."""
    try:
        parts = scaled(items, total, split)
    except ParameterError:
        unknown = (math.nan,) * len(items)
        return unknown, unknown
    pairs = zip(items, parts, strict=True)
    return parts, tuple(
        item.width.half if item.fixed else item.half_at(epsilon) for item, epsilon in pairs
    )


def around(total: float) -> tuple[float, ...]:
    """Return totals from about a tenth to four times one, in equal steps of their logarithm.

    They are the same for totals that are close, so that what they buy is known already.

    >>> around(2.0)[0], around(2.01)[0], around(2.0)[-1], around(1e-6)[0]
    (0.199526, 0.199526, 7.94328, 1e-07)
    """
    low, high = max(total * _BELOW, LEAST), min(total * _ABOVE, MOST)
    first, last = (round(math.log10(end) * _PER_DECADE) for end in (low, max(high, low)))
    steps = (10 ** (step / _PER_DECADE) for step in range(first, last + 1))
    return tuple(min(max(float(f"{step:.6g}"), LEAST), MOST) for step in steps)


@dataclass(frozen=True, kw_only=True)
class Option:
    """A plan that could be chosen. PUBLIC.

    Attributes:
        name: What it is called beside the other one.
        basket: Its questions with their epsilons; at least one question.
        released: On which day a question was answered, by its key, of those that have
            been answered at the epsilon that they have here.

    """

    name: str
    basket: AnalysisPlan
    released: Mapping[str, date] = field(default_factory=dict)

    @cached_property
    def price(self) -> PlanCost:
        """Return what all of its questions cost together.

        Raises:
            ParameterError: One of them cannot be carried out.

        """
        requests = [item.request for item in self.basket.items]
        return cost_of_plan(requests, delta=self.basket.delta)

    @cached_property
    def due(self) -> PlanCost:
        """Return what it still costs: a question with an answer costs nothing more.

        Raises:
            ParameterError: One of the others cannot be carried out.

        """
        items = [one for one in self.basket.items if one.key not in self.released]
        return cost_of_plan([one.request for one in items], delta=self.basket.delta)

    @property
    def done(self) -> bool:
        """Tell whether all of its questions have been answered."""
        return all(item.key in self.released for item in self.basket.items)

    @property
    def days(self) -> tuple[date, ...]:
        """Return the days on which its questions were answered, each once."""
        return tuple(sorted(set(self.released.values())))

    @property
    def guarantee(self) -> tuple[float, float]:
        """Return epsilon, which may be infinite, and delta of all answers together."""
        cost = self.price.cost
        return float(cost.epsilon), float(cost.delta)

    @property
    def smallest(self) -> str:
        """Return the smallest total that meets every target, in words; or nothing."""
        return smallest_text(self.basket.items)

    @property
    def wanted(self) -> int:
        """Return of how many questions it is said what must be seen."""
        return sum(item.wanted is not None for item in self.basket.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A question under two plans; ``None`` where a plan does not ask it. PUBLIC."""

    first: PlannedQuery | None
    second: PlannedQuery | None

    @property
    def item(self) -> PlannedQuery:
        """Return the question as the first plan that asks it has it."""
        found = self.first or self.second
        assert found is not None, "a row is of a question"  # noqa: S101
        return found

    @property
    def wanted(self) -> float | None:
        """Return what must be seen, as the first plan that says so."""
        named = [item.wanted for item in (self.first, self.second) if item is not None]
        return next((wanted for wanted in named if wanted is not None), None)

    @property
    def widths(self) -> tuple[Width | None, Width | None]:
        """Return how far off either answer will be."""
        first, second = self.first, self.second
        return (None if first is None else first.width, None if second is None else second.width)

    def shown(self, item: PlannedQuery | None) -> bool | None:
        """Tell whether a plan shows what must be seen; ``None`` if nothing must."""
        if item is None or self.wanted is None:
            return None
        half = item.width.half
        return math.isfinite(half) and half / AS_GOOD <= self.wanted


def rows_of(first: Sequence[PlannedQuery], second: Sequence[PlannedQuery]) -> tuple[Row, ...]:
    """Return every question of two plans once, those of the first plan first."""
    others = {item.key: item for item in second}
    both = [Row(first=item, second=others.pop(item.key, None)) for item in first]
    return (*both, *(Row(first=None, second=item) for item in others.values()))
