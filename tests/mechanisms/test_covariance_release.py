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


def test_layout_is_variances_first_and_both_ways_inverse():
    assert covariances.places_of(3) == ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    values = np.arange(20.0).reshape(2, 10)
    matrices = covariances.matrix_of(values)
    assert matrices.shape == (2, 4, 4)
    assert np.array_equal(matrices, matrices.swapaxes(-1, -2))
    assert np.array_equal(covariances.vector_of(matrices), values)
    with pytest.raises(ParameterError, match="d \\(d \\+ 1\\) / 2"):
        covariances.columns_in(5)
    with pytest.raises(ParameterError, match="got 0"):
        covariances.columns_in(0)


def test_correlation_without_variance_is_not_defined():
    values = [[0.0, 4.0, 0.0], [1.0, 4.0, -1.0], [-1.0, 4.0, 0.3]]
    got = covariances.correlations_of(values)[:, 0]
    assert np.isnan(got).tolist() == [True, False, True]
    assert got[1] == -0.5


def test_constants_of_the_first_study():
    for n in (50, 100, 200, 400, 800):
        at = release("truncated-published", people=n)
        assert at.sensitivities * n == pytest.approx([64, 256, 128])
        assert at.scales * n == pytest.approx([192, 768, 384])
        assert at.largest[:2] * (n - 1) / n == pytest.approx([16, 64])


def test_published_truncation_really_spends_nearly_twice_the_budget():
    for n, level in ((50, 0.5816366624), (800, 0.5828996562)):
        at = release("truncated-published", people=n)
        assert at.levels[:2] == pytest.approx([level, level], rel=1e-8)
        assert 0.5816 < at.levels[0] < 0.5829
        assert at.levels[2] >= at.levels[0]
        assert 1.74 < at.effective_epsilon < 1.75
    for key in ("bit", "truncated", "laplace"):
        assert release(key).effective_epsilon <= 1.0
        assert release(key).effective_epsilon == pytest.approx(1.0, rel=1e-9)


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


def test_range_of_width_zero_has_no_scale_and_one_value():
    assert covariances.least_private_scales(1.0, 1.0, [0.0]).tolist() == [0.0]
    assert covariances.worst_levels(1.0, [0.0], [0.0]).tolist() == [0.0]
    assert covariances.truncated_quantiles([0.3], 2.0, 0.0, [0.0]).tolist() == [0.0]
    flat = covariances.truncated_quantiles([0.25], 2.0, 1.0, [1e-200])
    assert flat == pytest.approx([-5e-201])


@pytest.mark.parametrize("value", [-3.0, -0.2, 0.0, 0.7, 1.0, 40.0])
@pytest.mark.parametrize("noise", [0.01, 0.5, 80.0])
def test_quantiles_on_random_ranges_are_those_of_fixed_ranges(value, noise):
    u = np.array([1e-9, 0.025, 0.25, 0.5, 0.75, 0.975, 1 - 1e-9])
    fixed = TruncatedLaplace(noise=noise, bounds=Interval(lower=-1.0, upper=1.0))
    got = covariances.truncated_quantiles(u, value, noise, np.ones(7))
    assert got == pytest.approx(fixed.quantile(u, value), rel=1e-12, abs=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("key", MECHANISMS)
def test_simulation_and_release_have_one_law(key):
    at = release(key)
    rng = np.random.default_rng(5)
    many = at.simulate(TRUE, rng=rng, size=(20_000,))
    draw = simulated_by(np.random.default_rng(6))
    few = np.array([at.release(TRUE, draw) for _ in range(1_500)])
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


@pytest.mark.parametrize("key", BOUNDED)
def test_two_columns_are_positive_semidefinite_as_released(key):
    at = release(key, people=20)
    drawn = at.simulate(TRUE, rng=np.random.default_rng(8), size=(50, 40))
    assert drawn.shape == (50, 40, 3)
    smallest = np.linalg.eigvalsh(covariances.matrix_of(drawn))[..., 0]
    assert np.all(smallest >= -1e-12 * drawn[..., :2].sum(axis=-1))
    correlations = covariances.correlations_of(drawn)
    assert np.nanmax(np.abs(correlations)) <= 1 + 1e-12


def test_zero_variance_leaves_a_zero_covariance_and_no_draw():
    at = release("bit")
    asked = []

    def draw(step, value):
        asked.append(value[0])
        return np.zeros(1) if len(asked) == 1 else step.mechanism.bounds.clip(value)

    drawn = at.release(TRUE, draw)
    assert drawn.tolist() == [0.0, 4.0, 0.0]
    assert asked == [1.0, 4.0]
    assert np.isnan(covariances.correlations_of(drawn)).all()
    many = at.simulate(TRUE, rng=np.random.default_rng(9), size=(5000,))
    zero = (many[:, :2] == 0).any(axis=1)
    assert zero.mean() == pytest.approx(0.622, abs=0.03)
    assert np.all(many[zero, 2] == 0)


@pytest.mark.parametrize("key", ["truncated-published", "truncated"])
def test_vanishing_range_is_released_as_zero(key):
    def draw(step, value):
        return np.full(1, 1e-300) if step.mechanism.bounds.lower == 0 else value

    assert release(key).release(TRUE, draw)[2] == 0


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
