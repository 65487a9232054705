"""Where the published bounds hold, and by how much they miss."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.individual.published_bounds import GAUSSIAN_BOUNDS, chernoff, lemma_four, tail, textbook
from dpcore.privacy import gaussian

TABLE = {
    0.01: (0.0336738, 0.0374682, 0.0529880, 0.0475842, 0.0526152),
    0.1: (0.396857, 0.374682, 0.529880, 0.480342, 0.530652),
    1: (4.88655, 3.74682, 5.29880, 5.25342, 5.75652),
    5: (35.5663, 18.7341, 26.4940, 36.2671, 38.7826),
}
LIMITS = {
    1e-3: (0.46878937081058975, 1.976304731846492),
    1e-6: (0.04327340755045823, 1.6573729078820603),
    1e-10: (0.0007286735853212799, 1.4444868395608106),
}


@pytest.mark.parametrize("mu", TABLE)
def test_curves_at_a_millionth(mu):
    got = [
        gaussian.epsilon_of(mu, 1e-6),
        *(of(mu, 1e-6) for of in (lemma_four, textbook, tail, chernoff)),
    ]
    np.testing.assert_allclose(got, TABLE[mu], rtol=2e-6)


@pytest.mark.parametrize("delta", LIMITS)
def test_where_the_bounds_start_to_understate(delta):
    for bound, limit in zip(GAUSSIAN_BOUNDS, LIMITS[delta], strict=False):
        for factor, holds in ((1 - 1e-9, True), (1 + 1e-9, False)):
            mu = factor * limit
            exact = gaussian.epsilon_of(mu, delta)
            assert (bound.of(mu, delta) >= exact) is np.bool_(holds)


@settings(deadline=None, max_examples=150)
@given(st.floats(-7, 3), st.floats(-14, -0.4))
def test_the_valid_bounds_hold_everywhere_and_keep_their_order(log_mu, log_delta):
    mu, delta = 10**log_mu, 10**log_delta
    exact = float(gaussian.epsilon_of(mu, delta))
    slack = 1 - 1e-9
    assert exact * slack <= tail(mu, delta) <= chernoff(mu, delta) * (1 + 1e-12)
    assert lemma_four(mu, delta) < textbook(mu, delta)
