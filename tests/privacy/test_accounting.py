"""Conversions, composition and interpretation against vectors and each other."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.privacy import gaussian
from dpcore.privacy.composition import compose
from dpcore.privacy.conversions import epsilon_of_rho, pure_delta_of, pure_epsilon_of, rho_of_pure
from dpcore.privacy.events import (
    LARGEST_LOSS,
    ApproximateEvent,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    event_from,
)
from dpcore.privacy.interpretation import best_guess, posterior

levels = st.floats(1e-3, 30)
deltas = st.floats(1e-12, 0.9)


def test_zcdp_vectors():
    assert epsilon_of_rho(0.5, 1e-6) == pytest.approx(5.2215, abs=5e-5)
    assert epsilon_of_rho(0.02625, 1e-6) == pytest.approx(1.0409266011, rel=1e-9)
    assert epsilon_of_rho(2.56, 1e-10) == pytest.approx(17.158, abs=5e-4)
    assert epsilon_of_rho(0.0, 0.0) == epsilon_of_rho(0.5, 1.0) == 0
    assert epsilon_of_rho(0.5, 0.0) == math.inf


@settings(deadline=None, max_examples=100)
@given(st.floats(1e-6, 50), st.floats(-14, -1))
def test_zcdp_conversions_are_above_the_gaussian(rho, log_delta):
    delta = 10**log_delta
    epsilon = epsilon_of_rho(rho, delta)
    assert epsilon >= gaussian.epsilon_of(math.sqrt(2 * rho), delta) - 1e-12


@settings(deadline=None, max_examples=100)
@given(levels, deltas)
def test_pure_profile_is_that_of_randomized_response(level, delta):
    epsilon = float(pure_epsilon_of(level, delta))
    truth = 1 / (1 + math.exp(-level))
    lie = 1 / (1 + math.exp(level))
    assert 0 <= epsilon <= level
    assert truth - math.exp(epsilon) * lie <= delta + 1e-12
    if epsilon > 1e-9:
        assert pure_delta_of(level, epsilon) == pytest.approx(delta, rel=1e-6)
    assert rho_of_pure(level) == pytest.approx(level * (truth - lie))
    assert rho_of_pure(level) <= level * level / 2


def test_composition_vectors():
    tenth = [LaplaceEvent.from_ratio(0.1)] * 10
    totals = compose(tenth, delta=1e-6)
    assert totals.basic == pytest.approx(1)
    assert totals.advanced == pytest.approx(1)
    assert 0.99897809 - 1e-8 <= totals.pld <= 0.998979
    mixed = [PureEvent.from_ratio(e) for e in (0.05, 0.1, 0.2, 0.4)]
    assert compose(mixed, delta=1e-6).advanced == pytest.approx(0.75)
    gaussians = [GaussianEvent.from_ratio(mu) for mu in (0.1, 0.2, 0.05)]
    totals = compose(gaussians, delta=1e-6)
    assert totals.pld == pytest.approx(0.9655559112, rel=1e-9)
    assert totals.zcdp == pytest.approx(1.0409266011, rel=1e-9)
    many = [PureEvent.from_ratio(0.01)] * 1000
    totals = compose(many, delta=1e-6)
    assert 1.36544671 <= totals.pld <= 1.3656
    assert totals.advanced == pytest.approx(1.64149112, abs=1e-8)


@settings(deadline=None, max_examples=8)
@given(
    st.lists(
        st.builds(
            lambda kind, ratio: kind.from_ratio(ratio),
            st.sampled_from([LaplaceEvent, GaussianEvent, PureEvent]),
            st.floats(0.01, 2),
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from([1e-9, 1e-6, 1e-3]),
)
def test_totals_grow_keep_order_and_cover_each_part(events, delta):
    totals = compose(events, delta=delta)
    back = compose(events[::-1], delta=delta)
    fewer = compose(events[:-1], delta=delta)
    for name in ("basic", "advanced", "zcdp", "pld"):
        total = getattr(totals, name)
        assert getattr(back, name) == pytest.approx(total, rel=1e-4, abs=1e-4)
        assert getattr(fewer, name) <= total * (1 + 1e-3) + 1e-3
    assert totals.advanced <= totals.basic
    assert totals.pld <= totals.basic
    assert totals.pld <= totals.zcdp * (1 + 1e-3) + 1e-3


def test_what_a_method_cannot_say_is_infinite():
    one = compose([GaussianEvent.from_ratio(1.0)], delta=0.0)
    assert (one.basic, one.advanced, one.zcdp, one.pld) == (math.inf,) * 4
    pure = compose([LaplaceEvent.from_ratio(1.0)], delta=0.0)
    assert (pure.basic, pure.advanced, pure.zcdp, pure.pld) == (1, 1, math.inf, 1)
    bare = compose([LaplaceEvent(parameter=0.0)], delta=1e-6)
    assert bare.basic == bare.pld == math.inf
    nothing = compose([GaussianEvent.from_ratio(0.0)], delta=0.0)
    assert (nothing.basic, nothing.pld) == (0, 0)
    with pytest.raises(ParameterError, match="delta"):
        compose([], delta=1.0)


def test_huge_plans_are_answered():
    events = [PureEvent.from_ratio(300.0 + i * 5) for i in range(100)]
    totals = compose(events, delta=1e-6)
    assert totals.pld == totals.basic == sum(e.ratio for e in events)
    slow = [LaplaceEvent.from_ratio(0.01 + i * 0.003) for i in range(200)]
    totals = compose(slow, delta=1e-6)
    assert totals.pld < totals.zcdp < totals.advanced < totals.basic


def test_events_survive_json():
    for event in (
        LaplaceEvent(parameter=0.1),
        GaussianEvent(parameter=3.0),
        PureEvent(parameter=1.5),
    ):
        assert event_from(json.loads(json.dumps(event.to_dict()))) == event
    for bad in ({}, {"kind": "pure"}, {"kind": "pure", "parameter": "SECRET"}):
        with pytest.raises(ParameterError) as caught:
            event_from(bad)
        assert "SECRET" not in str(caught.value)
    for kind, parameter in (("gauss", 1.0), ("pure", -1.0), ("pure", math.nan)):
        with pytest.raises(ParameterError):
            event_from({"kind": kind, "parameter": parameter})


def test_beliefs():
    expected = {
        (0.5, 0.1): 0.52497918748,
        (0.5, 1): 0.73105857863,
        (0.1, 1): 0.23196931668,
        (0.01, 1): 0.02672363099,
        (0.01, 5): 0.59985960181,
    }
    for (prior, epsilon), value in expected.items():
        assert posterior(prior, epsilon) == pytest.approx(value, rel=1e-9)
    assert posterior(0.5, math.log(3)) == pytest.approx(0.75)
    assert posterior([0.0, 1.0], 5.0).tolist() == [0, 1]
    assert best_guess(1.0) == pytest.approx(0.73105857863)
    assert best_guess(800.0) == 1


def test_approximate_events_add_up_their_deltas():
    one = ApproximateEvent(parameter=0.5, delta=1e-7)
    assert event_from(one.to_dict()) == one
    assert one.rho == math.inf
    totals = compose([one] * 4, delta=1e-6)
    assert totals.basic == pytest.approx(2.0)
    assert totals.pld <= totals.advanced <= totals.basic
    # Four times 0.5 is nearly all there is at so small a delta.
    assert totals.pld == pytest.approx(2.0, abs=0.01)
    assert totals.zcdp == math.inf
    # Their deltas do not fit.
    assert compose([one] * 4, delta=3e-7).basic == math.inf
    assert compose([one] * 4, delta=3e-7).pld == math.inf
    with_noise = compose([one, GaussianEvent.from_ratio(1.0)], delta=1e-6)
    apart = gaussian.epsilon_of(1.0, 9e-7)
    assert with_noise.basic == pytest.approx(0.5 + float(apart))
    assert with_noise.pld <= with_noise.basic
    large = ApproximateEvent(parameter=600.0, delta=1e-7)
    assert compose([large, one], delta=1e-6).pld == pytest.approx(600.5)


def test_only_approximate_events_have_a_delta():
    with pytest.raises(ParameterError, match="delta of an event"):
        ApproximateEvent(parameter=1.0, delta=1.5)
    with pytest.raises(ParameterError, match="a privacy event"):
        event_from({"kind": "laplace", "parameter": 1.0, "delta": 1e-6})


def test_advanced_composition_splits_delta_between_slack_and_gaussian_noise():
    # Kairouz, Oh and Viswanath: the slack and every share of delta add up to delta.
    delta, mu, pure = 1e-6, 0.02, 0.02
    plan = [GaussianEvent.from_ratio(mu)] * 30 + [PureEvent.from_ratio(pure)] * 100
    slack, share = delta / 2, delta / 60
    assert math.isclose(slack + 30 * share, delta)
    parts = [float(gaussian.epsilon_of(mu, share))] * 30 + [pure] * 100
    mean = sum(e * math.tanh(e / 2) for e in parts)
    squares = sum(e * e for e in parts)
    tail = min(-math.log(slack), math.log(math.e + math.sqrt(squares) / slack))
    totals = compose(plan, delta=delta)
    assert totals.advanced == pytest.approx(mean + math.sqrt(2 * squares * tail))
    assert totals.advanced < totals.basic
    # Added up there is no slack: every Gaussian release has its part of delta.
    alone = compose(plan[:30], delta=delta)
    each = float(gaussian.epsilon_of(mu, delta / 30))
    assert alone.basic == pytest.approx(30 * each, rel=1e-12)


def test_a_loss_too_large_for_cells_takes_its_delta_from_the_rest():
    half = ApproximateEvent(parameter=LARGEST_LOSS * 2, delta=6e-7)
    plan = [half, GaussianEvent.from_ratio(1.0)]
    left = float(gaussian.epsilon_of(1.0, 1e-6 - 6e-7))
    assert compose(plan, delta=1e-6).pld == pytest.approx(2 * LARGEST_LOSS + left)
    others = [half, LaplaceEvent.from_ratio(1.0), LaplaceEvent.from_ratio(0.5)]
    rest = compose(others[1:], delta=1e-6 - 6e-7).pld
    assert compose(others, delta=1e-6).pld == pytest.approx(2 * LARGEST_LOSS + rest)
