"""The closed-form profiles against vectors, 60-digit arithmetic and quadrature."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.privacy import gaussian, laplace

mpmath.mp.dps = 60


def exact_gaussian(mu, epsilon):
    mu, epsilon = mpmath.mpf(mu), mpmath.mpf(epsilon)
    a, h = epsilon / mu, mu / 2
    return mpmath.ncdf(h - a) - mpmath.exp(epsilon) * mpmath.ncdf(-h - a)


@settings(deadline=None, max_examples=150)
@given(st.floats(-8, 1.4), st.floats(0, 1))
def test_gaussian_profile_against_sixty_digits(log_mu, share):
    mu = 10**log_mu
    epsilon = mu * (mu / 2 + 25 * share)
    exact = exact_gaussian(mu, epsilon)
    got = float(gaussian.log_delta_of(mu, epsilon))
    assert got == pytest.approx(float(mpmath.log(exact)), rel=1e-10, abs=2e-11)


@settings(deadline=None, max_examples=100)
@given(st.floats(-7, 3), st.floats(-200, -0.01))
def test_gaussian_epsilon_inverts_delta(log_mu, log_delta):
    mu, delta = 10**log_mu, 10**log_delta
    epsilon = float(gaussian.epsilon_of(mu, delta))
    back = float(gaussian.log_delta_of(mu, epsilon))
    target = math.log(delta)
    assert back <= target + 1e-9 * abs(target) + 1e-8 * mu
    if epsilon > 1e-6 * mu:
        assert back == pytest.approx(target, rel=1e-8, abs=1e-7 + 1e-8 * mu)


@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-6, 1e-10])
def test_table_agrees_with_newton(delta):
    mu = 10 ** np.random.default_rng(0).uniform(-8, 4, 30_000)
    mu[:4] = 0, np.inf, np.nan, gaussian.mu_for(0.0, delta)
    table = gaussian.epsilon_of(mu, delta)
    each = np.concatenate([gaussian.epsilon_of(part, delta) for part in np.split(mu, 3)])
    np.testing.assert_allclose(table, each, rtol=1e-9)
    assert table[:2].tolist() == [0, math.inf]
    assert np.isnan(table[2])


@settings(deadline=None, max_examples=40)
@given(st.floats(0, 700), st.floats(-300, -0.1))
def test_gaussian_calibration_is_tight_and_on_the_private_side(epsilon, log_delta):
    delta = 10**log_delta
    mu = gaussian.mu_for(epsilon, delta)
    assert gaussian.log_delta_of(mu, epsilon) <= math.log(delta)
    assert gaussian.log_delta_of(mu * (1 + 1e-10), epsilon) > math.log(delta)


def test_gaussian_limits():
    assert gaussian.delta_of([0, np.inf, 0], [1, 1, 0]).tolist() == [0, 1, 0]
    assert gaussian.delta_of(1, np.inf) == 0
    assert gaussian.epsilon_of([0, 1, np.inf], 0.0).tolist() == [0, np.inf, np.inf]
    assert gaussian.epsilon_of([0, 1, np.inf], 1.0).tolist() == [0, 0, 0]
    assert gaussian.mu_for(1.0, 0.0) == 0
    assert gaussian.mu_for(1.0, 1.0) == math.inf
    for epsilon, delta in ((-1, 0.1), (math.inf, 0.1), (1, -0.1), (1, 1.1)):
        with pytest.raises(ParameterError, match="epsilon"):
            gaussian.mu_for(epsilon, delta)
    rising = gaussian.delta_of(np.geomspace(1e-6, 50, 500), 1.0)
    assert (np.diff(rising) >= 0).all()


def test_laplace_vectors():
    for r, epsilon, delta in (
        (1, 0.5, 0.22119921692859512),
        (0.2, 0.1, 0.04877057549928599),
        (3, 0, 0.7768698398515702),
    ):
        assert laplace.delta_of(r, epsilon) == pytest.approx(delta, rel=1e-13)
        assert laplace.epsilon_of(r, delta) == pytest.approx(epsilon, abs=1e-13)
    assert laplace.delta_of(3.0, 0.0) == pytest.approx(0.7768698398515702)
    assert laplace.two_cell_delta_of(1, 1) == pytest.approx(0.2418366753592082, rel=1e-13)
    assert laplace.delta_of(np.inf, 3.0) == 1
    assert laplace.two_cell_delta_of(np.inf, 3.0) == 1
    assert laplace.epsilon_of([np.inf, 0.0], 0.5).tolist() == [np.inf, 0]


def loss_of_two_cells(r, epsilon):
    """Integrate the profile of one cell over the privacy loss of the other."""
    u = np.linspace(-r, r, 40_001)
    middle = (u[1:] + u[:-1]) / 2
    # The loss of one cell: atoms at both ends, density exp((u - r)/2)/4 between.
    total = 0.5 * one_cell(r, epsilon - r) + np.exp(-r) / 2 * one_cell(r, epsilon + r)
    density = np.exp((middle - r) / 2) / 4
    return total + (density * one_cell(r, epsilon - middle)).sum() * (u[1] - u[0])


def one_cell(r, epsilon):
    """Return the profile for negative epsilon too."""
    epsilon = np.asarray(epsilon, dtype=float)
    low = 1 - np.exp(epsilon)
    inner = 1 - np.exp((epsilon - r) / 2)
    return np.where(epsilon >= r, 0, np.where(epsilon <= -r, low, inner))


@settings(deadline=None, max_examples=40)
@given(st.floats(0.01, 6), st.floats(0, 1))
def test_two_cells_match_the_sum_of_two_losses(r, share):
    epsilon = 2 * r * share
    got = float(laplace.two_cell_delta_of(r, epsilon))
    assert got == pytest.approx(float(loss_of_two_cells(r, epsilon)), abs=2e-8)
    if 1e-9 < got < 1 - 1e-9:
        assert laplace.two_cell_epsilon_of(r, got) == pytest.approx(epsilon, abs=1e-6)


@settings(deadline=None, max_examples=60)
@given(st.floats(0, 20), st.floats(0, 20), st.floats(0.0, 0.9))
def test_products_lie_between_their_bounds(first, second, delta):
    epsilon = float(laplace.product_epsilon_of([first, second], delta))
    pure = first + second
    assert epsilon <= pure
    assert epsilon >= laplace.epsilon_of(max(first, second), delta) - 1e-12
    if delta > 0 and epsilon > 0:
        back = laplace.product_delta_of([first, second], epsilon)
        assert back == pytest.approx(delta, rel=1e-9, abs=1e-12)


def test_zero_concentration_of_laplace_does_not_cancel():
    for r in (0.0, 1e-9, 1e-3, 0.3, 0.4999999, 0.5, 0.5000001, 2.0, 50.0):
        exact = float(mpmath.mpf(r) + mpmath.exp(-mpmath.mpf(r)) - 1)
        assert laplace.rho_of(r) == pytest.approx(exact, rel=3e-15)


def test_a_shift_so_small_that_delta_covers_all_of_it():
    # 2 sqrt(2) erfinv(delta)
    threshold = 2.506628275e-6
    assert gaussian.epsilon_of(threshold * (1 - 1e-9), 1e-6) == 0
    assert gaussian.epsilon_of(threshold * (1 + 1e-6), 1e-6) > 0


def test_gaussian_releases_add_their_squares():
    together = np.sqrt(np.sum(np.square([0.1, 0.2, 0.05])))
    assert together == pytest.approx(0.229128784748, abs=1e-12)
    assert gaussian.epsilon_of(together, 1e-6) == pytest.approx(0.9655559112, rel=1e-9)
