"""Everybody's loss from a posterior sample: of many at once as of each alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.models import leverage_and_residual as profile

_LOG_LEVERAGES = st.floats(-300, 100)
_LOG_RESIDUALS = st.floats(-30, 30)


def losses_of_many(leverage, residual, delta):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(profile, "_MANY", 1)
        return profile.epsilon_of(leverage, residual, delta)


def people(seed, spread, size=500):
    rng = np.random.default_rng(seed)
    leverage = 10 ** rng.uniform(-3 - spread, spread / 4 - 3, size)
    return leverage, rng.normal(size=size) * 10 ** rng.uniform(-3, spread / 4, size)


@given(st.integers(0, 10**6), st.floats(0.1, 8), st.floats(-12, -0.5))
def test_many_lose_what_each_loses_alone(seed, spread, log_delta):
    leverage, residual = people(seed, spread)
    delta = 10**log_delta
    found = losses_of_many(leverage, residual, delta)
    alone = profile.epsilon_of(leverage, residual, delta)
    np.testing.assert_allclose(found, alone, rtol=2e-11, atol=1e-15)
    assert (profile.delta_of(leverage, residual, found) <= delta * (1 + 1e-9)).all()


@given(st.lists(st.tuples(_LOG_LEVERAGES, _LOG_RESIDUALS), min_size=1, max_size=9))
def test_people_of_no_common_size_lose_what_each_loses_alone(pairs):
    leverage, residual = (10.0 ** np.array(part) for part in zip(*pairs, strict=True))
    found = losses_of_many(leverage, residual, 1e-6)
    alone = profile.epsilon_of(leverage, residual, 1e-6)
    np.testing.assert_allclose(found, alone, rtol=2e-11, atol=1e-15)


@given(st.floats(-12, 3), st.floats(-6, 4), st.floats(0, 1.2), st.sampled_from([0.0, 1.0]))
def test_the_cheap_bound_covers_presence(log_m, log_e, part, scaled):
    leverage, residual = np.array([10**log_m]), np.array([scaled * 10**log_e])
    epsilon = part * profile.ceiling(leverage, residual)
    most = profile.presence_bound(leverage, residual, epsilon)
    exact = profile.presence_delta_of(leverage, residual, epsilon)
    assert most[0] >= exact[0] * (1 - 1e-9)
