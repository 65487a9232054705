"""Answers weighted by the inverses of their variances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.postprocessing.combining import laplace_variance, laplace_weights, published_weights

several = st.lists(st.floats(0.01, 10.0), min_size=1, max_size=8)


@given(epsilons=several, other=st.integers(0, 2**32 - 1))
def test_no_weights_are_better(epsilons, other):
    best = laplace_variance(epsilons, laplace_weights(epsilons))
    assert best == pytest.approx(2 / np.sum(np.square(epsilons)))
    tried = np.random.default_rng(other).dirichlet(np.ones(len(epsilons)), size=20)
    for weights in (published_weights(epsilons), *tried):
        assert weights.sum() == pytest.approx(1)
        assert laplace_variance(epsilons, weights) >= best * (1 - 1e-12)
