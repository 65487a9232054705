"""Losses when the scale changes with the number of people, against quadrature."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.individual.changing_scale import (
    gaussian_delta,
    laplace_delta,
    pair_epsilon,
)
from dpcore.individual.changing_scale_level import (
    clamped_laplace_level,
    laplace_level,
)
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.privacy import gaussian, laplace

X1 = np.array([-1.2, -0.8, -0.5, -0.1, 0.0, 0.3, 0.6, 0.9, 1.4, 2.5])
FIRST, SECOND = (0.0, 1.0), (0.1, 1.05)
positions = st.floats(-3, 3)
scales = st.floats(-1, 1).map(lambda x: 10**x)
levels = st.floats(0, 3)
PROFILES = [(laplace_delta, stats.laplace), (gaussian_delta, stats.norm)]


def test_vectors():
    for delta_of, forth, back in (
        (gaussian_delta, 0.015437511539446225, 0.02996446895934385),
        (laplace_delta, 0.026665409990857893, 0.024832233344126667),
    ):
        assert delta_of(FIRST, SECOND, epsilon=0.05) == pytest.approx(forth, rel=1e-11)
        assert delta_of(SECOND, FIRST, epsilon=0.05) == pytest.approx(back, rel=1e-11)


def test_the_mean_of_ten_people_with_noise_for_their_number():
    without = (X1[:-1].mean(), 6 / 9)
    with_person = (X1.mean(), 0.6)
    forth = laplace_delta(without, with_person, epsilon=0.3)
    back = laplace_delta(with_person, without, epsilon=0.3)
    assert forth == pytest.approx(5.0121600181e-2, abs=1e-12)
    assert back == pytest.approx(4.5082675360e-2, abs=1e-12)
    fixed = laplace_delta((without[0], 0.6), with_person, epsilon=0.3)
    assert fixed == pytest.approx(5.1409212985e-2, abs=1e-12)


def by_quadrature(law, first, second, epsilon):
    """Integrate (p - e^epsilon q)+ by the trapezoidal rule, kinks on the grid."""
    span = 40 * max(first[1], second[1])
    near = np.concatenate(
        [m + s * np.linspace(-20, 20, 100_001) for m, s in (first, second)]
    )
    at = np.sort(np.concatenate([near, np.linspace(-span, span, 60_001)]))
    gap = law.pdf(at, *first) - math.exp(epsilon) * law.pdf(at, *second)
    return np.trapezoid(np.maximum(gap, 0), at)


@pytest.mark.parametrize(("delta_of", "law"), PROFILES)
@settings(deadline=None, max_examples=60)
@given(positions, scales, positions, scales, levels)
def test_profiles_match_quadrature(delta_of, law, m0, s0, m1, s1, epsilon):
    got = float(delta_of((m0, s0), (m1, s1), epsilon=epsilon))
    expected = by_quadrature(law, (m0, s0), (m1, s1), epsilon)
    assert got == pytest.approx(expected, abs=3e-6)


@settings(deadline=None, max_examples=60)
@given(positions, positions, scales, levels)
def test_equal_scales_are_the_plain_mechanisms(m0, m1, s, epsilon):
    r = abs(m0 - m1) / s
    got = laplace_delta((m0, s), (m1, s), epsilon=epsilon)
    assert got == pytest.approx(float(laplace.delta_of(r, epsilon)), abs=1e-12)
    got = gaussian_delta((m0, s), (m1, s), epsilon=epsilon)
    assert got == pytest.approx(float(gaussian.delta_of(r, epsilon)), abs=1e-12)
    # Nearly equal scales change nearly nothing.
    near = gaussian_delta((m0, s), (m1, s * (1 + 1e-12)), epsilon=epsilon)
    assert near == pytest.approx(float(got), abs=1e-9)
    assert laplace_level((m0, s), (m1, s)) == r


@pytest.mark.parametrize("delta_of", [laplace_delta, gaussian_delta])
@settings(deadline=None, max_examples=60)
@given(positions, scales, positions, scales, levels)
def test_profiles_fall_and_mirror(delta_of, m0, s0, m1, s1, epsilon):
    here = delta_of((m0, s0), (m1, s1), epsilon=epsilon)
    assert (
        0 <= delta_of((m0, s0), (m1, s1), epsilon=1.1 * epsilon + 0.1) <= here + 1e-15
    )
    mirrored = delta_of((-m0, s0), (-m1, s1), epsilon=epsilon)
    assert mirrored == pytest.approx(float(here), abs=1e-12)
    scaled = delta_of((4 * m0 + 1, 4 * s0), (4 * m1 + 1, 4 * s1), epsilon=epsilon)
    assert scaled == pytest.approx(float(here), abs=1e-12)
    # At 0 both directions are the total variation distance.
    forth = delta_of((m0, s0), (m1, s1), epsilon=0.0)
    back = delta_of((m1, s1), (m0, s0), epsilon=0.0)
    assert forth == pytest.approx(float(back), abs=1e-12)


@pytest.mark.parametrize("delta_of", [laplace_delta, gaussian_delta])
@settings(deadline=None, max_examples=40)
@given(positions, scales, positions, scales, st.floats(1e-9, 0.5))
def test_epsilon_inverts_the_larger_delta(delta_of, m0, s0, m1, s1, delta):
    first, second = (m0, s0), (m1, s1)
    epsilon = float(pair_epsilon(delta_of, first, second, delta=delta))
    both = [
        float(delta_of(*pair, epsilon=epsilon))
        for pair in ((first, second), (second, first))
    ]
    assert max(both) <= delta
    if epsilon > 1e-9:
        assert max(both) == pytest.approx(delta, rel=1e-6)
    assert epsilon == float(pair_epsilon(delta_of, second, first, delta=delta))


def test_people_are_answered_at_once():
    n = len(X1)
    without = (X1.sum() - X1) / (n - 1)
    epsilon = pair_epsilon(
        gaussian_delta, (X1.mean(), 6 / n), (without, 6 / (n - 1)), delta=1e-6
    )
    assert epsilon.shape == (n,)
    one = pair_epsilon(
        gaussian_delta, (X1.mean(), 6 / n), (without[9], 6 / (n - 1)), delta=1e-6
    )
    assert epsilon[9] == pytest.approx(float(one), rel=1e-12)
    fixed = gaussian.epsilon_of(np.abs(without - X1.mean()) / (6 / n), 1e-6)
    # Even the person at the mean is given away by the scale.
    assert (epsilon > fixed).all()
    grid = laplace_delta((0.0, 1.0), (0.1, 1.1), epsilon=np.array([0.0, 0.1, 50.0]))
    assert grid.shape == (3,)
    assert grid[2] == 0


def test_no_pure_level_holds_without_bounds():
    assert laplace_level(FIRST, SECOND) == math.inf
    far = laplace_delta(SECOND, FIRST, epsilon=5.0)
    assert far > 0
    assert laplace_delta(FIRST, SECOND, epsilon=5.0) == 0


@settings(deadline=None, max_examples=80)
@given(st.floats(0, 1), scales, st.floats(0, 1), scales)
def test_clamping_makes_the_level_finite(m0, s0, m1, s1):
    level = clamped_laplace_level((m0, s0), (m1, s1), lower=0.0, upper=1.0)
    at = np.linspace(0, 1, 2001)
    inside = np.abs(stats.laplace.logpdf(at, m0, s0) - stats.laplace.logpdf(at, m1, s1))
    tails = [
        abs(tail(bound, m0, s0) - tail(bound, m1, s1))
        for tail, bound in ((stats.laplace.logcdf, 0), (stats.laplace.logsf, 1))
    ]
    found = max(inside.max(), *tails)
    step = (1 / s0 + 1 / s1) * 0.0005
    assert found - 1e-9 <= level <= found + step
    back = clamped_laplace_level((m1, s1), (m0, s0), lower=0.0, upper=1.0)
    assert back == pytest.approx(float(level), rel=1e-12)
    unit = Interval(lower=0.0, upper=1.0)
    same = clamped_laplace_level((m0, s0), (m1, s0), lower=0.0, upper=1.0)
    plain = BoundaryInflatedLaplace(noise=s0, bounds=unit).pair_epsilon([m0], [m1])
    assert same == pytest.approx(float(plain), rel=1e-9, abs=1e-12)


def test_limits():
    for delta_of, _ in PROFILES:
        assert delta_of(FIRST, FIRST, epsilon=0.0) == 0
        assert delta_of((0.0, 1.0), (1e9, 1.0), epsilon=1.0) == pytest.approx(1)
        assert delta_of((0.0, 1e-9), (0.0, 1.0), epsilon=1.0) == pytest.approx(1)
        assert delta_of(FIRST, SECOND, epsilon=900.0) == 0
        assert np.isnan(delta_of((math.nan, 1.0), SECOND, epsilon=0.1))
        assert np.isnan(pair_epsilon(delta_of, (math.nan, 1.0), SECOND, delta=0.1))
        assert pair_epsilon(delta_of, FIRST, SECOND, delta=0.5) == 0
        for bad in (0.0, -1.0, math.inf, math.nan):
            with pytest.raises(ParameterError, match="scale"):
                delta_of((0.0, bad), SECOND, epsilon=0.1)
        with pytest.raises(ParameterError, match="epsilon"):
            delta_of(FIRST, SECOND, epsilon=-0.1)
        for bad in (0.0, 1.0, math.nan):
            with pytest.raises(ParameterError, match="delta"):
                pair_epsilon(delta_of, FIRST, SECOND, delta=bad)
    with pytest.raises(ParameterError, match="bounds"):
        clamped_laplace_level(FIRST, SECOND, lower=0.0, upper=math.inf)
