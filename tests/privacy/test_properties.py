"""Renyi divergences and what one instance inherits from differential privacy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from dpcore.errors import ParameterError
from dpcore.privacy import gaussian, laplace, renyi
from dpcore.privacy.conversions import epsilon_of_rho
from dpcore.privacy.properties import group_loss, log_odds_bound


def test_vectors_of_laplace_divergences():
    got = renyi.laplace_divergence(0.5, [2, 8, 32])
    expected = [0.200303896174, 0.410267881762, 0.478148425045]
    np.testing.assert_allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize("shift", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("order", [1.1, 2.0, 8.0])
@pytest.mark.parametrize(
    ("divergence", "law"),
    [(renyi.laplace_divergence, stats.laplace), (renyi.gaussian_divergence, stats.norm)],
)
def test_divergences_match_quadrature(divergence, law, order, shift):
    def moment(x):
        logs = order * law.logpdf(x - shift) + (1 - order) * law.logpdf(x)
        return math.exp(logs)

    reach = 45 if law is stats.laplace else 15 + order * shift
    value, _ = integrate.quad(
        moment, -reach, reach + shift, points=[0, shift, order * shift], limit=400
    )
    expected = math.log(value) / (order - 1)
    assert divergence(shift, order) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(st.floats(1e-3, 20), st.floats(1.001, 500), st.floats(1.001, 500))
def test_divergences_rise_with_the_order_up_to_the_pure_level(r, one, other):
    low, high = sorted([one, other])
    first, second = renyi.laplace_divergence(r, [low, high])
    assert -1e-12 <= first <= second + 1e-9
    assert second <= r * (1 + 1e-12)
    # The zCDP level is the slope that covers all orders.
    assert second <= high * laplace.rho_of(r) * (1 + 1e-9)


@settings(deadline=None, max_examples=60)
@given(st.floats(0.01, 5), st.sampled_from([1e-10, 1e-6, 1e-3]))
def test_epsilon_from_divergences_is_valid_and_near_the_best_order(mu, delta):
    orders = renyi.ORDERS
    got = renyi.epsilon_of(renyi.gaussian_divergence(mu, orders), orders, delta)
    assert got >= gaussian.epsilon_of(mu, delta)
    # All orders at once: the conversion of zCDP.
    assert got == pytest.approx(epsilon_of_rho(mu * mu / 2, delta), rel=2e-3)


def test_ten_laplace_releases():
    orders = renyi.ORDERS
    total = 10 * renyi.laplace_divergence(0.1, orders)
    got = renyi.epsilon_of(total, orders, 1e-6)
    # The exact value is 0.99897809; divergences say a little less.
    assert 0.99897809 <= got <= 1


def test_divergences_at_their_limits():
    orders = renyi.ORDERS
    nothing = np.zeros_like(orders)
    assert renyi.epsilon_of(nothing, orders, 1e-6) == 0
    assert renyi.epsilon_of(nothing, orders, 0.0) == 0
    assert renyi.epsilon_of(nothing + 1, orders, 0.0) == math.inf
    assert renyi.epsilon_of(nothing + 1, orders, 1.0) == 0
    np.testing.assert_allclose(renyi.laplace_divergence(0.0, [1.5, 9]), 0, atol=1e-15)
    assert renyi.laplace_divergence(700.0, 1e4) == pytest.approx(700, rel=1e-4)
    for bad in (1.0, 0.5, math.nan, math.inf):
        for divergence in (renyi.laplace_divergence, renyi.gaussian_divergence):
            with pytest.raises(ParameterError, match="order"):
                divergence(0.5, bad)


@settings(deadline=None, max_examples=80)
@given(st.floats(0.01, 3), st.floats(-4, 4), st.floats(0.1, 2))
def test_no_event_changes_the_odds_by_more(epsilon, cut, mu):
    """Half lines under Gaussian noise of just the delta that epsilon needs."""
    delta = float(gaussian.delta_of(mu, epsilon))
    p, q = stats.norm.sf(cut - mu), stats.norm.sf(cut)
    bound = float(log_odds_bound(min(p, q), epsilon=epsilon, delta=delta))
    assert abs(math.log(p / q)) <= bound + 1e-12
    if min(p, q) >= delta / epsilon:
        assert bound <= 2 * epsilon


def test_odds_at_their_limits():
    assert log_odds_bound([0.0, 0.5], epsilon=0.7, delta=0.0).tolist() == [0.7, 0.7]
    assert log_odds_bound(0.0, epsilon=0.7, delta=1e-6) == math.inf
    tight = log_odds_bound(0.5, epsilon=0.0, delta=0.25)
    assert tight == pytest.approx(math.log(1.5))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=5), st.floats(0.05, 1))
def test_a_group_leaving_one_by_one_covers_leaving_at_once(shifts, share):
    """Gaussian noise, every member at a delta of their own."""
    epsilons = [share * mu * 3 for mu in shifts]
    deltas = [float(gaussian.delta_of(mu, e)) for mu, e in zip(shifts, epsilons, strict=True)]
    epsilon, delta = group_loss(epsilons, deltas)
    assert epsilon == pytest.approx(sum(epsilons))
    assert gaussian.delta_of(sum(shifts), epsilon) <= delta + 1e-15


def test_group_losses_by_hand():
    epsilon, delta = group_loss([0.5, 0.25, 1.0], [1e-3, 2e-3, 3e-3])
    assert epsilon == 1.75
    grown = 1e-3 + 2e-3 * math.exp(0.5) + 3e-3 * math.exp(0.75)
    assert delta == pytest.approx(grown)
    assert group_loss([], []) == (0, 0)
    assert group_loss([900.0, 1.0], [0.1, 0.1]) == (901, 1)
    assert group_loss([900.0, 1.0], [0.0, 0.0]) == (901, 0)
    with pytest.raises(ParameterError, match="every member"):
        group_loss([0.1], [])
