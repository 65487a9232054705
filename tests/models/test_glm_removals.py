"""Approximate shifts of nonlinear models, and the refits that audit them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.models import glm_influence
from dpcore.models.glm import fit_glm
from dpcore.models.glm_influence import (
    audited_removals,
    exact_refits,
    gradients_without,
    newton_steps,
    step_shifts,
)
from dpcore.models.loss_functions import Huber, Logistic, Poisson
from dpcore.models.metrics import DEMOCRATIC, FISHER, ISOTROPIC
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import fit_ridge
from dpcore.models.ridge_influence import removals
from tests.models.regression_tables import ANSWERS, COUNTS, NUMBERS, TEN, random_table

EVERYBODY = np.arange(10)
TEN_FITS = {
    "logistic": fit_glm(TEN, ANSWERS, loss=Logistic(), penalty=Penalty(strength=1.0)),
    "Poisson": fit_glm(TEN, COUNTS, loss=Poisson(), penalty=Penalty(strength=1.0)),
    "Huber": fit_glm(TEN, NUMBERS, loss=Huber(k=0.5), penalty=Penalty(strength=0.5)),
}


@pytest.mark.parametrize("name", TEN_FITS)
@pytest.mark.parametrize("metric", [ISOTROPIC, FISHER, DEMOCRATIC])
def test_audit_of_ten_people(name, metric):
    fit = TEN_FITS[name]
    audited = audited_removals(fit, metric, rng=np.random.default_rng(0))
    exact = metric.lengths(fit.theta - exact_refits(fit, newton_steps(fit), EVERYBODY), fit.factor)
    assert audited.refitted.tolist() == list(range(10))
    assert audited.shifts == pytest.approx(exact, rel=1e-12)
    error = np.abs(step_shifts(fit, newton_steps(fit), metric) / exact - 1).max()
    assert audited.one_step_error == pytest.approx(error, rel=1e-9)
    if metric is ISOTROPIC:
        assert (
            round(audited.one_step_error, 2)
            == {"logistic": 0.04, "Poisson": 0.15, "Huber": 0.67}[name]
        )
        assert np.isnan(audited.chord_error) is np.bool_(name == "logistic")


def model(kind, seed, n, d, *, noise=1.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) / np.sqrt(d)
    eta = x @ rng.normal(size=d)
    return {
        "logistic": (x, (rng.random(n) < 1 / (1 + np.exp(-2 * eta))) * 1.0, Logistic()),
        "Poisson": (x, rng.poisson(np.exp(eta)) * 1.0, Poisson()),
        "Huber": (x, eta + noise * rng.standard_t(3, size=n), Huber(k=1.0)),
    }[kind]


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from(["logistic", "Poisson", "Huber"]),
    st.integers(0, 2**32),
    st.sampled_from([0.1, 2.0]),
    st.booleans(),
)
def test_refits_are_fits_of_the_others(kind, seed, strength, per_person):
    x, y, loss = model(kind, seed, 30, 3)
    penalty = Penalty(strength=strength, per_person=per_person)
    fit = fit_glm(x, y, loss=loss, penalty=penalty)
    steps = newton_steps(fit)
    people = np.array([0, 7, 29])
    refits = exact_refits(fit, steps, people)
    for person, theta in zip(people, refits, strict=True):
        others = np.delete(x, person, axis=0), np.delete(y, person)
        again = fit_glm(*others, loss=loss, penalty=penalty)
        assert theta == pytest.approx(again.theta, rel=1e-8, abs=1e-9)
        gradient = others[0].T @ loss.slope(others[0] @ fit.theta, others[1])
        gradient += penalty.diagonal(3, 29) * fit.theta
        found = gradients_without(fit, np.array([person]), fit.theta[np.newaxis])
        assert found[0] == pytest.approx(gradient, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("per_person", [False, True])
def test_one_newton_step_is_exact_for_squares(per_person):
    penalty = Penalty(strength=0.1, per_person=per_person)
    fit = fit_glm(TEN, NUMBERS, loss=Huber(k=1e3), penalty=penalty)
    exact = removals(fit_ridge(TEN, NUMBERS, penalty=penalty), FISHER)
    steps = newton_steps(fit)
    assert step_shifts(fit, steps, FISHER) == pytest.approx(exact.move, rel=1e-10)
    assert steps.leverages == pytest.approx(exact.leverage, rel=1e-10)


def test_the_audit_takes_the_most_exposed_and_some_others(monkeypatch):
    x, y, loss = model("logistic", 2, 400, 3)
    fit = fit_glm(x, y, loss=loss, penalty=Penalty(strength=0.1))
    monkeypatch.setattr(glm_influence, "TOLERATED", 1e-6)
    audited = audited_removals(fit, rng=np.random.default_rng(1), top=2, drawn=7)
    steps = newton_steps(fit)
    once = step_shifts(fit, steps)
    exact = np.linalg.norm(fit.theta - exact_refits(fit, steps, np.arange(400)), axis=1)
    assert set(np.argsort(once)[-2:]) <= set(audited.refitted)
    assert 7 <= len(audited.refitted) <= 9
    refitted, twice = audited.refitted, audited.stepped_twice
    assert audited.shifts[refitted] == pytest.approx(exact[refitted], rel=1e-9)
    exposed = np.flatnonzero(once > once.max() / 2)
    assert set(twice) == set(exposed) - set(refitted)
    assert len(twice) > 0
    better = np.abs(audited.shifts[twice] / exact[twice] - 1)
    assert better.max() < np.abs(once[twice] / exact[twice] - 1).max()
    others = np.setdiff1d(np.arange(400), np.union1d(refitted, twice))
    assert np.array_equal(audited.shifts[others], once[others])
    assert audited.chord_error < audited.one_step_error


def test_no_audit_leaves_the_approximation():
    fit = TEN_FITS["logistic"]
    audited = audited_removals(fit, rng=np.random.default_rng(0), top=0, drawn=0)
    assert np.isnan(audited.one_step_error)
    assert audited.shifts == pytest.approx(step_shifts(fit, newton_steps(fit)), rel=1e-12)


def test_nobody_moves_a_fit_that_has_no_say():
    x, y = random_table(0, 20, 2)
    fit = fit_glm(0 * x, y, loss=Huber(k=1.0), penalty=Penalty(strength=1.0))
    audited = audited_removals(fit, rng=np.random.default_rng(0))
    assert audited.shifts.max() == 0
    assert audited.one_step_error == 0
