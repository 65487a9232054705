"""Laws and moments of the mechanisms against vectors, quadrature and theorems."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.truncated import TruncatedLaplace
from tests.terms import UNIT

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "bounded_laplace.json").read_text())
QUANTILES = (1e-6, 0.025, 0.25, 0.5, 0.75, 0.975, 1 - 1e-6)


def case(name):
    position, noise, lower, upper = map(float, VECTORS["moments"][name]["args"])
    bounds = Interval(lower=lower, upper=upper)
    return (
        position,
        TruncatedLaplace(noise=noise, bounds=bounds),
        BoundaryInflatedLaplace(noise=noise, bounds=bounds),
    )


def moments(mechanism, position):
    return [float(f(position)) for f in (mechanism.bias, mechanism.variance, mechanism.mse)]


@pytest.mark.parametrize("name", VECTORS["moments"])
def test_moments_match_forty_digit_quadrature(name):
    position, truncated, bit = case(name)
    got = moments(truncated, position) + moments(bit, position)
    got += [float(atom) for atom in bit.atoms(position)]
    expected = VECTORS["moments"][name]["values"]
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-17)


@pytest.mark.parametrize("name", VECTORS["outside"])
def test_moments_of_positions_outside_the_bounds(name):
    position, noise = map(float, name.split("_"))
    low = -1.0 if position == 3 else 0.0
    bounds = Interval(lower=low, upper=1.0)
    bit = BoundaryInflatedLaplace(noise=noise, bounds=bounds)
    truncated = TruncatedLaplace(noise=noise, bounds=bounds)
    bias, variance, mse = moments(bit, position)
    got = [position + bias, variance, mse, *map(float, bit.atoms(position))]
    bias, variance, _ = moments(truncated, position)
    got += [position + bias, variance]
    np.testing.assert_allclose(got, VECTORS["outside"][name], rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("row", VECTORS["law"], ids=lambda row: f"{row[0]}-{row[1]}")
def test_densities_and_distribution_functions(row):
    name, x, density, below, above, clamped = row
    position, truncated, bit = case(name)
    got = [truncated.pdf(x, position), truncated.cdf(x, position)]
    got += [1 - truncated.cdf(x, position), bit.cdf(x, position)]
    expected = [density, below, above, clamped]
    np.testing.assert_allclose(got, expected, rtol=2e-11, atol=1e-15)


@pytest.mark.parametrize("name", VECTORS["truncated_quantiles"])
def test_truncated_quantiles(name):
    position, truncated, _ = case(name)
    expected = VECTORS["truncated_quantiles"][name]
    np.testing.assert_allclose(truncated.quantile(QUANTILES, position), expected, rtol=1e-11)


def test_laplace_law():
    laplace = Laplace(noise=0.4)
    x = [1.3, -2, 0.5]
    density = [0.169169104046, 0.00241306767028, 1.25]
    below = [0.932332358382, 0.000965227068114, 0.5]
    np.testing.assert_allclose(laplace.pdf(x, 0.5), density, rtol=1e-11)
    np.testing.assert_allclose(laplace.cdf(x, 0.5), below, rtol=1e-11)
    got = laplace.quantile([1e-10, 0.025, 0.5, 0.975], 0.5)
    expected = [-8.43308149975, -0.698292909422, 0.5, 1.69829290942]
    np.testing.assert_allclose(got, expected, rtol=1e-11)


placements = st.tuples(st.floats(0, 1), st.floats(-4, 4), st.floats(-5, 5), st.floats(0.01, 100))


def placed(values):
    share, log_noise, lower, width = values
    bounds = Interval(lower=lower, upper=lower + width)
    position = min(lower + share * width, bounds.upper)
    noise = width * 10**log_noise
    return (
        position,
        noise,
        TruncatedLaplace(noise=noise, bounds=bounds),
        BoundaryInflatedLaplace(noise=noise, bounds=bounds),
    )


@settings(deadline=None, max_examples=2000)
@given(placements)
def test_bias_points_to_the_middle_and_clamping_has_less(values):
    position, noise, truncated, bit = placed(values)
    middle = (bit.bounds.lower + bit.bounds.upper) / 2
    t, c = float(truncated.bias(position)), float(bit.bias(position))
    slack = 1e-9 * min(noise, bit.bounds.width)
    assert abs(c) <= abs(t) + slack
    assert abs(t) <= noise * (1 + 1e-12)
    assert abs(c) <= noise / 2 * (1 + 1e-12)
    assert t * np.sign(middle - position) >= -slack
    assert c * np.sign(middle - position) >= -slack


@settings(deadline=None, max_examples=2000)
@given(placements)
def test_bounding_never_raises_the_mean_squared_error(values):
    position, noise, truncated, bit = placed(values)
    a, d = position - bit.bounds.lower, bit.bounds.upper - position
    plain = 2 * noise * noise
    assert bit.mse(position) <= min(plain, (a * a + d * d) / 2) * (1 + 1e-9)
    cubes = (a**3 + d**3) / (3 * bit.bounds.width)
    assert truncated.mse(position) <= min(plain, cubes) * (1 + 1e-9)


@settings(deadline=None, max_examples=2000)
@given(placements, st.floats(-3, 3), st.floats(0.1, 10))
def test_moments_follow_shift_scale_and_reflection(values, shift, factor):
    position, noise, truncated, bit = placed(values)
    for mechanism in (truncated, bit):
        kind, old = type(mechanism), mechanism.bounds
        moved = Interval(lower=shift + factor * old.lower, upper=shift + factor * old.upper)
        scaled = kind(noise=factor * noise, bounds=moved)
        new = moments(scaled, shift + factor * position)
        b, v, m = moments(mechanism, position)
        slack = 1e-9 * factor * old.width
        assert new[0] == pytest.approx(factor * b, rel=1e-6, abs=slack)
        assert new[2] == pytest.approx(factor**2 * m, rel=1e-6, abs=slack**2)
        mirror = kind(noise=noise, bounds=Interval(lower=-old.upper, upper=-old.lower))
        mirrored = moments(mirror, -position)
        np.testing.assert_allclose(mirrored, [-b, v, m], rtol=1e-12, atol=1e-300)


def test_order_of_the_two_errors_flips_where_it_should():
    def ahead(ratio):
        bounds = Interval(lower=0.0, upper=ratio)
        t = TruncatedLaplace(noise=1.0, bounds=bounds)
        c = BoundaryInflatedLaplace(noise=1.0, bounds=bounds)
        assert t.mse(ratio / 2) < c.mse(ratio / 2)
        return float(t.mse(0.0) - c.mse(0.0))

    assert ahead(1.12650) < 0 < ahead(1.12651)
    half = Interval(lower=0.0, upper=np.inf)
    t = TruncatedLaplace(noise=1.0, bounds=half)
    c = BoundaryInflatedLaplace(noise=1.0, bounds=half)
    assert t.mse(1.14830) > c.mse(1.14830)
    assert t.mse(1.14832) < c.mse(1.14832)


def test_limits_of_infinite_and_zero_noise():
    huge = TruncatedLaplace(noise=np.inf, bounds=UNIT)
    assert moments(huge, 0.3) == pytest.approx([0.2, 1 / 12, 0.2**2 + 1 / 12])
    assert huge.quantile(0.25, 0.3) == 0.25
    assert huge.cdf(0.25, 0.3) == 0.25
    assert huge.pdf(0.25, 0.3) == 1
    coin = BoundaryInflatedLaplace(noise=np.inf, bounds=UNIT)
    assert moments(coin, 0.3) == pytest.approx([0.2, 0.25, 0.29])
    assert coin.atoms(0.3) == (0.5, 0.5)
    assert coin.quantile([0.5, 0.51], 0.3).tolist() == [0, 1]
    for kind in (TruncatedLaplace, BoundaryInflatedLaplace):
        fixed = kind(noise=0.0, bounds=UNIT)
        assert moments(fixed, 0.3) == [0, 0, 0]
        assert moments(fixed, 1.5) == [-0.5, 0, 0.25]
        assert fixed.quantile([0.01, 0.99], 0.3).tolist() == [0.3, 0.3]
        assert fixed.cdf([0.29, 0.3], 0.3).tolist() == [0, 1]
        point = kind(noise=2.0, bounds=Interval(lower=3.0, upper=3.0))
        assert moments(point, 3.0) == [0, 0, 0]
        vast = kind(noise=1e21, bounds=Interval(lower=-1e12, upper=1e12))
        assert np.isfinite(moments(vast, 0.0)).all()
        with pytest.raises(ParameterError, match="noise"):
            kind(noise=np.inf, bounds=Interval(lower=0.0, upper=np.inf))
    for kind in (Laplace, Gaussian):
        assert kind(noise=0.0).quantile([0.01, 0.99], 0.3).tolist() == [0.3, 0.3]
        for noise in (-1.0, np.nan, np.inf):
            with pytest.raises(ParameterError, match="noise"):
                kind(noise=noise)
