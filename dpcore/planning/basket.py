"""A plan: questions that are meant to be asked, and the total that they share."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from dpcore.errors import ParameterError
from dpcore.planning.item import LEAST, MOST, Item

MOST_ITEMS = 200


class Split(StrEnum):
    """How the total is split over the questions that are not locked."""

    TYPED = "as typed"
    EQUAL = "equal parts"
    WEIGHTS = "by weight"
    BEST = "best for what must be seen"


@dataclass(frozen=True, kw_only=True)
class Basket:
    """A plan. PUBLIC.

    Attributes:
        items: The questions, at most 200, no two of them alike.
        total: The epsilon that they share, from 1e-9 to 700.
        delta: At which delta all of them together are counted, in [0, 0.1].
        split: How the total is split.
        follows_budget: Whether the total is what is left of the budget, until somebody
            types one. Plans of older files have a total of their own.

    Raises:
        ParameterError: One of these is outside its domain.

    """

    items: tuple[Item, ...] = ()
    total: float = 1.0
    delta: float = 0.0
    split: Split = Split.EQUAL
    follows_budget: bool = False

    def __post_init__(self) -> None:
        if not LEAST <= self.total <= MOST:
            raise ParameterError(f"the total must be from {LEAST:g} to {MOST:g}.")
        if not 0 <= self.delta <= 0.1:  # noqa: PLR2004
            raise ParameterError("the delta of a plan must be from 0 to 0.1.")
        if len(self.items) > MOST_ITEMS:
            raise ParameterError(f"a plan holds at most {MOST_ITEMS} questions.")
        if len(set(self.keys)) < len(self.items):
            raise ParameterError("this question is in the plan already; change it there.")

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the key of each question."""
        return tuple(item.key for item in self.items)

    @property
    def planned(self) -> float:
        """Return the sum of the epsilons."""
        return math.fsum(item.epsilon for item in self.items)

    @property
    def dealt(self) -> float:
        """Return the total that the questions have now.

        As typed, it is the sum of their epsilons; the total may be larger.
        """
        return self.planned if self.split is Split.TYPED else self.total

    def with_item(self, item: Item) -> Self:
        """Return the plan with a question more, or with another form of one."""
        place = {key: at for at, key in enumerate(self.keys)}.get(item.key)
        if place is None:
            return replace(self, items=(*self.items, item))
        return replace(self, items=(*self.items[:place], item, *self.items[place + 1 :]))

    def without(self, key: str) -> Self:
        """Return the plan without a question."""
        return replace(self, items=tuple(i for i in self.items if i.key != key))
