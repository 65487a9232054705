"""What a statistic is, in plain words, where its name does not say it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dpcore.statistics.kinds import StatisticKind

if TYPE_CHECKING:
    from collections.abc import Iterable

MEANINGS: Final = {
    StatisticKind.MEDIAN: "half of the people lie below it, half above.",
    StatisticKind.QUANTILE: "the value that a given share of the people lie below.",
    StatisticKind.PROPORTIONS: "which part of the people is in each category or bin, "
    "adding up to 100 % if you wish.",
    StatisticKind.COVARIANCE: "whether two columns rise together, in the product of "
    "their units.",
    StatisticKind.CORRELATION: "the same on a scale from -1 to 1.",
    StatisticKind.COVARIANCE_MATRIX: "variances and covariances of several columns, "
    "which share the budget.",
    StatisticKind.POOLED_VARIANCE: "how much people of the same group differ.",
    StatisticKind.POOLED_COVARIANCE: "whether two columns rise together among people "
    "of the same group.",
    StatisticKind.POPULATION_VARIANCE: "the variance of these people alone, not an "
    "estimate for a larger population.",
}


def explained(kinds: Iterable[StatisticKind]) -> str:
    """Return the meanings of those statistics, as a list."""
    return "\n".join(
        f"- **{kind}**: {MEANINGS[kind]}" for kind in kinds if kind in MEANINGS
    )
