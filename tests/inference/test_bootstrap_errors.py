"""Standard errors and intervals from noisy bootstraps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpcore.errors import ParameterError
from dpcore.inference.bootstrap_intervals import (
    FEWEST_PEOPLE,
    Bootstraps,
    Clipping,
    Method,
    Rule,
    resampling_variance,
    too_rare,
)

AGES = Bootstraps.from_cost(times=50, rho=0.5, sensitivity=0.2)
many = st.integers(2, 400)
tails = st.floats(0, 0.9)


@given(k=many, tail=tails)
def test_share_is_the_chi_squared_quantile(k, tail):
    found = Bootstraps(times=k, noise=1.0).subtracted(tail)
    assert found * (k - 1) == pytest.approx(stats.chi2.ppf(tail, k - 1), rel=1e-9)


@given(k=many, tail=tails, other=tails, spread=st.floats(0, 100))
def test_larger_tail_makes_narrower_intervals(k, tail, other, spread):
    known = Bootstraps(times=k, noise=0.3)
    low, high = sorted((tail, other))
    assert known.variance(spread, tail=low) >= known.variance(spread, tail=high)
    assert known.corrected_variance(spread, tail=low) >= known.corrected_variance(spread, tail=high)


@given(k=many, tail=tails, spread=st.floats(0, 100), noise=st.floats(0, 10))
def test_keeping_the_noise_is_never_narrower(k, tail, spread, noise):
    known = Bootstraps(times=k, noise=noise)
    for asked in (tail, None):
        whole = known.variance(spread, tail=asked)
        kept = known.variance(spread, tail=asked, clipping=Clipping.SAMPLING)
        assert whole >= 0
        assert kept >= max(float(whole), noise) - 1e-12
        assert known.corrected_variance(spread, tail=asked) >= kept - 1e-12


@given(k=many, spread=st.floats(0, 100), people=st.integers(2, 1000))
def test_tables_vary_more_than_resamples(k, spread, people):
    known = Bootstraps(times=k, noise=0.1, people=people)
    free = Bootstraps(times=k, noise=0.1)
    estimate = max(float(free.sampling_variance(spread, tail=0.05)), 0.0)
    more = float(known.corrected_variance(spread) - free.corrected_variance(spread))
    assert more == pytest.approx(estimate / (people - 1), abs=1e-9)


def test_best_number_of_bootstraps():
    assert AGES.best_times(resampling_variance(17.59333, 500)) == pytest.approx(17.4, abs=0.05)
    ks = np.arange(2, 60)
    error = (0.62 + 0.04 * ks) / np.sqrt(ks - 1)
    best = AGES.best_times(0.62)
    assert abs(ks[error.argmin()] - best) <= 1
    assert Bootstraps(times=2, noise=0.0).best_times(1.0) == math.inf


def test_rigorous_limit_is_exceeded_as_often_as_said():
    rng = np.random.default_rng(6)
    known, a = Bootstraps(times=10, noise=0.2), 0.7
    spread = (a + 2.0) * rng.chisquare(9, 100_000) / 9
    below = np.mean(known.upper_variance(spread, tail=0.05) < a * 1.1 + 0.2)
    assert below == pytest.approx(0.05, abs=0.004)
    assert float(known.upper_variance(1.0, tail=0.0)) == math.inf


@pytest.mark.parametrize(
    "call",
    [
        lambda: Bootstraps(times=1, noise=1.0),
        lambda: Bootstraps(times=2.5, noise=1.0),
        lambda: Bootstraps(times=2, noise=math.inf),
        lambda: Bootstraps(times=2, noise=math.nan),
        lambda: Bootstraps(times=2, noise=1.0, people=1),
        lambda: Bootstraps.from_cost(times=2, rho=0.0, sensitivity=1.0),
        lambda: Bootstraps.from_cost(times=2, rho=1.0, sensitivity=-1.0),
        lambda: Bootstraps.from_cost(times=2, rho=1.0, sensitivity=1.0, factor=0.0),
        lambda: AGES.subtracted(1.0),
        lambda: resampling_variance(1.0, 0),
        lambda: resampling_variance(math.nan, 5),
        lambda: Method(level=1.0),
        lambda: Method(tail=-0.1),
        lambda: Method(rule=Rule.RIGOROUS, tail=0.05),
        lambda: Method(rule=Rule.RIGOROUS, tail=None),
        lambda: Method().variance(AGES, -1.0),
        lambda: Method().around([1.0, math.nan], noise=0.1),
        lambda: Method().around([1.0, 2.0], noise=math.inf),
    ],
)
def test_outside_the_domain(call):
    with pytest.raises(ParameterError):
        call()


def test_one_person_does_not_vary():
    assert resampling_variance(5.0, 1) == 0.0


def held(people, share, *, noise, times=50, tables=4000):
    """Return how often the interval holds the share of which a table is drawn."""
    rng = np.random.default_rng(people)
    counts = rng.binomial(people, share, tables) / people
    drawn = rng.binomial(people, counts, (times, tables)) / people
    drawn = drawn + rng.normal(0, noise * math.sqrt(times), drawn.shape)
    known = Bootstraps(times=times, noise=noise**2, people=people)
    reach = Method().half_width(known, drawn.var(axis=0, ddof=1))
    return np.mean(np.abs(drawn.mean(axis=0) - share) <= reach)


def test_intervals_hold_from_thirty_people_on_unless_a_share_is_rare():
    quiet = 0.05
    assert held(2, 0.5, noise=quiet / 2) < 0.7
    for people in (FEWEST_PEOPLE, 100, 1000):
        assert held(people, 0.5, noise=quiet / people) >= 0.9
    for people, share in ((100, 0.01), (200, 0.02), (1000, 0.001)):
        assert too_rare(share, people=people, noise=quiet / people)
        assert too_rare(1 - share, people=people, noise=quiet / people)
        assert held(people, share, noise=quiet / people) < 0.9
        # Noise as large as one person makes up for it.
        assert not too_rare(share, people=people, noise=1 / people)
        assert held(people, share, noise=1 / people) >= 0.94
    for people, share in ((100, 0.15), (1000, 0.015)):
        assert not too_rare(share, people=people, noise=quiet / people)
        assert held(people, share, noise=quiet / people) >= 0.9
