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
from dpcore.models import leverage_and_residual
from dpcore.models.design import Design
from dpcore.models.glm import fit_glm
from dpcore.models.loss_functions import Huber, Logistic, ModelKind, Poisson
from dpcore.models.model_mechanisms.noisy_coefficients import NoisyFit
from dpcore.models.model_mechanisms.perturbed_objective import PerturbedObjective
from dpcore.models.model_mechanisms.posterior_samples import SampledFit
from dpcore.models.penalty import Penalty
from dpcore.models.question import ModelQuestion
from dpcore.models.ridge import fit_ridge
from dpcore.models.ridge_influence import removals
from dpcore.models.shrinkage import plain_fit
from dpcore.privacy import gaussian
from dpcore.privacy.conversions import variation_bound
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


def test_a_perturbed_logistic_objective_has_its_theorem_and_bounds():
    x, _, rng = table()
    t = (rng.uniform(size=PEOPLE) < 0.5 + 0.4 * x[:, 0]).astype(float)
    fit = fit_glm(x, t, loss=Logistic(), penalty=Penalty(strength=20.0))
    yes = Column(name="yes", kind=ColumnKind.YES_NO, labels=("no", "yes"))
    plain = request("output", strength=20.0)
    question = replace(
        plain.question, design=replace(plain.question.design, target=yes), model=ModelKind.LOGISTIC
    )
    asked = ModelRequest(question=question, mechanism_key="objective", epsilon=1.0, delta=DELTA)
    found = frontier(asked, fit)
    assert found.at(found.guarantee) == pytest.approx(1.0, rel=1e-6)
    assert (np.diff(found.guarantee) >= 0).all()
    # The penalty alone takes as much, whatever the noise.
    assert found.guarantee[0] >= 2 * 0.25 / 20.0
    assert (found.maximum <= found.guarantee).all()
    assert (found.mean <= found.maximum * (1 + 1e-12)).all()


def test_total_variations_of_some_people_estimate_those_of_everybody():
    fit = ridge(40.0, people=2500)
    found = removals(fit)
    people = {"epsilon": np.zeros(2500), "delta": DELTA}
    one = SampledFit(gamma=3.0)
    some = sampled_variation(one, fit, rng=np.random.default_rng(0), **people)
    assert some.sampled
    assert len(some.variation) == 2000
    m, e = found.outside, np.sqrt(3.0) * np.abs(found.residual)
    everybody = leverage_and_residual.delta_of(m, e, 0.0)
    assert some.variation.mean() == pytest.approx(everybody.mean(), rel=0.05)
    more = sampled_variation(replace(one, samples=5), fit, rng=np.random.default_rng(0), **people)
    assert (more.variation >= some.variation).all()
    # A sum of T independent draws differs by at most T times as much.
    assert (more.variation <= 5 * some.variation + 1e-12).all()


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


def test_the_bound_on_total_variation_is_reached_by_two_answers():
    # Randomized response at epsilon: the laws (p, 1 - p) and (1 - p, p).
    epsilon = np.array([0.1, 1.0, 3.0])
    p = np.exp(epsilon) / (1 + np.exp(epsilon))
    np.testing.assert_allclose(variation_bound(epsilon, 0.0), 2 * p - 1)
    assert (variation_bound(epsilon, 0.1) > 2 * p - 1).all()


@pytest.mark.parametrize("loss", [None, Logistic(), Poisson()])
def test_penalty_is_an_error_and_no_limit_changes_with_it(loss):
    x, y, rng = table(2000)
    if loss is not None:
        mean = loss.slope(x @ np.array([0.9, -0.6, 0.4, 0.2]), np.zeros(2000))
        y = rng.poisson(mean) if isinstance(loss, Poisson) else rng.random(2000) < mean
    fits = [
        fit_ridge(x, y, penalty=Penalty(strength=s))
        if loss is None
        else fit_glm(x, np.asarray(y, float), loss=loss, penalty=Penalty(strength=s))
        for s in (1.4, 14, 140)
    ]
    parts = [accuracy(fit, plain_fit(fit)) for fit in fits]
    assert parts[0].cramer_rao == pytest.approx(parts[2].cramer_rao, rel=1e-9)
    shrunk = [part.shrinkage for part in parts]
    assert 0 < shrunk[0] < shrunk[1] < shrunk[2]
    # A plain fit has no pull: its gradient vanishes without a penalty.
    eta = x @ plain_fit(fits[2]).theta
    slopes = eta - y if loss is None else loss.slope(eta, np.asarray(y, float))
    np.testing.assert_allclose(x.T @ slopes, 0, atol=1e-6)


def test_more_penalty_is_more_error_without_noise():
    found = [
        frontier(request("output", strength=s, gamma=1e6), ridge(s)) for s in (2.0, 20.0, 200.0)
    ]
    levels = [each.without_noise for each in found]
    assert levels == sorted(levels)
    assert len({round(each.cramer_rao, 12) for each in found}) == 1
    for each in found:
        parts = each.penalty**2 + each.targets**2 + each.at(each.noise) ** 2
        assert each.at(each.error) ** 2 == pytest.approx(parts, rel=1e-9)


def test_without_a_single_plain_fit_only_the_noise_is_told():
    x, y, _ = table()
    fit = fit_ridge(np.column_stack([x, x[:, 0]]), y, penalty=Penalty(strength=5.0))
    features = tuple(number(f"x{k}") for k in range(COLUMNS + 1))
    asked = request("output", strength=5.0, gamma=1.0)
    design = replace(asked.question.design, features=features)
    asked = replace(asked, question=replace(asked.question, design=design))
    found = frontier(asked, fit)
    assert math.isnan(found.without_noise)
    assert math.isnan(found.cramer_rao)
    assert np.array_equal(found.error, found.noise)
