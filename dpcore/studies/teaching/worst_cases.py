"""The most that one person can change a statistic, over all tables of given sizes.

Sizes are the numbers of people in each group before the change. The values are those of
Liu 2016 (arXiv 1607.08554, section 3), corrected where enumeration finds a larger
change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.studies.teaching.small_tables import Change

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpcore.data.bounds import Interval
    from dpcore.statistics.base import Statistic
    from dpcore.studies.teaching.small_tables import Setting

    Sizes = tuple[int, ...]
    Worst = Callable[[Sizes, Setting, Change], float]


def _larger(sizes: Sizes, change: Change) -> int:
    """Return the size of the larger of two neighboring tables."""
    return sum(sizes) + (change is Change.ADDITION)


def known(
    make: Callable[[Interval, TableSize], Statistic],
) -> Worst:
    """Return the global sensitivity as the studio's own statistic states it."""

    def worst(sizes: Sizes, setting: Setting, change: Change) -> float:
        relation = (
            NeighboringRelation.SUBSTITUTION
            if change is Change.SUBSTITUTION
            else NeighboringRelation.ADD_REMOVE
        )
        size = TableSize(people=_larger(sizes, change), public=True)
        return make(setting.bounds, size).sensitivity(relation).l1

    return worst


def _need(fewest: int, sizes: Sizes, change: Change) -> int:
    """Return the size of the larger table, if the smaller has ``fewest`` people."""
    larger = _larger(sizes, change)
    smaller = larger - (change is not Change.SUBSTITUTION)
    if smaller < fewest:
        message = (
            f"with {smaller} left in the smaller table the statistic has no value: it "
            f"needs {fewest}. Add people."
        )
        raise ParameterError(message)
    return larger


def population_variance(sizes: Sizes, setting: Setting, change: Change) -> float:
    """Return ``R^2 (n - 1) / n^2``."""
    n = _need(1, sizes, change)
    return (n - 1) * setting.bounds.width**2 / n**2


def median(sizes: Sizes, setting: Setting, change: Change) -> float:
    """Return ``R`` for a replaced record of an odd table, else ``R / 2``."""
    n = _need(1, sizes, change)
    # With an even number of people, or one person more or less, the mean of the two
    # middle values gives way by half.
    whole = change is Change.SUBSTITUTION and n % 2 == 1
    return setting.bounds.width / (1 if whole else 2)


def quantile(sizes: Sizes, setting: Setting, change: Change) -> float:
    """Return ``R``: one person may be all that keeps it from the other bound."""
    _need(1, sizes, change)
    return setting.bounds.width


def correlation(
    sizes: Sizes,
    setting: Setting,  # noqa: ARG001 - no bounds make it smaller
    change: Change,
) -> float:
    """Return 2: one person can turn -1 into +1 at any size."""
    _need(2, sizes, change)
    return 2.0


def slope(
    sizes: Sizes,
    setting: Setting,  # noqa: ARG001 - no bounds make it finite
    change: Change,
) -> float:
    """Return infinity: where all others share one x, nothing limits the slope."""
    _need(2, sizes, change)
    return np.inf


def _squares(people: int) -> float:
    """Return the largest sum of squares of that many points of the unit interval."""
    return (people**2 // 4) / people if people else 0.0


def pooled_variance(sizes: Sizes, setting: Setting, change: Change) -> float:
    """Return the exact worst case of the pooled variance for given group sizes.

    With ``d`` what the record adds to the sum of squares of its group, and ``S`` the
    sum of squares of everybody else, one person more changes the variance by ``(d - S /
    f) / (f + 1)``, ``f`` the smaller table's degrees of freedom; ``d`` and ``S`` are
    extreme on their own. The published value covers removal only.
    """
    squared, groups = setting.bounds.width**2, setting.groups
    n = _need(groups + 1, sizes, change)
    if change is Change.SUBSTITUTION:
        moved = 1 - 1 / max(sizes)
        if not setting.group_is_public and groups > 1:
            # No sizes are public then: it may join all the others in one group.
            moved = 1 - 1 / n
        return squared * moved / (n - groups)
    total = sum(_squares(size) for size in sizes)
    freedom = n - 1 - groups
    if change is Change.ADDITION:
        largest = max(sizes)
        moved = max(largest / (largest + 1), total / freedom)
    else:
        left = max(total - _squares(m) + _squares(m - 1) for m in sizes if m)
        moved = max(1 - 1 / max(sizes), left / freedom)
    return squared * moved / (n - groups)
