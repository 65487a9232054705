"""Which statistics there are, and what can be asked of which columns."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from dpcore.data.columns import ColumnKind


class StatisticKind(StrEnum):
    """What is asked of one column or of several."""

    COUNT = "count"
    SUM = "sum"
    MEAN = "mean"
    PROPORTION = "proportion"
    VARIANCE = "variance"
    STANDARD_DEVIATION = "standard deviation"
    POPULATION_VARIANCE = "variance, divisor n"
    POPULATION_STANDARD_DEVIATION = "standard deviation, divisor n"
    HISTOGRAM = "histogram"
    PROPORTIONS = "all shares"
    MEDIAN = "median"
    QUANTILE = "quantile"
    COVARIANCE = "covariance"
    CORRELATION = "correlation"
    COVARIANCE_MATRIX = "covariance matrix"
    POOLED_VARIANCE = "pooled variance"
    POOLED_COVARIANCE = "pooled covariance"
    CROSS_TABLE = "cross table"
    QUANTILES = "several quantiles"
    DIFFERENCE = "difference of groups"
    MEANS = "means of several columns"
    BOUNDS = "bounds"
    """Asked on Data, of a column that has none."""

    @property
    def of_members(self) -> bool:
        """Tell whether it counts the people who meet a condition."""
        return self in {StatisticKind.COUNT, StatisticKind.PROPORTION}

    @property
    def of_cells(self) -> bool:
        """Tell whether it counts the people of each of a list of cells."""
        return self in _OF_CELLS

    @property
    def of_counts(self) -> bool:
        """Tell whether its numbers are how many people there are."""
        return self in {StatisticKind.COUNT, StatisticKind.HISTOGRAM, StatisticKind.CROSS_TABLE}

    @property
    def of_spread(self) -> bool:
        """Tell whether it says how far people are apart, and not where they are."""
        return self in _OF_SPREAD

    @property
    def of_ranks(self) -> bool:
        """Tell whether it is a choice among candidates by their rank."""
        return self in {StatisticKind.MEDIAN, StatisticKind.QUANTILE}

    @property
    def of_places(self) -> bool:
        """Tell whether it is about places in the sorted table, and not about sums."""
        return self.of_ranks or self is StatisticKind.QUANTILES

    @property
    def of_several(self) -> bool:
        """Tell whether it is about several columns."""
        return self in _OF_SEVERAL or self in _OF_LABELS_TOO

    @property
    def of_matrix(self) -> bool:
        """Tell whether variances are released first and covariances in their light."""
        return self in {StatisticKind.CORRELATION, StatisticKind.COVARIANCE_MATRIX}

    @property
    def pooled(self) -> bool:
        """Tell whether it puts the scatter within groups together."""
        return self in {StatisticKind.POOLED_VARIANCE, StatisticKind.POOLED_COVARIANCE}

    @property
    def squared(self) -> bool:
        """Tell whether its unit is that of the column, squared."""
        return self in {
            StatisticKind.VARIANCE,
            StatisticKind.POPULATION_VARIANCE,
            StatisticKind.POOLED_VARIANCE,
        }

    @property
    def of_ratios(self) -> bool:
        """Tell whether it divides by the number of people."""
        return self in _RATIOS

    @property
    def by_group(self) -> bool:
        """Tell whether it can be asked of every group of people."""
        return self in _BY_GROUP


_OF_NUMBERS: Final = (
    StatisticKind.MEAN,
    StatisticKind.SUM,
    StatisticKind.VARIANCE,
    StatisticKind.STANDARD_DEVIATION,
)
_OF_LABELS: Final = (
    StatisticKind.PROPORTION,
    StatisticKind.COUNT,
    StatisticKind.HISTOGRAM,
    StatisticKind.PROPORTIONS,
    StatisticKind.CROSS_TABLE,
)
_OF_LABELS_TOO: Final = frozenset(
    {StatisticKind.CROSS_TABLE, StatisticKind.DIFFERENCE, StatisticKind.MEANS}
)
_OF_CELLS: Final = frozenset(
    {StatisticKind.HISTOGRAM, StatisticKind.PROPORTIONS, StatisticKind.CROSS_TABLE}
)
_OF_SEVERAL: Final = (
    StatisticKind.COVARIANCE,
    StatisticKind.CORRELATION,
    StatisticKind.COVARIANCE_MATRIX,
    StatisticKind.POOLED_VARIANCE,
    StatisticKind.POOLED_COVARIANCE,
)
_RARE: Final = (StatisticKind.POPULATION_VARIANCE, StatisticKind.POPULATION_STANDARD_DEVIATION)
_OF_SPREAD: Final = frozenset(
    {
        StatisticKind.VARIANCE,
        StatisticKind.STANDARD_DEVIATION,
        StatisticKind.POPULATION_VARIANCE,
        StatisticKind.POPULATION_STANDARD_DEVIATION,
    }
)
_NOT_OF_DATES: Final = frozenset(
    {
        StatisticKind.SUM,
        StatisticKind.VARIANCE,
        StatisticKind.POPULATION_VARIANCE,
        StatisticKind.POOLED_VARIANCE,
    }
)
"""A date has no sum and no square."""
_BY_GROUP: Final = frozenset((*_OF_NUMBERS, *_RARE, StatisticKind.PROPORTION, StatisticKind.COUNT))
_RATIOS: Final = _BY_GROUP - {StatisticKind.COUNT, StatisticKind.SUM}
MEANINGS: Final = {
    StatisticKind.MEDIAN: "half of the values lie below it, half above.",
    StatisticKind.QUANTILE: "the value below which a given share of the values lies.",
    StatisticKind.QUANTILES: "several quantiles in one question, in order, each with an interval.",
    StatisticKind.PROPORTIONS: "the share of each category or bin, optionally adjusted to a "
    "sum of 100%.",
    StatisticKind.DIFFERENCE: "difference of the means of two groups, in the unit of the "
    "column and in percent.",
    StatisticKind.MEANS: "the means of several numeric columns by group, in one question "
    "with one cost.",
    StatisticKind.CROSS_TABLE: "counts of every pair of categories of two columns, with row "
    "and column totals.",
    StatisticKind.COVARIANCE: "how two columns vary together, in the product of their units.",
    StatisticKind.CORRELATION: "how two columns vary together, from −1 to 1.",
    StatisticKind.COVARIANCE_MATRIX: "variances and covariances of several columns.",
    StatisticKind.POOLED_VARIANCE: "the variance within groups.",
    StatisticKind.POOLED_COVARIANCE: "covariance within groups.",
    StatisticKind.POPULATION_VARIANCE: "variance of these data alone (divisor n), not an "
    "estimate for a population.",
}
"""What those mean that not everybody knows, in plain words."""
OF_ONE: Final = tuple(
    kind for kind in StatisticKind if not (kind.of_several or kind is StatisticKind.BOUNDS)
)
"""Statistics of one column."""


def allowed(column_kind: ColumnKind) -> tuple[StatisticKind, ...]:
    """Return what can be asked of such a column, the most usual first.

    Nothing is asked of an identifier, nor of a column that is not used.
    """
    if column_kind.has_labels:
        return _OF_LABELS
    if not column_kind.is_numeric:
        return ()
    ranks = (StatisticKind.MEDIAN, StatisticKind.QUANTILE, StatisticKind.QUANTILES)
    of_groups = (StatisticKind.DIFFERENCE, StatisticKind.MEANS)
    found = (*_OF_NUMBERS, *of_groups, *ranks, *_OF_LABELS, *_OF_SEVERAL, *_RARE)
    if column_kind is not ColumnKind.DATE:
        return found
    return tuple(kind for kind in found if kind not in _NOT_OF_DATES)
