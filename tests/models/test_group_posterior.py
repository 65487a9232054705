"""Units of several rows under posterior samples: against fits without them."""

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.models.model_mechanisms.posterior_samples import group_epsilon, group_pairs
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import fit_ridge
from dpcore.models.ridge_influence import removals
from tests.models.plain_pairs import PosteriorPairs

DELTA, GAMMA = 1e-4, 2.0


def made(people=40, columns=3, strength=0.7, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((people, columns))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return fit_ridge(x, rng.uniform(-1, 1, people), penalty=Penalty(strength=strength))


def loss_of(fit, without, released):
    """``log P without - log P with`` of releases, from the two normal densities."""
    kept = np.setdiff1d(np.arange(fit.people), without)
    rest = fit_ridge(fit.features[kept], fit.target[kept], penalty=fit.penalty)
    logs = []
    for one in (rest, fit):
        away = released - one.theta
        square = np.einsum("ij,jk,ik->i", away, one.factor.hessian, away)
        logs.append(np.linalg.slogdet(one.factor.hessian)[1] / 2 - GAMMA * square / 2)
    return logs[0] - logs[1], rest


def test_units_of_one_row_lose_what_people_lose():
    fit = made()
    alone = group_pairs(fit, np.arange(fit.people))
    assert alone.alike.all()
    found = removals(fit)
    np.testing.assert_allclose(alone.total, found.leverage, rtol=1e-9)
    exact = PosteriorPairs.of_members(
        leverage=found.leverage, residual=fit.residuals, gamma=GAMMA
    ).epsilon(DELTA)
    np.testing.assert_allclose(group_epsilon(alone, gamma=GAMMA, delta=DELTA), exact, rtol=1e-7)


def test_rows_that_are_alike_lose_exactly_what_one_longer_row_does():
    fit = made()
    x = np.vstack([fit.features, 0.5 * fit.features[[7]], -0.2 * fit.features[[7]]])
    y = np.append(fit.target, [0.3, -0.9])
    several = fit_ridge(x, y, penalty=fit.penalty)
    codes = np.append(np.arange(40), [7, 7])
    scales = np.array([1, 0.5, -0.2])
    length = np.sqrt((scales**2).sum())
    merged = fit_ridge(
        np.vstack([np.delete(fit.features, 7, axis=0), length * fit.features[7]]),
        np.append(np.delete(fit.target, 7), y[[7, 40, 41]] @ scales / length),
        penalty=fit.penalty,
    )
    np.testing.assert_allclose(merged.theta, several.theta, rtol=1e-10)
    exact = PosteriorPairs.of_members(
        leverage=removals(merged).leverage[-1:], residual=merged.residuals[-1:], gamma=GAMMA
    ).epsilon(DELTA)
    pairs = group_pairs(several, codes)
    assert pairs.alike.all()
    assert group_epsilon(pairs, gamma=GAMMA, delta=DELTA)[7] == pytest.approx(exact[0], rel=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("samples", [1, 3])
def test_no_unit_loses_more_than_the_bound(samples):
    fit = made(strength=3.0)
    codes = np.arange(40) // 4
    pairs = group_pairs(fit, codes)
    assert not pairs.alike.any()
    epsilon = group_epsilon(pairs, gamma=GAMMA, delta=0.02, samples=samples)
    rng = np.random.default_rng(2)
    for group in range(10):
        unit = np.flatnonzero(codes == group)
        rest = loss_of(fit, unit, fit.theta[np.newaxis])[1]
        for law, sign in ((rest, 1), (fit, -1)):
            released = law.theta + rng.standard_normal((20_000 * samples, 3)) @ (
                law.factor.inverse_root.T / np.sqrt(GAMMA)
            )
            loss = sign * loss_of(fit, unit, released)[0].reshape(-1, samples).sum(1)
            over = np.maximum(-np.expm1(epsilon[group] - loss), 0.0)
            assert over.mean() <= 0.02 + 4 * over.std() / np.sqrt(len(over))
    assert np.isfinite(epsilon).all()


def test_more_precise_samples_and_smaller_deltas_cost_more():
    pairs = group_pairs(made(), np.arange(40) // 3)
    losses = [
        group_epsilon(pairs, gamma=gamma, delta=delta)
        for gamma, delta in ((0.5, 1e-4), (2.0, 1e-4), (2.0, 1e-8))
    ]
    assert (losses[0] < losses[1]).all()
    assert (losses[1] < losses[2]).all()


def test_a_unit_on_which_the_fit_rests_loses_everything():
    x = np.column_stack([np.ones(6), [0.0, 0, 0, 0, 1, 1]])
    fit = fit_ridge(x, np.linspace(-1, 1, 6), penalty=Penalty(strength=0.0))
    pairs = group_pairs(fit, np.array([0, 1, 2, 3, 4, 4]))
    lost = group_epsilon(pairs, gamma=1.0, delta=DELTA)
    assert np.isinf(lost[4])
    assert np.isfinite(lost[:4]).all()


def test_codes_that_do_not_fit_are_refused():
    with pytest.raises(ParameterError, match="as many codes"):
        group_pairs(made(), np.zeros(3, dtype=np.intp))
