"""Privacy against accuracy of a released model."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dpcore.analyses.model import ModelRequest
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import ParameterError
from dpcore.individual.generalization import sampled_variation
from dpcore.individual.model_losses import laws_of_model, leaving
from dpcore.models.design import Design
from dpcore.models.glm import fit_glm
from dpcore.models.loss_functions import Huber, Logistic, ModelKind, Poisson
from dpcore.models.model_mechanisms.noisy_coefficients import NoisyFit
from dpcore.models.model_mechanisms.perturbed_objective import PerturbedObjective
from dpcore.models.penalty import Penalty
from dpcore.models.question import ModelQuestion
from dpcore.models.ridge import fit_ridge
from dpcore.models.ridge_influence import removals
from dpcore.models.shrinkage import plain_fit
from dpcore.privacy import gaussian
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.studies.individual.frontier import accuracy, frontier, varied
from tests.conftest import few
from tests.models.plain_pairs import PosteriorPairs

PEOPLE, COLUMNS = 400, 4
DELTA = 1e-6


def table(people=PEOPLE, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((people, COLUMNS))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    truth = np.array([0.5, -0.3, 0.2, 0.1])
    return x, np.clip(x @ truth + 0.1 * rng.standard_normal(people), -1, 1), rng


def number(name):
    return Column(name=name, kind=ColumnKind.NUMBER, bounds=Interval(lower=-1.0, upper=1.0))


def request(key, *, strength, people=PEOPLE, **named):
    features = tuple(number(f"x{k}") for k in range(COLUMNS))
    question = ModelQuestion(
        design=Design(target=number("y"), features=features, intercept=False),
        model=ModelKind.LINEAR,
        penalty=Penalty(strength=strength),
        relation=NeighboringRelation.ADD_REMOVE,
        unit=PrivacyUnit(),
        most_people=people,
    )
    return ModelRequest(question=question, mechanism_key=key, epsilon=1.0, delta=DELTA, **named)


def ridge(strength, people=PEOPLE):
    x, y, _ = table(people)
    return fit_ridge(x, y, penalty=Penalty(strength=strength))


def test_without_a_penalty_a_sample_costs_one_over_gamma_sigma_squared():
    # Wang 2019, proposition 16: the ratio to the limit is exactly 1 + 1/(gamma s^2).
    fit = ridge(0.0)
    asked = request("posterior", strength=0.0, gamma=3.0)
    before = accuracy(fit, fit)
    assert before.shrinkage == 0
    assert before.variance == pytest.approx(before.cramer_rao, rel=1e-10)
    variance = np.sum(fit.residuals**2) / (PEOPLE - COLUMNS)
    ratio = 1 + asked.law.error(fit) / before.cramer_rao
    assert ratio == pytest.approx(1 + 1 / (3.0 * variance), rel=1e-10)


@pytest.mark.parametrize("key", ["posterior", "output", "output-fisher"])
def test_noise_error_is_that_of_simulated_releases(key):
    fit = ridge(5.0)
    asked = request(key, strength=5.0, gamma=2.0)
    rng = np.random.default_rng(3)
    drawn = asked.law.simulations(fit, rng=rng, draws=20_000)
    squares = np.sum((drawn - fit.theta) ** 2, axis=1)
    error = squares.std() / math.sqrt(len(squares))
    assert abs(squares.mean() - asked.law.error(fit)) < 4 * error


@pytest.mark.parametrize(
    ("loss", "target"),
    [
        (Logistic(), lambda eta, rng: rng.random(len(eta)) < 1 / (1 + np.exp(-eta))),
        (Poisson(), lambda eta, rng: rng.poisson(np.exp(eta))),
        (Huber(k=0.1), lambda eta, rng: eta + 0.2 * rng.standard_normal(len(eta))),
    ],
)
def test_error_of_a_fit_is_that_of_fits_to_new_targets(loss, target):
    x, _, rng = table(2000)
    truth = np.array([0.5, -0.3, 0.2, 0.1])
    fits = [
        fit_glm(x, np.asarray(target(x @ truth, rng), float), loss=loss, penalty=p)
        for p in [Penalty(strength=1.0)] * 60
    ]
    variance = float(np.sum(np.array([fit.theta for fit in fits]).var(axis=0, ddof=1)))
    plain = [plain_fit(fit) for fit in fits]
    parts = [accuracy(*pair) for pair in zip(fits, plain, strict=True)]
    claimed = np.mean([part.variance for part in parts])
    # The variance of 60 draws of 4 numbers is known to about a tenth.
    assert claimed == pytest.approx(variance, rel=0.4)
    limit = parts[0].cramer_rao
    assert math.isnan(limit) if isinstance(loss, Huber) else limit > 0


@pytest.mark.parametrize("key", few(1, "posterior", "output", "output-fisher"))
def test_less_noise_is_more_accurate_and_less_private(key):
    found = frontier(request(key, strength=20.0, gamma=1.0), ridge(20.0))
    assert np.all(np.diff(found.error) < 0)
    assert np.all(found.error > found.without_noise)
    for loss in (found.maximum, found.mean):
        assert np.all(np.diff(loss) > 0)
    assert np.all(found.mean <= found.maximum)
    if key == "output-fisher":
        assert np.isinf(found.guarantee).all()
    else:
        assert np.all(found.maximum <= found.guarantee)
        promised = replace(request(key, strength=20.0), gamma=1.0).guarantee
        assert found.at(found.guarantee) == pytest.approx(promised, rel=1e-6)
    assert found.at(found.gamma) == pytest.approx(1.0)


def test_losses_are_those_of_everybody_in_a_large_table():
    people = 9000
    fit = ridge(20.0, people)
    for key in ("posterior", "output"):
        asked = request(key, strength=20.0, people=people, gamma=1.0)
        found = frontier(asked, fit)
        exact = everybody(asked, fit)
        assert found.at(found.maximum) == pytest.approx(exact.max(), rel=1e-9)
        assert found.at(found.mean) == pytest.approx(exact.mean(), rel=2e-3)


def everybody(asked, fit):
    left = removals(fit)
    if asked.mechanism_key == "output":
        return gaussian.epsilon_of(math.sqrt(asked.gamma) * left.move, DELTA)
    pairs = PosteriorPairs.of_newcomers(
        leverage=left.outside, residual=left.residual, gamma=asked.gamma
    )
    return pairs.epsilon(DELTA)


def test_another_penalty_or_fewer_people_keep_the_precision():
    fit = ridge(20.0)
    asked = request("output", strength=20.0)
    rng = np.random.default_rng(0)
    changed, other = varied(asked, fit, strength=5.0, people=100, rng=rng)
    assert changed.law.gamma == pytest.approx(asked.law.gamma, rel=1e-12)
    assert changed.question.most_people == other.people == 100
    assert other.penalty.strength == 5.0
    same, again = varied(asked, fit, strength=20.0, people=PEOPLE, rng=rng)
    np.testing.assert_allclose(again.theta, fit.theta, rtol=1e-12)
    assert same.guarantee == pytest.approx(asked.guarantee, rel=1e-6)
    with pytest.raises(ParameterError, match="number of people"):
        varied(asked, fit, strength=5.0, people=0, rng=rng)


def test_releases_without_a_fast_loss_are_refused():
    asked = request("adaptive", strength=20.0)
    assert asked.law.precision is None
    with pytest.raises(ParameterError, match="adaptive sample is not known"):
        frontier(asked, ridge(20.0))
    with pytest.raises(ParameterError, match="cannot be kept"):
        varied(asked, ridge(20.0), strength=1.0, people=9, rng=np.random.default_rng())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "named"), few(1, ("posterior", {"samples": 4}), ("objective", {"gamma": 0.05}))
)
def test_slow_losses_are_those_of_everybody_at_each_precision(key, named):
    fit = ridge(60.0, people=40)
    asked = request(key, strength=60.0, people=40, **named)
    found = frontier(asked, fit)
    assert found.sampled == found.people == 40
    for place in (0, 12, 24):
        at = replace(asked, gamma=float(found.gamma[place]))
        exact = leaving(at.law, fit, delta=DELTA, rng=np.random.default_rng(0)).epsilon
        assert found.maximum[place] == pytest.approx(exact.max(), rel=1e-2)
        assert found.mean[place] == pytest.approx(exact.mean(), rel=1e-2)
    assert found.here == pytest.approx(asked.law.noise**-2)
    assert (np.diff(found.error) < 0).all()
    draws = asked.law.simulations(fit, rng=np.random.default_rng(0), draws=4000)
    spread = ((draws - fit.theta) ** 2).sum(axis=1).mean()
    assert asked.law.error(fit) == pytest.approx(spread, rel=0.1)


def test_total_variation_of_a_perturbed_objective_is_that_of_its_draws():
    fit = ridge(2.0, people=30)
    law = PerturbedObjective(sigma=1.5)
    people = {"epsilon": np.zeros(30), "delta": DELTA}
    got = sampled_variation(law, fit, rng=np.random.default_rng(0), **people)
    assert not got.sampled
    exact = [laws_of_model(fit, law, k).delta(np.zeros(1))[0] for k in range(30)]
    np.testing.assert_allclose(got.variation, exact, rtol=1e-6)
    asked = NoisyFit(gamma=1.0)
    assert sampled_variation(asked, fit, rng=np.random.default_rng(0), **people) is None
