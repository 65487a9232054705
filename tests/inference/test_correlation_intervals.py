"""Intervals of correlations, against every matrix that the numbers' own allow."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.analyses.matrix import correlation_intervals
from dpcore.mechanisms.covariances import correlations_of

variances = st.tuples(st.floats(0.01, 5), st.floats(0, 3)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)
covariances = st.tuples(st.floats(-3, 3), st.floats(0, 3)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)


@settings(deadline=None, max_examples=100)
@given(ends=st.tuples(*[variances] * 3, *[covariances] * 3), seed=st.integers(0, 99))
def test_they_hold_every_correlation_of_numbers_in_their_intervals(ends, seed):
    ends = np.array(ends)
    found = correlation_intervals(ends)
    inside = np.random.default_rng(seed).uniform(*ends.T, size=(200, 6))
    corners = np.array([*product(*ends)])
    allowed = np.clip(correlations_of(np.concatenate([inside, corners])), -1, 1)
    margin = 1e-12
    assert np.all((found[:, 0] - margin <= allowed) & (allowed <= found[:, 1] + margin))
    # No wider than that: both ends are reached at corners.
    assert allowed.min(axis=0) == pytest.approx(found[:, 0])
    assert allowed.max(axis=0) == pytest.approx(found[:, 1])
