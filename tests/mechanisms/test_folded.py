"""Folded Laplace noise: vectors, quadrature, and what folding reveals."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.folded import FoldedLaplace, fold, growth, least_scale_folded, worst_level
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Sensitivity
from tests.terms import UNIT

INF = math.inf
ABOVE = Interval(lower=0.0, upper=INF)
BELOW = Interval(lower=-INF, upper=1.0)


def moments(mechanism, position):
    return [float(f(position)) for f in (mechanism.bias, mechanism.variance, mechanism.mse)]


def test_folded_draws_of_the_laplace_mechanism_have_this_law():
    rng = np.random.default_rng(3)
    for bounds, position in ((UNIT, 0.2), (ABOVE, 0.1), (BELOW, 0.7), (UNIT, -0.3)):
        draws = Laplace(noise=0.4).simulate(position, rng=rng, size=(20_000,))
        folded = fold(draws, bounds)
        law = FoldedLaplace(noise=0.4, bounds=bounds)
        wider = FoldedLaplace(noise=0.5, bounds=bounds)
        assert stats.kstest(folded, law.cdf, args=(position,)).pvalue > 1e-6
        assert stats.kstest(folded, wider.cdf, args=(position,)).pvalue < 1e-6


@settings(max_examples=2000, deadline=None)
@given(st.floats(-50, 50), st.floats(-4, 4), st.floats(0, 10))
def test_folding_is_idempotent_even_periodic_and_a_contraction(value, lower, width):
    bounds = Interval(lower=lower, upper=lower + width)
    folded = float(fold(value, bounds))
    assert bounds.lower <= folded <= bounds.upper
    assert fold(folded, bounds) == folded
    mirrored = float(fold(2 * lower - value, bounds))
    assert mirrored == pytest.approx(folded, abs=1e-11)
    assert float(fold(value + 2 * bounds.width, bounds)) == pytest.approx(folded, abs=1e-11)
    other = float(fold(value + 0.3, bounds))
    assert abs(other - folded) <= 0.3 + 1e-11


def test_a_value_outside_has_the_law_of_its_reflection():
    for bounds, outside, inside in (
        *((UNIT, -0.2, 0.2), (UNIT, 1.3, 0.7), (UNIT, 2.4, 0.4)),
        *((ABOVE, -3.0, 3.0), (BELOW, 1.5, 0.5)),
    ):
        folded = FoldedLaplace(noise=0.3, bounds=bounds)
        x = np.linspace(0.01, 0.99, 7)
        np.testing.assert_allclose(folded.pdf(x, outside), folded.pdf(x, inside))
        np.testing.assert_allclose(folded.cdf(x, outside), folded.cdf(x, inside))
        assert folded.variance(outside) == pytest.approx(float(folded.variance(inside)))
        assert folded.pairwise_epsilon([outside], [inside]) == pytest.approx(0, abs=1e-15)


scales = st.tuples(
    st.floats(-9, 2.8).map(lambda x: 10**x),
    st.floats(-9, 3).map(lambda x: 10**x),
    st.floats(-3, 6).map(lambda x: 10**x),
)


@settings(max_examples=2000, deadline=None)
@given(scales)
def test_calibrated_scale_is_the_least_private_one(values):
    epsilon, share, width = values
    shift = width * min(share, 1.0)
    bounds = Interval(lower=0.0, upper=width)
    noise = least_scale_folded(shift, epsilon, bounds)
    assert worst_level(shift, bounds, noise) <= epsilon
    assert worst_level(shift, bounds, noise * (1 - 1e-9)) > epsilon * (1 - 1e-12)
    # Never more noise than the Laplace mechanism needs.
    assert noise <= shift / epsilon * (1 + 1e-11)


@settings(max_examples=100, deadline=None)
@given(st.floats(0.01, 1.0), st.floats(0.05, 5), st.sampled_from([0.0, 1e-6, 0.02, 0.2]))
def test_worst_case_is_the_largest_of_all_pairs(shift, noise, delta):
    folded = FoldedLaplace(noise=noise, bounds=UNIT)
    worst = folded.epsilon(Sensitivity.scalar(shift), delta=delta)
    first = np.linspace(0, 1 - shift, 1001)[:, np.newaxis]
    pairs = folded.pairwise_epsilon(first, first + shift, delta=delta)
    assert pairs.max() <= worst * (1 + 1e-9) + 1e-12
    assert pairs.max() == pytest.approx(worst, rel=1e-4, abs=1e-7)
    shorter = folded.pairwise_epsilon(first, first + shift / 2, delta=delta)
    assert shorter.max() <= worst * (1 + 1e-9) + 1e-12


@settings(max_examples=2000, deadline=None)
@given(st.floats(0, 300), st.floats(0, 300))
def test_growth_of_the_hyperbolic_cosine(y, h):
    exact = np.logaddexp(y + h, -y - h) - np.logaddexp(y, -y)
    got = float(growth(np.array(y), np.array(h)))
    assert got == pytest.approx(exact, abs=2e-13 * (1 + y + h))
    assert 0 <= got <= h * (1 + 1e-15)
    tiny = float(growth(np.array(0.0), np.array(1e-9)))
    assert tiny == pytest.approx(5e-19, rel=1e-12)


def test_limits():
    huge = FoldedLaplace(noise=INF, bounds=UNIT)
    assert moments(huge, 0.3) == pytest.approx([0.2, 1 / 12, 0.2**2 + 1 / 12])
    near = FoldedLaplace(noise=1e7, bounds=UNIT)
    assert moments(near, 0.3) == pytest.approx(moments(huge, 0.3), rel=1e-12)
    assert huge.pairwise_epsilon([0.0], [1.0]) == 0
    assert (huge.cdf(0.25, 0.3), huge.quantile(0.25, 0.3)) == (0.25, 0.25)
    fixed = FoldedLaplace(noise=0.0, bounds=UNIT)
    assert moments(fixed, 0.3) == [0, 0, 0]
    assert fixed.quantile([0.01, 0.99], 1.3).tolist() == pytest.approx([0.7, 0.7])
    point = FoldedLaplace(noise=2.0, bounds=Interval(lower=3.0, upper=3.0))
    assert moments(point, 3.0) == [0, 0, 0]
    assert point.pairwise_delta([3.0], [3.0], epsilon=0.0) == 0
    with pytest.raises(ParameterError, match="noise"):
        FoldedLaplace(noise=INF, bounds=ABOVE)
