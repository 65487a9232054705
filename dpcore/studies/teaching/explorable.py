"""What the sensitivity explorer can ask about: values and worst cases side by side.

A worst case is the most that one person can change a statistic, over all tables of
given sizes: the numbers of people in each group before the change. They are those of
Liu 2016 (arXiv 1607.08554, section 3), corrected where enumeration finds a larger
change.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.covariance import Covariance
from dpcore.statistics.statistic import Statistic
from dpcore.statistics.sums_and_means import Count, Mean, Proportion, Sum
from dpcore.statistics.variance import StandardDeviation, Variance
from dpcore.studies.teaching import small_tables
from dpcore.studies.teaching.small_tables import Columns, RecordChange, TableSetting

Sizes = tuple[int, ...]
Worst = Callable[[Sizes, TableSetting, RecordChange], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explorable:
    """A statistic that the explorer can ask about."""

    label: str
    """What it is called in a sentence, after "the"."""
    columns: Columns = Columns.ONE
    """What it reads."""
    fewest: int = 1
    """People without whom it has no value."""
    on_axis: bool = False
    """Whether it lies between the bounds of the values."""
    curved: bool = False
    """Whether its extreme over one record may lie off corners and means."""
    unlimited: Callable[[FloatArray, TableSetting], NDArray[np.bool_]] | None = None
    """Whether one more record beside ``(..., n, 3)`` others can take it anywhere;
    ``None`` where that never happens.
    """
    evaluate: Callable[[FloatArray, TableSetting], FloatArray]
    """Its value in each table, ``(..., n, 3)`` to ``(...)``; NaN where it has none."""
    sensitivity: Worst
    """The largest change over all tables with groups of the sizes that are given,
    before the change; ``inf`` where nothing limits it. An error if some table or
    neighbor would have no value.
    """

    def value(self, tables: FloatArray, setting: TableSetting) -> FloatArray:
        """Return the statistic of each table, NaN where it has no value."""
        if tables.shape[-2] < self.fewest:
            return np.full(tables.shape[:-2], np.nan)
        return np.asarray(self.evaluate(tables, setting))


def _larger(sizes: Sizes, change: RecordChange) -> int:
    """Return the size of the larger of two neighboring tables."""
    return sum(sizes) + (change is RecordChange.ADDITION)


def known(make: Callable[[Interval, TableSize], Statistic]) -> Worst:
    """Return the global sensitivity as the studio's own statistic states it."""

    def worst(sizes: Sizes, setting: TableSetting, change: RecordChange) -> float:
        relation = (
            NeighboringRelation.SUBSTITUTION
            if change is RecordChange.SUBSTITUTION
            else NeighboringRelation.ADD_REMOVE
        )
        size = TableSize(people=_larger(sizes, change), public=True)
        return make(setting.bounds, size).sensitivity(relation).l1

    return worst


def _need(fewest: int, sizes: Sizes, change: RecordChange) -> int:
    """Return the size of the larger table, if the smaller has ``fewest`` people."""
    larger = _larger(sizes, change)
    smaller = larger - (change is not RecordChange.SUBSTITUTION)
    if smaller < fewest:
        raise ParameterError(
            f"with {smaller} left in the smaller table the statistic has no value: it "
            f"needs {fewest}. Add people."
        )
    return larger


def population_variance(sizes: Sizes, setting: TableSetting, change: RecordChange) -> float:
    """Return ``R^2 (n - 1) / n^2``."""
    n = _need(1, sizes, change)
    return (n - 1) * setting.bounds.width**2 / n**2


def median(sizes: Sizes, setting: TableSetting, change: RecordChange) -> float:
    """Return ``R`` for a replaced record of an odd table, else ``R / 2``."""
    n = _need(1, sizes, change)
    # With an even number of people, or one person more or less, the mean of the two
    # middle values gives way by half.
    whole = change is RecordChange.SUBSTITUTION and n % 2 == 1
    return setting.bounds.width / (1 if whole else 2)


def quantile(sizes: Sizes, setting: TableSetting, change: RecordChange) -> float:
    """Return ``R``: one person may be all that keeps it from the other bound."""
    _need(1, sizes, change)
    return setting.bounds.width


def correlation(
    sizes: Sizes,
    setting: TableSetting,  # noqa: ARG001 - no bounds make it smaller
    change: RecordChange,
) -> float:
    """Return 2: one person can turn -1 into +1 at any size."""
    _need(2, sizes, change)
    return 2.0


