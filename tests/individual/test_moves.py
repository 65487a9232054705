"""Moving one record: update formulas against fits from scratch."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import DataError, ParameterError
from dpcore.individual.counterfactual import (
    move_in_glm,
    move_in_ridge,
    move_in_statistic,
    ridge_base,
)
from dpcore.individual.model_losses import evidence_of_release, laws_of_model, leaving
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.models.glm import fit_glm
from dpcore.models.loss_functions import Logistic
from dpcore.models.metrics import DEMOCRATIC, FISHER, Metric
from dpcore.models.model_mechanisms.noisy_coefficients import NoisyFit
from dpcore.models.model_mechanisms.perturbed_objective import PerturbedObjective
from dpcore.models.model_mechanisms.posterior_samples import SampledFit
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import fit_ridge
from dpcore.models.ridge_influence import removals
from dpcore.privacy import gaussian
from tests.conftest import few
from tests.models.plain_pairs import PerturbedPairs, PosteriorPairs
from tests.models.regression_tables import ANSWERS, NUMBERS, TEN, random_table
from tests.studies.test_one_person import AGES, exposed, mean
from tests.terms import ADD_REMOVE

DELTA = 1e-6
PENALTY = Penalty(strength=0.5)
SHAPED = Metric.fixed(np.diag([1.0, 2.0, 3.0]))
LAWS = {
    "noise": NoisyFit(gamma=4.0),
    "noise of a public shape": NoisyFit(gamma=4.0, metric=SHAPED),
    "noise shaped as H": NoisyFit(gamma=1.0, metric=FISHER),
    "noise shaped as H^2": NoisyFit(gamma=0.25, metric=DEMOCRATIC),
    "posterior": SampledFit(gamma=1.0),
    "objective": PerturbedObjective(sigma=2.0),
}


def everybodys(fit, law, people=slice(None)):
    """Everybody's loss by the functions of the models, from a fit from scratch."""
    if isinstance(law, NoisyFit) and law.metric.public:
        shifts = removals(fit, law.metric).move
        return gaussian.epsilon_of(np.sqrt(law.gamma) * shifts[people], DELTA)
    rows, residual = fit.features[people], fit.residuals[people]
    solved = fit.factor.solve(rows.T).T
    leverage = (solved * rows).sum(axis=1)
    perturbed = getattr(law, "metric", DEMOCRATIC) is DEMOCRATIC
    if perturbed and not isinstance(law, SampledFit):
        return PerturbedPairs.of_members(
            leverage=leverage,
            spread=(solved**2).sum(axis=1),
            square=(rows**2).sum(axis=1),
            residual=residual,
            sigma=law.noise,
        ).epsilon(DELTA)
    return PosteriorPairs.of_members(leverage=leverage, residual=residual, gamma=law.gamma).epsilon(
        DELTA
    )


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@pytest.mark.parametrize("person", [9, 3, None])
def test_everybody_after_a_move_is_as_in_a_new_fit(law, person):
    fit = fit_ridge(TEN, NUMBERS, penalty=PENALTY)
    x, y = np.array([1.0, -2.0, 1.5]), -1.25
    base = ridge_base(fit, law, np.arange(10), delta=DELTA)
    moved = move_in_ridge(base, law, person, (x, y), delta=DELTA)
    if person is None:
        features, target = np.vstack([TEN, x]), np.append(NUMBERS, y)
        others = np.arange(10)
    else:
        features, target = TEN.copy(), NUMBERS.copy()
        features[person], target[person] = x, y
        others = np.delete(np.arange(10), person)
    before = everybodys(fit, law)
    after = everybodys(fit_ridge(features, target, penalty=PENALTY), law)
    assert moved.before == pytest.approx(before[others], rel=1e-8)
    assert moved.after == pytest.approx(after[others], rel=1e-8)
    last = 10 if person is None else person
    assert moved.own_after == pytest.approx(after[last], rel=1e-8)
    if person is None:
        assert np.isnan(moved.own_before)
    else:
        assert moved.own_before == pytest.approx(before[person], rel=1e-8)
    assert moved.rising == np.count_nonzero(after[others] > before[others] * (1 + 1e-6))
    assert moved.rising + moved.falling <= moved.watched == len(others)


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.floats(-3, 3), st.floats(0.01, 100))
def test_updates_hold_for_any_table_and_a_part_of_the_people(seed, y, strength):
    features, target = random_table(seed, 30, 3)
    law = NoisyFit(gamma=1.0)
    penalty = Penalty(strength=strength)
    fit = fit_ridge(features, target, penalty=penalty)
    watched = np.array([1, 4, 7, 20])
    x = features[0] * 2
    moved = move_in_ridge(ridge_base(fit, law, watched, delta=DELTA), law, 4, (x, y), delta=DELTA)
    features[4], target[4] = x, y
    after = everybodys(fit_ridge(features, target, penalty=penalty), law)
    assert moved.after == pytest.approx(after[[1, 7, 20]], rel=1e-6, abs=1e-9)
    assert moved.own_after == pytest.approx(after[4], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("away", [1e-7, 1e-11])
def test_everybody_has_one_loss_whoever_asks(away, rows):
    features = np.vstack([np.diag([1.0, 1.0]), [0.0, 0.5]])
    target, penalty = np.array([0.4, -0.2, 0.3]), Penalty(strength=away)
    fit = fit_ridge(features, target, penalty=penalty)
    for law in (LAWS["noise"], LAWS["posterior"], LAWS["objective"]):
        rng = np.random.default_rng(0)
        losses = leaving(law, fit, delta=DELTA, rows=rows, rng=rng).epsilon
        base = ridge_base(fit, law, np.arange(3), delta=DELTA, owned=rows)
        np.testing.assert_allclose(base.losses, losses, rtol=1e-9)
        record = features[0] / 2, 0.1
        if not np.isfinite(losses[0]):
            with pytest.raises(DataError, match="alone"):
                laws_of_model(fit, law, 0, rows=rows)
            with pytest.raises(DataError, match="alone"):
                move_in_ridge(base, law, 0, record, delta=DELTA)
            continue
        moved = move_in_ridge(base, law, 0, record, delta=DELTA)
        assert moved.own_before == pytest.approx(losses[0], rel=1e-9)
        if law is LAWS["noise"]:
            at = laws_of_model(fit, law, 0, rows=rows).delta(losses[[0]])
            assert at[0] == pytest.approx(DELTA, rel=1e-5)
            other = fit_ridge(
                np.vstack([record[0], features[1:]]),
                np.append(record[1], target[1:]),
                penalty=penalty,
            )
            after = leaving(law, other, delta=DELTA, rows=rows, rng=rng).epsilon
            assert moved.own_after == pytest.approx(after[0], rel=1e-4)


def test_records_that_cannot_be_moved_are_refused():
    law = LAWS["noise"]
    alone = fit_ridge(np.eye(3), np.ones(3), penalty=Penalty(strength=0.0))
    base = ridge_base(alone, law, np.arange(3), delta=DELTA)
    with pytest.raises(DataError, match="alone"):
        move_in_ridge(base, law, 0, (np.ones(3), 0.0), delta=DELTA)
    fit = fit_ridge(TEN, NUMBERS, penalty=PENALTY)
    base = ridge_base(fit, law, np.arange(10), delta=DELTA)
    for wrong in (np.ones(2), np.array([1.0, np.nan, 0.0])):
        with pytest.raises(ParameterError, match="3 finite numbers"):
            move_in_ridge(base, law, 0, (wrong, 0.0), delta=DELTA)
    each = fit_ridge(TEN, NUMBERS, penalty=Penalty(strength=0.5, per_person=True))
    with pytest.raises(ParameterError, match="sum of losses"):
        ridge_base(each, law, np.arange(10), delta=DELTA)
    several = SampledFit(gamma=1.0, samples=3)
    with pytest.raises(ParameterError, match="one posterior sample"):
        move_in_ridge(base, several, 0, (TEN[0], 0.0), delta=DELTA)


def test_nonlinear_models_are_fitted_anew():
    law, penalty = NoisyFit(gamma=4.0), Penalty(strength=1.0)
    fit = fit_glm(TEN, ANSWERS, loss=Logistic(), penalty=penalty)
    record = (np.array([1.0, 3.0, -2.0]), 0.0)
    for person in (9, None):
        moved = move_in_glm(fit, law, person, record, delta=DELTA)
        features, target = np.vstack([TEN, record[0]]), np.append(ANSWERS, 0.0)
        if person is not None:
            features, target = TEN.copy(), ANSWERS.copy()
            features[person], target[person] = record
            # Exact, as published for this table.
            exact = gaussian.epsilon_of(2 * 0.6167850742, DELTA)
            assert moved.own_before == pytest.approx(float(exact), rel=1e-8)
        other = fit_glm(features, target, loss=Logistic(), penalty=penalty)
        lost = other.refit(0, other.theta)
        shift = np.linalg.norm(other.theta - lost)
        exact = gaussian.epsilon_of(2 * shift, DELTA)
        assert moved.after[0] == pytest.approx(float(exact), rel=1e-6)
    with pytest.raises(ParameterError, match="public shape"):
        move_in_glm(fit, SampledFit(gamma=1.0), 0, record, delta=DELTA)
    with pytest.raises(ParameterError, match="3 numbers"):
        move_in_glm(fit, law, 0, (np.ones(2), 0.0), delta=DELTA)


def test_statistics_are_computed_anew():
    request = mean("laplace")
    exposure = exposed(request, AGES)
    moved = move_in_statistic(request, exposure, 0, 100.0)
    values = AGES.copy()
    values[0] = 100.0
    after = exposed(request, values)
    assert moved.after == pytest.approx(after.epsilon[1:])
    assert moved.own_after == pytest.approx(after.epsilon[0])
    with pytest.raises(ParameterError, match="public"):
        move_in_statistic(request, exposure, None, 50.0)
    private = mean("laplace", relation=ADD_REMOVE)
    before = per_instance_losses(private.plan, private.query.statistic, AGES, relation=ADD_REMOVE)
    joined = move_in_statistic(private, before, None, 100.0)
    assert joined.watched == 5
    assert np.isnan(joined.own_before)
    # |x - m| of the newcomer, over (n - 1) scales of the noise.
    far = 100 - np.mean([*AGES, 100])
    assert joined.own_after == pytest.approx(far / 5 / private.plan.noise)


@pytest.mark.parametrize("law", few(2, *LAWS.values()), ids=LAWS)
def test_two_laws_have_the_loss_of_the_person(law):
    fit = fit_ridge(TEN, NUMBERS, penalty=PENALTY)
    expected = everybodys(fit, law)
    for person in (0, 4, 9):
        laws = laws_of_model(fit, law, person)
        at = laws.delta(np.array([float(expected[person])]))
        assert at[0] == pytest.approx(DELTA, rel=1e-5)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_evidence_of_a_release_is_the_log_ratio_of_its_densities(law):
    def log_density(theta, center, precision):
        away = theta - center
        return (np.linalg.slogdet(precision)[1] - away @ precision @ away) / 2

    def precision(fit):
        hessian = fit.factor.hessian
        if isinstance(law, PerturbedObjective):
            return hessian @ hessian / law.sigma**2
        if isinstance(law, SampledFit):
            return law.gamma * hessian
        root = law.metric.root(fit.factor)
        return law.gamma * root.T @ root

    fit = fit_ridge(TEN, NUMBERS, penalty=PENALTY)
    for person in (0, 9):
        others = np.delete(np.arange(10), person)
        without = fit_ridge(TEN[others], NUMBERS[others], penalty=PENALTY)
        for released in (fit.theta + 0.3, np.zeros(3), without.theta):
            expected = log_density(released, fit.theta, precision(fit))
            expected -= log_density(released, without.theta, precision(without))
            found = evidence_of_release(fit, law, person, released)
            assert found == pytest.approx(expected, rel=1e-8, abs=1e-9)


def test_people_and_releases_without_two_laws_are_refused():
    fit = fit_ridge(TEN, NUMBERS, penalty=PENALTY)
    with pytest.raises(DataError, match="10 people"):
        laws_of_model(fit, LAWS["noise"], 10)
    alone = fit_ridge(np.eye(3), np.ones(3), penalty=Penalty(strength=0.0))
    for law in (LAWS["noise"], LAWS["posterior"], LAWS["objective"]):
        with pytest.raises(DataError, match="alone"):
            laws_of_model(alone, law, 0)
    nonlinear = fit_glm(TEN, ANSWERS, loss=Logistic(), penalty=Penalty(strength=1.0))
    with pytest.raises(ParameterError, match="closed form"):
        laws_of_model(nonlinear, LAWS["objective"], 0)
