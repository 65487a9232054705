"""Objective perturbation on ridge: its profile against simulation and other routes."""

import numpy as np
import pytest
from scipy import integrate, stats

from dpcore.errors import ParameterError
from dpcore.models.objective_perturbation import PerturbedPairs, simulate
from dpcore.privacy import gaussian
from tests.models.ten_people import X, Y, members, ridge


def everybody(sigma=2.0, x=X, y=Y, penalty=0.5):
    h, r = members(x, y, penalty)
    w = x @ np.linalg.inv(ridge(x, y, penalty)[1])
    return PerturbedPairs.of_members(
        leverage=h,
        spread=(w * w).sum(axis=1),
        square=(x * x).sum(axis=1),
        residual=r,
        sigma=sigma,
    )


def test_vectors():
    pairs = PerturbedPairs(
        leverage=np.array([1.55466114654]),
        spread=np.array([0.223510978275]),
        square=np.array([11.25]),
        residual=np.array([-1.55621080035]),
        sigma=2.0,
    )
    for epsilon, absence, presence in (
        (0.0, 0.61849690, 0.61849690),
        (0.3, 0.59436847, 0.51987118),
        (1.0, 0.54320029, 0.22292417),
    ):
        assert pairs.absence_delta(epsilon) == pytest.approx(absence, abs=6e-9)
        assert pairs.presence_delta(epsilon) == pytest.approx(presence, abs=6e-9)
    pairs = everybody()
    assert pairs.leverage[9] == pytest.approx(1.55466114654)
    assert pairs.delta(0.3)[4] == pytest.approx(0.03940518, abs=6e-9)
    expected = [
        21.4541400833,
        11.342841537,
        6.067776272,
        9.3773089171,
        4.7823497238,
        5.2228435267,
        4.4292735785,
        42.3441287733,
        14.0273135271,
        97.1791396699,
    ]
    losses = pairs.epsilon(1e-6)
    np.testing.assert_allclose(losses, expected, rtol=3e-9)
    assert (pairs.delta(losses) <= 1e-6).all()
    # A covariance held fixed would promise far less.
    fixed = [3.38, 1.69, 1.32, 0.98, 0.24, 1.60, 0.14, 2.91, 5.57, 15.24]
    mu = np.abs(pairs.residual) / (1 + pairs.leverage) * np.sqrt(pairs.square)
    # |H (theta - theta_-i)| is |r| |x| / (1 - h), r the residual in the table.
    mu *= (1 + pairs.leverage) / 2.0
    np.testing.assert_allclose(gaussian.epsilon_of(mu, 1e-6), fixed, atol=0.006)


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
    nobody = PerturbedPairs(
        leverage=zero, spread=zero, square=zero, residual=np.ones(1), sigma=1.0
    )
    assert nobody.delta(0.0) == 0
    assert nobody.epsilon(1e-6) == 0
    for delta in (0.0, 1.0):
        with pytest.raises(ParameterError, match="delta"):
            nobody.epsilon(delta)
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
    with pytest.raises(ParameterError, match="raise lambda"):
        PerturbedPairs.of_members(**good)
    with pytest.raises(ParameterError, match="raise sigma"):
        everybody(1e-170).delta(1.0)
    # However much noise there is, the changed covariance tells.
    assert (everybody(1e6).epsilon(1e-3) > 0).all()
