"""One posterior sample: the exact profile of everybody, its inverse, the adversary."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.models import leverage_and_residual as profile
from dpcore.models import mills
from dpcore.models.model_mechanisms.posterior_samples import PosteriorLaws
from dpcore.privacy import gaussian
from tests.models import plain_pairs
from tests.models.plain_pairs import PosteriorPairs
from tests.models.plain_pairs import sampled as simulate
from tests.models.ten_people import X, Y, members, ridge

mpmath.mp.dps = 60

LEVERAGES = st.floats(-7, 2).map(lambda power: 10**power)
RESIDUALS = st.floats(-4, 2).map(lambda power: 10**power)


def exact(m, e, epsilon):
    """Return the delta of absence and of presence to many digits."""
    m, e, epsilon = mpmath.mpf(m), mpmath.mpf(e), mpmath.mpf(epsilon)
    ceiling = (mpmath.log1p(m) + e * e / (1 + m)) / 2

    def outside(t, center, variance):
        root = mpmath.sqrt(variance)
        return mpmath.ncdf((center - t) / root) + mpmath.ncdf((-t - center) / root)

    def inside(s, center, variance):
        root = mpmath.sqrt(variance)
        return mpmath.ncdf((s - center) / root) - mpmath.ncdf((-s - center) / root)

    without, within = (e, m), (e / (1 + m), m / (1 + m))
    t = mpmath.sqrt(2 * (ceiling + epsilon))
    absence = outside(t, *without) - mpmath.exp(epsilon) * outside(t, *within)
    if epsilon >= ceiling:
        return absence, mpmath.mpf(0)
    s = mpmath.sqrt(2 * (ceiling - epsilon))
    return absence, inside(s, *within) - mpmath.exp(epsilon) * inside(s, *without)


@settings(deadline=None, max_examples=150)
@given(LEVERAGES, RESIDUALS, st.floats(0, 4))
def test_both_directions_against_sixty_digits(m, e, share):
    mu = m**0.5 * e
    epsilon = share * (mu * mu / 2 + 2 * mu + m)
    absence, presence = exact(m, e, epsilon)
    got = profile.absence_delta_of(m, e, epsilon)
    assert got == pytest.approx(float(absence), rel=1e-11, abs=1e-290)
    got = profile.presence_delta_of(m, e, epsilon)
    assert got == pytest.approx(float(presence), rel=1e-10, abs=1e-290)


def test_who_joins_is_as_who_is_a_member():
    h, r = members(X, Y, 0.5)
    pairs = PosteriorPairs.of_members(leverage=h, residual=r, gamma=1.0)
    for person in range(10):
        rest = np.arange(10) != person
        theta, hessian = ridge(X[rest], Y[rest], 0.5)
        newcomer = PosteriorPairs.of_newcomers(
            leverage=X[person] @ np.linalg.solve(hessian, X[person]),
            residual=Y[person] - X[person] @ theta,
            gamma=1.0,
        )
        assert newcomer.leverage == pytest.approx(pairs.leverage[person], rel=1e-11)
        assert newcomer.residual == pytest.approx(pairs.residual[person], rel=1e-11)


def test_simulated_posteriors_of_one_person():
    """Losses from the full densities in three dimensions, not from the closed form."""
    rng = np.random.default_rng(5)
    gamma, n = 1.0, 300_000
    theta_in, hessian_in = ridge(X, Y, 0.5)
    theta_out, hessian_out = ridge(X[:9], Y[:9], 0.5)

    def log_density(sample, theta, hessian):
        moved = sample - theta
        squares = np.einsum("ij,jk,ik->i", moved, hessian, moved)
        return np.linalg.slogdet(hessian)[1] / 2 - gamma / 2 * squares

    without = simulate(theta_out, hessian_out, gamma=gamma, draws=n, rng=rng)
    within = simulate(theta_in, hessian_in, gamma=gamma, draws=n, rng=rng)
    for epsilon, absence, presence in (
        (0.0, 0.39853278, 0.39853278),
        (0.3, 0.35098228, 0.26162398),
        (1.0, 0.26084804, 0.0),
    ):
        for draws, sign, expected in ((without, 1, absence), (within, -1, presence)):
            loss = sign * (
                log_density(draws, theta_out, hessian_out)
                - log_density(draws, theta_in, hessian_in)
            )
            gain = np.maximum(-np.expm1(np.minimum(epsilon - loss, 0)), 0)
            error = gain.std() / np.sqrt(n)
            assert abs(gain.mean() - expected) <= 4 * error
            if sign < 0:
                assert loss.max() <= 0.9429545675489407 + 1e-9
    h, r = members(X, Y, 0.5)
    pairs = PosteriorPairs.of_members(leverage=h[9:], residual=r[9:], gamma=gamma)
    realized = pairs.realized(Y[9] - within @ X[9])
    np.testing.assert_allclose(realized, np.abs(loss), rtol=1e-9, atol=1e-9)
    assert np.cov(within.T) == pytest.approx(np.linalg.inv(hessian_in), abs=0.01)


@settings(deadline=None, max_examples=80)
@given(LEVERAGES, RESIDUALS, st.floats(-200, -0.1))
def test_epsilon_inverts_delta(m, e, log_delta):
    delta = 10**log_delta
    epsilon = float(profile.epsilon_of(m, e, delta))
    assert profile.delta_of(m, e, epsilon) <= delta * (1 + 1e-8)
    if epsilon > 0:
        assert profile.delta_of(m, e, epsilon * (1 - 1e-7)) > delta


@settings(deadline=None, max_examples=80)
@given(LEVERAGES, RESIDUALS, st.floats(0, 3))
def test_what_the_profile_must_satisfy(m, e, epsilon):
    absence = profile.absence_delta_of(m, e, epsilon)
    presence = profile.presence_delta_of(m, e, epsilon)
    assert absence >= presence * (1 - 1e-10)
    start = profile.absence_delta_of(m, e, 0.0)
    assert start == pytest.approx(profile.presence_delta_of(m, e, 0.0), rel=1e-9)
    assert absence <= start * (1 + 1e-12)
    beyond = profile.ceiling(m, e)
    assert profile.presence_delta_of(m, e, beyond) == pytest.approx(0, abs=1e-20)
    assert profile.presence_delta_of(m, e, beyond * 1.01) == 0
    assert profile.delta_of(m, 1.1 * e, epsilon) >= absence * (1 - 1e-10)
    # A larger leverage dominates at the same residual over sqrt(1 + leverage).
    larger = 1.7 * m
    matched = e * np.sqrt((1 + larger) / (1 + m))
    assert profile.absence_delta_of(larger, matched, epsilon) >= absence * (1 - 1e-10)
    got = profile.presence_delta_of(larger, matched, epsilon)
    assert got >= presence * (1 - 1e-9)


@settings(deadline=None, max_examples=50)
@given(st.floats(-7, -4), st.floats(-1, 1))
def test_small_leverage_is_almost_a_gaussian_mechanism(log_m, log_e):
    m, e = 10**log_m, 10**log_e
    pairs = PosteriorPairs(leverage=np.array([m]), residual=np.array([e]))
    ours = pairs.delta(pairs.gaussian)
    theirs = gaussian.delta_of(pairs.gaussian, pairs.gaussian)
    assert ours == pytest.approx(theirs, rel=4 * m**0.5 * max(1 / e, e))


@pytest.mark.parametrize(("m", "e"), [(0.1, 1.0), (1.55, 1.56), (1e-4, 3.0), (0.5, 0)])
def test_the_best_test_between_with_and_without(m, e):
    alarm, detection = PosteriorLaws(leverage=m, residual=e).roc(points=4001)
    assert (np.diff(alarm) >= 0).all()
    assert (np.diff(detection) >= 0).all()
    assert (alarm[0], detection[0], alarm[-1], detection[-1]) == (0, 0, 1, 1)
    variation = float(profile.delta_of(m, e, 0.0))
    assert (detection - alarm).max() == pytest.approx(variation, rel=1e-4)
    area = plain_pairs.area(m, e)
    assert area == pytest.approx(np.trapezoid(detection, alarm), abs=1e-6)
    # Simulated: the chance that |u| is smaller with the person than without.
    rng = np.random.default_rng(1)
    n = 100_000
    without = np.abs(rng.normal(e, np.sqrt(m), n))
    within = np.abs(rng.normal(e / (1 + m), np.sqrt(m / (1 + m)), n))
    assert abs((within < without).mean() - area) <= 4 * 0.5 / np.sqrt(n)


def test_nobody_can_be_told_without_leverage():
    alarm, detection = PosteriorLaws(leverage=0.0, residual=3.0).roc()
    np.testing.assert_array_equal(alarm, detection)
    assert plain_pairs.area(0.0, 3.0) == 0.5


@settings(deadline=None, max_examples=100)
@given(st.floats(-5, 60), st.floats(-12, 1.5))
def test_the_mills_ratio_falls_without_cancellation(a, log_gap):
    gap = 10**log_gap

    def ratio(t):
        half = mpmath.sqrt(mpmath.pi / 2)
        return half * mpmath.erfc(t / mpmath.sqrt(2)) * mpmath.exp(t * t / 2)

    start, end = mpmath.mpf(a), mpmath.mpf(a) + mpmath.mpf(gap)
    fallen, at_end = mills.fall(np.array([a]), np.array([gap]))
    assert fallen == pytest.approx(float(ratio(start) - ratio(end)), rel=1e-10)
    assert at_end == pytest.approx(float(ratio(end)), rel=1e-10)
