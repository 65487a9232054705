"""Sample quantiles and their neighbors; the continuous private quantile."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.exponential import Exponential
from dpcore.relations import TableSize
from dpcore.statistics.order_statistics import (
    quantiles_replacing_each,
    quantiles_without_each,
    sample_quantile,
)
from dpcore.statistics.quantile import RankScores
from dpcore.statistics.quantile_law import QuantileLaw

X1 = np.array([-1.2, -0.8, -0.5, -0.1, 0.0, 0.3, 0.6, 0.9, 1.4, 2.5])
BOUNDS = Interval(lower=-3.0, upper=3.0)
TWENTY = Interval(lower=0.0, upper=20.0)
numbers = arrays(
    np.float64, st.integers(2, 12), elements=st.floats(-3, 3).map(lambda x: round(x, 1))
)
shares = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.731, 1.0]), st.floats(0, 1))


def test_quantiles_of_ten_people():
    assert sample_quantile(X1, 0.5) == pytest.approx(0.15)
    without = quantiles_without_each(X1, 0.5)
    np.testing.assert_allclose(without, [0.3] * 5 + [0.0] * 5)
    without = quantiles_without_each(X1, 0.25)
    np.testing.assert_allclose(without, [-0.1] * 3 + [-0.5] * 7)
    lowest, highest = quantiles_replacing_each(X1, 0.5, BOUNDS)
    largest = np.maximum(0.15 - lowest, highest - 0.15)
    np.testing.assert_allclose(largest, [0.3] * 5 + [0.2] * 5)


@settings(deadline=None, max_examples=150)
@given(numbers, shares)
def test_quantiles_of_neighbors_are_those_recomputed(values, q):
    n = len(values)
    assert sample_quantile(values, q) == pytest.approx(np.quantile(values, q))
    without = [np.quantile(np.delete(values, i), q) for i in range(n)]
    got = quantiles_without_each(values, q)
    np.testing.assert_allclose(got, without, atol=1e-12)
    assert len(set(got.tolist())) <= 3
    reached = np.empty((n, 13))
    for i, (k, new) in itertools.product(range(n), enumerate(np.linspace(-3, 3, 13))):
        other = values.copy()
        other[i] = new
        reached[i, k] = np.quantile(other, q)
    lowest, highest = quantiles_replacing_each(values, q, BOUNDS)
    np.testing.assert_allclose(lowest, reached.min(axis=1), atol=1e-12)
    np.testing.assert_allclose(highest, reached.max(axis=1), atol=1e-12)


def test_one_record_may_move_a_median_by_the_whole_width():
    values = np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    unit = Interval(lower=0.0, upper=1.0)
    lowest, highest = quantiles_replacing_each(values, 0.5, unit)
    assert (highest - lowest).max() == 1


def test_quantiles_of_few_people():
    assert np.isnan(quantiles_without_each([2.0], 0.5)).tolist() == [True]
    lowest, highest = quantiles_replacing_each([99.0], 0.5, BOUNDS)
    assert (lowest.tolist(), highest.tolist()) == ([-3.0], [3.0])
    for q in (-0.1, 1.5, np.nan):
        with pytest.raises(ParameterError, match="q from 0 to 1"):
            sample_quantile([1.0], q)
    for ask in (sample_quantile, quantiles_without_each):
        with pytest.raises(ParameterError, match="a value"):
            ask([], 0.5)


def law(values, q=0.5, epsilon=1.0, bounds=TWENTY, change=1.0):
    return QuantileLaw.of(values, q=q, epsilon=epsilon, bounds=bounds, change=change)


def test_law_of_five_people():
    found = law([1, 2, 3, 4, 10])
    expected = [
        0.035742864,
        0.0589300201,
        0.0971591777,
        0.0971591777,
        0.3535801207,
        0.3574286398,
    ]
    np.testing.assert_allclose(found.probabilities, expected, atol=5e-11)
    assert found.mean == pytest.approx(8.525711971, abs=5e-10)


@pytest.mark.parametrize(
    ("q", "replaced", "added"),
    [(0.25, 0.888, 0.676), (0.5, 0.828, 0.432), (0.75, 0.888, 0.676)],
)
def test_the_worst_neighbors_of_up_to_four_people(q, replaced, added):
    """Every table of a grid; the ratio of densities is constant between edges."""
    grid = (0.0, 0.25, 0.5, 0.75, 1.0)
    unit = Interval(lower=0.0, upper=1.0)
    inner = np.arange(0.125, 1, 0.25)
    logs = {
        table: np.log(law(table, q=q, bounds=unit).pdf(inner))
        for n in range(1, 5)
        for table in itertools.combinations_with_replacement(grid, n)
    }
    worst = {"replaced": 0.0, "added": 0.0}
    for table, base in logs.items():
        for new in grid:
            for i in range(len(table)):
                other = tuple(sorted((*table[:i], new, *table[i + 1 :])))
                ratio = np.abs(base - logs[other]).max()
                worst["replaced"] = max(worst["replaced"], ratio)
            if len(table) < 4:
                other = tuple(sorted((*table, new)))
                ratio = np.abs(base - logs[other]).max()
                worst["added"] = max(worst["added"], ratio)
    assert worst["replaced"] == pytest.approx(replaced, abs=5e-4)
    assert worst["added"] == pytest.approx(added, abs=5e-4)


@settings(deadline=None, max_examples=100)
@given(numbers, numbers, shares, st.floats(0.01, 5))
def test_neighbors_are_within_epsilon_also_with_the_lesser_change(
    values, others, q, epsilon
):
    at = np.linspace(-2.9999, 2.9999, 400)
    wide = {"q": q, "epsilon": epsilon, "bounds": BOUNDS}
    base = np.log(law(values, **wide).pdf(at))
    replaced = np.r_[others[:1], values[1:]]
    assert np.abs(np.log(law(replaced, **wide).pdf(at)) - base).max() <= epsilon + 1e-9
    wide["change"] = max(q, 1 - q)
    base = np.log(law(values, **wide).pdf(at))
    joined = np.r_[others[:1], values]
    assert np.abs(np.log(law(joined, **wide).pdf(at)) - base).max() <= epsilon + 1e-9


@settings(deadline=None, max_examples=60)
@given(numbers, shares, st.floats(0.01, 5))
def test_law_integrates_to_one_and_agrees_with_itself(values, q, epsilon):
    found = law(values, q=q, epsilon=epsilon, bounds=BOUNDS)
    assert found.probabilities.sum() == pytest.approx(1)
    edges = found.edges
    np.testing.assert_allclose(np.diff(found.cdf(edges)).sum(), 1, atol=1e-12)
    assert found.cdf([-3.1, 3.0, 4.0]).tolist() == [0, pytest.approx(1), 1]
    at = np.linspace(-3, 3, 6001)
    total = np.trapezoid(1 - found.cdf(at), at) - 3
    assert found.mean == pytest.approx(total, abs=2e-3)


def test_simulated_releases_follow_the_law():
    found = law([1, 2, 3, 4, 10])
    drawn = found.simulate(rng=np.random.default_rng(5), size=(20, 500))
    assert drawn.shape == (20, 500)
    assert stats.kstest(drawn.ravel(), found.cdf).pvalue > 1e-6
    wider = law([1, 2, 3, 4, 10], epsilon=0.8)
    assert stats.kstest(drawn.ravel(), wider.cdf).pvalue < 1e-6


def test_extreme_tables():
    point = Interval(lower=5.0, upper=5.0)
    same = law([1.0, 5.0, 9.0], bounds=point)
    assert same.mean == 5
    assert same.simulate(rng=np.random.default_rng(0), size=(3,)).tolist() == [5] * 3
    assert same.cdf([4.0, 5.0]).tolist() == [0, 1]
    alone = law([15.0])
    np.testing.assert_allclose(alone.probabilities, [0.75, 0.25])
    nobody = law([])
    assert nobody.mean == 10
    tied = law([4.0] * 6)
    assert (tied.probabilities > 0).tolist() == [True] + [False] * 5 + [True]
    np.testing.assert_allclose(tied.pdf([1.0, 9.0, 25.0, -1.0]), [0.05, 0.05, 0, 0])
    outside = law([-99.0, 7.0, np.inf])
    inside = law([0.0, 7.0, 20.0])
    assert outside.edges.tolist() == inside.edges.tolist()
    huge = law(np.linspace(0, 20, 1000), epsilon=1e6)
    assert huge.probabilities.max() == pytest.approx(1)
    tiny = law([3.0, 5.0], epsilon=1e-12)
    np.testing.assert_allclose(tiny.probabilities, [0.15, 0.1, 0.75])


def test_parameters_outside_their_domain_are_refused():
    for options in (
        {"q": -0.1},
        {"epsilon": 0.0},
        {"change": 0.0},
        {"bounds": Interval(lower=0.0, upper=np.inf)},
    ):
        with pytest.raises(ParameterError):
            law([1.0, 2.0], **options)
    with pytest.raises(ParameterError, match="missing"):
        law([1.0, np.nan])


def test_the_grid_approaches_the_law():
    """Same scores at both, so the cdf differs by the grid alone."""
    values = np.array([1.0, 2.0, 3.0, 4.0, 10.0])
    scores = RankScores(
        bounds=TWENTY, q=0.5, size=TableSize(people=5, public=True), candidates=20_001
    )
    mechanism = Exponential.calibrate(
        sensitivity=scores.sensitivity("substitution"), epsilon=1.0, bounds=TWENTY
    )
    reached = np.cumsum(mechanism.probabilities(scores.value(values)))
    exact = law(values).cdf(scores.grid)
    assert np.abs(reached - exact).max() < 2e-4
