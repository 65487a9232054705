"""What the sensitivity explorer can ask about: values and worst cases side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.statistics.averages import Mean, Proportion
from dpcore.statistics.covariance import Covariance
from dpcore.statistics.spread import StandardDeviation, Variance
from dpcore.statistics.sums import Count, Sum
from dpcore.studies.teaching import small_tables, worst_cases
from dpcore.studies.teaching.small_tables import Columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.studies.teaching.small_tables import Change, Setting
    from dpcore.studies.teaching.worst_cases import Worst


@dataclass(frozen=True, slots=True, kw_only=True)
class Explorable:
    """A statistic that the explorer can ask about.

    Attributes:
        label: What it is called in a sentence, after "the".
        columns: What it reads.
        fewest: People without whom it has no value.
        on_axis: Whether it lies between the bounds of the values.
        curved: Whether its extreme over one record may lie off corners and means.
        unlimited: Whether one more record beside ``(..., n, 3)`` others can take it
            anywhere; ``None`` where that never happens.
        evaluate: Its value in each table, ``(..., n, 3)`` to ``(...)``; NaN where it
            has none.
        worst: Its global sensitivity from the sizes of the groups.

    """

    label: str
    columns: Columns = Columns.ONE
    fewest: int = 1
    on_axis: bool = False
    curved: bool = False
    unlimited: Callable[[FloatArray, Setting], NDArray[np.bool_]] | None = None
    evaluate: Callable[[FloatArray, Setting], FloatArray]
    worst: Worst

    def value(self, tables: FloatArray, setting: Setting) -> FloatArray:
        """Return the statistic of each table, NaN where it has no value."""
        if tables.shape[-2] < self.fewest:
            return np.full(tables.shape[:-2], np.nan)
        return np.asarray(self.evaluate(tables, setting))

    def sensitivity(
        self, sizes: tuple[int, ...], setting: Setting, change: Change
    ) -> float:
        """Return the largest change over all tables with groups of these sizes.

        ``sizes`` are those before the change. It is ``inf`` where nothing limits it.

        Raises:
            ParameterError: If some table or neighbor would have no value.

        """
        return self.worst(sizes, setting, change)


EXPLORABLE: Final = {
    "mean": Explorable(
        label="mean",
        on_axis=True,
        evaluate=small_tables.mean,
        worst=worst_cases.known(lambda bounds, size: Mean(bounds=bounds, size=size)),
    ),
    "sum": Explorable(
        label="sum",
        fewest=0,
        evaluate=small_tables.total,
        worst=worst_cases.known(lambda bounds, size: Sum(bounds=bounds, size=size)),
    ),
    "count": Explorable(
        label="number of people in the upper half",
        fewest=0,
        evaluate=small_tables.count,
        worst=worst_cases.known(lambda _, size: Count(size=size)),
    ),
    "proportion": Explorable(
        label="share of people in the upper half",
        evaluate=small_tables.proportion,
        worst=worst_cases.known(lambda _, size: Proportion(size=size)),
    ),
    "median": Explorable(
        label="median",
        on_axis=True,
        evaluate=small_tables.median,
        worst=worst_cases.median,
    ),
    "quantile": Explorable(
        label="quantile",
        on_axis=True,
        evaluate=small_tables.quantile,
        worst=worst_cases.quantile,
    ),
    "variance": Explorable(
        label="variance (divisor n - 1)",
        fewest=2,
        evaluate=small_tables.variance,
        worst=worst_cases.known(
            lambda bounds, size: Variance(bounds=bounds, size=size)
        ),
    ),
    "population-variance": Explorable(
        label="variance (divisor n)",
        evaluate=small_tables.population_variance,
        worst=worst_cases.population_variance,
    ),
    "standard-deviation": Explorable(
        label="standard deviation",
        fewest=2,
        evaluate=small_tables.standard_deviation,
        worst=worst_cases.known(
            lambda bounds, size: StandardDeviation(bounds=bounds, size=size)
        ),
    ),
    "pooled-variance": Explorable(
        label="pooled variance of the groups",
        columns=Columns.GROUPED,
        evaluate=small_tables.pooled_variance,
        worst=worst_cases.pooled_variance,
    ),
    "covariance": Explorable(
        label="covariance",
        columns=Columns.TWO,
        fewest=2,
        evaluate=small_tables.covariance,
        worst=worst_cases.known(
            lambda bounds, size: Covariance(bounds=(bounds, bounds), size=size)
        ),
    ),
    "correlation": Explorable(
        label="correlation",
        columns=Columns.TWO,
        fewest=2,
        curved=True,
        evaluate=small_tables.correlation,
        worst=worst_cases.correlation,
    ),
    "slope": Explorable(
        label="slope of the fitted line",
        columns=Columns.TWO,
        fewest=2,
        curved=True,
        unlimited=small_tables.same_x,
        evaluate=small_tables.slope,
        worst=worst_cases.slope,
    ),
}
"""What the explorer can ask about, in display order."""
