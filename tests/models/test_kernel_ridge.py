"""Kernel ridge without each person, against fits without them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.models.kernel_ridge import kernel_removals
from dpcore.models.penalty import Penalty
from dpcore.models.removals import removals
from dpcore.models.ridge import fit_ridge
from tests.models.regression_tables import NUMBERS, TEN


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32), st.integers(2, 25), st.sampled_from([0.05, 1.0, 40.0]))
def test_changes_are_those_of_refits(seed, people, strength):
    rng = np.random.default_rng(seed)
    points, y = rng.normal(size=(people, 2)), rng.normal(size=people)
    gaps = points[:, np.newaxis] - points
    kernel = np.exp(-(gaps**2).sum(axis=-1) / 2)
    found = kernel_removals(kernel, y, strength=strength)
    weights = np.linalg.solve(kernel + strength * np.eye(people), y)
    assert found.fitted == pytest.approx(kernel @ weights, rel=1e-9, abs=1e-11)
    for person in range(people):
        rest = np.delete(np.arange(people), person)
        other = np.zeros(people)
        smaller = kernel[np.ix_(rest, rest)] + strength * np.eye(people - 1)
        other[rest] = np.linalg.solve(smaller, y[rest])
        change = kernel @ (weights - other)
        assert found.changes[:, person] == pytest.approx(change, rel=1e-9, abs=1e-10)
        missed = y[person] - kernel[person] @ other
        assert found.residuals[person] == pytest.approx(missed, rel=1e-9, abs=1e-10)
        norm = np.sqrt((weights - other) @ kernel @ (weights - other))
        assert found.shifts[person] == pytest.approx(norm, rel=1e-7, abs=1e-9)


def test_a_linear_kernel_is_ridge_regression():
    kernel = kernel_removals(TEN @ TEN.T, NUMBERS, strength=0.5)
    ridge = removals(fit_ridge(TEN, NUMBERS, penalty=Penalty(strength=0.5)))
    assert kernel.residuals == pytest.approx(ridge.residuals, rel=1e-12)
    assert kernel.shifts == pytest.approx(ridge.shifts, rel=1e-12)


@pytest.mark.parametrize(
    ("kernel", "y", "strength", "match"),
    [
        (np.eye(2), [1.0, 2.0], 0.0, "penalty"),
        (np.eye(2), [1.0, 2.0], np.inf, "penalty"),
        (np.eye(3), [1.0, 2.0], 1.0, "row for each target"),
        (np.empty((0, 0)), [], 1.0, "row for each target"),
        ([[1.0, 0.5], [0.4, 1.0]], [1.0, 2.0], 1.0, "symmetric"),
        ([[1.0, np.nan], [np.nan, 1.0]], [1.0, 2.0], 1.0, "finite"),
        ([[1.0, 2.0], [2.0, 1.0]], [1.0, 2.0], 1.0, "negative eigenvalue"),
    ],
)
def test_domain(kernel, y, strength, match):
    with pytest.raises(ParameterError, match=match):
        kernel_removals(np.array(kernel), np.array(y), strength=strength)
