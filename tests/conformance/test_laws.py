"""The law of every mechanism, and what it reveals: by quadrature and by sums over cells."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpcore.data.bounds import Interval
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.bounded_gaussian import BoundaryInflatedGaussian, TruncatedGaussian
from dpcore.mechanisms.folded import FoldedLaplace, fold
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.generalized import GeneralizedGaussian
from dpcore.mechanisms.laplace import AveragedLaplace, Laplace
from dpcore.mechanisms.limited_laplace import LimitedLaplace
from dpcore.mechanisms.truncated import TruncatedLaplace
from tests.conformance.quadrature import panels
from tests.terms import UNIT

BOUNDED = (
    *(BoundaryInflatedLaplace, TruncatedLaplace, FoldedLaplace),
    *(BoundaryInflatedGaussian, TruncatedGaussian),
)
HALF_LINES = (Interval(lower=0.0, upper=math.inf), Interval(lower=-math.inf, upper=1.0))
LAWS = (
    *(Laplace(noise=0.3), Gaussian(noise=0.3), LimitedLaplace(noise=0.2, limit=0.3)),
    *(kind(noise=noise, bounds=UNIT) for kind in BOUNDED for noise in (0.05, 0.3, 5.0)),
    *(FoldedLaplace(noise=0.3, bounds=bounds) for bounds in HALF_LINES),
    *(AveragedLaplace(noise=0.4, draws=draws) for draws in (2, 10, 100)),
    *(GeneralizedGaussian(noise=0.7, order=order) for order in (1.3, 3.0, 8.0)),
)
SLOW = (AveragedLaplace(noise=0.4, draws=100),)
PLACES = (-0.6, -0.1, 0.0, 0.13, 0.5, 0.97, 1.0, 1.4)
places = st.floats(-0.5, 1.5)


def reached(law, *positions):
    """Return the ends of what a law releases, but for what is rarer than e^-40."""
    far = getattr(law, "limit", 40 * (law.noise + float(law.variance(0.0)) ** 0.5))
    bounds = getattr(law, "bounds", Interval(lower=-math.inf, upper=math.inf))
    return max(bounds.lower, min(positions) - far), min(bounds.upper, max(positions) + far)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_distribution_moments_and_quantiles_follow_from_the_density(law):
    for position in PLACES:
        follows_from_its_density(law, position)


def follows_from_its_density(law, position):
    low, high = reached(law, position)
    atoms = [*map(float, law.atoms(position))]
    # Between these places the density is smooth.
    kinks = [position, float(fold(position, UNIT)), low, high, *np.linspace(low, high, 65)]
    points = sorted({place for place in kinks if low <= place <= high})
    x, weights = panels(points)
    mass = law.pdf(x, position) * weights
    below = atoms[0] + mass.sum(axis=1).cumsum()
    np.testing.assert_allclose(law.cdf(points[1:-1], position), below[:-1], atol=1e-8)
    moments = [
        ((x - position) ** k * mass).sum() + np.dot(atoms, (np.array([low, high]) - position) ** k)
        for k in range(3)
    ]
    found = [1.0, float(law.bias(position)), float(law.mse(position))]
    np.testing.assert_allclose(found, moments, rtol=1e-7, atol=1e-8)
    assert law.variance(position) == pytest.approx(found[2] - found[1] ** 2, rel=1e-7, abs=1e-8)
    u = np.array([1e-9, 0.025, 0.2, 0.5, 0.8, 0.999, 1 - 1e-9])
    back = law.cdf(law.quantile(u, position), position)
    assert (back >= u - 1e-8).all()
    if sum(atoms) == 0:
        np.testing.assert_allclose(back, u, rtol=1e-6)


@pytest.mark.parametrize("law", [law for law in LAWS if law not in SLOW], ids=str)
def test_profiles_are_those_of_sums_over_cells(law):
    for first, second in itertools.combinations(PLACES[1::2], 2):
        ends = reached(law, first, second, 0.0, 1.0)
        p, q = (
            np.diff(law.cdf(np.linspace(*ends, 60_001), at), prepend=0) for at in (first, second)
        )
        for epsilon in (0.0, 0.2, 1.1):
            found = float(law.pairwise_delta([first], [second], epsilon=epsilon))
            gaps = p - math.exp(epsilon) * q, q - math.exp(epsilon) * p
            expected = max(np.maximum(gap, 0).sum() for gap in gaps)
            assert expected - 1e-10 <= found <= expected + 2e-4


@settings(max_examples=500)
@given(st.sampled_from(LAWS), places, places, st.floats(1e-9, 0.4))
def test_epsilon_and_delta_of_a_pair_are_inverse(law, first, second, delta):
    epsilon = float(law.pairwise_epsilon([first], [second], delta=delta))
    assert epsilon <= law.pairwise_epsilon([first], [second]) * (1 + 1e-9)
    swapped = law.pairwise_epsilon([second], [first], delta=delta)
    assert swapped == pytest.approx(epsilon, rel=1e-6, abs=1e-9)
    back = float(law.pairwise_delta([first], [second], epsilon=min(epsilon, 700.0)))
    if epsilon == math.inf:
        assert back > delta
        return
    assert back <= delta * (1 + 1e-6) + 1e-13
    if epsilon > 1e-6:
        assert back == pytest.approx(delta, rel=1e-4, abs=1e-13)


@pytest.mark.parametrize("law", [law for law in LAWS if law.noise < 1], ids=str)
def test_simulation_has_the_stated_law_and_no_wider_one(law):
    rng = np.random.default_rng(5)
    draws = law.simulate(0.4, rng=rng, size=(20_000,))
    lower, upper = law.atoms(0.4)
    inner = draws[(draws > 0) & (draws < 1)] if lower + upper > 0 else draws

    def cdf(x):
        return (law.cdf(x, 0.4) - lower) / (1 - lower - upper)

    assert stats.kstest(inner, cdf).pvalue > 1e-6
    assert stats.kstest(0.4 + 1.3 * (inner - 0.4), cdf).pvalue < 1e-6
    for atom, seen in ((lower, draws == 0), (upper, draws == 1)):
        assert stats.binomtest(int(seen.sum()), len(draws), float(atom)).pvalue > 1e-6
    assert law.simulate([0.1, 0.9], rng=rng, size=(5, 2)).shape == (5, 2)
