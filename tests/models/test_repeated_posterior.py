"""Several posterior samples: exact profile against other routes, and divergences."""

import numpy as np
import pytest
from dp_accounting.rdp import rdp_privacy_accountant
from scipy import stats

from dpcore.models import leverage_and_residual
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
