"""The adaptive posterior sample: no neighbor lifts it above its claim."""

import numpy as np
import pytest
from scipy import stats

from dpcore.errors import ParameterError
from dpcore.models import leverage_and_residual as profile
from dpcore.models.model_mechanisms import adaptive_posterior as published
from dpcore.models.model_mechanisms.adaptive_posterior import AdaptivePosterior


def plan_for(people, **changed):
    settings = {"epsilon": 1.0, "delta": 1e-6, "people": people, "columns": 5}
    return AdaptivePosterior(**(settings | changed))


def unit_rows(rng, shape):
    rows = rng.normal(size=shape)
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def ordinary(rng, n, plan):
    x = unit_rows(rng, (n, plan.columns))
    truth = unit_rows(rng, plan.columns) / np.sqrt(2)
    return x, np.clip(x @ truth + 0.1 * rng.normal(size=n), -1, 1)


def longest(rng, n, plan):
    """A table whose coefficients are as long as the penalty for floor 0 allows."""
    penalty = plan.tune(0.0).penalty
    row = unit_rows(rng, plan.columns) * min(np.sqrt(penalty / n), 1.0)
    return np.tile(row, (n, 1)), np.ones(n)


def nearly_collinear(rng, n, plan):
    x, y = ordinary(rng, n, plan)
    x[:, 0] = x[:, 1]
    return x / np.linalg.norm(x, axis=1, keepdims=True), np.sign(y)


def newcomers(rng, hessian, theta, count):
    """Directions that hurt: random ones, weak ones, and along the coefficients."""
    vectors = np.linalg.eigh(hessian)[1]
    weak = vectors[:, :1].T
    along = theta[np.newaxis] / max(np.linalg.norm(theta), 1e-12)
    mixed = unit_rows(rng, (count, len(theta)))
    near = unit_rows(rng, (count, len(theta))) * 0.2
    x = np.concatenate([mixed, mixed + near, weak + near, along + near, vectors.T])
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    y = -np.sign(x @ theta)
    return x, np.where(y == 0, 1.0, y)


@pytest.mark.parametrize("table", [ordinary, longest, nearly_collinear])
@pytest.mark.parametrize("n", [40, 1000])
@pytest.mark.parametrize(
    "changed", [{}, {"epsilon": 8.0, "delta": 1e-3}, {"epsilon": 0.3, "share": 0.2}]
)
def test_adversarial_neighbors_stay_within_the_claim(table, n, changed):
    rng = np.random.default_rng(3)
    plan = plan_for(n + 1, **changed)
    x, y = table(rng, n, plan)
    tuning = plan.simulate(x, y, rng=rng).tuning
    gram = x.T @ x
    smallest = np.linalg.eigvalsh(gram)[0]
    assert tuning.floor <= max(smallest - 1, 0)
    hessian = gram + tuning.penalty * np.eye(5)
    theta = np.linalg.solve(hessian, x.T @ y)
    rows, targets = newcomers(rng, hessian, theta, 2600)
    assert len(rows) > 10_000
    leverage = np.einsum("ij,ij->i", np.linalg.solve(hessian, rows.T).T, rows)
    residual = np.abs(targets - rows @ theta)
    # Everybody who is in the table might leave it.
    h = np.einsum("ij,ij->i", np.linalg.solve(hessian, x.T).T, x)
    e = np.abs(y - x @ theta) / (1 - h)
    leverage = np.concatenate([leverage, h / (1 - h)])
    residual = np.concatenate([residual, e])
    assert leverage.max() <= tuning.leverage * (1 + 1e-9)
    assert residual.max() <= tuning.residual * (1 + 1e-9)
    scaled = np.sqrt(tuning.gamma) * residual
    delta = profile.delta_of(leverage, scaled, plan.epsilons[1])
    assert delta.max() <= plan.event_delta
    # Nobody moves the eigenvalue by more than its noise is made for.
    for row in rows[:200]:
        moved = np.linalg.eigvalsh(gram + np.outer(row, row))[0] - smallest
        assert -1e-9 <= moved <= 1 + 1e-9


def test_a_hostile_table_comes_close_to_the_largest_residual():
    plan = plan_for(401, epsilon=4.0, delta=1e-3)
    rng = np.random.default_rng(0)
    x, y = longest(rng, 400, plan)
    tuning = plan.tune(0.0)
    hessian = x.T @ x + tuning.penalty * np.eye(5)
    theta = np.linalg.solve(hessian, x.T @ y)
    reach = 1 + np.linalg.norm(theta)
    assert reach > 0.95 * tuning.residual
    direction = theta / np.linalg.norm(theta)
    leverage = direction @ np.linalg.solve(hessian, direction)
    scaled = reach * np.sqrt(tuning.gamma)
    delta = profile.delta_of(leverage, scaled, plan.epsilons[1])
    assert 1e-4 * plan.event_delta < delta <= plan.event_delta


def test_samples_scatter_as_the_tuning_says():
    rng = np.random.default_rng(4)
    plan = plan_for(2000, epsilon=20.0, delta=1e-3)
    x, y = ordinary(rng, 2000, plan)
    sample = plan.simulate(x, y, rng=rng)
    hessian = x.T @ x + sample.tuning.penalty * np.eye(5)
    theta = np.linalg.solve(hessian, x.T @ y)
    moved = sample.theta - theta
    score = sample.tuning.gamma * moved @ hessian @ moved
    assert stats.chi2.sf(score, 5) > 1e-6


def test_the_published_constants_claim_too_much():
    for epsilon, exact in ((1, 6.4e-7), (4, 3.7e-6), (10, 1.9e-5)):
        got = published.eigenvalue_delta(epsilon, 1e-6)
        assert got == pytest.approx(exact, rel=0.02)
        assert got > 1e-6 / 3
    assert published.eigenvalue_delta(0.1, 1e-6) < 1e-6 / 3
    assert published.eigenvalue_delta(4, 1e-3) < 1e-3 / 3
    for epsilon in (1, 4, 10):
        spent = published.sample_delta(epsilon, 1e-6, floor=100.0, residual=2.0)
        assert spent > 1e-6 / 3
    gamma = published.gamma(1.0, 1e-6, floor=100.0, residual=2.0)
    log_odds, root = np.log(6e6), np.sqrt(gamma)
    left = 4 / (2 * 101) * gamma + np.sqrt(4 * log_odds / 100) * root
    assert left + (1 + log_odds) / 200 == pytest.approx(0.5, rel=1e-12)
    with pytest.raises(ParameterError, match="raise lambda"):
        published.sample_delta(0.1, 1e-6, floor=20.0, residual=2.0)
