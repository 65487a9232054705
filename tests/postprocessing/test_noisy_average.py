"""The mean of a private number of people: its privacy and its price."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.postprocessing.noisy_average import NoisyAverage, recomputed_scale_epsilon
from tests.terms import UNIT


def average(epsilon, bounds=UNIT):
    return NoisyAverage(bounds=bounds, epsilon_sum=epsilon / 2, epsilon_count=epsilon / 2)


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
