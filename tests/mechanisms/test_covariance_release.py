"""A sanitized covariance matrix: what it costs, what it looks like, what it reveals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms import covariances
from dpcore.mechanisms.covariances import MECHANISMS, CovarianceRelease
from dpcore.mechanisms.truncated import TruncatedLaplace, least_private_scale, worst_level

TRUE = np.array([1.0, 4.0, 1.8])
BOUNDED = ("truncated-published", "bit", "truncated")


def release(key="bit", **changes):
    known = {"widths": (8.0, 16.0), "people": 50, "key": key, "epsilon": 1.0}
    return CovarianceRelease(**(known | changes))


def simulated_by(rng):
    def draw(step, value):
        return step.mechanism.simulate(value, rng=rng, size=(1,))

    return draw


def test_largest_variance_is_attained_and_never_exceeded():
    for n in range(2, 10):
        points = itertools.combinations_with_replacement((0.0, 0.25, 0.5, 1.0), n)
        largest = max(np.var(table, ddof=1) for table in points)
        assert covariances.largest_variance(1.0, n) == pytest.approx(largest, rel=1e-12)
    for n, expected in ((3, 1 / 3), (5, 0.3), (9, 5 / 18)):
        assert covariances.largest_variance(1.0, n) == pytest.approx(expected, rel=1e-12)


@settings(deadline=None, max_examples=50)
@given(st.floats(1e-6, 50), st.lists(st.floats(1e-3, 1e3), min_size=6, max_size=6))
def test_split_never_exceeds_the_budget(epsilon, weights):
    at = release(widths=(1.0, 2.0, 3.0), epsilon=epsilon, weights=tuple(weights))
    assert math.fsum(at.epsilons) <= epsilon
    assert at.epsilons == pytest.approx(epsilon * np.array(weights) / sum(weights))
    assert at.effective_epsilon <= epsilon * (1 + 1e-15)


def test_split_by_sensitivity_is_one_scale_for_all():
    widths = (8.0, 16.0, 4.0)
    at = release(widths=widths, weights=covariances.sensitivity_split(widths))
    joint = sum(widths[i] * widths[j] for i, j in covariances.places_of(3)) / 50
    assert at.scales == pytest.approx(np.full(6, joint))


@settings(deadline=None, max_examples=100)
@given(st.floats(1e-9, 60), st.floats(1e-9, 1e9), st.floats(1e-3, 1e3))
def test_scales_on_random_ranges_are_those_of_fixed_ranges(epsilon, ratio, shift):
    width = ratio * shift
    one = least_private_scale(shift, epsilon, Interval(lower=0.0, upper=width))
    (got,) = covariances.least_private_scales(shift, epsilon, [width])
    assert got == pytest.approx(one, rel=1e-11)
    level = worst_level(shift, Interval(lower=0.0, upper=width), float(got))
    assert level <= epsilon
    (vectorised,) = covariances.worst_levels(shift, [width], [got])
    assert vectorised == pytest.approx(level, rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("key", MECHANISMS)
def test_simulation_and_release_have_one_law(key):
    at = release(key)
    rng = np.random.default_rng(5)
    many = at.simulate(TRUE, rng=rng, size=(20_000,))
    draw = simulated_by(np.random.default_rng(6))
    few = np.array([at.release(TRUE, draw) for _ in range(700)])
    for place in range(3):
        assert stats.ks_2samp(few[:, place], many[:, place]).pvalue > 1e-4
        wrong = few[:, place] * 1.5 + 0.5
        assert stats.ks_2samp(wrong, many[:, place]).pvalue < 1e-6


def test_first_variance_has_the_law_of_its_mechanism():
    for key in BOUNDED:
        at = release(key)
        drawn = at.simulate(TRUE, rng=np.random.default_rng(7), size=(200_000,))
        bounds = Interval(lower=0.0, upper=float(at.largest[0]))
        assert drawn[:, :2].min() >= 0
        assert drawn[:, 0].max() <= bounds.upper
        mean = {"truncated-published": 2.791, "bit": 1.440, "truncated": 4.35}[key]
        assert drawn[:, 0].mean() - 1 == pytest.approx(mean, abs=0.04)


def test_each_step_states_its_sensitivity_and_budget():
    at = release("truncated", weights=(1.0, 2.0, 3.0))
    steps = []

    def draw(step, value):
        steps.append(step)
        return step.mechanism.bounds.clip(value)

    at.release(np.array([1.0, 4.0, 30.0]), draw)
    assert [s.sensitivity.l1 for s in steps] == pytest.approx(at.sensitivities)
    assert [s.epsilon for s in steps] == pytest.approx(at.epsilons)
    # The range is what the released variances leave, wherever the value lies.
    assert steps[2].mechanism.bounds == Interval(lower=-2.0, upper=2.0)
    for step in steps:
        assert step.mechanism.epsilon(step.sensitivity) <= step.epsilon


def levels_over_ranges(at, x, y, reaches):
    """Return the exact level of a covariance's pair on each range."""
    result = []
    for reach in reaches:
        (noise,) = at.covariance_scales(2, [reach])
        law = TruncatedLaplace(noise=float(noise), bounds=Interval(lower=-reach, upper=reach))
        result.append(float(law.pairwise_epsilon([x], [y])))
    return np.array(result)


