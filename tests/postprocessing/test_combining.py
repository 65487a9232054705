"""Answers weighted by the inverses of their variances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.postprocessing.combining import laplace_variance, laplace_weights, published_weights

several = st.lists(st.floats(0.01, 10.0), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("epsilons", "best", "printed"),
    [((0.1, 0.5, 1.0), 1.5873015873, 181.41768707), ((0.2, 0.4), 10.0, 32.5)],
)
def test_known_variances(epsilons, best, printed):
    right = laplace_variance(epsilons, laplace_weights(epsilons))
    wrong = laplace_variance(epsilons, published_weights(epsilons))
    assert right == pytest.approx(best, rel=1e-9)
    assert wrong == pytest.approx(printed, rel=1e-9)


@given(epsilons=several, other=st.integers(0, 2**32 - 1))
def test_no_weights_are_better(epsilons, other):
    best = laplace_variance(epsilons, laplace_weights(epsilons))
    assert best == pytest.approx(2 / np.sum(np.square(epsilons)))
    tried = np.random.default_rng(other).dirichlet(np.ones(len(epsilons)), size=20)
    for weights in (published_weights(epsilons), *tried):
        assert weights.sum() == pytest.approx(1)
        assert laplace_variance(epsilons, weights) >= best * (1 - 1e-12)


def test_an_answer_without_information_weighs_nothing():
    weights = laplace_weights([0.0, 1.0])
    assert weights.tolist() == [0.0, 1.0]
    assert laplace_variance([0.0, 1.0], weights, sensitivity=3.0) == 18.0
    with pytest.raises(ParameterError, match="tells nothing"):
        laplace_variance([0.0, 1.0], [0.5, 0.5])


def test_extreme_levels_neither_overflow_nor_vanish():
    assert laplace_weights([1e-300, 1e-300]).tolist() == [0.5, 0.5]
    assert laplace_weights([1e300, 1e300]).tolist() == [0.5, 0.5]
    assert published_weights([1e-200, 1e200]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("levels", [[], [0.0], [-1.0, 1.0], [np.nan], [np.inf]])
def test_levels_outside_their_domain(levels):
    for weights in (laplace_weights, published_weights):
        with pytest.raises(ParameterError):
            weights(levels)


def test_other_errors():
    with pytest.raises(ParameterError, match="every epsilon above 0"):
        published_weights([0.0, 1.0])
    with pytest.raises(ParameterError, match="one finite weight"):
        laplace_variance([1.0], [0.5, 0.5])
    with pytest.raises(ParameterError, match="sensitivity"):
        laplace_variance([1.0], [1.0], sensitivity=-1.0)
