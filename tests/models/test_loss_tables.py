"""Interpolated losses are those that are computed one by one."""

import numpy as np
import pytest

from dpcore.models import loss_tables
from dpcore.models.model_mechanisms.adaptive_posterior import smallest_eigenvalue_moves
from tests.models.plain_pairs import PerturbedPairs

RNG = np.random.default_rng(0)


@pytest.mark.slow
@pytest.mark.parametrize(("samples", "error"), [(1, 1e-12), (4, 1e-3)])
def test_losses_of_many_people_are_those_of_a_few(samples, error, monkeypatch):
    n = 50_000 if samples == 1 else loss_tables.TABLE_FROM
    leverage = 10 ** RNG.uniform(-6, -2, n)
    residual = np.abs(RNG.normal(size=n)) * 10 ** RNG.uniform(-2, 1, n)
    residual[:50], leverage[50:53] = 0.0, [0.0, 1e-13, np.inf]
    found = loss_tables.sampled_epsilon(leverage, residual, delta=1e-6, samples=samples)
    some = np.arange(150 if samples == 1 else 60)
    monkeypatch.setattr(loss_tables, "TABLE_FROM", n + 1)
    exact = loss_tables.sampled_epsilon(leverage[some], residual[some], delta=1e-6, samples=samples)
    np.testing.assert_allclose(found[some], exact, rtol=error, atol=1e-12)
    assert found[50] == 0
    assert np.isinf(found[52])


@pytest.mark.slow
def test_tabulated_losses_of_perturbed_objectives_are_near_the_exact_ones():
    n = loss_tables.TABLE_FROM
    leverage = 10 ** RNG.uniform(-4, -2, n)
    spread = leverage**2 * np.exp(RNG.exponential(size=n))
    residual, square = np.abs(RNG.normal(size=n)) / 2, RNG.uniform(0.2, 1, n)

    def pairs(some):
        return PerturbedPairs(
            leverage=leverage[some],
            spread=spread[some] / square[some],
            square=square[some],
            residual=residual[some],
            sigma=2.0,
        )

    found = loss_tables.perturbed_epsilon(pairs(slice(None)), delta=1e-6)
    some = slice(0, 25)
    exact = pairs(some).epsilon(1e-6)
    np.testing.assert_allclose(found[some], exact, rtol=1e-2)
    np.testing.assert_allclose(
        loss_tables.perturbed_epsilon(pairs(some), delta=1e-6), exact, rtol=1e-8
    )


def test_smallest_eigenvalue_falls_by_what_eigenvalues_say():
    x = RNG.normal(size=(40, 4))
    x[0] = 0.0
    gram = x.T @ x
    whole = np.linalg.eigvalsh(gram)[0]
    by_hand = [whole - np.linalg.eigvalsh(gram - np.outer(r, r))[0] for r in x]
    np.testing.assert_allclose(smallest_eigenvalue_moves(gram, x), by_hand, atol=1e-10)
