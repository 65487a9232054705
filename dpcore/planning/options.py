"""Two plans side by side: whom each protects how, and what each shows. PUBLIC."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property

from dpcore.planning.basket import Basket
from dpcore.planning.item import AS_GOOD, Item
from dpcore.planning.needs import smallest_text
from dpcore.planning.totals import Price, price_of
from dpcore.planning.widths import Width


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
    basket: Basket
    released: Mapping[str, date] = field(default_factory=dict)

    @cached_property
    def price(self) -> Price:
        """Return what all of its questions cost together.

        Raises:
            ParameterError: One of them cannot be carried out.

        """
        requests = [item.request for item in self.basket.items]
        return price_of(requests, delta=self.basket.delta)

    @cached_property
    def due(self) -> Price:
        """Return what it still costs: a question with an answer costs nothing more.

        Raises:
            ParameterError: One of the others cannot be carried out.

        """
        items = [one for one in self.basket.items if one.key not in self.released]
        return price_of([one.request for one in items], delta=self.basket.delta)

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

    first: Item | None
    second: Item | None

    @property
    def item(self) -> Item:
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

    def shown(self, item: Item | None) -> bool | None:
        """Tell whether a plan shows what must be seen; ``None`` if nothing must."""
        if item is None or self.wanted is None:
            return None
        half = item.width.half
        return math.isfinite(half) and half / AS_GOOD <= self.wanted


def rows_of(first: Sequence[Item], second: Sequence[Item]) -> tuple[Row, ...]:
    """Return every question of two plans once, those of the first plan first."""
    others = {item.key: item for item in second}
    both = [Row(first=item, second=others.pop(item.key, None)) for item in first]
    return (*both, *(Row(first=None, second=item) for item in others.values()))
