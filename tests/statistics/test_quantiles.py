"""The grid beside the exact law of the private quantile."""

import numpy as np

from dpcore.data.bounds import Interval
from dpcore.mechanisms.exponential import Exponential
from dpcore.relations import TableSize
from dpcore.statistics.quantiles import RankScores

TWENTY = Interval(lower=0.0, upper=20.0)


def exact_cdf(values, x, *, q, epsilon, bounds):
    """Return the law on all numbers (Smith 2011), not only on a grid, at ``x``."""
    edges = np.r_[bounds.lower, np.sort(values), bounds.upper]
    away = np.abs(np.arange(len(edges) - 1) - q * len(values))
    weights = np.diff(edges) * np.exp(-epsilon * away / 2)
    reached = np.r_[0.0, np.cumsum(weights / weights.sum())]
    return np.interp(x, edges, reached)


def test_the_grid_approaches_the_law():
    """Same scores at both, so the cdf differs by the grid alone."""
    values = np.array([1.0, 2.0, 3.0, 4.0, 10.0])
    scores = RankScores(
        bounds=TWENTY, q=0.5, size=TableSize(people=5, public=True), candidates=20_001
    )
    mechanism = Exponential.calibrate(
        sensitivity=scores.sensitivity("substitution"), epsilon=1.0, bounds=TWENTY
    )
    reached = np.cumsum(mechanism.probabilities(scores.value(values)))
    exact = exact_cdf(values, scores.grid, q=0.5, epsilon=1.0, bounds=TWENTY)
    assert np.abs(reached - exact).max() < 2e-4
