"""The repaired matrix is possible, keeps the variances, and is the nearest such one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from dpcore.errors import ParameterError
from dpcore.mechanisms.covariances import CovarianceRelease, matrix_of, vector_of
from dpcore.postprocessing.psd_repair import repair
from tests.conftest import few


@pytest.mark.parametrize(
    ("given_correlations", "expected", "distance"),
    [
        ((1, 0, 1), (0.7606898534, 0.1572981061, 0.7606898534), 0.5277904636),
        ((0.9, -0.9, 0.9), (0.5, -0.5, 0.5), 0.9797958971),
    ],
)
@pytest.mark.parametrize("deviations", [(1, 1, 1), (0.5, 3e4, 2e-9)])
def test_vectors(given_correlations, expected, distance, deviations):
    scale = vector_of(np.outer(deviations, deviations))
    fixed = repair(matrix_of(np.array([1, 1, 1, *given_correlations]) * scale))
    assert fixed.changed
    assert fixed.distance == pytest.approx(distance, rel=1e-8)
    after = vector_of(fixed.after) / scale
    assert after == pytest.approx([1, 1, 1, *expected], rel=1e-8)
    assert np.array_equal(np.diag(fixed.after), np.diag(fixed.before))
    assert fixed.smallest_before < -0.1
    assert smallest(fixed.after) >= -1e-10


def smallest(matrix):
    """Return the smallest eigenvalue of its correlation matrix."""
    kept = np.diag(matrix) > 0
    roots = np.sqrt(np.diag(matrix)[kept])
    scaled = matrix[np.ix_(kept, kept)] / np.outer(roots, roots)
    return np.linalg.eigvalsh(scaled).min(initial=1.0)


def nearest_by_factors(correlations):
    """Return the distance found by minimizing over normalized factors."""
    d = len(correlations)

    def loss(x):
        factors = x.reshape(d, d)
        factors = factors / np.linalg.norm(factors, axis=1, keepdims=True)
        return ((factors @ factors.T - correlations) ** 2).sum()

    starts = np.random.default_rng(0).normal(size=(6, d * d))
    return min(optimize.minimize(loss, x, tol=1e-12).fun for x in starts) ** 0.5


@pytest.mark.parametrize("seed", few(1, *range(3)))
def test_nothing_possible_is_nearer(seed):
    rng = np.random.default_rng(seed)
    broken = matrix_of(np.concatenate([np.ones(4), rng.uniform(-1, 1, 6)]))
    fixed = repair(broken)
    assert fixed.changed
    assert fixed.distance == pytest.approx(nearest_by_factors(broken), rel=1e-5)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(2, 5).flatmap(
        lambda d: st.lists(st.floats(-5, 5), min_size=d * (d + 1) // 2, max_size=d * (d + 1) // 2)
    )
)
def test_any_symmetric_matrix_becomes_possible(values):
    before = matrix_of(values)
    fixed = repair(before)
    assert np.array_equal(fixed.before, before)
    assert np.array_equal(fixed.after, fixed.after.T)
    largest = max(np.abs(fixed.after).max(), 1e-300)
    assert np.linalg.eigvalsh(fixed.after / largest)[0] >= -1e-10
    assert np.array_equal(np.diag(fixed.after), np.maximum(np.diag(before), 0))
    again = repair(fixed.after)
    assert again.after == pytest.approx(fixed.after, rel=1e-9, abs=1e-9 * largest)
    if not fixed.changed:
        assert np.array_equal(fixed.after, before)
        assert fixed.distance == 0


@pytest.mark.parametrize("key", few(1, "truncated-published", "bit", "truncated"))
def test_two_bounded_columns_never_need_it_and_three_do(key):
    rng = np.random.default_rng(2)
    two = CovarianceRelease(widths=(8.0, 16.0), people=50, key=key, epsilon=1.0)
    for drawn in two.simulate([1.0, 4.0, 1.8], rng=rng, size=(60,)):
        assert not repair(matrix_of(drawn)).changed
    three = CovarianceRelease(widths=(8.0, 8.0, 8.0), people=200, key=key, epsilon=1.0)
    true = [1.0, 1.0, 1.0, 0.9, 0.8, 0.9]
    drawn = three.simulate(true, rng=rng, size=(40,))
    fixed = [repair(matrix_of(values)) for values in drawn]
    changed = sum(one.changed for one in fixed)
    assert 0 < changed < 40
    assert all(smallest(one.after) >= -1e-10 for one in fixed)


@pytest.mark.parametrize(
    "matrix", [[[1.0, 2.0]], [1.0, 2.0], [[1.0, 0.1], [0.2, 1.0]], [[1.0, np.nan], [np.nan, 1]]]
)
def test_domain(matrix):
    with pytest.raises(ParameterError, match="square, symmetric and finite"):
        repair(matrix)
