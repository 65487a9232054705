"""The mean of a private number of people: its privacy and its price."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.postprocessing.noisy_average import NoisyAverage, recomputed_scale_epsilon
from tests.terms import UNIT


def average(epsilon, bounds=UNIT):
    return NoisyAverage(bounds=bounds, epsilon_sum=epsilon / 2, epsilon_count=epsilon / 2)


@pytest.mark.parametrize(
    ("people", "epsilon", "expected"),
    [
        (5, 1.0, 1.0231435513),
        (100, 1.0, 1.0000503359),
        (10, 0.01, 0.1143605157),
        (2, 0.01, 0.6981471806),
        (50, 3.0, 3.0),
    ],
)
def test_published_levels_of_a_recomputed_scale(people, epsilon, expected):
    level = recomputed_scale_epsilon(people=people, epsilon=epsilon)
    assert level == pytest.approx(expected, abs=1e-10)
    assert level >= epsilon


def log_law(epsilon, people, mean):
    """Log density on a grid inside (0, 1), and log probabilities of both ends."""
    b = 1 / (people * epsilon)
    x = np.linspace(0, 1, 41)
    density = -np.abs(x - mean) / b - np.log(2 * b)
    return np.array([*density, -mean / b - np.log(2), -(1 - mean) / b - np.log(2)])


@pytest.mark.parametrize(("n", "epsilon"), [(2, 0.01), (5, 1.0), (10, 0.01), (50, 3.0)])
def test_recomputed_scale_by_brute_force(n, epsilon):
    worst = 0.0
    for others in np.linspace(0, 1, 11):
        for newcomer in (0.0, 0.3, 1.0):
            mean = ((n - 1) * others + newcomer) / n
            ratio = log_law(epsilon, n, mean) - log_law(epsilon, n - 1, others)
            worst = max(worst, np.abs(ratio).max())
    level = recomputed_scale_epsilon(people=n, epsilon=epsilon)
    assert worst == pytest.approx(level, rel=1e-12)


def test_without_clamping_there_is_no_finite_level():
    level = recomputed_scale_epsilon(people=100, epsilon=1.0, clamped=False)
    assert level == np.inf
    # The log ratio at y, far from both means, grows with y without limit.
    far = np.array([10.0, 100.0, 1000.0])
    ratio = np.log(99 / 100) + far * (100 - 99)
    assert np.diff(ratio).min() > 80


@pytest.mark.parametrize(
    ("people", "epsilon", "expected", "with_public_number"),
    [(100, 1.0, 0.01525, 0.01414), (500, 0.1, 0.03075, 0.02828)],
)
def test_published_errors_of_the_noisy_average(people, epsilon, expected, with_public_number):
    asked, draws = average(epsilon), 400_000
    drawn = asked.simulate(mean=0.3, people=people, rng=np.random.default_rng(17), size=(draws,))
    squares = np.square(drawn - 0.3)
    rmse = np.sqrt(squares.mean())
    error = squares.std() / np.sqrt(draws) / (2 * rmse)
    assert abs(rmse - expected) <= 4 * np.sqrt(2) * error + 5e-6
    exact = asked.rmse(mean=0.3, people=people)
    assert abs(rmse - exact) <= 4 * error
    plain = BoundaryInflatedLaplace(noise=1 / (people * epsilon), bounds=UNIT)
    public = float(np.sqrt(plain.mse(0.3)))
    assert public == pytest.approx(with_public_number, abs=5e-6)
    assert exact > public


@pytest.mark.parametrize(
    ("mean", "people", "epsilon"), [(0.0, 3, 0.5), (0.9, 0, 1.0), (1.0, 20, 5.0)]
)
def test_error_of_small_tables_by_simulation(mean, people, epsilon):
    bounds = Interval(lower=-2.0, upper=6.0)
    asked = average(epsilon, bounds)
    target = bounds.lower + mean * bounds.width
    drawn = asked.simulate(
        mean=target, people=people, rng=np.random.default_rng(5), size=(200_000,)
    )
    squares = np.square(drawn - target)
    error = squares.std() / np.sqrt(len(squares))
    exact = asked.rmse(mean=target, people=people)
    assert abs(squares.mean() - exact**2) <= 4 * error
    assert bounds.lower <= drawn.min() <= drawn.max() <= bounds.upper


def test_error_follows_a_change_of_unit():
    shifted = average(0.7, Interval(lower=1e6, upper=1e6 + 10))
    assert shifted.rmse(mean=1e6 + 3, people=40) == pytest.approx(
        10 * average(0.7).rmse(mean=0.3, people=40), rel=1e-6
    )


def test_error_of_all_but_no_noise_vanishes():
    asked = NoisyAverage(bounds=UNIT, epsilon_sum=1e9, epsilon_count=1e9)
    assert asked.rmse(mean=0.25, people=100) < 1e-9
    weak = average(1e-6)
    assert 0.4 < weak.rmse(mean=0.5, people=100) <= 0.5


def test_scales_follow_the_budget():
    asked = NoisyAverage(
        bounds=Interval(lower=-1.0, upper=5.0), epsilon_sum=0.5, epsilon_count=0.25
    )
    assert asked.scale_of_sum == 6.0
    assert asked.scale_of_count == 4.0
    assert asked.epsilon == 0.75


@settings(max_examples=60)
@given(first=st.floats(1e-6, 50), second=st.floats(1e-6, 50))
def test_the_price_is_never_rounded_down(first, second):
    asked = NoisyAverage(bounds=UNIT, epsilon_sum=first, epsilon_count=second)
    exact = Fraction(first) + Fraction(second)
    assert Fraction(asked.epsilon) >= exact
    assert asked.epsilon == pytest.approx(first + second, rel=1e-15)


def test_nobody_loses_more_than_the_price():
    asked = NoisyAverage(bounds=UNIT, epsilon_sum=0.6, epsilon_count=0.4)
    losses = asked.losses(np.array([-np.inf, 0.0, 0.25, 0.5, 1.0, 7.0]))
    np.testing.assert_allclose(losses, [1.0, 1.0, 0.7, 0.4, 1.0, 1.0])
    assert losses.max() <= asked.epsilon


def test_a_number_below_one_counts_as_one():
    asked = average(1.0)
    noisy = asked.of_noisy(np.array([0.2, 0.2, -3.0]), np.array([-5.0, 0.5, 2.0]))
    np.testing.assert_allclose(noisy, [0.7, 0.7, 0.0])


def test_parameters_outside_their_domain_are_refused():
    with pytest.raises(ParameterError, match="at least 2"):
        recomputed_scale_epsilon(people=1, epsilon=1.0)
    for epsilon in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ParameterError, match="epsilon"):
            recomputed_scale_epsilon(people=5, epsilon=epsilon)
        with pytest.raises(ParameterError, match="epsilon"):
            average(epsilon)
    with pytest.raises(ParameterError, match="finite bounds"):
        average(1.0, Interval(lower=0.0, upper=np.inf))
