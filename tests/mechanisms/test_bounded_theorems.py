"""Theorems about bounding Laplace noise (Liu 2016), on many random placements."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.mechanisms.truncated import TruncatedLaplace, least_private_scale, worst_level
from tests.terms import UNIT

INF = math.inf
many = settings(deadline=None, max_examples=2000)
shares = st.floats(0, 1)
powers = st.floats(-4, 4).map(lambda x: 10**x)


def both(noise, bounds):
    return (
        TruncatedLaplace(noise=noise, bounds=bounds),
        BoundaryInflatedLaplace(noise=noise, bounds=bounds),
    )


@many
@given(shares, powers, st.floats(-5, 5), st.floats(0.01, 100))
def test_only_the_middle_is_unbiased(share, noise, lower, width):
    bounds = Interval(lower=lower, upper=lower + width)
    middle = (bounds.lower + bounds.upper) / 2
    for mechanism in both(noise * width, bounds):
        assert abs(mechanism.bias(middle)) <= 1e-12 * (abs(middle) + width)
        position = bounds.clip(lower + share * width)
        if abs(share - 0.5) > 1e-6 and noise > 0.01:
            bias = float(mechanism.bias(position))
            # So near the middle as this, both tails are equal but for e^-50.
            assert np.sign(bias) == np.sign(middle - position)


@many
@given(shares, powers)
def test_bias_and_error_grow_with_the_noise_and_vanish_with_it(share, noise):
    for less, more in zip(both(noise, UNIT), both(1.3 * noise, UNIT), strict=True):
        assert abs(less.bias(share)) <= abs(more.bias(share)) * (1 + 1e-9) + 1e-12
        assert less.mse(share) <= more.mse(share) * (1 + 1e-9)
        assert less.variance(share) >= 0
    for small in both(1e-9, UNIT):
        assert abs(small.bias(share)) <= 1e-9
        assert small.mse(share) <= 2e-18 * (1 + 1e-12)


@many
@given(shares)
def test_infinite_noise_is_uniform_or_a_coin(share):
    truncated, bit = both(1e9, UNIT)
    assert truncated.bias(share) == pytest.approx(0.5 - share, abs=1e-8)
    assert truncated.variance(share) == pytest.approx(1 / 12, abs=1e-8)
    assert bit.bias(share) == pytest.approx(0.5 - share, abs=1e-8)
    assert bit.variance(share) == pytest.approx(0.25, abs=1e-8)
    np.testing.assert_allclose(bit.atoms(share), 0.5, atol=1e-8)
    # On a bound, half of the probability stays there whatever the noise.
    for noise in (1e-9, 1.0, 1e9):
        assert both(noise, UNIT)[1].atoms(0.0)[0] == 0.5


@many
@given(st.floats(0, 50), powers)
def test_one_open_side(distance, noise):
    bounds = Interval(lower=2.0, upper=INF)
    truncated, bit = both(noise, bounds)
    position = 2 + distance * noise
    a = (position - 2) / noise
    expected = noise * (1 + a) * math.exp(-a) / (2 - math.exp(-a))
    slack = 1e-12 * (1 + noise)
    assert truncated.bias(position) == pytest.approx(expected, rel=1e-9, abs=slack)
    half = noise / 2 * math.exp(-a)
    assert bit.bias(position) == pytest.approx(half, rel=1e-9, abs=slack)
    assert 0 <= bit.bias(position) <= truncated.bias(position) + slack <= noise + slack
    for mechanism in (truncated, bit):
        assert mechanism.mse(position) <= 2 * noise * noise * (1 + 1e-12)


budgets = st.floats(-9, 2.8).map(lambda x: 10**x)


@many
@given(budgets, st.floats(1, 1e6), powers)
def test_calibrated_truncated_scale(epsilon, widths, shift):
    bounds = Interval(lower=0.0, upper=shift * widths)
    noise = least_private_scale(shift, epsilon, bounds)
    plain = shift / epsilon
    assert plain * (1 - 1e-12) <= noise <= 2 * plain * (1 + 1e-11)
    # The level itself is rounded when it is computed.
    assert worst_level(shift, bounds, noise) <= epsilon * (1 + 1e-15)
    assert worst_level(shift, bounds, noise * (1 - 1e-9)) > epsilon
    wider = Interval(lower=0.0, upper=1.5 * bounds.upper)
    assert noise <= least_private_scale(shift, epsilon, wider) * (1 + 1e-11)
    less = least_private_scale(shift, 1.01 * epsilon, bounds)
    assert less < noise


@many
@given(powers, st.floats(1, 1e6), powers)
def test_level_of_truncation_falls_as_the_noise_grows(noise, widths, shift):
    bounds = Interval(lower=0.0, upper=shift * widths)
    level = worst_level(shift, bounds, noise)
    ratio = shift / noise
    assert ratio * (1 - 1e-12) <= level <= 2 * ratio * (1 + 1e-12)
    assert worst_level(shift, bounds, 1.01 * noise) < level


@many
@given(st.floats(0.05, 5), shares, st.floats(0.05, 1))
def test_level_of_truncation_is_that_of_the_worst_outputs(noise, share, shift):
    """Brute force: no pair of values and no output has a larger loss."""
    mechanism = TruncatedLaplace(noise=noise, bounds=UNIT)
    level = mechanism.epsilon(Sensitivity.scalar(shift))
    first = np.append(np.linspace(0, 1 - shift, 40), share * (1 - shift))
    x = np.array([0.0, 0.3, 0.7, 1.0])[:, np.newaxis]
    losses = np.log(mechanism.pdf(x, first) / mechanism.pdf(x, first + shift))
    assert np.abs(losses).max() == pytest.approx(level, rel=1e-12, abs=1e-14)


@many
@given(st.floats(0.01, 6))
def test_calibrated_scale_has_closed_forms(epsilon):
    def scale(widths):
        bounds = Interval(lower=0.0, upper=widths)
        return least_private_scale(1.0, epsilon, bounds)

    assert scale(1.0) == pytest.approx(1 / epsilon, rel=1e-11)
    factor = math.exp(epsilon)
    root = (factor + math.sqrt(factor * factor + 8 * factor)) / 4
    assert scale(2.0) == pytest.approx(1 / math.log(root), rel=1e-9)
    open_side = 1 / math.log((1 + factor) / 2)
    assert scale(INF) == pytest.approx(open_side, rel=1e-9)


def rule_of_thumb(entry, bounds, epsilon):
    """Calibrate to the mean of two people; the change is half of the bounds."""
    width = bounds.width if math.isfinite(bounds.width) else 1.0
    return entry.calibrate(
        sensitivity=Sensitivity.scalar(width / 2),
        epsilon=epsilon,
        delta=1e-9 if entry.needs_delta else 0.0,
        bounds=bounds,
    )


NARROW_AND_FAR = (
    Interval(lower=-5e11, upper=5e11),
    Interval(lower=1e12, upper=1e12 + 1),
    Interval(lower=3.0, upper=3.0),
    Interval(lower=0.0, upper=1e-12),
    Interval(lower=0.0, upper=INF),
)


@pytest.mark.slow
@pytest.mark.parametrize("entry", CATALOG.values(), ids=lambda e: e.key)
def test_extreme_inputs_give_finite_numbers(entry):
    for epsilon, bounds in product((1e-9, 1.0, 700.0), NARROW_AND_FAR):
        gives_finite_numbers(entry, epsilon, bounds)


def gives_finite_numbers(entry, epsilon, bounds):
    mechanism = rule_of_thumb(entry, bounds, epsilon)
    ends = [bounds.lower, bounds.cut(1.0).upper]
    for position in (*ends, sum(ends) / 2):
        bias, variance, mse = (
            float(f(position)) for f in (mechanism.bias, mechanism.variance, mechanism.mse)
        )
        assert np.isfinite([bias, variance, mse]).all()
        assert variance >= 0
        assert mse >= 0
        quantiles = mechanism.quantile([1e-12, 0.025, 0.5, 0.975, 1 - 1e-12], position)
        assert np.isfinite(quantiles).all()
        assert (np.diff(quantiles) >= 0).all()
        assert not np.isnan(mechanism.pdf(quantiles, position)).any()
        below = mechanism.cdf(quantiles, position)
        assert ((below >= -1e-15) & (below <= 1 + 1e-15)).all()
        assert (np.diff(below) >= -1e-15).all()
        for delta in (0.0, 1e-9):
            got = float(mechanism.pairwise_epsilon([ends[0]], [position], delta=delta))
            assert got >= 0
        lost = float(mechanism.pairwise_delta([ends[0]], [position], epsilon=epsilon))
        assert 0 <= lost <= 1
