"""Several posterior samples: exact profile against other routes, and divergences."""

import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant
from scipy import integrate, stats

from dpcore.errors import ParameterError
from dpcore.models import leverage_and_residual
from dpcore.models import leverage_and_residual as profile
from dpcore.models.leverage_and_residual import ceiling
from dpcore.privacy import conversions

CASES = [
    (0.1, 1.0, 1.0, 5),
    (0.1, 1.0, 0.0, 2),
    (0.01, 0.2, 0.05, 10),
    (1.0, 0.5, 0.5, 4),
    (1e-4, 3.0, 0.5, 10),
    (2.0, 3.0, 2.0, 3),
    (0.1, 0.0, 0.2, 6),
    (1e-6, 1.0, 0.1, 10_000),
]


@pytest.mark.parametrize(("m", "e", "epsilon", "samples"), CASES)
def test_profile_is_that_of_noncentral_chi_square(m, e, epsilon, samples):
    narrow, center = m / (1 + m), e / (1 + m)
    least = samples * float(ceiling(m, e))
    total = 2 * (least + epsilon)
    absence = stats.ncx2.sf(total / m, samples, samples * e * e / m)
    absence -= np.exp(epsilon) * stats.ncx2.sf(
        total / narrow, samples, samples * center**2 / narrow
    )
    got = leverage_and_residual.absence_delta_of(m, e, epsilon, samples=samples)
    assert got == pytest.approx(absence, rel=1e-8, abs=1e-13)
    total = 2 * (least - epsilon)
    presence = 0.0
    if total > 0:
        presence = stats.ncx2.cdf(total / narrow, samples, samples * center**2 / narrow)
        presence -= np.exp(epsilon) * stats.ncx2.cdf(total / m, samples, samples * e * e / m)
    got = leverage_and_residual.presence_delta_of(m, e, epsilon, samples=samples)
    assert got == pytest.approx(presence, rel=1e-8, abs=1e-13)


def test_vector_of_five_samples():
    got = leverage_and_residual.absence_delta_of(0.1, 1.0, 1.0, samples=5)
    assert got == pytest.approx(0.0467256355, abs=1e-10)
    got = leverage_and_residual.presence_delta_of(0.1, 1.0, 1.0, samples=5)
    assert got == pytest.approx(0.0181777470, abs=1e-10)


def test_five_simulated_samples():
    rng = np.random.default_rng(2)
    n, m, e, epsilon = 300_000, 0.1, 1.0, 1.0
    least = 5 * float(ceiling(m, e))
    u = rng.normal(e, np.sqrt(m), (n, 5))
    loss = (u**2).sum(axis=1) / 2 - least
    gain = -np.expm1(np.minimum(epsilon - loss, 0))
    expected = leverage_and_residual.absence_delta_of(m, e, epsilon, samples=5)
    assert abs(gain.mean() - expected) <= 4 * gain.std() / np.sqrt(n)
    u = rng.normal(e / (1 + m), np.sqrt(m / (1 + m)), (n, 5))
    loss = least - (u**2).sum(axis=1) / 2
    gain = -np.expm1(np.minimum(epsilon - loss, 0))
    expected = leverage_and_residual.presence_delta_of(m, e, epsilon, samples=5)
    assert abs(gain.mean() - expected) <= 4 * gain.std() / np.sqrt(n)


def test_one_sample_and_more_of_them():
    deltas = [
        float(leverage_and_residual.delta_of(0.1, 1.0, 0.3, samples=samples))
        for samples in (1, 2, 3, 10, 100)
    ]
    assert deltas[0] == profile.delta_of(0.1, 1.0, 0.3)
    assert (np.diff(deltas) > 0).all()
    several = leverage_and_residual.delta_of([[0.1], [0.2]], [0.0, 1, 2], 0.3, samples=2)
    assert several.shape == (2, 3)
    assert several[0, 1] == pytest.approx(deltas[1], rel=1e-12)


def test_divergences():
    for order, absence, presence in (
        (2, 0.1060352689, 0.0799069772),
        (5, 0.3949859919, 0.1604008754),
        (9, 2.0983893251, 0.2288071130),
        (1.5, 0.0754085394, 0.0624918649),
    ):
        got = leverage_and_residual.absence_divergence(0.1, 1.0, order)
        assert got == pytest.approx(absence, abs=1e-10)
        got = leverage_and_residual.presence_divergence(0.1, 1.0, order)
        assert got == pytest.approx(presence, abs=1e-10)
    assert leverage_and_residual.absence_divergence(0.1, 1.0, 11.0) == np.inf
    assert leverage_and_residual.presence_divergence(0.1, 1.0, 1e6) == pytest.approx(
        ceiling(0.1, 1.0), rel=1e-4
    )


@pytest.mark.parametrize(("m", "e", "order"), [(0.3, 0.7, 2.5), (0.02, 2.0, 6.0)])
def test_divergences_are_the_integrals_they_stand_for(m, e, order):
    without = stats.norm(e, np.sqrt(m))
    within = stats.norm(e / (1 + m), np.sqrt(m / (1 + m)))
    for one, other, function in (
        (without, within, leverage_and_residual.absence_divergence),
        (within, without, leverage_and_residual.presence_divergence),
    ):
        value, _ = integrate.quad(
            lambda u, p=one, q=other: np.exp(order * p.logpdf(u) + (1 - order) * q.logpdf(u)),
            -8,
            12,
            limit=400,
            points=[0, e],
        )
        expected = np.log(value) / (order - 1)
        assert function(m, e, order) == pytest.approx(expected, rel=1e-7)


def epsilon_of_five():
    """Return what the divergences of five samples imply."""
    return max(
        conversions.epsilon_of_divergences(
            5 * kind(0.1, 1.0, conversions.ORDERS), conversions.ORDERS, 1e-6
        )
        for kind in (
            leverage_and_residual.absence_divergence,
            leverage_and_residual.presence_divergence,
        )
    )


def test_divergences_bound_the_exact_loss():
    bound = epsilon_of_five()
    assert leverage_and_residual.delta_of(0.1, 1.0, bound, samples=5) <= 1e-6
    assert leverage_and_residual.delta_of(0.1, 1.0, 0.7 * bound, samples=5) > 1e-6


def test_conversion_of_divergences_agrees_with_dp_accounting():
    orders = conversions.ORDERS
    theirs = max(
        rdp_privacy_accountant.compute_epsilon(orders, 5 * kind(0.1, 1, orders), 1e-6)[0]
        for kind in (
            leverage_and_residual.absence_divergence,
            leverage_and_residual.presence_divergence,
        )
    )
    assert epsilon_of_five() == pytest.approx(theirs, rel=1e-12)


def test_domains():
    for bad in (
        {"leverage": 0.0},
        {"leverage": np.inf},
        {"residual": np.nan},
        {"epsilon": -1.0},
        {"epsilon": np.inf},
        {"samples": 0},
    ):
        arguments = {"leverage": 0.1, "residual": 1.0, "epsilon": 0.1, "samples": 2}
        with pytest.raises(ParameterError, match="at least"):
            leverage_and_residual.delta_of(**(arguments | bad))
    with pytest.raises(ParameterError, match="order"):
        leverage_and_residual.absence_divergence(0.1, 1.0, 1.0)
