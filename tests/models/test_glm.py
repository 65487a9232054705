"""Nonlinear fits have no gradient left, and say so where there is no best one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from dpcore.errors import DataError, ParameterError
from dpcore.models.glm import fit_glm
from dpcore.models.loss_functions import Huber, Logistic, Poisson
from dpcore.models.penalty import Penalty
from tests.models.regression_tables import ANSWERS, COUNTS, NUMBERS, TEN

ONE = Penalty(strength=1.0)
FREE = Penalty(strength=0.0)


@settings(deadline=None, max_examples=40)
@given(
    st.sampled_from([Logistic(), Poisson(), Huber(k=0.3), Huber(k=5.0)]),
    st.floats(-4, 4),
    st.sampled_from([0.0, 1.0, 3.0]),
)
def test_derivatives(loss, eta, y):
    if isinstance(loss, Logistic):
        y = min(y, 1.0)
    eta, y, step = np.array([eta]), np.array([y]), 1e-5
    if isinstance(loss, Huber) and abs(abs(eta - y) - loss.k)[0] < 1e-4:
        return
    rise = (loss.value(eta + step, y) - loss.value(eta - step, y)) / (2 * step)
    assert loss.slope(eta, y) == pytest.approx(rise, abs=1e-8)
    bend = (loss.slope(eta + step, y) - loss.slope(eta - step, y)) / (2 * step)
    assert loss.curvature(eta, y) == pytest.approx(bend, abs=1e-6)
    assert abs(loss.slope(eta, y)[0]) <= loss.steepest
    assert loss.majorant(eta, y)[0] >= loss.curvature(eta, y)[0]


@settings(deadline=None, max_examples=25)
@given(
    st.integers(0, 2**32),
    st.sampled_from(["logistic", "poisson", "huber"]),
    st.sampled_from([0.03, 1.0, 20.0]),
    st.booleans(),
    st.booleans(),
)
def test_no_coefficients_are_better(seed, kind, strength, spared, per_person):
    rng = np.random.default_rng(seed)
    n, d = 40, 3
    x = np.column_stack([np.ones(n), rng.normal(size=(n, d - 1))])
    eta = x @ rng.normal(size=d)
    loss, y = {
        "logistic": (Logistic(), (rng.random(n) < 1 / (1 + np.exp(-eta))) * 1.0),
        "poisson": (Poisson(), rng.poisson(np.exp(eta)) * 1.0),
        "huber": (Huber(k=0.4), eta + rng.standard_t(2, size=n)),
    }[kind]
    if kind != "huber":
        y[0], y[1] = 0.0, 1.0  # so that an unpenalized intercept is finite
    penalty = Penalty(strength=strength, spares_first=spared, per_person=per_person)
    fit = fit_glm(x, y, loss=loss, penalty=penalty)
    diagonal = penalty.diagonal(d, n)

    def objective(theta):
        with np.errstate(over="ignore"):
            value = loss.value(x @ theta, y).sum()
        return value + (diagonal * theta * theta).sum() / 2

    best = optimize.minimize(objective, np.zeros(d), method="Nelder-Mead").fun
    assert objective(fit.theta) <= best * (1 + 1e-12)
    gradient = x.T @ loss.slope(x @ fit.theta, y) + diagonal * fit.theta
    assert np.linalg.norm(gradient) < 1e-9


@pytest.mark.parametrize(
    ("x", "y", "loss", "penalty"),
    [
        # Complete separation, by a feature and by the intercept.
        (TEN, (TEN[:, 1] > 0.2) * 1.0, Logistic(), FREE),
        (TEN, np.ones(10), Logistic(), Penalty(strength=1.0, spares_first=True)),
        # Quasi-complete: one value of a feature has both answers.
        (
            np.column_stack([np.ones(6), [0, 0, 0, 1, 1, 1]]),
            np.array([0.0, 1, 0, 1, 1, 1]),
            Logistic(),
            FREE,
        ),
        # Nobody in a group was counted.
        (
            np.column_stack([np.ones(6), [0, 0, 0, 1, 1, 1]]),
            np.array([3.0, 1, 2, 0, 0, 0]),
            Poisson(),
            FREE,
        ),
        # Linearly dependent features, for every loss.
        (TEN[:, [0, 1, 1]], ANSWERS, Logistic(), FREE),
        (TEN[:, [0, 1, 1]], COUNTS, Poisson(), FREE),
        (TEN[:, [0, 1, 1]], NUMBERS, Huber(k=0.5), FREE),
        # Every center between the two halves is as good.
        (np.ones((4, 1)), np.array([-9.0, -8.0, 8.0, 9.0]), Huber(k=0.5), FREE),
    ],
)
def test_no_single_best_fit(x, y, loss, penalty):
    with pytest.raises(DataError, match=r"penalty"):
        fit_glm(x, y, loss=loss, penalty=penalty)
    penalized = fit_glm(x, y, loss=loss, penalty=Penalty(strength=1e-3))
    assert np.isfinite(penalized.theta).all()


@pytest.mark.parametrize(
    ("y", "loss", "match"),
    [
        (COUNTS, Logistic(), "yes/no"),
        (NUMBERS, Poisson(), "counts"),
        (NUMBERS * np.nan, Huber(k=1.0), "numbers"),
    ],
)
def test_targets_that_a_loss_is_not_for(y, loss, match):
    with pytest.raises(ParameterError, match=match):
        fit_glm(TEN, y, loss=loss, penalty=ONE)


@pytest.mark.parametrize("k", [0.0, -1.0, np.inf, np.nan])
def test_domain_of_the_threshold(k):
    with pytest.raises(ParameterError, match="k must lie"):
        Huber(k=k)
