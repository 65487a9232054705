"""Everybody's leave-one-out shift is what a fit without the person says."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import DataError, ParameterError
from dpcore.models import factor
from dpcore.models.metrics import DEMOCRATIC, FISHER, ISOTROPIC, Metric
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import fit_ridge
from dpcore.models.ridge_influence import moves, removals
from tests.models.regression_tables import NUMBERS, TEN, solved, solved_without, tables

HALF = Penalty(strength=0.5)
SOME = Metric.fixed([[2.0, 0.3, 0.0], [0.3, 1.0, -0.2], [0.0, -0.2, 0.5]])


def lengths(moved, metric, hessian):
    matrix = {
        "isotropic": np.eye(len(hessian)),
        "Fisher": hessian,
        "democratic": hessian @ hessian,
    }.get(metric.shape.value, metric.matrix)
    return np.sqrt(np.einsum("ij,jk,ik->i", moved, matrix, moved))


@settings(deadline=None, max_examples=40)
@given(
    tables(),
    st.sampled_from([0.1, 1.0, 30.0]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([ISOTROPIC, FISHER, DEMOCRATIC, SOME]),
)
def test_shifts_are_those_of_refits(table, strength, per_person, spared, metric):
    x, y = table
    n, d = x.shape
    if metric is SOME and d != 3:
        metric = Metric.fixed(np.diag(np.arange(1.0, d + 1)))
    penalty = Penalty(strength=strength, spares_first=spared, per_person=per_person)
    fit = fit_ridge(x, y, penalty=penalty)
    others = solved_without(x, y, penalty.diagonal(d, n - 1))
    whole = solved(x, y, penalty.diagonal(d, n))
    assert fit.theta == pytest.approx(whole, rel=1e-11, abs=1e-12)
    left = removals(fit, metric)
    hessian = x.T @ x + np.diag(penalty.diagonal(d, n))
    exact = lengths(whole - others, metric, hessian)
    assert left.move == pytest.approx(exact, rel=1e-12, abs=1e-12 * exact.max())
    assert left.residual == pytest.approx(
        y - np.einsum("ij,ij->i", x, others), rel=1e-10, abs=1e-11
    )
    assert moves(fit, np.arange(n)) == pytest.approx(whole - others, rel=1e-10, abs=1e-11)


@settings(deadline=None, max_examples=25)
@given(tables(), st.floats(-6, 6), st.floats(-6, 6))
def test_units_do_not_matter(table, exponent_x, exponent_y):
    x, y = table
    a, b = 10.0**exponent_x, 10.0**exponent_y
    one = removals(fit_ridge(x, y, penalty=HALF))
    other = removals(fit_ridge(a * x, b * y, penalty=Penalty(strength=0.5 * a * a)))
    assert other.leverage == pytest.approx(one.leverage, rel=1e-8)
    assert other.move == pytest.approx(one.move * b / a, rel=1e-8, abs=1e-12 * b / a)


def test_a_unique_person_cannot_be_left_out_without_a_penalty():
    alone = np.column_stack([TEN, np.arange(10) == 4])
    free = removals(fit_ridge(alone, NUMBERS, penalty=Penalty(strength=0.0)))
    assert np.flatnonzero(free.alone).tolist() == [4]
    assert np.flatnonzero(np.isinf(free.move)).tolist() == [4]
    assert np.isnan(free.residual[4])
    weak = Penalty(strength=1e-12)
    fit = fit_ridge(alone, NUMBERS, penalty=weak)
    held = removals(fit)
    assert np.flatnonzero(held.alone).tolist() == [4]
    other = solved(np.delete(TEN, 4, axis=0), np.delete(NUMBERS, 4), np.zeros(3))
    gap = NUMBERS[4] - TEN[4] @ other
    assert held.residual[4] == pytest.approx(gap, rel=1e-6)
    exact = np.linalg.norm(fit.theta - np.append(other, 0.0))
    assert held.move[4] == pytest.approx(exact, rel=1e-6)
    assert moves(fit, np.array([4]))[0] == pytest.approx(
        fit.theta - np.append(other, 0.0), rel=1e-6, abs=1e-6
    )
    bare = fit_ridge(alone, NUMBERS, penalty=Penalty(strength=0.0))
    assert np.isnan(moves(bare, np.array([4]))).all()


def shift_in_many_digits(x, y, person):
    with mpmath.workdps(60):

        def theta(rows):
            a = mpmath.matrix([[mpmath.mpf(float(v)) for v in x[i]] for i in rows])
            b = mpmath.matrix([mpmath.mpf(float(y[i])) for i in rows])
            return mpmath.lu_solve(a.T * a, a.T * b)

        everybody = range(len(y))
        rest = [i for i in everybody if i != person]
        return float(mpmath.norm(theta(everybody) - theta(rest)))


@pytest.mark.parametrize(("offset", "tolerance"), [(1e2, 1e-9), (1e6, 1e-8)])
def test_huge_offsets_need_qr(offset, tolerance):
    x = TEN + np.array([0, offset, -3 * offset])
    fit = fit_ridge(x, NUMBERS, penalty=Penalty(strength=0.0))
    assert fit.factor.by_rows is (fit.factor.condition > factor.QR_ABOVE)
    assert fit.factor.by_rows is (offset > 1e3)
    shifts = removals(fit).move
    for person in (0, 9):
        exact = shift_in_many_digits(x, NUMBERS, person)
        assert shifts[person] == pytest.approx(exact, rel=tolerance)


@pytest.mark.parametrize(
    ("x", "y", "error"),
    [
        (TEN, NUMBERS[:9], ParameterError),
        (TEN[:, 0], NUMBERS, ParameterError),
        (TEN[:, :0], NUMBERS, ParameterError),
        (TEN * np.nan, NUMBERS, ParameterError),
        (TEN, NUMBERS * np.inf, ParameterError),
        (TEN * 1e200, NUMBERS, ParameterError),
        (TEN[:0], NUMBERS[:0], DataError),
    ],
)
def test_tables_that_cannot_be_fitted(x, y, error):
    with pytest.raises(error):
        fit_ridge(x, y, penalty=HALF)


@pytest.mark.parametrize("strength", [-1.0, np.inf, np.nan])
def test_domain_of_the_penalty(strength):
    with pytest.raises(ParameterError, match="penalty"):
        Penalty(strength=strength)


@pytest.mark.parametrize(
    "matrix", [[1.0], [[1.0, 0.0]], [[1.0, 0.1], [0.2, 1.0]], [[0.0]], [[-1.0]]]
)
def test_domain_of_the_norm(matrix):
    with pytest.raises(ParameterError, match="positive definite"):
        Metric.fixed(matrix)
