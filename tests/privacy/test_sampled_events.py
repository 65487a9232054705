"""Noise on a sample, as the accountant sees it, against dp_accounting's own."""

import math

import pytest
from dp_accounting.pld import privacy_loss_distribution as pld
from dp_accounting.pld.pld_privacy_accountant import PLDAccountant

from dpcore.errors import ParameterError
from dpcore.privacy.composition import compose
from dpcore.privacy.events import (
    ApproximateEvent,
    FixedSampleEvent,
    LaplaceEvent,
    SampleEvent,
    event_from,
)
from dpcore.privacy.subsampling_amplification import subsampled_delta
from tests.conftest import few
from tests.privacy.peer_events import dp_event

SCHEMES = [
    (scheme, law) for scheme in (SampleEvent, FixedSampleEvent) for law in ("laplace", "gaussian")
]


@pytest.mark.slow
@pytest.mark.parametrize("rate", few(1, 0.1, 0.01, 0.7))
def test_profile_agrees_with_the_library(rate):
    fine = {"value_discretization_interval": 1e-4}
    for law, found in (
        ("laplace", pld.from_laplace_mechanism(1.0, sampling_prob=rate, **fine)),
        ("gaussian", pld.from_gaussian_mechanism(1.0, sampling_prob=rate, **fine)),
    ):
        for epsilon in (0.0, 0.05, 0.3, 1.0):
            mine = float(subsampled_delta(law, 1.0, rate, epsilon))
            theirs = found.get_delta_for_epsilon(epsilon)
            # The library rounds losses up.
            assert mine - 1e-12 <= theirs <= mine + 1e-4


def test_many_steps_agree_with_the_library():
    steps = [SampleEvent(law="gaussian", parameter=2.0, rate=0.1)] * 100
    found = compose(steps, delta=1e-5).pld
    assert 2.3373 < found < 2.36
    # Replaced records in samples of fixed size are harder to hide than added ones.
    fixed = [FixedSampleEvent(law="gaussian", parameter=2.0, rate=0.1)] * 100
    assert found < compose(fixed, delta=1e-5).pld < 2.6


@pytest.mark.slow
def test_accountant_of_the_library_agrees():
    plan = [
        *[SampleEvent(law="gaussian", parameter=2.0, rate=0.1)] * 20,
        *[SampleEvent(law="laplace", parameter=1.0, rate=0.2)] * 3,
    ]
    accountant = PLDAccountant(value_discretization_interval=1e-3)
    theirs = accountant.compose(dp_event(plan)).get_epsilon(1e-5)
    assert compose(plan, delta=1e-5).pld == pytest.approx(theirs, rel=2e-2)


@pytest.mark.parametrize(("scheme", "law"), few(2, *SCHEMES))
def test_one_release_costs_its_amplified_level(scheme, law):
    event = scheme(law=law, parameter=1.0, rate=0.1)
    totals = compose([event], delta=1e-6)
    exact = {"laplace": 0.158563, "gaussian": 2.1816941}
    assert totals.pld == pytest.approx(exact[law], abs=1e-4)
    assert totals.basic <= totals.zcdp
    assert event_from(event.to_dict()) == event
    # No stronger zCDP from a sample, but for what pure DP implies.
    whole = scheme(law=law, parameter=1.0)
    assert event.rho <= whole.rho
    if law == "gaussian":
        assert event.rho == 0.5
        assert compose([event], delta=0.0).basic == math.inf
    else:
        assert compose([event], delta=0.0).basic == pytest.approx(0.15856507874)


@pytest.mark.parametrize(("scheme", "law"), SCHEMES)
def test_sample_of_everybody_is_the_table(scheme, law):
    events = [scheme(law=law, parameter=2.0)] * 3
    whole = [event_from({"kind": law, "parameter": 2.0})] * 3
    found, expected = compose(events, delta=1e-6), compose(whole, delta=1e-6)
    assert found.basic == pytest.approx(expected.basic, rel=1e-12)
    assert found.pld == pytest.approx(expected.pld, rel=1e-4)


def test_different_kinds_compose():
    plan = [
        SampleEvent(law="gaussian", parameter=1.0, rate=0.1),
        FixedSampleEvent(law="laplace", parameter=1.0, rate=0.1),
        LaplaceEvent.from_ratio(0.5),
        ApproximateEvent(parameter=0.1, delta=1e-7),
    ]
    totals = compose(plan, delta=1e-6)
    alone = [compose([event], delta=1e-6).pld for event in plan]
    assert max(alone) < totals.pld <= totals.basic
    assert dp_event(plan[:1]) != dp_event(plan[1:2])


def test_extreme_events():
    huge = SampleEvent(law="gaussian", parameter=1e-3, rate=0.1)
    assert compose([huge], delta=1e-6).basic > 1e5
    large = SampleEvent(law="laplace", parameter=1e-3, rate=0.1)
    assert compose([large], delta=1e-6).pld == pytest.approx(1000 + math.log(0.1))
    rare = FixedSampleEvent(law="gaussian", parameter=1.0, rate=1e-7)
    assert compose([rare], delta=1e-6).pld == 0
    for rate in (0.0, 1.5):
        with pytest.raises(ParameterError, match="rate"):
            SampleEvent(law="laplace", parameter=1.0, rate=rate)
    with pytest.raises(ParameterError, match="a privacy event"):
        event_from({"kind": "laplace", "parameter": 1.0, "rate": 0.5})
