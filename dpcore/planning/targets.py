"""The least epsilon at which a question meets its target. PUBLIC."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

from dpcore.errors import ParameterError
from dpcore.planning.aims import aim
from dpcore.planning.inverting import epsilon_for
from dpcore.planning.item import Item


def least_epsilon(item: Item) -> float:
    """Return the least epsilon at which a question meets its target, or its aim."""
    target = aim(item)
    if target is None or not item.divisible:
        return math.inf
    try:
        alike = replace(item.at(1.0), name="any", weight=1.0, locked=False)
    except ParameterError:
        alike = item
    return _least(alike, target)


@lru_cache(maxsize=2_000)
def _least(item: Item, half: float) -> float:
    """Return ``epsilon_for``; infinite where no epsilon does."""
    try:
        return epsilon_for(item, half)
    except ParameterError:
        return math.inf
