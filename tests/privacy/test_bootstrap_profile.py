"""What one noisy resample reveals: vectors, quadrature, and simulation."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, norm

from dpcore.errors import ParameterError
from dpcore.privacy.bootstrap_profiles import attained_delta, multiplicities


def test_vectors_of_multiplicities():
    for people, times, chance in (
        (1000, 0, 0.36769542477096406),
        (1000, 1, 0.36806348825922325),
        (1000, 5, 0.0030488079277588118),
        (500, 1, 0.36824775035787466),
        (500, 5, 0.0030319680985121528),
    ):
        assert multiplicities(people)[times] == pytest.approx(chance, rel=1e-12)


@pytest.mark.parametrize("people", [1, 2, 3, 10, 500, 10**8])
def test_multiplicities_are_binomial(people):
    chances = multiplicities(people)
    times = np.arange(len(chances))
    assert chances == pytest.approx(binom.pmf(times, people, 1 / people), rel=1e-7)
    assert math.fsum(chances) == pytest.approx(1, rel=1e-14)
    assert math.fsum(times * chances) == pytest.approx(1, rel=1e-14)
    second = math.fsum(times * times * chances)
    assert second == pytest.approx(2 - 1 / people, rel=1e-13)


def test_vectors_of_the_attained_profile():
    for mu, epsilon, delta in (
        (1.0, 0.0, 0.32151029306364165),
        (1.0, 1.0, 0.1731158288188676),
        (1.0, 2.0, 0.09835955020933303),
        (0.1414213562373095, 0.0, 0.056050498016881785),
        (0.1414213562373095, 1.0, 2.3491510557469916e-08),
        (0.1414213562373095, 2.0, 1.5626724079713515e-16),
    ):
        found = attained_delta(mu, epsilon, people=500)
        assert float(found) == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize("people", [1, 2, 30])
@pytest.mark.parametrize("mu", [0.05, 1.0, 4.0])
def test_attained_profile_is_the_integral_of_the_excess(people, mu):
    chances = multiplicities(people)
    shifts = mu * np.arange(len(chances))

    def excess(x, epsilon):
        density = chances @ norm.pdf(x, shifts)
        return max(density - math.exp(epsilon) * norm.pdf(x), 0.0)

    for epsilon in (-2.0, -0.3, 0.0, 0.4 * mu, 2 * mu):
        exact = quad(excess, -12, shifts[-1] + 12, (epsilon,), limit=800, points=list(shifts[:9]))[
            0
        ]
        found = float(attained_delta(mu, epsilon, people=people))
        assert found == pytest.approx(exact, rel=1e-6, abs=1e-9)


def test_attained_profile_is_that_of_simulated_resamples():
    rng = np.random.default_rng(5)
    people, mu, epsilon = 500, 1.0, 1.0
    chances = multiplicities(people)
    j = np.arange(len(chances))
    x = mu * rng.binomial(people, 1 / people, 400_000) + rng.normal(size=400_000)
    ratio = np.exp(j * mu * x[:, None] - (j * mu) ** 2 / 2) @ chances
    gain = np.maximum(1 - math.exp(epsilon) / ratio, 0)
    error = gain.std() / math.sqrt(gain.size)
    assert gain.mean() == pytest.approx(
        float(attained_delta(mu, epsilon, people=people)), abs=4 * error
    )


def test_edges_of_the_profile():
    assert attained_delta(0.0, [-1.0, 0.0, 1.0], people=5) == pytest.approx(
        [1 - math.exp(-1), 0, 0]
    )
    # Where nobody is drawn the answer is certain to be that of the others.
    shares = attained_delta(1e3, [0.0, 5.0, 400.0], people=5)
    assert shares == pytest.approx(np.full(3, 1 - 0.8**5), rel=1e-12)
    for people in (0, -1):
        with pytest.raises(ParameterError, match="number of people"):
            multiplicities(people)
    for mu in (-0.1, math.inf, math.nan):
        with pytest.raises(ParameterError, match="shift over the noise"):
            attained_delta(mu, 0.0, people=5)
