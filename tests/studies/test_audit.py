"""Counting an event in two worlds refutes a false promise, and no true one."""

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from dpcore.errors import ParameterError
from dpcore.inference.proportion_intervals import clopper_pearson
from dpcore.studies.teaching.laboratory import (
    CLAMPED,
    PUBLISHED,
    REPAIRED,
    BoundEvent,
    LabAudit,
    Setup,
    audit,
    detectable_from,
)

SETUP = Setup(key=PUBLISHED, epsilon=1.0, place=0.0, shift=0.1)
SIZES = np.array([100, 1000, 10_000, 50_000])


def rng(seed=1):
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("margin", "first", "second", "published", "repaired", "clamped"),
    [
        (0.001, 0.0099506180, 0.0022654757, 1.47984991, 0.99379483, 0.99990099),
        (0.01, 0.0951669025, 0.0237072832, 1.38984991, 0.93794833, 0.99090283),
        (0.05, 0.3934872046, 0.1462326198, 0.98984991, 0.68974164, 0.83179657),
    ],
)
def test_exact_evidence_of_the_event(margin, first, second, published, repaired, clamped):
    event = BoundEvent(setup=SETUP, margin=margin)
    np.testing.assert_allclose(event.probabilities(), (first, second), atol=1e-9)
    for key, expected in ((PUBLISHED, published), (REPAIRED, repaired), (CLAMPED, clamped)):
        got = BoundEvent(setup=SETUP.through(key), margin=margin).log_ratio()
        assert got == pytest.approx(expected, abs=1e-8)


def test_event_lies_beyond_the_first_value_at_either_bound():
    high = Setup(key=PUBLISHED, epsilon=1.0, place=1.0, shift=0.1)
    event = BoundEvent(setup=high, margin=0.01)
    assert not event.at_lower
    assert event.text == "release ≥ 0.99"
    assert event.log_ratio() == pytest.approx(1.38984991, abs=1e-8)
    assert event.seen(np.array([0.98, 0.99, 1.0])).tolist() == [0, 1, 1]
    low = BoundEvent(setup=SETUP, margin=0.01)
    assert low.text == "release ≤ 0.01"
    assert low.seen(np.array([0.0, 0.01, 0.02])).tolist() == [1, 1, 0]


@pytest.mark.parametrize(("hits", "draws"), [(0, 10), (3, 10), (10, 10), (40, 4000)])
def test_confidence_limits_are_those_of_clopper_and_pearson(hits, draws):
    low, high = clopper_pearson(hits, draws, confidence=0.9)
    exact = binomtest(hits, draws).proportion_ci(0.9, method="exact")
    assert (float(low), float(high)) == pytest.approx((exact.low, exact.high))


def test_published_truncation_is_caught():
    found = audit(BoundEvent(setup=SETUP, margin=0.01), SIZES, rng=rng())
    assert found.low[-1] > 1
    assert found.caught_from(1.0) <= 50_000
    assert found.low[-1] < 1.38984991 < found.high[-1]
    assert np.all(found.low <= found.estimate)
    assert np.all(found.estimate <= found.high)


@pytest.mark.parametrize("key", [CLAMPED, REPAIRED])
def test_kept_promise_is_not_caught(key):
    event = BoundEvent(setup=SETUP.through(key), margin=0.001)
    for seed in range(20):
        assert math.isinf(audit(event, SIZES, rng=rng(seed)).caught_from(1.0))
    assert math.isinf(detectable_from(event))


def test_a_limit_that_falls_back_counts_for_nothing():
    numbers = np.array([10.0, 20.0, 30.0])
    options = {"draws": numbers, "hits": np.array([numbers, numbers])}
    options |= {"estimate": numbers, "high": numbers}
    assert LabAudit(low=np.array([2.0, 0.5, 2.0]), **options).caught_from(1.0) == 30
    assert math.isinf(LabAudit(low=np.array([2.0, 2.0, 1.0]), **options).caught_from(1))
    assert LabAudit(low=np.array([2.0, 2.0, 2.0]), **options).caught_from(1.0) == 10


def test_expected_size_divides_what_is_usually_caught_from_what_is_not():
    event = BoundEvent(setup=SETUP, margin=0.01)
    needed = detectable_from(event)
    assert 1000 < needed < 10_000

    def caught(draws):
        sizes = np.array([int(draws)])
        results = (audit(event, sizes, rng=rng(seed)) for seed in range(40))
        return sum(math.isfinite(found.caught_from(1.0)) for found in results)

    assert caught(needed / 4) < 16
    assert caught(needed * 3) > 30


def test_rare_events_break_the_promise_more_and_take_longer_to_see():
    events = [BoundEvent(setup=SETUP, margin=margin) for margin in (0.02, 0.005, 0.001)]
    ratios = [event.log_ratio() for event in events]
    sizes = [detectable_from(event) for event in events]
    assert ratios == sorted(ratios)
    assert sizes == sorted(sizes)
    assert math.isinf(detectable_from(BoundEvent(setup=SETUP, margin=0.05)))


def test_an_event_never_seen_has_no_estimate():
    rare = Setup(key=PUBLISHED, epsilon=5.0, place=0.5, shift=0.02)
    found = audit(BoundEvent(setup=rare, margin=0.001), [10], rng=rng())
    assert np.isnan(found.estimate).all()
    assert found.low == -math.inf
    assert found.high == math.inf


@pytest.mark.parametrize("margin", [0.0, 1.0, -1.0, math.nan])
def test_margin_outside_its_domain_is_refused(margin):
    with pytest.raises(ParameterError):
        BoundEvent(setup=SETUP, margin=margin)


@pytest.mark.parametrize("draws", [[], [0], [10, -1]])
def test_audit_needs_draws(draws):
    with pytest.raises(ParameterError):
        audit(BoundEvent(setup=SETUP, margin=0.01), draws, rng=rng())


@pytest.mark.parametrize(("hits", "draws", "level"), [(-1, 5, 0.9), (6, 5, 0.9), (1, 5, 1)])
def test_limits_outside_their_domain_are_refused(hits, draws, level):
    with pytest.raises(ParameterError):
        clopper_pearson(hits, draws, confidence=level)
