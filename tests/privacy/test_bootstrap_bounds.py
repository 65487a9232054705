"""Upper bounds for one noisy resample: vectors, enumeration, order and shape."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import norm

from dpcore.errors import ParameterError
from dpcore.privacy.bootstrap_cost import revealed_delta
from dpcore.privacy.bootstrap_profiles import (
    Bound,
    attained_delta,
    generic_delta,
    mean_delta,
    multiplicities,
)
from tests.conftest import few

GRID = np.linspace(-30, 60, 20_001)
CELL = GRID[1] - GRID[0]


def divergence(first, second, epsilon):
    """The hockey-stick divergence of two densities on the grid."""
    return float(np.maximum(first - math.exp(epsilon) * second, 0).sum() * CELL)


def law(others, own, sd):
    """Density of the mean of a resample of ``others`` and ``own``, with noise."""
    rows = [*others, own]
    means = [np.mean(draw) for draw in itertools.product(rows, repeat=len(rows))]
    centers, counts = np.unique(np.round(means, 12), return_counts=True)
    return norm.pdf(GRID, centers[:, None] / sd).T @ (counts / counts.sum())


def test_generic_vectors():
    for mu, epsilon, delta in (
        (1.0, 0.0, 0.3379107051182823),
        (1.0, 1.0, 0.1761924025847548),
        (1.0, 2.0, 0.10786276019107821),
        (0.1414213562373095, 0.0, 0.05618624753749722),
        (0.1414213562373095, 0.5, 1.80831327e-3),
        (0.1414213562373095, 1.0, 0.0001443618730035964),
        (0.1414213562373095, 2.0, 2.2645289908557684e-06),
    ):
        found = generic_delta(mu, epsilon, people=500)
        assert float(found) == pytest.approx(delta, rel=1e-8)


def test_bounds_of_the_mean():
    for mu, epsilon, delta in (
        (1.0, 0.0, 0.337910705),
        (1.0, 1.0, 0.174178950),
        (1.0, 2.0, 0.098483752),
        (1.0, 5.0, 0.021924623),
        (math.sqrt(0.02), 0.5, 1.24570155e-4),
        (math.sqrt(0.02), 1.0, 2.34915106e-8),
    ):
        found = float(mean_delta(mu, epsilon, people=500))
        assert found == pytest.approx(delta, rel=6e-9, abs=6e-10 if mu == 1 else 0)
    assert float(generic_delta(1.0, 5.0, people=500)) == pytest.approx(0.033177787, abs=6e-10)


@pytest.mark.slow
@settings(max_examples=12)
@given(seed=st.integers(0, 2**32), people=st.sampled_from([1, 2, 3, 10, 500, 10**6]))
def test_profiles_have_the_shape_and_the_order_of_profiles(seed, people):
    rng = np.random.default_rng(seed)
    # 12 examples of 8 by 24 cases each.
    for mu in 10 ** rng.uniform(-3, 0.8, 8):
        reach = mu * (4 + 2 * mu)
        epsilon = np.sort(rng.uniform(-reach, reach, 24))
        odds = np.exp(epsilon)
        deltas = {bound: bound.delta(mu, epsilon, people=people) for bound in Bound}
        for delta in deltas.values():
            assert np.all(delta >= -np.expm1(epsilon) - 1e-15)
            assert np.all((delta >= 0) & (delta <= 1))
            slopes = np.diff(delta) / np.diff(odds)
            rounding = 4e-16 / np.diff(odds).clip(1e-300)
            assert np.all(slopes <= rounding)
            assert np.all(np.diff(slopes) >= -rounding[1:] - rounding[:-1])
        upper = (Bound.GENERIC, Bound.MEAN)
        for bound in upper:
            swapped = bound.delta(mu, -epsilon, people=people)
            extended = 1 - odds + odds * swapped
            assert np.all(np.abs(deltas[bound] - extended) <= 1e-15 * (1 + odds))
        slack = 1 + 1e-9, 1e-15
        attained, mean = deltas[Bound.ATTAINED], deltas[Bound.MEAN]
        assert np.all(attained <= mean * slack[0] + slack[1])
        assert np.all(mean <= deltas[Bound.GENERIC] * slack[0] + slack[1])
        far = epsilon >= 0
        told = revealed_delta(mu, epsilon[far], times=1, people=people)
        assert np.all(deltas[Bound.GENERIC][far] <= told * slack[0] + slack[1])


def test_no_other_thresholds_exceed_the_bound_of_the_mean():
    rng = np.random.default_rng(7)
    for people, mu, epsilon in itertools.product((3, 500), (0.3, 1.0), (0.0, 0.3, 1.5)):
        chances = multiplicities(people)
        j = np.arange(len(chances))
        best = float(mean_delta(mu, epsilon, people=people))
        start = -epsilon / mu - mu / 2
        # Falling thresholds around those of single shifts and of the pool.
        steps = rng.exponential(rng.choice([0.01, 0.1, 1], (500, 1)), (500, len(j)))
        z = start + rng.normal(0, 1, (500, 1)) + 1 - np.cumsum(steps, axis=1)
        value = (ndtr(j * mu + z) - math.exp(epsilon) * ndtr(z)) @ chances
        assert np.all(value <= best * (1 + 1e-12))
        pooled = np.linspace(start - 3, start + 6, 4001)[:, None]
        pooled = (ndtr(j * mu + pooled) - math.exp(epsilon) * ndtr(pooled)) @ chances
        assert pooled.max() == pytest.approx(
            float(attained_delta(mu, epsilon, people=people)), rel=1e-5
        )


@pytest.mark.parametrize("people", few(1, 2, 3, 4))
def test_bounds_hold_for_every_tiny_table_by_enumeration(people):
    sd, tightest = 0.6, 0.0
    mu = 1 / people / sd
    levels = np.array([0.0, 0.1, 0.4, 1.0])
    limits = mean_delta(mu, levels, people=people)
    generic = generic_delta(mu, levels, people=people)
    for others in itertools.combinations_with_replacement((0.0, 0.5, 1.0), people - 1):
        low, high = law(others, 0.0, sd), law(others, 1.0, sd)
        middle = law(others, 0.6, sd)
        for place, epsilon in enumerate(levels):
            for first, second in ((low, high), (high, low)):
                found = divergence(first, second, epsilon)
                assert found <= limits[place] + 1e-6
                tightest = max(tightest, found / limits[place])
            for first, second in ((low, middle), (middle, low), (high, middle)):
                assert divergence(first, second, epsilon) <= generic[place] + 1e-6
    assert tightest > 0.97  # so that a bound 3% smaller would be refuted


def test_attained_profile_belongs_to_two_tables():
    for people in (2, 3, 4):
        mu = 0.7
        sd = 1 / people / mu
        first, second = law([0.0] * (people - 1), 1.0, sd), norm.pdf(GRID)
        for epsilon in (-0.5, 0.0, 0.5, 1.5):
            assert divergence(first, second, epsilon) == pytest.approx(
                float(attained_delta(mu, epsilon, people=people)), abs=1e-6
            )


def test_a_persons_own_change_needs_the_bound_that_tells_the_multiplicity():
    # The others are 40 standard deviations away: the answer tells the multiplicity.
    own, sd, people = 0.5, 1 / 3, 3
    first, second = law([40 * sd] * 2, 0.0, sd), law([40 * sd] * 2, own * 3 * sd, sd)
    for epsilon in (0.0, 0.5, 1.0):
        found = divergence(first, second, epsilon)
        told = float(revealed_delta(own, epsilon, times=1, people=people))
        assert found == pytest.approx(told, abs=1e-6)
        if epsilon > 0:
            assert found > float(generic_delta(own, epsilon, people=people)) + 1e-3


def test_mean_bound_of_one_person_is_gaussian():
    for bound in Bound:
        found = bound.delta(0.7, [-1.0, 0.0, 1.0], people=1)
        z = -np.array([-1.0, 0.0, 1.0]) / 0.7
        exact = ndtr(z + 0.35) - np.exp([-1.0, 0.0, 1.0]) * ndtr(z - 0.35)
        assert found == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("bound", Bound)
def test_edges_of_bounds(bound):
    assert bound.delta(0.0, [0.0, 2.0], people=9).tolist() == [0, 0]
    assert np.all(bound.delta(1e-6, [1.0, 700.0], people=9) <= 1e-29)
    assert np.shape(bound.delta(1.0, 0.5, people=9)) == ()
    assert bound.delta(1.0, np.zeros((0,)), people=9).shape == (0,)
    for mu in (-1.0, math.inf, math.nan):
        with pytest.raises(ParameterError, match="shift over the noise"):
            bound.delta(mu, 1.0, people=9)
    with pytest.raises(ParameterError, match="number of people"):
        bound.delta(1.0, 1.0, people=0)
