"""Totals that were convolved never fall below compositions that are known exactly."""

import math

import pytest

from dpcore.privacy import composition, gaussian
from dpcore.privacy.composition import compose, epsilon_of_convolved, repeated, rounding
from dpcore.privacy.events import BootstrapEvent, GaussianEvent, LaplaceEvent, PureEvent
from tests.conftest import few

DELTAS = (1e-9, 1e-11, 1e-12, 1e-13, 1e-15)


@pytest.mark.slow
@pytest.mark.parametrize(("level", "times"), [(0.1, 2), (0.1, 200), (0.03, 5000), (0.3, 2000)])
def test_pure_releases_cost_at_least_the_optimal_composition(level, times):
    plan = [PureEvent.from_ratio(level)] * times
    for delta in DELTAS:
        least = composition.optimal_epsilon(level, times, delta)
        assert compose(plan, delta=delta).pld >= least * (1 - 1e-11)
    assert compose(plan, delta=1e-9).pld <= 1.05 * composition.optimal_epsilon(level, times, 1e-9)


@pytest.mark.parametrize("times", few(1, 3, 1000, 10_000))
def test_resamples_of_one_person_are_gaussian_releases(times):
    one = BootstrapEvent(parameter=10.0, people=1, times=times)
    for delta in DELTAS:
        least = float(gaussian.epsilon_of(math.sqrt(times) / 10, delta))
        assert compose([one], delta=delta).pld >= least


@pytest.mark.parametrize("times", few(1, 100, 10_000))
def test_samples_of_everybody_are_gaussian_releases(times):
    for delta in (1e-10, 1e-12, 1e-14):
        least = float(gaussian.epsilon_of(0.1 * math.sqrt(times), delta))
        assert repeated("gaussian", 0.1, 1.0, times=times, delta=delta).best >= least


def test_no_convolution_answers_below_its_rounding_errors():
    plan = [LaplaceEvent.from_ratio(0.1), GaussianEvent.from_ratio(0.1)]
    assert math.isfinite(compose(plan, delta=1e-12).pld)
    tiny = compose(plan, delta=1e-15)
    # What is left is the sum of both, where each is exact.
    assert tiny.pld == tiny.basic
    assert epsilon_of_convolved(None, 1e-15, steps=1) == math.inf
    assert rounding(10_000) > rounding(1) > 1e-15


def test_an_epsilon_that_is_no_float_is_not_known():
    class Far:
        def get_epsilon_for_delta(self, delta):
            raise OverflowError(delta)

    assert epsilon_of_convolved(Far(), 0.5, steps=1) == math.inf
