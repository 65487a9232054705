"""Optimal composition of different levels, and the table of ways to compose."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.privacy import gaussian, renyi
from dpcore.privacy import mixed_composition as mixed
from dpcore.privacy.composition import PrivacyEvent, compose
from dpcore.privacy.conversions import (
    epsilon_of_rho,
    pure_delta_of,
    simple_epsilon_of_rho,
)
from dpcore.privacy.mixed_composition import MixedComposition
from dpcore.privacy.optimal_composition import delta_of, epsilon_of
from dpcore.privacy.properties import advanced_epsilon

parts = st.lists(st.floats(0, 4), min_size=1, max_size=8)


def enumerated(levels, epsilon):
    """Return the delta by going through every answer of every release."""
    total = 0.0
    for signs in itertools.product((1, -1), repeat=len(levels)):
        pairs = list(zip(levels, signs, strict=True))
        p = math.prod(1 / (1 + math.exp(-e * s)) for e, s in pairs)
        q = math.prod(1 / (1 + math.exp(e * s)) for e, s in pairs)
        total += max(p - math.exp(epsilon) * q, 0)
    return total


def test_vector_of_different_levels():
    levels = [0.1, 0.2, 0.3, 0.05, 0.5, 0.1]
    found = float(MixedComposition.of(levels).delta_of(0.8))
    assert found == pytest.approx(0.03785565117787962, rel=1e-9)


@given(parts, st.floats(0, 10))
def test_delta_is_that_of_all_answers(levels, epsilon):
    found = float(MixedComposition.of(levels).delta_of(epsilon))
    assert found == pytest.approx(enumerated(levels, epsilon), rel=1e-9, abs=1e-14)


@settings(max_examples=50)
@given(parts, st.floats(-12, -0.5))
def test_total_is_optimal(levels, log_delta):
    delta = 10**log_delta
    whole = MixedComposition.of(levels)
    epsilon = whole.epsilon_of(delta)
    assert epsilon <= math.fsum(levels) * (1 + 1e-9)
    assert float(whole.delta_of(epsilon)) <= delta * (1 + 1e-9)
    if epsilon > 1e-6:
        assert float(whole.delta_of(epsilon * (1 - 1e-6))) > delta * (1 - 1e-9)


def test_one_release_is_randomized_response():
    epsilons = np.linspace(0, 3, 1000)
    for level in (0.1, 1.0, 2.5):
        found = MixedComposition.of([level]).delta_of(epsilons)
        np.testing.assert_allclose(
            found, pure_delta_of(level, epsilons), rtol=1e-9, atol=1e-15
        )


def test_profile_falls_and_is_convex_in_the_odds():
    odds = np.linspace(1, 20, 1500)
    delta = MixedComposition.of([0.4, 0.7, 0.7, 1.1]).delta_of(np.log(odds))
    assert (np.diff(delta) <= 1e-15).all()
    assert (np.diff(delta, 2) >= -1e-12).all()


def test_deltas_of_the_parts_are_told_outright():
    whole = MixedComposition.of([0.5, 0.5], [0.01, 0.02])
    assert whole.told == pytest.approx(1 - 0.99 * 0.98)
    assert whole.epsilon_of(0.01) == math.inf
    pure = MixedComposition.of([0.5, 0.5])
    at = float(pure.delta_of(0.3))
    assert float(whole.delta_of(0.3)) == pytest.approx(1 - 0.99 * 0.98 * (1 - at))
    assert MixedComposition.of([0.5], [1.0]).told == 1
    assert MixedComposition.of([0.5]).epsilon_of(0.0) == 0.5
    assert MixedComposition.of([0.0, 0.0]).epsilon_of(0.0) == 0


def test_too_many_losses_are_rounded_up(monkeypatch):
    levels = list(np.linspace(0.05, 0.3, 12))
    exact = MixedComposition.of(levels).epsilon_of(1e-6)
    monkeypatch.setattr(mixed, "MOST_LOSSES", 1 << 10)
    assert exact <= MixedComposition.of(levels).epsilon_of(1e-6) < 1.05 * exact


@pytest.mark.parametrize(
    ("levels", "deltas"),
    [([], []), ([-0.1], []), ([math.inf], []), ([0.1], [0.1, 0.2]), ([0.1], [2.0])],
)
def test_senseless_parts_are_refused(levels, deltas):
    with pytest.raises(ParameterError):
        MixedComposition.of(levels, deltas)


def test_senseless_delta_is_refused():
    with pytest.raises(ParameterError, match="delta"):
        MixedComposition.of([0.1]).epsilon_of(1.0)


# Level, times, delta: basic, Dwork-Rothblum-Vadhan, optimal, Laplace, zCDP.
TABLE = [
    (0.1, 10, 1e-6, 1, 1.76743, 0.9993709057, 0.9989780937, 1.47159),
    (0.1, 50, 1e-6, 5, 4.24278, 3.1729027340, 3.1207096099, 3.54229),
    (0.5, 10, 1e-5, 5, 10.83, 4.9988541204, 4.9899623170, 8.078),
    (1.0, 20, 1e-5, 20, 55.8, 19.9947264742, 19.1055436683, 30.11),
    (0.01, 1000, 1e-6, 10, 1.76276, 1.3654467100, 1.3629246322, 1.47159),
]


@pytest.mark.parametrize("row", TABLE)
def test_ways_to_compose(row):
    level, times, delta, basic, advanced, optimal, noise, concentrated = row
    assert level * times == pytest.approx(basic)
    slack = advanced_epsilon(level, releases=times, slack=delta)
    assert slack == pytest.approx(advanced, rel=1e-3)
    found = MixedComposition.of([level] * times).epsilon_of(delta)
    assert found == pytest.approx(optimal, rel=1e-9)
    assert epsilon_of(level, times, delta) == pytest.approx(found, rel=1e-9)
    totals = compose([PrivacyEvent.of("laplace", level)] * times, delta=delta)
    # Discretized upwards.
    assert noise - 1e-8 <= totals.pld <= noise * (1 + 2e-3)
    # The table converts epsilon^2/2 of each.
    whole = times * level * level / 2
    assert epsilon_of_rho(whole, delta) == pytest.approx(concentrated, rel=1e-3)
    assert totals.zcdp <= concentrated * (1 + 1e-3)


def test_conversions():
    for mu, delta, epsilon in (
        (1.0, 1e-6, 4.886554117462),
        (0.5, 1e-5, 1.993091404415),
        (2.0, 1e-9, 13.53477221917),
        (1.0, 1e-12, 7.238494420179),
    ):
        assert float(gaussian.epsilon_of(mu, delta)) == pytest.approx(epsilon, rel=1e-9)
    for epsilon, delta, sigma in (
        (1.0, 1e-6, 4.224678889327),
        (0.1, 1e-5, 30.74956613198),
        (5.0, 1e-9, 1.211712466135),
        (0.5, 1e-8, 9.863533796174),
    ):
        assert 1 / gaussian.mu_for(epsilon, delta) == pytest.approx(sigma, rel=1e-9)
    for rho, delta, best, simple in (
        (0.5, 1e-6, 5.22153444453, 5.756521769757),
        (0.1, 1e-6, 2.141938928385, 2.450788000477),
        (1, 1e-6, 7.766216625312, 8.4338443777),
        (2.56, 1e-10, 17.1583087121, 17.915282919),
        (0.05, 1e-5, 1.308118342906, 1.567427129385),
        (0.125, 1e-6, 2.419093176867, 2.753260884878),
    ):
        assert epsilon_of_rho(rho, delta) == pytest.approx(best, rel=1e-9)
        assert simple_epsilon_of_rho(rho, delta) == pytest.approx(simple, rel=1e-9)
        exact = float(gaussian.epsilon_of(math.sqrt(2 * rho), delta))
        assert exact <= best <= simple
    for order, divergence, delta, epsilon in (
        (2.0, 0.5, 1e-6, 12.92921619684),
        (10.0, 0.5, 1e-6, 1.673853424894),
        (32.0, 1.0, 1e-5, 1.227838061755),
    ):
        found = renyi.epsilon_of([divergence], [order], delta)
        assert found == pytest.approx(epsilon, rel=1e-9)
    for order, r, divergence in (
        (2, 1.0, 0.6191236299986),
        (1.5, 0.5, 0.1559778784857),
        (10, 2.0, 1.928682901536),
    ):
        found = float(renyi.laplace_divergence(r, order))
        assert found == pytest.approx(divergence, rel=1e-9)


def test_many_releases_of_two_levels_are_an_upper_bound_on_a_grid():
    levels = [0.1] * 300 + [0.2] * 400
    exact = MixedComposition.of(levels)
    limit = mixed.MOST_LOSSES
    try:
        mixed.MOST_LOSSES = 1000
        rounded = MixedComposition.of(levels)
    finally:
        mixed.MOST_LOSSES = limit
    assert len(rounded.loss) < len(exact.loss)
    for delta in (1e-3, 1e-9, 1e-15, 1e-40):
        found, least = rounded.epsilon_of(delta), exact.epsilon_of(delta)
        assert least <= found <= least * 1.001
    assert rounded.epsilon_of(0.0) == exact.epsilon_of(0.0) == pytest.approx(110.0)


def test_rare_losses_are_not_forgotten_without_a_delta():
    assert MixedComposition.of([0.1] * 4000 + [0.2] * 4000).epsilon_of(0.0) >= 1199


def test_releases_that_tell_nothing_cost_nothing():
    assert MixedComposition.of([0.0] * 300_000).epsilon_of(1e-6) == 0
    with_zeros = MixedComposition.of([0.0] * 300_000 + [0.5]).epsilon_of(1e-6)
    assert with_zeros == MixedComposition.of([0.5]).epsilon_of(1e-6)


def test_a_single_level_beyond_the_exact_sums_is_close_to_optimal():
    found = MixedComposition.of([0.01] * 300_000).epsilon_of(1e-6)
    assert delta_of(0.01, 300_000, found) <= 1e-6
    assert delta_of(0.01, 300_000, found / 1.003) > 1e-6
