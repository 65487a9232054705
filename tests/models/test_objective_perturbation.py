"""Objective perturbation on ridge: its profile against simulation and other routes."""

import itertools

import numpy as np
import pytest
from scipy import integrate, stats

from dpcore.models import mills
from tests.conftest import few
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
@pytest.mark.parametrize(
    ("seed", "present"), few(2, (0, False), (1, True), *((seed, True) for seed in range(2, 5)))
)
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


@pytest.mark.parametrize("more", few(2, 0.0, 1e-9, 1e-5, 1e-3, 0.1))
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
