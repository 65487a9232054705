"""Extreme budgets, bounds and inputs of every mechanism in the catalog."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms.boundary_inflated import BoundaryInflatedLaplace
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.folded import FoldedLaplace
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.mechanisms.truncated import TruncatedLaplace
from tests.conftest import few
from tests.terms import ONE, UNIT

PLACES = (
    UNIT,
    Interval(lower=-1e12, upper=1e12),
    Interval(lower=0.0, upper=math.inf),
    Interval(lower=-math.inf, upper=0.0),
    Interval(lower=-math.inf, upper=math.inf),
)


@pytest.mark.parametrize("entry", few(5, *CATALOG.values()), ids=lambda e: e.key)
def test_extreme_budgets_and_bounds(entry):
    for epsilon, bounds in product((1e-9, 1e-3, 1.0, 700.0), PLACES):
        within_its_budget(entry, epsilon, bounds)


def within_its_budget(entry, epsilon, bounds):
    mechanism = entry.calibrate(sensitivity=ONE, epsilon=epsilon, delta=1e-9, bounds=bounds)
    delta = 1e-9 if entry.needs_delta else 0.0
    factor = 1 + 1e-12 if entry.claim_holds else 2
    if entry.key == "gaussian-classic" and epsilon > 1:
        factor = math.inf
    # Rules for probabilistic DP leave nothing of a tiny epsilon.
    assert 0 <= mechanism.epsilon(ONE, delta=delta) <= epsilon * factor
    assert (mechanism.epsilon(ONE, delta=delta) > 0) or entry.needs_delta
    assert mechanism.epsilon(ONE, delta=1e-9) <= epsilon * factor
    assert mechanism.rho(ONE) >= 0
    # A pure level is one in rho; noise that may tell all has neither.
    known = (entry.releasable or not entry.needs_delta) and entry.key != "limited"
    assert (mechanism.rho(ONE) < math.inf) == known
    assert mechanism.event(ONE).rho == mechanism.rho(ONE)
    inside = bounds.clip(0.0)
    assert np.isfinite(mechanism.mse(inside))
    assert np.isfinite(mechanism.quantile([1e-9, 0.5, 1 - 1e-9], inside)).all()
    pair = mechanism.pairwise_epsilon([inside], [bounds.clip(inside + 1)], delta=delta)
    assert pair <= epsilon * factor
    assert 0 <= mechanism.pairwise_delta([inside], [inside], epsilon=0.0) == 0


@pytest.mark.parametrize("entry", CATALOG.values(), ids=lambda e: e.key)
def test_nothing_that_changes_needs_no_noise(entry):
    still = Sensitivity.scalar(0.0)
    mechanism = entry.calibrate(sensitivity=still, epsilon=1.0, delta=1e-6, bounds=UNIT)
    assert mechanism.noise == 0
    assert mechanism.epsilon(still) == mechanism.rho(still) == 0
    assert mechanism.pairwise_epsilon([0.2], [0.2]) == 0
    assert mechanism.pairwise_epsilon([0.2], [0.3]) == math.inf
    assert mechanism.pairwise_epsilon([0.2], [0.3], delta=0.1) == math.inf
    assert mechanism.pairwise_delta([0.2], [0.3], epsilon=5.0) == 1
    assert mechanism.epsilon(ONE, delta=0.1) == math.inf


@pytest.mark.parametrize("entry", CATALOG.values(), ids=lambda e: e.key)
def test_budgets_outside_their_domain_are_refused(entry):
    for epsilon, delta in ((0.0, 0.1), (-1.0, 0.1), (math.nan, 0.1), (1.0, 1.0)):
        with pytest.raises(ParameterError, match=r"epsilon|delta"):
            entry.calibrate(sensitivity=ONE, epsilon=epsilon, delta=delta, bounds=UNIT)
    if entry.needs_delta:
        with pytest.raises(ParameterError, match="delta"):
            entry.calibrate(sensitivity=ONE, epsilon=1.0, delta=0.0, bounds=UNIT)


def test_unknown_values_stay_unknown():
    for entry in CATALOG.values():
        mechanism = entry.calibrate(
            sensitivity=ONE, epsilon=1.0, delta=1e-6, bounds=Interval(lower=0.0, upper=5.0)
        )
        for delta in (0.0, 1e-6):
            got = mechanism.pairwise_epsilon([[np.nan], [1.0]], [[1.0], [1.0]], delta=delta)
            assert np.isnan(got[0])
            assert got[1] == 0


def test_a_million_pairs_agree_with_few():
    rng = np.random.default_rng(3)
    first = rng.random((100_000, 1))
    for mechanism in (
        Laplace(noise=0.3),
        BoundaryInflatedLaplace(noise=0.3, bounds=UNIT),
        TruncatedLaplace(noise=0.3, bounds=UNIT),
        Gaussian(noise=0.3),
    ):
        many = mechanism.pairwise_epsilon(first, np.array([0.4]), delta=1e-6)
        few = mechanism.pairwise_epsilon(first[::5000], [[0.4]], delta=1e-6)
        np.testing.assert_allclose(many[::5000], few, rtol=1e-9)
        assert many.shape == (100_000,)


@given(
    lower=st.sampled_from([-1e12, 0.0, 1e-3, 1e6, 1e12]),
    width=st.floats(1e-3, 1e3),
    ratio=st.floats(1e-2, 1e12),
    share=st.sampled_from([0.0, 0.3, 1.0]),
)
@example(lower=1e12, width=2.0, ratio=5e8, share=1.0)
def test_probabilities_lie_between_0_and_1_on_far_and_narrow_bounds(lower, width, ratio, share):
    bounds = Interval(lower=lower, upper=lower + width)
    x = np.linspace(bounds.lower, bounds.upper, 33)
    for kind in (TruncatedLaplace, FoldedLaplace, BoundaryInflatedLaplace):
        law = kind(noise=ratio * width, bounds=bounds)
        cdf = law.cdf(x, bounds.lower + share * bounds.width)
        assert 0 <= cdf.min() <= cdf.max() <= 1
        assert cdf[-1] == pytest.approx(1)