@settings(deadline=None, max_examples=60)
@given(st.floats(-6, 6), st.floats(0, 1), st.booleans(), st.floats(0.05, 6))
def test_no_range_reveals_more_of_a_covariance_than_the_bound(x, share, published, epsilon):
    key = "truncated-published" if published else "truncated"
    at = release(key, epsilon=epsilon)
    y = x + share * at.sensitivities[2]
    first, second = np.array([1.0, 4.0, x]), np.array([1.0, 4.0, y])
    bound = float(at.pairwise_epsilon(first, second))
    assert bound == pytest.approx(float(at.pairwise_epsilon(second, first)))
    assert bound <= at.levels[2] * (1 + 1e-12)
    largest = max(abs(x), abs(y), 1e-3)
    reaches = np.concatenate([np.geomspace(1e-4, 30, 60), [largest]])
    exact = levels_over_ranges(at, x, y, reaches)
    assert exact.max() <= bound * (1 + 1e-9) + 1e-12
    narrow = 2 * max(abs(x), abs(y)) <= at.sensitivities[2]
    within = max(abs(x), abs(y)) == largest  # of the ranges that are tried
    if (published and within) or (narrow and min(abs(x), abs(y)) > 1e-3):
        # There the bound is the largest level itself.
        assert bound == pytest.approx(exact.max(), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("key", ["bit", "laplace"])
def test_pair_of_matrices_reveals_the_sum_of_its_shifts(key):
    at = release(key)
    second = TRUE + np.array([[0.2, 0.0, -0.5], [0.0, 1.0, 0.3]])
    expected = (np.abs(second - TRUE) / at.scales).sum(axis=1)
    assert at.pairwise_epsilon(TRUE, second) == pytest.approx(expected)
    assert at.pairwise_epsilon(TRUE, TRUE) == 0


def test_unknown_numbers_reveal_an_unknown_amount():
    for key in MECHANISMS:
        level = release(key).pairwise_epsilon(TRUE, [1.0, 4.0, math.nan])
        assert np.isnan(level)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"key": "gaussian"}, "released by one of"),
        ({"people": 1}, "at least 2 people"),
        ({"widths": ()}, "positive, finite width"),
        ({"widths": (1.0, 0.0)}, "positive, finite width"),
        ({"widths": (1.0, math.inf)}, "positive, finite width"),
        ({"widths": (1.0, math.nan)}, "positive, finite width"),
        ({"widths": (1e-160, 1.0)}, "too narrow"),
        ({"widths": (1e200, 1.0)}, "too wide"),
        ({"weights": (1.0, 1.0)}, "one positive, finite weight"),
        ({"weights": (1.0, 1.0, 0.0)}, "one positive, finite weight"),
        ({"rounding": -1.0}, "rounding"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": math.nan}, "epsilon"),
    ],
)
def test_domain(changes, message):
    with pytest.raises(ParameterError, match=message):
        release(**changes)


def test_values_must_fit_the_columns():
    with pytest.raises(ParameterError, match="2 columns have 3"):
        release().simulate([1.0, 2.0], rng=np.random.default_rng(0))
    one = release(widths=(8.0,))
    assert one.simulate([1.0], rng=np.random.default_rng(0)).shape == (1,)


def test_rounding_widens_every_sensitivity():
    wide = release(rounding=0.01)
    assert wide.sensitivities == pytest.approx(release().sensitivities * 1.5)
    assert wide.effective_epsilon <= 1.0
