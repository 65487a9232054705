"""The exponential mechanism: its law, and what it reveals."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import special, stats

from dpcore.errors import ParameterError
from dpcore.mechanisms.exponential import Exponential
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.privacy import conversions
from tests.terms import UNIT

vectors = arrays(np.float64, 5, elements=st.floats(-20, 0).map(lambda x: round(x, 3)))
noises = st.floats(0.05, 20)


def all_events(p, q, epsilon):
    """The profile by its definition, over every set of candidates."""
    events = [list(e) for e in itertools.product([0, 1], repeat=len(p))]
    chosen = np.array(events, dtype=float)
    one, other = chosen @ p, chosen @ q
    raised = math.exp(epsilon)
    return max((one - raised * other).max(), (other - raised * one).max())


def test_probabilities_are_proportional_to_exponentials_of_scores():
    scores = np.array([[0.0, -1.0, 3.0], [7.0, 7.0, 7.0]])
    weights = np.exp(scores / 2)
    expected = weights / weights.sum(axis=1, keepdims=True)
    got = Exponential(noise=2.0).probabilities(scores)
    np.testing.assert_allclose(got, expected, rtol=1e-14)


@settings(deadline=None, max_examples=100)
@given(vectors, noises, st.floats(-1e6, 1e6))
def test_only_differences_of_scores_matter(scores, noise, level):
    mechanism = Exponential(noise=noise)
    raised = mechanism.probabilities(scores + level)
    np.testing.assert_allclose(raised, mechanism.probabilities(scores), atol=1e-8)


def test_simulated_choices_follow_the_law_and_no_wider_one():
    scores = np.array([0.0, -1.0, -2.0, 0.5, -30.0])
    rng = np.random.default_rng(1)
    drawn = Exponential(noise=1.0).simulate(scores, rng=rng, size=(20, 1000))
    assert drawn.shape == (20, 1000)
    seen = np.bincount(drawn.ravel(), minlength=5)[:4]

    def fit(noise):
        expected = Exponential(noise=noise).probabilities(scores)[:4]
        return stats.chisquare(seen, seen.sum() * expected / expected.sum()).pvalue

    assert fit(1.0) > 1e-6
    assert fit(1.1) < 1e-6


@settings(deadline=None, max_examples=150)
@given(vectors, vectors, noises, st.floats(0, 5), st.floats(1e-9, 0.9))
def test_profiles_are_those_of_every_event(first, second, noise, epsilon, delta):
    mechanism = Exponential(noise=noise)
    p, q = mechanism.probabilities(first), mechanism.probabilities(second)
    got = float(mechanism.pairwise_delta(first, second, epsilon=epsilon))
    assert got == pytest.approx(max(all_events(p, q, epsilon), 0), abs=1e-12)
    level = float(mechanism.pairwise_epsilon(first, second, delta=delta))
    assert float(mechanism.pairwise_delta(first, second, epsilon=level)) <= delta + 1e-12
    if level > 0:
        back = float(mechanism.pairwise_delta(first, second, epsilon=level))
        assert back == pytest.approx(delta, rel=1e-9)
    else:
        total_variation = float(mechanism.pairwise_delta(first, second, epsilon=0.0))
        assert total_variation <= delta + 1e-12


@settings(deadline=None, max_examples=150)
@given(vectors, vectors, noises)
def test_pure_level_is_the_largest_log_ratio(first, second, noise):
    mechanism = Exponential(noise=noise)
    level = float(mechanism.pairwise_epsilon(first, second))
    with np.errstate(divide="ignore"):
        log_p, log_q = (np.log(mechanism.probabilities(each)) for each in (first, second))
    if np.isfinite(log_p + log_q).all():
        assert level == pytest.approx(np.abs(log_p - log_q).max(), abs=1e-9)
    assert level == pytest.approx(float(mechanism.pairwise_epsilon(second, first)), abs=1e-12)
    largest = Sensitivity(coordinates=5, l1=100.0, l2=100.0, largest=np.abs(first - second).max())
    assert level <= mechanism.epsilon(largest) * (1 + 1e-12)
    for delta in (1e-6, 0.01, 0.3):
        here = float(mechanism.pairwise_epsilon(first, second, delta=delta))
        assert here <= mechanism.epsilon(largest, delta=delta) + 1e-9
        assert here <= level


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1 / 3, 1.0, 7.0, 700.0])
def test_calibration_gives_the_level_and_no_more(epsilon):
    scores = Sensitivity(coordinates=9, l1=2.7, l2=0.9, largest=0.3)
    made = Exponential.calibrate(sensitivity=scores, epsilon=epsilon, bounds=UNIT)
    assert made.noise == pytest.approx(0.6 / epsilon, rel=1e-15)
    assert epsilon * (1 - 1e-12) <= made.epsilon(scores) <= epsilon
    assert made.event(scores).kind == "pure"
    assert made.event(scores).ratio == made.epsilon(scores)
    assert made.rho(scores) <= made.event(scores).rho
    if epsilon < 7:
        assert made.rho(scores) == pytest.approx(epsilon**2 / 8)
    still = Sensitivity.scalar(0.0)
    made = Exponential.calibrate(sensitivity=still, epsilon=epsilon, bounds=UNIT)
    assert made.noise == made.epsilon(still) == made.rho(still) == 0
    assert made.epsilon(scores) == math.inf
    for bad in (0.0, -1.0, math.nan, math.inf):
        with pytest.raises(ParameterError, match="epsilon"):
            Exponential.calibrate(sensitivity=scores, epsilon=bad, bounds=UNIT)


def delta_of_range(eta, epsilon):
    """Return the largest delta that a bounded range allows; see ``epsilon_of_range``."""
    rest = np.maximum(np.subtract(eta, epsilon), 0.0)
    return np.expm1(-rest / 2) ** 2 / -np.expm1(-np.maximum(eta, 1e-300))


@settings(deadline=None, max_examples=60)
@given(st.floats(0.01, 12), st.floats(0, 1), st.floats(1e-9, 0.4))
def test_bounded_range_is_attained_by_two_candidates(eta, share, delta):
    """Over all odds of the first candidate, which the second table multiplies."""
    mechanism = Exponential(noise=1.0)
    odds = np.linspace(-3 * eta - 5, 3 * eta + 5, 4001)
    first = np.stack([odds, np.zeros_like(odds)], axis=-1)
    second = first + np.array([eta / 2, -eta / 2])
    sensitivity = Sensitivity(coordinates=2, l1=eta, l2=eta, largest=eta / 2)
    epsilon = eta * share
    worst = mechanism.pairwise_delta(first, second, epsilon=epsilon).max()
    bound = float(delta_of_range(eta, epsilon))
    assert worst <= bound * (1 + 1e-9) + 1e-15
    assert worst == pytest.approx(bound, rel=1e-3, abs=1e-6)
    level = mechanism.epsilon(sensitivity, delta=delta)
    assert level <= conversions.pure_epsilon_of(eta, delta) + 1e-12
    if level > 0:
        assert delta_of_range(eta, level) == pytest.approx(delta, rel=1e-6)
    assert mechanism.pairwise_epsilon(first, second).max() <= eta * (1 + 1e-12)
    log_p, log_q = (special.log_softmax(each, axis=-1) for each in (first, second))
    rho = mechanism.rho(sensitivity)
    for alpha in (1.01, 2.0, 8.0, 50.0):
        losses = alpha * log_p + (1 - alpha) * log_q
        log_moment = special.logsumexp(losses, axis=-1)
        assert (log_moment / (alpha - 1)).max() <= alpha * rho + 1e-9
