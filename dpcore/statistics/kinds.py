"""Which statistics there are, and what can be asked of which columns."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Final, Self

from dpcore.data.columns import ColumnKind
from dpcore.statistics.joint_moments import JointMoments
from dpcore.statistics.statistic import NumericStatistic
from dpcore.statistics.sums_and_means import Mean, Sum
from dpcore.statistics.variance import StandardDeviation, Variance

Makes = Callable[..., NumericStatistic]


class StatisticKind(StrEnum):
    """What is asked of one column or of several, the most usual first.

    An entry has its name, the definition that its class computes, what it means where
    not everybody knows, and its class where that is made of bounds and size alone.
    """

    MEAN = "mean", "the sum of all values divided by their number", "", Mean
    SUM = "sum", "the sum of all values", "", Sum
    MEAN_AND_SPREAD = (
        "mean and standard deviation",
        "the mean of the values, and their standard deviation with divisor n",
        "both for the ε of a mean. Its interval with sampling then follows the private spread.",
        JointMoments,
    )
    VARIANCE = ("variance", "the sample variance of the values, in the squared unit", "", Variance)
    STANDARD_DEVIATION = (
        "standard deviation",
        "the sample standard deviation of the values",
        "",
        StandardDeviation,
    )
    DIFFERENCE = (
        "difference of groups",
        "the difference between the means of two groups",
        "difference of the means of two groups, in the unit of the column and in percent.",
    )
    MEANS = (
        "means of several columns",
        "the means of several columns in each group",
        "the means of several numeric columns by group, in one question with one cost.",
    )
    WEIGHTED_MEAN = (
        "weighted mean",
        "the mean of the values, each counted by the weight of its row, and their weighted total",
        "mean and total of a survey whose rows have weights, with a public cap on a weight.",
    )
    WEIGHTED_SHARE = (
        "weighted share",
        "the weight of the {many} that meet a condition, as a share of all weights and as a total",
        "share and total of a survey whose rows have weights, with a public cap on a weight.",
    )
    MEDIAN = (
        "median",
        "the value with half of the {many} below and half above it",
        "half of the values lie below it, half above.",
    )
    QUANTILE = (
        "quantile",
        "the value with a given share of the {many} below it",
        "the value below which a given share of the values lies.",
    )
    QUANTILES = (
        "several quantiles",
        "the values with given shares of the {many} below them",
        "several quantiles in one question, in order, each with an interval.",
    )
    PROPORTION = "proportion", "the share of {many} that meet a condition"
    COUNT = "count", "the number of {many}, or of those that meet a condition"
    HISTOGRAM = "histogram", "the number of {many} in each category or bin"
    PROPORTIONS = (
        "all shares",
        "the share of {many} in each category or bin",
        "the share of each category or bin, optionally adjusted to a sum of 100%.",
    )
    CROSS_TABLE = (
        "cross table",
        "the number of {many} with each combination of categories, and the totals of each column",
        "counts of every combination of the categories of two or three columns, with totals.",
    )
    MARGINALS = (
        "set of marginals",
        "the number of {many} in each cell of several tables of one to three columns",
        "counts of several tables at once, such as every pair of columns, with one cost.",
    )
    COVARIANCE = (
        "covariance",
        "the sample covariance of two columns",
        "how two columns vary together, in the product of their units.",
    )
    CORRELATION = (
        "correlation",
        "the correlation of two columns, from −1 to 1",
        "how two columns vary together, from −1 to 1.",
    )
    COVARIANCE_MATRIX = (
        "covariance matrix",
        "the variances and covariances of several columns",
        "variances and covariances of several columns.",
    )
    POOLED_VARIANCE = (
        "pooled variance",
        "the variance of the values within groups",
        "the variance within groups.",
    )
    POOLED_COVARIANCE = (
        "pooled covariance",
        "the covariance of two columns within groups",
        "covariance within groups.",
    )
    POPULATION_VARIANCE = (
        "variance, divisor n",
        "the variance of these values, with divisor n",
        "variance of these data alone (divisor n), not an estimate for a population.",
        partial(Variance, ddof=0),
    )
    POPULATION_STANDARD_DEVIATION = (
        "standard deviation, divisor n",
        "the standard deviation of these values, with divisor n",
        "",
        partial(StandardDeviation, ddof=0),
    )
    BOUNDS = (
        "bounds",
        (
            "the ends of the outermost bins with enough {many}. Bins begin at 1, 2 and 5 times "
            "powers of 10"
        ),
    )
    """Asked on Data, of a column that has none."""
    LABELS = "labels", "the labels that enough {many} have, with the number of {many} of each"
    """Asked on Data, of a category column without a list."""
    LABEL_ROUNDS = (
        "labels in rounds",
        "the labels that are frequent enough, each with the round in which it was found",
    )
    """The same, where several rows of each person count."""
    SYNTHETIC = (
        "synthetic table",
        "the number of {many} in each cell of several columns, and of chosen pairs of them",
    )
    """Asked on Synthetic data."""

    definition: str
    meaning: str
    makes: Makes | None

    def __new__(
        cls, value: str, definition: str = "", meaning: str = "", makes: Makes | None = None
    ) -> Self:
        """Return an entry, which is its name."""
        kind = str.__new__(cls, value)
        kind._value_ = value
        kind.definition, kind.meaning, kind.makes = definition, meaning, makes
        return kind

    @property
    def of_members(self) -> bool:
        """Tell whether it counts the people who meet a condition."""
        return self in {StatisticKind.COUNT, StatisticKind.PROPORTION, StatisticKind.WEIGHTED_SHARE}

    @property
    def weighted(self) -> bool:
        """Tell whether every row counts by its weight."""
        return self in _WEIGHTED

    @property
    def of_cells(self) -> bool:
        """Tell whether it counts the people of each of a list of cells."""
        return self in _OF_CELLS

    @property
    def of_counts(self) -> bool:
        """Tell whether its numbers are how many people there are."""
        return self in _OF_COUNTS

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
        return self in _OF_SEVERAL

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
    def of_known_sums(self) -> bool:
        """Tell whether it follows from sums whose noise must have a known law."""
        return self in _OF_KNOWN_SUMS

    @property
    def of_totals(self) -> bool:
        """Tell whether it grows with the people: a sum, or a number of them."""
        return self is StatisticKind.SUM or self.of_counts

    @property
    def divided(self) -> bool:
        """Tell whether a sum is divided by the number of people, or its public minimum."""
        return self in _DIVIDED or (self.makes is not None and self is not StatisticKind.SUM)

    @property
    def exact(self) -> bool:
        """Tell whether floats compute it without rounding."""
        return self.of_counts or self in {
            StatisticKind.QUANTILES,
            StatisticKind.BOUNDS,
            StatisticKind.LABEL_ROUNDS,
        }

    @property
    def by_group(self) -> bool:
        """Tell whether it can be asked of every group of people."""
        return self in _BY_GROUP


_WEIGHTED: Final = (StatisticKind.WEIGHTED_MEAN, StatisticKind.WEIGHTED_SHARE)
_OF_LABELS: Final = (
    StatisticKind.PROPORTION,
    StatisticKind.COUNT,
    StatisticKind.HISTOGRAM,
    StatisticKind.PROPORTIONS,
    StatisticKind.CROSS_TABLE,
    StatisticKind.MARGINALS,
    StatisticKind.WEIGHTED_SHARE,
)
ON_DATA: Final = frozenset({StatisticKind.BOUNDS, StatisticKind.LABELS, StatisticKind.LABEL_ROUNDS})
"""What is asked on Data, and becomes a declaration."""
NOT_ON_RELEASE: Final = ON_DATA | {StatisticKind.SYNTHETIC}
"""What has a page of its own."""
_OF_COUNTS: Final = frozenset(
    {
        StatisticKind.COUNT,
        StatisticKind.HISTOGRAM,
        StatisticKind.CROSS_TABLE,
        StatisticKind.MARGINALS,
        StatisticKind.LABELS,
        StatisticKind.SYNTHETIC,
    }
)
_OF_KNOWN_SUMS: Final = frozenset(
    {
        *_WEIGHTED,
        StatisticKind.MEAN_AND_SPREAD,
        StatisticKind.QUANTILES,
        StatisticKind.DIFFERENCE,
        StatisticKind.MEANS,
        StatisticKind.MARGINALS,
    }
)
_OF_CELLS: Final = frozenset(
    {
        StatisticKind.HISTOGRAM,
        StatisticKind.PROPORTIONS,
        StatisticKind.CROSS_TABLE,
        StatisticKind.MARGINALS,
    }
)
_OF_SEVERAL: Final = (
    *_WEIGHTED,
    StatisticKind.CROSS_TABLE,
    StatisticKind.MARGINALS,
    StatisticKind.DIFFERENCE,
    StatisticKind.MEANS,
    StatisticKind.COVARIANCE,
    StatisticKind.CORRELATION,
    StatisticKind.COVARIANCE_MATRIX,
    StatisticKind.POOLED_VARIANCE,
    StatisticKind.POOLED_COVARIANCE,
)
_OF_SPREAD: Final = frozenset(
    {
        StatisticKind.VARIANCE,
        StatisticKind.STANDARD_DEVIATION,
        StatisticKind.POPULATION_VARIANCE,
        StatisticKind.POPULATION_STANDARD_DEVIATION,
    }
)
_RATIOS: Final = _OF_SPREAD | {
    StatisticKind.MEAN,
    StatisticKind.PROPORTION,
    StatisticKind.MEAN_AND_SPREAD,
}
_DIVIDED: Final = frozenset(
    {
        StatisticKind.PROPORTION,
        StatisticKind.PROPORTIONS,
        StatisticKind.COVARIANCE,
        StatisticKind.CORRELATION,
        StatisticKind.COVARIANCE_MATRIX,
        StatisticKind.POOLED_VARIANCE,
        StatisticKind.POOLED_COVARIANCE,
    }
)
ASKED_OF_PEOPLE: Final = (
    StatisticKind.COUNT,
    StatisticKind.SUM,
    StatisticKind.MEAN,
    StatisticKind.PROPORTION,
    StatisticKind.HISTOGRAM,
    StatisticKind.DIFFERENCE,
    StatisticKind.MEANS,
    *_WEIGHTED,
)
"""All that can be asked of a table of which several rows of a person count."""
_BY_GROUP: Final = _RATIOS | {StatisticKind.COUNT, StatisticKind.SUM}
OF_ONE: Final = tuple(
    kind for kind in StatisticKind if not (kind.of_several or kind in NOT_ON_RELEASE)
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
    found = tuple(kind for kind in StatisticKind if kind not in NOT_ON_RELEASE)
    if column_kind is not ColumnKind.DATE:
        return found
    # A date has no sum and no square.
    none = {StatisticKind.SUM, StatisticKind.MEAN_AND_SPREAD}
    return tuple(kind for kind in found if not (kind in none or kind.squared))
