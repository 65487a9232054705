"""What budgets would buy: every question of a plan under several totals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.formatting import significant
from dpcore.planning.aims import nothing_beyond
from dpcore.planning.basket import Basket, Split
from dpcore.planning.item import AS_GOOD
from dpcore.planning.needs import smallest_total
from dpcore.planning.splits import can_split, scaled

BUDGETS: Final = (0.1, 0.5, 1.0, 2.0, 5.0)
"""The totals that are compared besides one's own."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
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
        spans: As how wide an error each says nothing any more; NaN where that is not
            known from public numbers.
        smallest: The smallest total that meets every target; see ``smallest_total``.

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
    spans: FloatArray
    smallest: float

    @property
    def void(self) -> NDArray[np.bool_]:
        """Tell where an error is as wide as all that an answer can be."""
        return np.isfinite(self.halves) & (self.halves >= self.spans[:, np.newaxis])

    @property
    def enough(self) -> FloatArray:
        """Return 1 where what must be seen is, 0 where not, NaN where none must be."""
        asked = self.wanted[:, np.newaxis]
        known = np.isfinite(asked) & ~np.isnan(self.halves)
        return np.where(known, (self.halves / AS_GOOD <= asked) * 1.0, np.nan)


def compare(basket: Basket, budgets: Sequence[float] = BUDGETS) -> Comparison:
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
    size = len(basket.items), len(totals)
    halves, epsilons = np.full(size, math.nan), np.full(size, math.nan)
    for place, total in enumerate(totals):
        try:
            parts = scaled(basket.items, total, split)
        except ParameterError:
            continue
        epsilons[:, place] = parts
        halves[:, place] = [
            item.width.half if item.fixed else item.half_at(epsilon)
            for item, epsilon in zip(basket.items, parts, strict=True)
        ]
    widths = [item.width for item in basket.items]
    return Comparison(
        names=tuple(item.name for item in basket.items),
        units=tuple(width.unit for width in widths),
        notes=tuple(width.of for width in widths),
        assumed=tuple(width.assumed for width in widths),
        wanted=np.array([item.wanted or math.nan for item in basket.items]),
        totals=totals,
        own=totals.index(own),
        halves=halves,
        epsilons=epsilons,
        spans=np.array([nothing_beyond(item) for item in basket.items]),
        smallest=smallest_total(basket.items),
    )
