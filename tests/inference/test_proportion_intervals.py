"""Intervals of shares: their law by simulation, their coverage counted exactly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from dpcore.data.bounds import Interval
from dpcore.inference.proportion_intervals import (
    UNIT,
    Average,
    Remainder,
    adding_up,
    allowing,
    population_intervals,
    table_intervals,
)
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.folded import FoldedLaplace
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.truncated import TruncatedLaplace

ENDLESS = Interval(lower=-np.inf, upper=np.inf)
MECHANISMS = {
    "laplace": lambda noise: (Laplace(noise=noise), ENDLESS),
    "bit": lambda noise: (BoundaryInflatedLaplace(noise=noise, bounds=UNIT), UNIT),
    "truncated": lambda noise: (TruncatedLaplace(noise=noise, bounds=UNIT), UNIT),
    "folded": lambda noise: (FoldedLaplace(noise=noise, bounds=UNIT), UNIT),
}


def bit(noise, draws=1):
    mechanism = BoundaryInflatedLaplace(noise=noise, bounds=UNIT)
    return Average(mechanism=mechanism, draws=draws, bounds=UNIT)


@pytest.mark.parametrize("draws", [1, 2, 20])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5])
@pytest.mark.parametrize("noise", [0.01, 0.3])
def test_tails_of_a_mean_are_those_of_simulated_ones(noise, share, draws):
    law, rng = bit(noise, draws), np.random.default_rng(1)
    drawn = law.mechanism.simulate(share, rng=rng, size=(40_000, draws)).mean(axis=1)
    at = np.array([share])
    for reading in np.quantile(drawn, [0.02, 0.3, 0.7, 0.98]):
        for tail, found in (
            (law.at_least(reading, at), (drawn >= reading).mean()),
            (law.at_most(reading, at), (drawn <= reading).mean()),
        ):
            spread = 4 * np.sqrt(found * (1 - found) / len(drawn)) + 1e-9
            # A step of the grid errs upwards only.
            assert found - spread <= tail[0] <= 1.1 * found + spread + 1e-3


def test_what_is_left_is_bounded_whatever_the_other_shares_are():
    rng, noise = np.random.default_rng(2), 0.05
    law = Remainder(noise=noise, noises=6, draws=2)
    mechanism = BoundaryInflatedLaplace(noise=noise, bounds=UNIT)
    for others in ((0.0, 0.0, 0.0), (0.01, 0.3, 0.2), (1.0, 0.0, 0.0)):
        share = 1 - sum(others)
        drawn = mechanism.simulate(np.array(others), rng=rng, size=(40_000, 2, 3))
        left = 1 - drawn.sum(axis=-1).mean(axis=-1)
        for reading in np.quantile(left, [0.01, 0.1, 0.9, 0.99]):
            at = np.array([share])
            assert law.at_least(reading, at)[0] >= (left >= reading).mean() - 5e-3
            assert law.at_most(reading, at)[0] >= (left <= reading).mean() - 5e-3
    # One draw: exactly the tail of Laplace noise, and 1 on the other side.
    one = Remainder(noise=noise, noises=1, draws=1)
    at = np.array([0.5])
    assert one.at_least(0.6, at)[0] == pytest.approx(np.exp(-2) / 2)
    assert one.at_least(0.4, at)[0] == one.at_most(0.6, at)[0] == 1


@pytest.mark.parametrize("people", [1, 8, 128])
def test_without_noise_both_tails_of_a_binomial_count_are_exact(people):
    law, tail = bit(1e-9), 0.05
    for count in range(0, people + 1, max(people // 7, 1)):
        low, high = population_intervals(law, np.array([count / people]), people=people, tail=tail)[
            0
        ]
        # However little noise there is, half of it is on either side of the count.
        if count > 0:
            half = binom.pmf(count, people, low) / 2
            upper = binom.sf(count, people, low) + half
            assert upper == pytest.approx(0.025, rel=1e-6)
        else:
            assert low == 0
        if count < people:
            half = binom.pmf(count, people, high) / 2
            lower = binom.cdf(count - 1, people, high) + half
            assert lower == pytest.approx(0.025, rel=1e-6)
        else:
            assert high == 1


@pytest.mark.slow
@settings(deadline=None, max_examples=15)
@given(
    noise=st.floats(1e-4, 2.0),
    share=st.sampled_from([0.001, 0.01, 0.1, 0.5, 0.97]),
    people=st.sampled_from([3, 50, 1000]),
    draws=st.sampled_from([1, 1, 3]),
    seed=st.integers(0, 99),
)
def test_a_reading_allows_a_share_just_if_its_interval_holds_it(noise, share, people, draws, seed):
    law, rng = bit(noise, draws), np.random.default_rng(seed)
    table = rng.binomial(people, share) / people
    reading = float(law.mechanism.simulate(table, rng=rng, size=(draws,)).mean())
    low, high = population_intervals(law, np.array([reading]), people=people, tail=0.05)[0]
    first, last = allowing(law, share, people=people, tail=0.05)
    margin = 1e-9
    if low + margin < share < high - margin:
        assert first - margin <= reading <= last + margin
    if not low - margin <= share <= high + margin:
        assert not first + margin < reading < last - margin
    # Sampling can only add to what noise leaves open.
    inner = table_intervals(law, np.array([reading]), tail=0.05)[0]
    assert low <= inner[0] + 0.02
    assert inner[1] - 0.02 <= high


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "people", "noise", "draws"),
    [
        *((key, 100, 0.002, 1) for key in MECHANISMS),
        *((key, 20, 0.3, 1) for key in MECHANISMS),
        ("bit", 50, 0.08, 2),
        ("bit", 50, 0.2, 5),
    ],
)
def test_few_intervals_miss_near_the_bounds(key, people, noise, draws):
    rng, surveys = np.random.default_rng(7), 20_000
    mechanism, bounds = MECHANISMS[key](noise)
    law = Average(mechanism=mechanism, draws=draws, bounds=bounds)
    for share in (0.0, 0.01) if draws > 1 else (0.0, 0.01, 0.97):
        tables = rng.binomial(people, share, (surveys, 1)) / people
        readings = mechanism.simulate(tables, rng=rng, size=(surveys, draws))
        first, last = allowing(law, share, people=people, tail=0.05)
        means = readings.mean(axis=1)
        held = int(np.sum((first <= means) & (means <= last)))
        # So few would hold by chance once in a million times, were it 95% of them.
        assert binom.cdf(held, surveys, 0.95) > 1e-6


def test_intervals_are_cut_by_what_the_others_leave():
    ends = np.array([[0.1, 0.9], [0.3, 0.4], [0.2, 0.8]])
    assert adding_up(ends) == pytest.approx(np.array([[0.1, 0.5], [0.3, 0.4], [0.2, 0.6]]))
