"""Objective perturbation on ridge: its profile against simulation and other routes."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpcore.errors import ParameterError
from dpcore.models import mills
from dpcore.models.model_mechanisms.perturbed_objective import perturbed_bound
from tests.models.plain_pairs import PerturbedPairs
from tests.models.plain_pairs import perturbed as simulate
from tests.models.ten_people import X, Y, members, ridge


def everybody(sigma=2.0, x=X, y=Y, penalty=0.5):
    h, r = members(x, y, penalty)
    w = x @ np.linalg.inv(ridge(x, y, penalty)[1])
    return PerturbedPairs.of_members(
        leverage=h, spread=(w * w).sum(axis=1), square=(x * x).sum(axis=1), residual=r, sigma=sigma
    )


@pytest.mark.slow
def test_simulated_releases():
    rng = np.random.default_rng(8)
    n, sigma, person = 200_000, 2.0, 4
    rest = np.arange(10) != person
    theta_out, hessian_out = ridge(X[rest], Y[rest], 0.5)
    theta_in, hessian_in = ridge(X, Y, 0.5)

    def log_density(release, theta, hessian):
        perturbation = (release - theta) @ hessian
        squares = (perturbation**2).sum(axis=1)
        return np.linalg.slogdet(hessian)[1] - squares / (2 * sigma**2)

    pairs = everybody(sigma)
    without = simulate(theta_out, hessian_out, sigma=sigma, draws=n, rng=rng)
    within = simulate(theta_in, hessian_in, sigma=sigma, draws=n, rng=rng)
    for epsilon in (0.0, 0.3):
        for draws, sign, exact in (
            (without, 1, pairs.absence_delta(epsilon)),
            (within, -1, pairs.presence_delta(epsilon)),
        ):
            loss = sign * (
                log_density(draws, theta_out, hessian_out)
                - log_density(draws, theta_in, hessian_in)
            )
            gain = -np.expm1(np.minimum(epsilon - loss, 0))
            error = gain.std() / np.sqrt(n)
            assert abs(gain.mean() - exact[person]) <= 4 * error + 1e-9


def test_a_single_coefficient():
    """One normal law against another of other mean and variance."""
    x, y = np.array([[1.0], [0.5], [-0.7], [0.2]]), np.array([0.5, 0.1, -0.6, 0.9])
    pairs = everybody(0.8, x, y, 0.3)
    for person in range(4):
        rest = np.arange(4) != person
        theta, hessian = ridge(x[rest], y[rest], 0.3)
        without = stats.norm(theta[0], 0.8 / hessian[0, 0])
        theta, hessian = ridge(x, y, 0.3)
        within = stats.norm(theta[0], 0.8 / hessian[0, 0])
        for one, other, deltas in (
            (without, within, pairs.absence_delta(0.2)),
            (within, without, pairs.presence_delta(0.2)),
        ):
            grid = np.linspace(-25, 25, 400_001)
            gain = np.maximum(one.pdf(grid) - np.exp(0.2) * other.pdf(grid), 0)
            expected = integrate.trapezoid(gain, grid)
            assert deltas[person] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("sigma", [0.7, 3.0, 30.0])
def test_profile_falls_and_starts_at_one_total_variation(sigma):
    pairs = everybody(sigma)
    assert pairs.absence_delta(0.0) == pytest.approx(pairs.presence_delta(0.0))
    levels = [pairs.delta(epsilon) for epsilon in (0.0, 0.1, 0.5, 2.0, 8.0)]
    assert (np.diff(levels, axis=0) <= 1e-15).all()
    losses = pairs.epsilon(1e-3)
    assert (pairs.delta(losses) <= 1e-3).all()
    assert (pairs.delta(losses * (1 - 1e-6)) > 1e-3)[losses > 0].all()
    more = everybody(2 * sigma).epsilon(1e-3)
    assert (more < losses).all()


def test_limits():
    zero = np.zeros(1)
    nobody = PerturbedPairs(leverage=zero, spread=zero, square=zero, residual=np.ones(1), sigma=1.0)
    assert nobody.delta(0.0) == 0
    assert nobody.epsilon(1e-6) == 0
    good = {
        "leverage": np.ones(1),
        "spread": np.ones(1),
        "square": np.ones(1),
        "residual": np.ones(1),
        "sigma": 1.0,
    }
    for bad in (
        {"sigma": 0.0},
        {"sigma": np.inf},
        {"leverage": -np.ones(1)},
        {"spread": np.full(1, np.nan)},
        {"square": np.ones(2)},
    ):
        with pytest.raises(ParameterError):
            PerturbedPairs(**(good | bad))
    with pytest.raises(ParameterError, match="raise sigma"):
        everybody(1e-170).delta(1.0)
    # However much noise there is, the changed covariance tells.
    assert (everybody(1e6).epsilon(1e-3) > 0).all()


def test_bound_on_losses_of_a_perturbed_logistic_model_has_half_of_delta_a_side():
    # The loss is log det plus g^2/2 + g Z; |Z| beyond its quantile at delta/2 costs
    # delta on both sides together, under either law.
    square, sigma, strength, delta = 0.49, 2.0, 5.0, 1e-3
    (bound,) = perturbed_bound(np.array([square]), strength=strength, sigma=sigma, delta=delta)
    g = math.sqrt(square) / sigma
    shape = math.log1p(0.25 * square / strength)
    z = (bound - shape - g * g / 2) / g
    assert 2 * stats.norm.sf(z) == pytest.approx(delta, rel=1e-9)


def between_normals(first, second, epsilon):
    """Return the delta between two normal laws of one number, by its definition."""
    (a, s), (b, t) = first, second

    def loss(c):
        return np.log(t / s) - ((c - a) / s) ** 2 / 2 + ((c - b) / t) ** 2 / 2

    bend, slope = (t**-2 - s**-2) / 2, a / s**2 - b / t**2
    roots = np.roots([bend, slope, loss(0.0) - epsilon])
    low, high = sorted(roots.real) if np.isreal(roots).all() else (a, a)
    edges = np.unique([a - 30 * s, low, high, a + 30 * s])
    edges = edges[(edges >= a - 30 * s) & (edges <= a + 30 * s)]

    def integrand(c):
        return stats.norm.pdf(c, a, s) * -np.expm1(min(epsilon - loss(c), 0.0))

    # Adaptive, from one place where the loss is epsilon to the next, in small parts.
    parts = np.unique(np.concatenate([edges, a + s * np.arange(-30, 31)]))
    return sum(
        integrate.quad(integrand, left, right, epsabs=0.0, epsrel=1e-11)[0]
        for left, right in itertools.pairwise(parts)
    )


@pytest.mark.slow
@pytest.mark.parametrize("present", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_one_coefficient_has_the_delta_of_two_normal_laws(seed, present):
    rng = np.random.default_rng(seed)
    before, x, sigma = 10 ** rng.uniform(-0.5, 2), rng.uniform(0.1, 1.0), 2.0
    theta, y = rng.normal(), rng.normal()
    miss, after = y - x * theta, before + x * x
    pairs = PerturbedPairs(
        leverage=np.array([x * x / before]),
        spread=np.array([(x / before) ** 2]),
        square=np.array([x * x]),
        residual=np.array([miss]),
        sigma=sigma,
    )
    without = (theta, sigma / before)
    laws = without, (theta + x * miss / after, sigma / after)
    profile = pairs.presence_delta if present else pairs.absence_delta
    for wanted in (1e-2, 1e-5, 1e-8):
        (epsilon,) = pairs.epsilon(wanted)
        exact = between_normals(*(laws[::-1] if present else laws), float(epsilon))
        assert profile(epsilon)[0] == pytest.approx(exact, rel=1e-7, abs=1e-15)


@pytest.mark.parametrize("more", [0.0, 1e-9, 1e-5, 1e-3, 0.1])
def test_rows_almost_along_an_axis_lose_no_digits(more):
    """Against the trapezoid rule with so many nodes that kinks hardly matter."""
    known = {
        "leverage": np.array([0.3]),
        "spread": np.array([0.09 * (1 + more)]),
        "square": np.array([1.0]),
        "residual": np.array([1.4]),
        "sigma": 2.0,
    }
    pairs = PerturbedPairs(**known)
    fine = PerturbedPairs(**known, nodes=2**18 + 1)
    for wanted in (1e-2, 1e-6):
        (epsilon,) = pairs.epsilon(wanted)
        for present in (False, True):
            mean, deviation, weight = fine.mixture(0, present=present)
            above = mills.excess((epsilon - mean) / (deviation + 1e-12), deviation + 1e-12)
            profile = pairs.presence_delta if present else pairs.absence_delta
            assert profile(epsilon)[0] == pytest.approx(above @ weight, rel=1e-6, abs=1e-15)
