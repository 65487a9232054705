"""Bounds, moments, households, causes and other mechanisms against everybody."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpcore.analyses.base import Request
from dpcore.analyses.number import Query
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.errors import ParameterError
from dpcore.individual.generalization import lengths, total_variations
from dpcore.individual.model_losses import grouped, household_losses
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.models import leverage_and_residual
from dpcore.models.glm import fit_glm
from dpcore.models.loss_functions import Logistic
from dpcore.models.metrics import FISHER
from dpcore.models.model_mechanisms.noisy_coefficients import NoisyFit
from dpcore.models.model_mechanisms.perturbed_objective import PerturbedObjective
from dpcore.models.model_mechanisms.posterior_samples import SampledFit
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import fit_ridge
from dpcore.models.ridge_influence import removals
from dpcore.privacy import gaussian
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.kinds import StatisticKind
from dpcore.studies.individual.leverage_map import causes
from dpcore.studies.individual.loss_comparisons import (
    gaussian_checks,
    moment_curve,
    other_exposures,
    posterior_checks,
)
from tests.models.regression_tables import ANSWERS, NUMBERS, TEN

DELTA = 1e-6
N = 300
VALUES = np.random.default_rng(4).gamma(2.0, 12.0, N)
RIDGE = fit_ridge(TEN, NUMBERS, penalty=Penalty(strength=0.5))
LAW = NoisyFit(gamma=4.0)


def asked(key, kind=StatisticKind.MEAN):
    query = Query(
        kind=kind,
        column=Column(
            name="age",
            kind=ColumnKind.NUMBER,
            bounds=Interval(lower=0.0, upper=100.0),
            missing=MissingPolicy.REPLACE,
            replacement=50.0,
        ),
        relation=NeighboringRelation.SUBSTITUTION,
        unit=PrivacyUnit(),
        size=TableSize(people=N, public=True),
    )
    return Request(query=query, mechanism_key=key, epsilon=0.5, delta=DELTA)


def exposed(request):
    return per_instance_losses(
        request.plan,
        request.query.statistic,
        VALUES,
        relation=NeighboringRelation.ADD_REMOVE,
        delta=request.used_delta,
    )


def test_clamping_changes_nobodys_loss_and_redrawing_raises_it():
    # Noise as wide as the bounds are apart, so that they matter.
    request = replace(asked("laplace"), epsilon=0.005)
    found = {other.key: other for other in other_exposures(request, exposed(request), delta=DELTA)}
    assert found["bit"].least == pytest.approx(1, rel=1e-9)
    assert found["bit"].most == pytest.approx(1, rel=1e-9)
    redrawn = found["truncated-published"]
    assert redrawn.noise == found["laplace"].noise
    assert 1 <= redrawn.least <= redrawn.most <= 2 * (1 + 1e-9)
    assert redrawn.maximum > found["laplace"].maximum * (1 + 1e-3)
    for other in found.values():
        assert other.mean <= other.maximum


@pytest.mark.parametrize("key", ["laplace", "gaussian", "bit"])
def test_total_variation_of_noise_is_that_of_its_laws(key):
    request = asked(key)
    exposure = exposed(request)
    mechanism = request.plan.mechanism
    found = total_variations(mechanism, exposure, within=Interval(lower=0, upper=100))
    moved = lengths(exposure)
    if key == "gaussian":
        exact = 2 * stats.norm.cdf(moved / mechanism.noise / 2) - 1
    else:
        # Clamping keeps the distance: the densities cross between the values.
        exact = -np.expm1(-moved / mechanism.noise / 2)
    np.testing.assert_allclose(found, exact, rtol=1e-6, atol=1e-12)


@given(
    scale=st.floats(1e-3, 1e3),
    people=st.sampled_from([1, 2, 7, 10_001, 40_000]),
    seed=st.integers(0, 99),
)
def test_moments_rise_from_mean_to_maximum(scale, people, seed):
    losses = np.sort(scale * np.random.default_rng(seed).gamma(0.5, size=people))
    curve = moment_curve(losses, np.array([1.0, 2.0, 7.0, 60.0, 1000.0, np.inf]))
    assert np.all(np.diff(curve) >= -1e-12 * curve[-1])
    assert curve[0] == pytest.approx(losses.mean(), rel=1e-9)
    assert curve[-1] == losses[-1]
    assert curve[1] == pytest.approx(np.sqrt(np.mean(losses**2)), rel=1e-5)


def test_moments_of_nothing_and_of_everything():
    assert moment_curve(np.zeros(3), np.array([1.0, 5.0])).tolist() == [0, 0]
    assert np.isinf(moment_curve(np.array([0.1, np.inf]), np.array([1.0]))[0])
    with pytest.raises(ParameterError, match="at least one person"):
        moment_curve(np.empty(0), np.array([1.0]))


def test_bounds_of_ten_people_understate_where_they_do():
    found = removals(RIDGE)
    m, e = found.outside, found.residual
    exact = leverage_and_residual.epsilon_of(m, np.abs(e), DELTA)
    checks = {check.label: check for check in posterior_checks(m, e, DELTA)}
    # The corrected equation 7 holds for all ten, equation 8 for some.
    assert checks["equation 7, corrected"].understated == 0
    assert checks["equation 8, corrected"].understated > 0
    seven = checks["equation 7, corrected"]
    np.testing.assert_allclose(seven.epsilon, np.sort(exact), rtol=1e-9)
    assert seven.quotient[-1] == pytest.approx(33.27636126757598 / 26.25223136, 1e-6)
    assert checks["equation 8, corrected"].worst > 2


def test_bounds_without_a_loss_are_refused():
    with pytest.raises(ParameterError, match="nobody has a finite loss"):
        gaussian_checks(np.zeros(3), DELTA)


def test_groups_lose_what_a_fit_without_them_says():
    codes = np.array([0, 1, 2, 0, 3, 4, 5, 2, 6, 2])
    own = gaussian.epsilon_of(2 * removals(RIDGE).move, DELTA)
    found = household_losses(LAW, RIDGE, codes, delta=DELTA)
    np.testing.assert_allclose(found.added, np.bincount(codes, weights=own), rtol=1e-9)
    for group in range(7):
        shift = np.linalg.norm(RIDGE.theta - RIDGE.refit(np.flatnonzero(codes == group)))
        exact = gaussian.epsilon_of(2 * shift, DELTA)
        assert found.epsilon[group] == pytest.approx(float(exact), rel=1e-9)
    alone = found.rows == 1
    np.testing.assert_allclose(found.epsilon[alone], found.added[alone], rtol=1e-9)
    assert found.rows.tolist() == [2, 1, 3, 1, 1, 1, 1]
    several = found.rows > 1
    assert found.above_sum == np.mean(found.epsilon[several] > found.added[several])


def test_groups_of_other_releases_have_no_closed_form():
    logistic = fit_glm(TEN, ANSWERS, loss=Logistic(), penalty=Penalty(strength=1.0))
    for law, fit in ((PerturbedObjective(sigma=1.0), RIDGE), (LAW, logistic)):
        assert not grouped(law, fit)
        with pytest.raises(ParameterError, match="groups need"):
            household_losses(law, fit, np.arange(10), delta=DELTA)
    assert grouped(LAW, RIDGE)


def test_groups_of_one_row_lose_what_the_row_does_under_a_sample():
    found = household_losses(SampledFit(gamma=1.0), RIDGE, np.arange(10), delta=DELTA)
    np.testing.assert_allclose(found.epsilon, found.added, rtol=1e-7)
    assert found.above_sum == 0


@pytest.mark.parametrize("law", [LAW, SampledFit(gamma=2.0), NoisyFit(gamma=2.0, metric=FISHER)])
def test_leverage_and_residual_decide_the_loss(law):
    found = removals(RIDGE)
    why = causes(
        law, RIDGE, leverage=found.leverage, residual=found.residual, shift=found.move, delta=DELTA
    )
    np.testing.assert_allclose(why.residual, found.residual, rtol=1e-9)
    at = why.loss_at(why.leverage, np.abs(why.residual))
    m, e = found.outside, np.abs(found.residual)
    if law is LAW:
        exact = gaussian.epsilon_of(2 * found.move, DELTA)
        variation = gaussian.delta_of(2 * found.move, 0.0)
    else:
        exact = leverage_and_residual.epsilon_of(m, np.sqrt(2) * e, DELTA)
        variation = leverage_and_residual.delta_of(m, np.sqrt(2) * e, 0.0)
    np.testing.assert_allclose(at, exact, rtol=1e-9)
    np.testing.assert_allclose(why.variation, variation, rtol=1e-9)


def test_no_two_numbers_decide_the_loss_of_other_laws():
    found = removals(RIDGE)
    shared = {
        "leverage": found.leverage,
        "residual": found.residual,
        "shift": found.move,
        "delta": DELTA,
    }
    assert causes(PerturbedObjective(sigma=1.0), RIDGE, **shared).loss_at is None
    replaced = causes(LAW, RIDGE, **shared, leaves=False)
    assert replaced.loss_at is None
    assert replaced.variation is not None
