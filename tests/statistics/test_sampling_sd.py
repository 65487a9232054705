"""Bounds on the sampling error against the exact one of random populations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.relations import TableSize
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.sums_and_means import Count, Mean, Proportion, Sum
from dpcore.statistics.variance import StandardDeviation, Variance

populations = st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 1)), min_size=1, max_size=6)
SLACK = 1 + 1e-9


def moments(population, bounds):
    """Mean, variance and fourth central moment of a finite population."""
    points, weights = np.array(population).T
    points = bounds.lower + bounds.width * points
    shares = weights / weights.sum()
    mean = shares @ points
    return mean, shares @ (points - mean) ** 2, shares @ (points - mean) ** 4


@settings(deadline=None, max_examples=100)
@given(population=populations, n=st.integers(2, 50))
def test_mean_and_sum_are_no_more_spread_than_their_bound(population, n):
    bounds = Interval(lower=-2.0, upper=5.0)
    mean, variance, _ = moments(population, bounds)
    public = TableSize(people=n, public=True)
    bound = Mean(bounds=bounds, size=public).sampling_sd(np.array([mean]))
    assert np.sqrt(variance / n) <= bound[0] * SLACK + 1e-9
    bound = Sum(bounds=bounds, size=public).sampling_sd(np.array([n * mean]))
    assert np.sqrt(variance * n) <= bound[0] * SLACK + 1e-6


@settings(deadline=None, max_examples=100)
@given(population=populations, n=st.integers(1, 50), least=st.integers(1, 50))
def test_a_private_number_of_people_keeps_the_bounds(population, n, least):
    private = TableSize(people=least, public=False)
    bounds = Interval(lower=1.0, upper=4.0)
    mean, variance, _ = moments(population, bounds)
    divisor = max(n, least)
    expected = 2.5 + n * (mean - 2.5) / divisor
    bound = Mean(bounds=bounds, size=private).sampling_sd(np.array([expected]))
    assert np.sqrt(variance * n) / divisor <= bound[0] * SLACK + 1e-9
    for sign in (1, -1):
        ends = sorted((sign * bounds.lower, sign * bounds.upper))
        signed = Sum(bounds=Interval(lower=ends[0], upper=ends[1]), size=private)
        bound = signed.sampling_sd(np.array([sign * n * mean]))
        assert np.sqrt(variance * n) <= bound[0] * SLACK


@settings(deadline=None, max_examples=100)
@given(population=populations, n=st.integers(3, 50), least=st.integers(3, 50))
def test_variance_is_no_more_spread_than_its_bound(population, n, least):
    bounds = Interval(lower=0.0, upper=2.0)
    _, variance, fourth = moments(population, bounds)
    exact = (fourth - variance**2 * (n - 3) / (n - 1)) / n
    for size, ratio in (
        (TableSize(people=n, public=True), 1.0),
        (TableSize(people=least, public=False), (n - 1) / (max(n, least) - 1)),
    ):
        asked = Variance(bounds=bounds, size=size)
        if ratio * variance > asked.range.upper:
            continue
        bound = asked.sampling_sd(np.array([ratio * variance]))[0]
        assert ratio * np.sqrt(max(exact, 0.0)) <= bound * SLACK + 1e-9


def test_counts_have_their_exact_spread():
    public, private = (TableSize(people=20, public=p) for p in (True, False))
    five = np.array([5.0])
    assert Count(size=public).sampling_sd(five)[0] == pytest.approx(np.sqrt(3.75))
    assert Count(size=private).sampling_sd(five)[0] == pytest.approx(np.sqrt(5))
    share = Proportion(size=public).sampling_sd(np.array([0.25]))
    assert share[0] == pytest.approx(np.sqrt(0.25 * 0.75 / 20))
    cells = Histogram(labels=("a", "b"), size=public)
    np.testing.assert_allclose(cells.sampling_sd(np.array([5, 15])), np.sqrt(3.75))
    cells = Histogram(labels=("a", "b"), size=private)
    np.testing.assert_allclose(cells.sampling_sd(np.array([4, -3])), [2, 0])


def test_standard_deviation_has_its_large_sample_spread():
    n, rng = 400, np.random.default_rng(5)
    samples = rng.integers(0, 2, size=(4000, n)) * (rng.random((4000, n)) < 0.2)
    population = np.sqrt(0.1 * 0.9)
    asked = StandardDeviation(
        bounds=Interval(lower=0.0, upper=1.0), size=TableSize(people=n, public=True)
    )
    bound = asked.sampling_sd(np.array([population]))[0]
    observed = samples.std(axis=1, ddof=1).std()
    assert 0.8 * bound <= observed <= 1.05 * bound


def test_estimates_beyond_the_range_are_clipped():
    public = TableSize(people=20, public=True)
    unit = Interval(lower=0.0, upper=1.0)
    for statistic in (Mean, Sum, Variance, StandardDeviation):
        spread = statistic(bounds=unit, size=public).sampling_sd(np.array([-50.0, 50.0]))
        assert np.isfinite(spread).all()
