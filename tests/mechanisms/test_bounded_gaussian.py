"""Gaussian noise within bounds, and Laplace noise of limited range."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpcore.analyses import secure
from dpcore.data.bounds import Interval
from dpcore.errors import ClaimError, ParameterError
from dpcore.mechanisms.bounded_gaussian import (
    BoundaryInflatedGaussian,
    PureTruncatedGaussian,
    TruncatedGaussian,
)
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.limited_laplace import LimitedLaplace
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.privacy_filter import PrivacyCost
from dpcore.studies.auditing.lower_bound import audit
from dpcore.studies.auditing.trials import Trial, TrialDraws, batches
from dpcore.studies.meaning.attacker import Guarantee
from tests.conftest import few
from tests.terms import UNIT

KINDS = (TruncatedGaussian, BoundaryInflatedGaussian)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("noise", [0.1, 5.0])
@pytest.mark.parametrize("shift", [0.1, 0.6])
def test_worst_pair_of_all_is_found_and_plain_noise_reveals_more(kind, noise, shift):
    law, delta = kind(noise=noise, bounds=UNIT), 1e-4
    grid = np.linspace(0, 1, 41)
    first, second = (part.ravel()[:, None] for part in np.meshgrid(grid, grid))
    near = np.abs(first - second)[:, 0] <= shift + 1e-12
    first, second = first[near], second[near]
    for level in (delta, 0.0):
        worst = law.epsilon(Sensitivity.scalar(shift), delta=level)
        pairs = law.pairwise_epsilon(first, second, delta=level)
        assert pairs.max() <= worst * (1 + 1e-9)
        assert pairs.max() == pytest.approx(worst, rel=1e-3)
    # The scale of plain noise is enough, at every epsilon and wherever the values lie.
    for epsilon in (0.0, 0.3, 2.0):
        plain = Gaussian(noise=noise).pairwise_delta(first, second, epsilon=epsilon)
        assert (law.pairwise_delta(first, second, epsilon=epsilon) <= plain).all()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_pure_scale_is_the_least_one(epsilon):
    for shift in (0.02, 0.3, 1.0):
        one = Sensitivity.scalar(shift)
        law = PureTruncatedGaussian.calibrate(sensitivity=one, epsilon=epsilon, bounds=UNIT)
        first = np.linspace(0, 1 - shift, 201)[:, None]
        levels = law.pairwise_epsilon(first, first + shift)
        assert levels.max() <= law.epsilon(one) <= epsilon
        assert levels.max() == pytest.approx(epsilon, rel=1e-9)
        # The largest loss is at a bound: no release between them has a larger one.
        x = np.linspace(0, 1, 101)
        loss = np.abs(np.log(law.pdf(x, 0.0) / law.pdf(x, shift)))
        assert loss.max() == pytest.approx(epsilon, rel=1e-9)
        assert law.event(one).parameter == law.epsilon(one)
    half = Interval(lower=0.0, upper=math.inf)
    with pytest.raises(ParameterError, match="finite bounds"):
        PureTruncatedGaussian.calibrate(sensitivity=one, epsilon=epsilon, bounds=half)


@settings(deadline=None, max_examples=50)
@given(st.floats(1e-3, 1e3), st.floats(1e-3, 20.0), st.floats(1e-12, 0.4))
def test_limited_noise_gives_what_it_is_made_for(shift, epsilon, delta):
    one = Sensitivity.scalar(shift)
    law = LimitedLaplace.calibrate(sensitivity=one, epsilon=epsilon, delta=delta, bounds=UNIT)
    expected = shift / epsilon * math.log1p(math.expm1(epsilon) / (2 * delta))
    assert law.limit == pytest.approx(expected, rel=1e-8)
    event = law.event(one)
    assert event.delta <= delta
    assert event.delta == pytest.approx(delta, rel=1e-6)
    assert law.epsilon(one, delta=event.delta) <= event.parameter <= epsilon
    less = LimitedLaplace(noise=law.noise, limit=law.limit * (1 - 1e-6))
    assert less.epsilon(one, delta=delta) == math.inf


def test_several_coordinates_stay_within_what_is_proved():
    cells = Sensitivity(coordinates=2, l1=2.0, l2=math.sqrt(2), largest=1.0)
    law = LimitedLaplace.calibrate(sensitivity=cells, epsilon=1.0, delta=1e-2, bounds=UNIT)
    assert law.epsilon(cells, delta=1e-2) <= 1
    grid = np.linspace(-law.limit - 1, law.limit + 2, 1501)
    p, q = (np.diff(law.cdf(grid, at)) for at in (0.0, 1.0))
    for epsilon in (0.3, 1.0):
        exact = np.maximum(np.outer(p, p) - math.exp(epsilon) * np.outer(q, q), 0).sum()
        bound = float(law.pairwise_delta([0.0, 0.0], [1.0, 1.0], epsilon=epsilon))
        assert exact <= bound + 1e-9
    assert bound <= 1e-2 + 1e-9
    for kind in KINDS:
        wide = kind.calibrate(sensitivity=cells, epsilon=1.0, delta=1e-5, bounds=UNIT)
        assert wide.epsilon(cells, delta=1e-5) <= 1 + 1e-12
        assert wide.event(cells).epsilon(1e-5) <= 1 + 1e-12


def draws(law, size):
    """Return secure draws around 0.1, and the price that they are held to."""
    one = Sensitivity(coordinates=size, l1=0.3, l2=0.3, largest=0.3)
    made = law.calibrate(sensitivity=one, epsilon=1.0, delta=1e-2, bounds=UNIT)
    cost = PrivacyCost.of(epsilon=1.0, delta=1e-2, rho=made.rho(one))
    return made, secure.draw(made, np.full(size, 0.1), sensitivity=one, cost=cost)


@pytest.mark.parametrize(
    ("law", "size"),
    few(1, (BoundaryInflatedGaussian, 400), (TruncatedGaussian, 16), (LimitedLaplace, 1000)),
)
def test_secure_draws_have_the_stated_law(law, size):
    made, found = draws(law, size)
    lower, upper = map(float, made.atoms(0.1))
    inner = found[(found > 0) & (found < 1)] if lower > 0 else found

    def cdf(x):
        return (made.cdf(x, 0.1) - lower) / (1 - lower - upper)

    assert stats.kstest(inner, cdf).pvalue > 1e-6
    if lower > 0:
        assert stats.binomtest(int((found == 0).sum()), size, lower).pvalue > 1e-6
    if law is LimitedLaplace:
        assert np.abs(found - 0.1).max() <= made.limit * 1.001


def test_secure_draw_of_limited_noise_refuses_too_short_a_range():
    one = Sensitivity.scalar(0.3)
    cost = PrivacyCost.of(epsilon=1.0, delta=1e-2)
    for noise, limit in ((0.3, 0.8), (0.2, 5.0)):
        law = LimitedLaplace(noise=noise, limit=limit)
        with pytest.raises(ClaimError, match="range"):
            secure.draw(law, np.zeros(1), sensitivity=one, cost=cost)


def limited_trial(fewer, seed):
    """Return the trial of noise whose range is a share of what delta 0.05 needs."""
    one, rng = Sensitivity.scalar(1.0), np.random.default_rng(seed)
    law = LimitedLaplace.calibrate(sensitivity=one, epsilon=1.0, delta=0.05, bounds=UNIT)
    used = LimitedLaplace(noise=law.noise, limit=law.limit * fewer)
    return Trial(
        claim=Guarantee(epsilon=1.0, delta=0.05),
        labels=("the answer",),
        sides=("one", "other"),
        draw=lambda world, size: used.simulate(float(world), rng=rng, size=(size, 1)),
    )


def test_audit_refutes_a_range_that_is_too_short_and_no_other():
    def refuted(fewer, seed):
        trial = limited_trial(fewer, seed)
        return audit(trial, TrialDraws.together(batches(trial, 2000)), confidence=0.9).refuted

    assert all(refuted(0.4, seed) for seed in range(3))
    honest = sum(refuted(1.0, seed) for seed in range(25))
    assert stats.binom.sf(honest - 1, 25, 0.1) > 1e-3
