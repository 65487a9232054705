"""Approximate shifts of nonlinear models, and the refits that audit them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.models import glm_influence
from dpcore.models.glm import fit_glm
from dpcore.models.glm_influence import (
    audited_removals,
    chord_steps,
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


@pytest.mark.parametrize(("kind", "people"), [("logistic", 2000), ("Poisson", 1500)])
def test_each_step_comes_closer(kind, people):
    x, y, loss = model(kind, 1, people, 4)
    fit = fit_glm(x, y, loss=loss, penalty=Penalty(strength=0.5))
    steps = newton_steps(fit)
    most = np.sort(np.argsort(step_shifts(fit, steps))[-150:])
    most = most[steps.leverages[most] < 0.1]
    assert len(most) > 100  # more than are refitted together
    exact = exact_refits(fit, steps, most)
    once = fit.theta - steps.moves(x[most], most)
    twice = chord_steps(fit, steps, most, once)
    size = np.linalg.norm(fit.theta - exact, axis=1)
    errors = [(np.linalg.norm(thetas - exact, axis=1) / size).max() for thetas in (once, twice)]
    assert errors[0] < 0.05
    assert errors[0] > 5 * errors[1]


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


@pytest.mark.parametrize("loss", [Poisson(), Huber(k=0.5)])
def test_people_without_whom_there_is_no_fit(loss):
    alone = np.column_stack([TEN, np.arange(10) == 5])  # 3 counted, not 0
    y = COUNTS if isinstance(loss, Poisson) else NUMBERS
    fit = fit_glm(alone, y, loss=loss, penalty=Penalty(strength=0.0))
    audited = audited_removals(fit, rng=np.random.default_rng(0))
    assert audited.leverages[5] == pytest.approx(1, abs=1e-9)
    assert np.flatnonzero(np.isinf(audited.shifts)).tolist() == [5]
    held = fit_glm(alone, y, loss=loss, penalty=Penalty(strength=1e-3))
    assert np.isfinite(audited_removals(held, rng=np.random.default_rng(0)).shifts).all()


@pytest.mark.parametrize("per_person", [False, True])
def test_one_person(per_person):
    x, y = np.array([[1.0]]), np.array([1.0])
    penalty = Penalty(strength=1.0, per_person=per_person)
    fit = fit_glm(x, y, loss=Logistic(), penalty=penalty)
    audited = audited_removals(fit, rng=np.random.default_rng(0))
    assert audited.shifts == pytest.approx(np.abs(fit.theta))


def test_nobody_moves_a_fit_that_has_no_say():
    x, y = random_table(0, 20, 2)
    fit = fit_glm(0 * x, y, loss=Huber(k=1.0), penalty=Penalty(strength=1.0))
    audited = audited_removals(fit, rng=np.random.default_rng(0))
    assert audited.shifts.max() == 0
    assert audited.one_step_error == 0


def test_steps_beyond_the_reach_of_floats(monkeypatch):
    monkeypatch.setattr(glm_influence, "TOLERATED", 0.0)
    rng = np.random.default_rng(74)
    rng.integers(5, 20)
    x = rng.normal(size=(7, 2)) * 10 ** rng.uniform(1, 2.5)
    y = rng.poisson(np.exp(np.clip(x @ rng.normal(size=2), -8, 8))) * 1.0
    penalty = Penalty(strength=10 ** rng.uniform(-6, -2))
    fit = fit_glm(x, y, loss=Poisson(), penalty=penalty)
    steps = newton_steps(fit)
    started = fit.theta - steps.moves(x, np.arange(7))
    assert (x @ started.T).max() > 800
    for top in (7, 0):
        rng = np.random.default_rng(0)
        audited = audited_removals(fit, rng=rng, top=top, drawn=1)
        assert np.isfinite(audited.shifts).all()
        assert (audited.one_step_error > 0.05) is (top == 7)
        refits = exact_refits(fit, steps, audited.refitted)
        for person, theta in zip(audited.refitted, refits, strict=True):
            others = np.delete(x, person, axis=0), np.delete(y, person)
            again = fit_glm(*others, loss=Poisson(), penalty=fit.penalty)
            assert theta == pytest.approx(again.theta, rel=1e-7)


@pytest.mark.parametrize("seed", [1, 40, 58, 112])
def test_skewed_counts(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(60, 3)) * 5
    y = rng.poisson(np.exp(np.clip(x @ rng.normal(size=3), -8, 8))) * 1.0
    penalty = Penalty(strength=float(10 ** rng.uniform(-4, 2)))
    fit = fit_glm(x, y, loss=Poisson(), penalty=penalty)
    slopes = np.exp(x @ fit.theta) - y
    gradient = x.T @ slopes + penalty.strength * fit.theta
    assert np.linalg.norm(gradient) < 10 * fit.tolerance
    audited = audited_removals(fit, rng=rng, top=10, drawn=5)
    assert np.isfinite(audited.shifts).all()
