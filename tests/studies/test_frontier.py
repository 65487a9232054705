"""Privacy against accuracy of a released model."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.errors import ParameterError
from dpcore.models.design import Design
from dpcore.models.glm import fit_glm
from dpcore.models.kinds import ModelKind
from dpcore.models.losses import Huber, Logistic, Poisson
from dpcore.models.penalty import Penalty
from dpcore.models.posterior_sampling import PosteriorPairs
from dpcore.models.release_laws import simulate
from dpcore.models.removals import removals
from dpcore.models.ridge import fit_ridge
from dpcore.privacy import gaussian
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.releases.model_question import ModelQuestion
from dpcore.releases.model_request import ModelRequest
from dpcore.studies.individual.frontier import drawable, frontier, varied
from dpcore.studies.individual.model_accuracy import accuracy, noise_error

PEOPLE, COLUMNS = 400, 4
DELTA = 1e-6


def table(people=PEOPLE, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((people, COLUMNS))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    truth = np.array([0.5, -0.3, 0.2, 0.1])
    return x, np.clip(x @ truth + 0.1 * rng.standard_normal(people), -1, 1), rng


def number(name):
    return Column(
        name=name, kind=ColumnKind.NUMBER, bounds=Interval(lower=-1.0, upper=1.0)
    )


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
    return ModelRequest(
        question=question, mechanism_key=key, epsilon=1.0, delta=DELTA, **named
    )


def ridge(strength, people=PEOPLE):
    x, y, _ = table(people)
    return fit_ridge(x, y, penalty=Penalty(strength=strength))


def test_without_a_penalty_a_sample_costs_one_over_gamma_sigma_squared():
    # Wang 2019, proposition 16: the ratio to the limit is exactly 1 + 1/(gamma s^2).
    fit = ridge(0.0)
    asked = request("posterior", strength=0.0, gamma=3.0)
    before = accuracy(fit)
    assert before.shrinkage == 0
    assert before.variance == pytest.approx(before.cramer_rao, rel=1e-10)
    variance = np.sum(fit.residuals**2) / (PEOPLE - COLUMNS)
    ratio = 1 + noise_error(asked.law, fit) / before.cramer_rao
    assert ratio == pytest.approx(1 + 1 / (3.0 * variance), rel=1e-10)


@pytest.mark.parametrize("key", ["posterior", "output", "output-fisher"])
def test_noise_error_is_that_of_simulated_releases(key):
    fit = ridge(5.0)
    asked = request(key, strength=5.0, gamma=2.0)
    rng = np.random.default_rng(3)
    drawn = simulate(asked.law, fit, rng=rng, draws=20_000)
    squares = np.sum((drawn - fit.theta) ** 2, axis=1)
    error = squares.std() / math.sqrt(len(squares))
    assert abs(squares.mean() - noise_error(asked.law, fit)) < 4 * error


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
    thetas = np.array([fit.theta for fit in fits])
    variance = float(np.sum(thetas.var(axis=0, ddof=1)))
    claimed = np.mean([accuracy(fit).variance for fit in fits])
    # The variance of 60 draws of 4 numbers is known to about a tenth.
    assert claimed == pytest.approx(variance, rel=0.4)
    limit = accuracy(fits[0]).cramer_rao
    assert math.isnan(limit) if isinstance(loss, Huber) else limit > 0


@pytest.mark.parametrize("key", ["posterior", "output", "output-fisher"])
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
        return gaussian.epsilon_of(math.sqrt(asked.gamma) * left.shifts, DELTA)
    pairs = PosteriorPairs.of_newcomers(
        leverage=left.outside_leverages, residual=left.residuals, gamma=asked.gamma
    )
    return pairs.epsilon(DELTA)


def test_another_penalty_or_fewer_people_keep_the_precision():
    fit = ridge(20.0)
    asked = request("output", strength=20.0)
    rng = np.random.default_rng(0)
    changed, other = varied(asked, fit, strength=5.0, people=100, rng=rng)
    assert changed.law.gamma == asked.law.gamma
    assert changed.question.most_people == other.people == 100
    assert other.penalty.strength == 5.0
    same, again = varied(asked, fit, strength=20.0, people=PEOPLE, rng=rng)
    np.testing.assert_allclose(again.theta, fit.theta, rtol=1e-12)
    assert same.guarantee == pytest.approx(asked.guarantee, rel=1e-6)
    with pytest.raises(ParameterError, match="number of people"):
        varied(asked, fit, strength=5.0, people=0, rng=rng)


def test_releases_without_a_fast_loss_are_refused():
    asked = request("objective", strength=20.0, gamma=1.0)
    assert not drawable(asked.law)
    with pytest.raises(ParameterError, match="frontier is known for"):
        frontier(asked, ridge(20.0))
