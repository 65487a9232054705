"""The numbers of Study 1 as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dpcore.mechanisms.catalog import CATALOG
from dpcore.studies.covariances import limits
from dpcore.studies.covariances.design import LABELS, STATISTICS
from dpcore.studies.covariances.study import PERCENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dpcore.studies.covariances.design import Design
    from dpcore.studies.covariances.study import Outcome


def numbers(
    outcomes: Iterable[Outcome], statistics: Sequence[str] = STATISTICS
) -> pd.DataFrame:
    """Return one row for each scenario and statistic, in full precision."""
    rows = []
    for outcome in outcomes:
        known = outcome.scenario
        for name in statistics:
            summary = outcome.of[name]
            percentiles = zip(PERCENTS, summary.percentiles, strict=True)
            rows.append(
                {
                    "mechanism": CATALOG[known.key].label,
                    "correlation": known.correlation,
                    "people": known.people,
                    "statistic": LABELS[name],
                    "true value": summary.truth,
                    "mean, simulated": summary.mean,
                    "mean, exact": summary.exact,
                    "bias, simulated": summary.bias,
                    "standard deviation": summary.sd,
                    **{f"percentile {p:g}": value for p, value in percentiles},
                    "repetitions counted": summary.kept,
                    "share exactly -1 or 1": summary.at_ends,
                    "share without a correlation": outcome.degenerate,
                    "real epsilon": outcome.spent,
                }
            )
    return pd.DataFrame(rows)


def costs(design: Design) -> pd.DataFrame:
    """Return what each step really costs, by mechanism and number of people."""
    rows = []
    for key in design.keys:
        for people in design.people:
            levels, spent = limits.costs(design, key, people)
            first, second, covariance = (float(level) for level in levels)
            rows.append(
                {
                    "mechanism": CATALOG[key].label,
                    "people": people,
                    "nominal epsilon": design.epsilon,
                    "first variance": first,
                    "second variance": second,
                    "covariance": covariance,
                    "real epsilon": spent,
                }
            )
    return pd.DataFrame(rows)
