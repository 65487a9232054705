"""Laws of released models: their moments, and what the perturbed minimum solves."""

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.models.diagnostics import diagnose
from dpcore.models.glm import fit_glm
from dpcore.models.loss_functions import Huber, Logistic, Poisson
from dpcore.models.metrics import DEMOCRATIC, FISHER, Metric
from dpcore.models.model_mechanisms.adaptive_posterior import AdaptivePosterior
from dpcore.models.model_mechanisms.model_mechanism import ModelMechanism
from dpcore.models.model_mechanisms.noisy_coefficients import NoisyFit
from dpcore.models.model_mechanisms.perturbed_objective import PerturbedObjective
from dpcore.models.model_mechanisms.posterior_samples import SampledFit
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import fit_ridge
from tests.models.ten_people import T, X, Y

FIXED = Metric.fixed([[2.0, 0.3, 0.0], [0.3, 1.0, 0.0], [0.0, 0.0, 4.0]])


@pytest.mark.parametrize(
    ("law", "precision"),
    [
        (NoisyFit(gamma=4.0), lambda _: 4 * np.eye(3)),
        (NoisyFit(gamma=4.0, metric=FIXED), lambda _: 4 * FIXED.matrix),
        (NoisyFit(gamma=4.0, metric=FISHER), lambda h: 4 * h),
        (NoisyFit(gamma=4.0, metric=DEMOCRATIC), lambda h: 4 * h @ h),
        (SampledFit(gamma=4.0), lambda h: 4 * h),
        (SampledFit(gamma=4.0, samples=5), lambda h: 20 * h),
        (PerturbedObjective(sigma=0.5), lambda h: 4 * h @ h),
    ],
)
def test_simulated_releases_have_the_covariance_of_their_law(law, precision):
    fit = fit_ridge(X, Y, penalty=Penalty(strength=0.5))
    drawn = law.simulations(fit, rng=np.random.default_rng(1), draws=20_000)
    root = np.linalg.cholesky(precision(fit.factor.hessian))
    whitened = (drawn - fit.theta) @ root
    np.testing.assert_allclose(whitened.mean(axis=0), 0, atol=0.04)
    np.testing.assert_allclose(np.cov(whitened.T), np.eye(3), atol=0.05)


@pytest.mark.parametrize("loss", [Logistic(), Poisson(), Huber(k=0.3)])
def test_perturbed_minimum_makes_the_perturbed_gradient_vanish(loss):
    fit = fit_glm(X, T, loss=loss, penalty=Penalty(strength=1.0))
    pull = np.array([1.5, -0.7, 2.0])
    theta = fit.pulled(pull)
    slopes = loss.slope(X @ theta, T)
    np.testing.assert_allclose(X.T @ slopes + theta + pull, 0, atol=1e-9)
    np.testing.assert_allclose(fit.pulled(np.zeros(3)), fit.theta, atol=1e-9)


def test_laws_refuse_nonsense():
    for wrong in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ParameterError, match="gamma must lie"):
            NoisyFit(gamma=wrong)
        with pytest.raises(ParameterError, match="sigma must lie"):
            PerturbedObjective(sigma=wrong)
    with pytest.raises(ParameterError, match="number of samples"):
        SampledFit(gamma=1.0, samples=0)
    fit = fit_glm(X, T, loss=Logistic(), penalty=Penalty(strength=1.0))
    with pytest.raises(ParameterError, match="only a linear model"):
        SampledFit(gamma=1.0).simulations(fit, rng=np.random.default_rng(0))


def test_a_law_that_leaves_an_answer_out_cannot_be_made():
    class Silent(ModelMechanism):
        noise = 1.0
        losses = NoisyFit.losses

    with pytest.raises(TypeError, match=r"at.*error.*transformed"):
        Silent()


def test_a_law_in_two_steps_refuses_what_is_drawn_first():
    law = AdaptivePosterior(epsilon=1.0, delta=1e-6, people=10, columns=3)
    fit = fit_ridge(X, Y, penalty=Penalty(strength=0.5))
    for ask in (
        lambda: law.at(1.0),
        lambda: law.error(fit),
        lambda: law.transformed(fit, np.zeros((1, 3))),
    ):
        with pytest.raises(ParameterError, match="two steps"):
            ask()


def test_diagnostics_see_separation_unique_people_and_dependence():
    one = np.column_stack([np.ones(6), [0.0, 0, 0, 0, 0, 1]])
    lonely = diagnose(fit_ridge(one, np.arange(6.0), penalty=Penalty(strength=0.0)))
    assert lonely.unique == 1
    assert lonely.largest_leverage == pytest.approx(1)
    x = np.column_stack([np.ones(8), np.linspace(-1, 1, 8)])
    split = fit_glm(x, (x[:, 1] > 0) * 1.0, loss=Logistic(), penalty=Penalty(strength=0.1))
    assert diagnose(split).separated
    assert not diagnose(fit_glm(X, T, loss=Logistic(), penalty=Penalty(strength=1.0))).separated
    near = np.column_stack([np.ones(50), np.linspace(0, 1, 50), np.linspace(0, 1, 50)])
    near[0, 2] += 1e-7
    found = diagnose(fit_ridge(near, near[:, 1], penalty=Penalty(strength=0.0)))
    assert found.condition > 1e10


def test_explained_share_is_that_of_the_definition():
    fit = fit_ridge(X, Y, penalty=Penalty(strength=0.0))
    residuals = Y - X @ fit.theta
    by_hand = 1 - (residuals**2).sum() / ((Y - Y.mean()) ** 2).sum()
    assert diagnose(fit).explained == pytest.approx(by_hand, rel=1e-12)
    nothing = fit_glm(X[:, :1], T, loss=Logistic(), penalty=Penalty(strength=0.0))
    assert diagnose(nothing).explained == pytest.approx(0, abs=1e-9)
    assert diagnose(nothing).gradient < 1e-9
    same = fit_ridge(X, np.ones(10), penalty=Penalty(strength=1.0))
    assert np.isnan(diagnose(same).explained)


def test_a_huber_fit_is_diagnosed_where_no_single_constant_is_best():
    y = np.repeat([-1.0, 1.0], 15)
    x = np.column_stack([np.ones(30), y])
    fit = fit_glm(x, y, loss=Huber(k=0.1), penalty=Penalty(strength=0.1))
    by_hand = 1 - float(fit.loss.value(fit.predictions, y).sum()) / float(
        fit.loss.value(np.zeros(30), y).sum()
    )
    assert diagnose(fit).explained == pytest.approx(by_hand, rel=1e-9)
