"""Read-outs of generalization: estimates against simulated gaps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.individual import generalization
from dpcore.privacy import gaussian


def test_simulated_gap_of_noisy_ridge_coefficients():
    """Ridge with normal noise, and the loss ``min(|y - x'c|, 1)``."""
    rng = np.random.default_rng(6)
    n, d, sigma, runs = 30, 3, 0.25, 1500
    truth = np.array([0.6, -0.4, 0.2])
    gaps, estimates = np.empty(runs), np.empty(runs)

    def draw(people):
        x = rng.normal(size=(people, d)) / np.sqrt(d)
        return x, x @ truth + 0.5 * rng.normal(size=people)

    for run in range(runs):
        x, y = draw(n)
        inverse = np.linalg.inv(x.T @ x + np.eye(d))
        theta = inverse @ x.T @ y
        w = x @ inverse
        h = (w * x).sum(axis=1)
        shift = np.abs(y - x @ theta) / (1 - h) * np.linalg.norm(w, axis=1)
        estimates[run] = generalization.gap(gaussian.delta_of(shift / sigma, 0.0))
        noisy = theta + sigma * rng.normal(size=d)
        fresh_x, fresh_y = draw(300)
        ours = np.minimum(np.abs(y - x @ noisy), 1).mean()
        gaps[run] = np.minimum(np.abs(fresh_y - fresh_x @ noisy), 1).mean() - ours
    error = gaps.std() / np.sqrt(runs)
    assert gaps.mean() > 4 * error  # there is something to bound
    assert gaps.mean() < estimates.mean()
    assert estimates.mean() < 0.5  # and the estimate says something


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(0, 3), min_size=1, max_size=20), st.floats(1e-9, 0.5))
def test_forms_are_ordered(mu, delta):
    epsilon = gaussian.epsilon_of(mu, delta)
    gap = generalization.gap(gaussian.delta_of(mu, 0.0))
    loose = generalization.exponential_gap(epsilon, delta=delta)
    assert gap <= loose * (1 + 1e-9)


def test_without_a_finite_loss():
    assert generalization.exponential_gap([np.inf], delta=0.1) == np.inf
    assert generalization.exponential_gap([0.0], delta=0.1) == pytest.approx(0.2)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: generalization.gap([]),
        lambda: generalization.gap([1.1]),
        lambda: generalization.exponential_gap([np.nan], delta=0.1),
        lambda: generalization.exponential_gap([0.1], delta=-0.1),
    ],
)
def test_domains(wrong):
    with pytest.raises(ParameterError):
        wrong()
