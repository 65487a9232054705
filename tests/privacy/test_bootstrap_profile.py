"""What one noisy resample reveals: vectors, quadrature, and simulation."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import binom, norm

from dpcore.errors import ParameterError
from dpcore.privacy.bootstrap_profiles import attained_delta, multiplicities


@pytest.mark.parametrize("people", [1, 2, 3, 10, 500, 10**8])
def test_multiplicities_are_binomial(people):
    chances = multiplicities(people)
    times = np.arange(len(chances))
    assert chances == pytest.approx(binom.pmf(times, people, 1 / people), rel=1e-7)
    assert math.fsum(chances) == pytest.approx(1, rel=1e-14)
    assert math.fsum(times * chances) == pytest.approx(1, rel=1e-14)
    second = math.fsum(times * times * chances)
    assert second == pytest.approx(2 - 1 / people, rel=1e-13)


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
