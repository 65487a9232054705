"""People who come, change or leave together: formulas against refits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.models.metrics import DEMOCRATIC, FISHER, ISOTROPIC
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import fit_ridge
from dpcore.models.ridge_influence import additions, group_removals, removals, substitutions
from tests.models.regression_tables import NUMBERS, TEN, solved, tables

HALF = Penalty(strength=0.5)
METRICS = st.sampled_from([ISOTROPIC, FISHER, DEMOCRATIC])


def test_vector_of_a_substitution():
    fit = fit_ridge(TEN, NUMBERS, penalty=HALF)
    moved = substitutions(fit, (np.array([1.0, -2.0, 1.0]), -1.5))
    assert moved[9] == pytest.approx(0.383159533709, rel=1e-11)


def test_vector_of_a_group():
    fit = fit_ridge(TEN, NUMBERS, penalty=HALF)
    codes = np.zeros(10, dtype=np.intp)
    codes[[2, 7, 9]] = 1
    expected = np.linalg.norm([-0.1666032444, -0.2986821565, -0.028914495])
    moved = group_removals(fit, codes)
    assert moved[1] == pytest.approx(expected, rel=1e-9)
    others = solved(TEN[[2, 7, 9]], NUMBERS[[2, 7, 9]], np.full(3, 0.5))
    assert moved[0] == pytest.approx(np.linalg.norm(fit.theta - others), rel=1e-12)


@settings(deadline=None, max_examples=25)
@given(tables(), METRICS, st.booleans(), st.sampled_from([0.2, 5.0]))
def test_leaving_undoes_coming(table, metric, per_person, strength):
    x, y = table
    penalty = Penalty(strength=strength, per_person=per_person)
    before = fit_ridge(x[:-1], y[:-1], penalty=penalty)
    after = fit_ridge(x, y, penalty=penalty)
    come = additions(before, x[-1:], y[-1:])
    assert come[0] == pytest.approx(removals(after).move[-1], rel=1e-9, abs=1e-11)
    exact = metric.lengths(before.theta - after.theta, before.factor)
    come = additions(before, x[-1:], y[-1:], metric)
    assert come[0] == pytest.approx(exact, rel=1e-9, abs=1e-11)


@settings(deadline=None, max_examples=25)
@given(tables(), METRICS, st.booleans(), st.integers(0, 2**32))
def test_substitutions_are_those_of_refits(table, metric, per_person, seed):
    x, y = table
    penalty = Penalty(strength=0.3, per_person=per_person)
    fit = fit_ridge(x, y, penalty=penalty)
    rng = np.random.default_rng(seed)
    record = rng.normal(size=x.shape[1]), rng.normal()
    moved = substitutions(fit, record, metric)
    for person in (0, len(y) - 1):
        others = x.copy(), y.copy()
        others[0][person], others[1][person] = record
        theta = solved(*others, penalty.diagonal(x.shape[1], len(y)))
        exact = metric.lengths(fit.theta - theta, fit.factor)
        assert moved[person] == pytest.approx(exact, rel=1e-9, abs=1e-10)


@settings(deadline=None, max_examples=25)
@given(tables(), METRICS, st.integers(0, 2**32))
def test_groups_are_left_out_together(table, metric, seed):
    x, y = table
    fit = fit_ridge(x, y, penalty=Penalty(strength=0.3))
    codes = np.random.default_rng(seed).integers(0, 4, size=len(y))
    moved = group_removals(fit, codes, metric)
    assert len(moved) == codes.max() + 1
    for group in range(len(moved)):
        rest = codes != group
        theta = solved(x[rest], y[rest], np.full(x.shape[1], 0.3))
        exact = metric.lengths(fit.theta - theta, fit.factor)
        assert moved[group] == pytest.approx(exact, rel=1e-8, abs=1e-10)