def slope(
    sizes: Sizes,
    setting: TableSetting,  # noqa: ARG001 - no bounds make it finite
    change: RecordChange,
) -> float:
    """Return infinity: where all others share one x, nothing limits the slope."""
    _need(2, sizes, change)
    return np.inf


def _squares(people: int) -> float:
    """Return the largest sum of squares of that many points of the unit interval."""
    return (people**2 // 4) / people if people else 0.0


def pooled_variance(sizes: Sizes, setting: TableSetting, change: RecordChange) -> float:
    """Return the exact worst case of the pooled variance for given group sizes.

    With ``d`` what the record adds to the sum of squares of its group, and ``S`` the
    sum of squares of everybody else, one person more changes the variance by ``(d - S /
    f) / (f + 1)``, ``f`` the smaller table's degrees of freedom; ``d`` and ``S`` are
    extreme on their own. The published value covers removal only.
    """
    squared, groups = setting.bounds.width**2, setting.groups
    n = _need(groups + 1, sizes, change)
    if change is RecordChange.SUBSTITUTION:
        moved = 1 - 1 / max(sizes)
        if not setting.group_is_public and groups > 1:
            # No sizes are public then: it may join all the others in one group.
            moved = 1 - 1 / n
        return squared * moved / (n - groups)
    total = sum(_squares(size) for size in sizes)
    freedom = n - 1 - groups
    if change is RecordChange.ADDITION:
        largest = max(sizes)
        moved = max(largest / (largest + 1), total / freedom)
    else:
        left = max(total - _squares(m) + _squares(m - 1) for m in sizes if m)
        moved = max(1 - 1 / max(sizes), left / freedom)
    return squared * moved / (n - groups)


EXPLORABLE: Final = {
    "mean": Explorable(
        label="mean",
        on_axis=True,
        evaluate=small_tables.mean,
        sensitivity=known(lambda bounds, size: Mean(bounds=bounds, size=size)),
    ),
    "sum": Explorable(
        label="sum",
        fewest=0,
        evaluate=small_tables.total,
        sensitivity=known(lambda bounds, size: Sum(bounds=bounds, size=size)),
    ),
    "count": Explorable(
        label="number of people in the upper half",
        fewest=0,
        evaluate=small_tables.count,
        sensitivity=known(lambda _, size: Count(size=size)),
    ),
    "proportion": Explorable(
        label="share of people in the upper half",
        evaluate=small_tables.proportion,
        sensitivity=known(lambda _, size: Proportion(size=size)),
    ),
    "median": Explorable(
        label="median", on_axis=True, evaluate=small_tables.median, sensitivity=median
    ),
    "quantile": Explorable(
        label="quantile", on_axis=True, evaluate=small_tables.quantile, sensitivity=quantile
    ),
    "variance": Explorable(
        label="variance (divisor n - 1)",
        fewest=2,
        evaluate=small_tables.variance,
        sensitivity=known(lambda bounds, size: Variance(bounds=bounds, size=size)),
    ),
    "population-variance": Explorable(
        label="variance (divisor n)",
        evaluate=small_tables.population_variance,
        sensitivity=population_variance,
    ),
    "standard-deviation": Explorable(
        label="standard deviation",
        fewest=2,
        evaluate=small_tables.standard_deviation,
        sensitivity=known(lambda bounds, size: StandardDeviation(bounds=bounds, size=size)),
    ),
    "pooled-variance": Explorable(
        label="pooled variance of the groups",
        columns=Columns.GROUPED,
        evaluate=small_tables.pooled_variance,
        sensitivity=pooled_variance,
    ),
    "covariance": Explorable(
        label="covariance",
        columns=Columns.TWO,
        fewest=2,
        evaluate=small_tables.covariance,
        sensitivity=known(lambda bounds, size: Covariance(bounds=(bounds, bounds), size=size)),
    ),
    "correlation": Explorable(
        label="correlation",
        columns=Columns.TWO,
        fewest=2,
        curved=True,
        evaluate=small_tables.correlation,
        sensitivity=correlation,
    ),
    "slope": Explorable(
        label="slope of the fitted line",
        columns=Columns.TWO,
        fewest=2,
        curved=True,
        unlimited=small_tables.same_x,
        evaluate=small_tables.slope,
        sensitivity=slope,
    ),
}
"""What the explorer can ask about, in display order."""
