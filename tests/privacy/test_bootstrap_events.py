"""Bootstraps beside other releases."""

import math

import pytest

from dpcore.errors import ParameterError
from dpcore.privacy import gaussian
from dpcore.privacy.bootstrap_cost import resampled_epsilon, resampled_step
from dpcore.privacy.composition import compose
from dpcore.privacy.events import (
    ApproximateEvent,
    BootstrapEvent,
    GaussianEvent,
    LaplaceEvent,
    PureEvent,
    SampleEvent,
    event_from,
)
from tests.conftest import few
from tests.privacy.peer_events import dp_event

MU = resampled_step(1.0, rho=0.5, times=50)
FIFTY = BootstrapEvent(parameter=1 / MU, people=500, times=50)


@pytest.fixture(scope="module")
def alone():
    """What fifty bootstraps cost without any other release."""
    return compose([FIFTY], delta=1e-6)


SETTING = {"rho": 0.5, "people": 500}


def test_bootstraps_alone_cost_what_they_cost(alone):
    exact = resampled_epsilon(1.0, times=50, delta=1e-6, **SETTING)
    assert alone.basic == alone.pld == pytest.approx(exact, rel=1e-12)
    assert FIFTY.rho == pytest.approx(500**2 * 0.5, rel=1e-12)
    assert alone.zcdp > 1000


def test_two_releases_of_bootstraps_are_one_of_twice_as_many():
    totals = compose([FIFTY] * 2, delta=1e-6)
    exact = resampled_epsilon(1.0, rho=1.0, times=100, people=500, delta=1e-6)
    assert exact <= totals.pld <= exact * 1.01
    assert totals.pld < totals.basic


@pytest.mark.parametrize(
    "other",
    few(
        2,
        ApproximateEvent(parameter=0.3, delta=1e-7),
        SampleEvent(law="gaussian", parameter=1.0, rate=0.1),
        LaplaceEvent(parameter=1.0),
        PureEvent(parameter=0.3),
        GaussianEvent(parameter=2.0),
    ),
)
def test_bootstraps_add_up_with_every_kind(alone, other):
    both = compose([FIFTY, other], delta=1e-6)
    assert alone.pld < both.pld <= both.basic < math.inf
    # Never below a Gaussian release of the table in place of the bootstraps.
    less = compose([GaussianEvent.from_ratio(1.0), other], delta=1e-6)
    assert both.pld > less.pld


def test_bootstraps_of_one_person_are_gaussian():
    event = BootstrapEvent(parameter=4.0, people=1, times=16)
    totals = compose([event, GaussianEvent.from_ratio(1.0)], delta=1e-6)
    exact = float(gaussian.epsilon_of(math.sqrt(2), 1e-6))
    assert exact <= totals.pld <= exact * 1.001


def test_events_of_bootstraps_survive_json_and_say_what_they_are():
    assert event_from(FIFTY.to_dict()) == FIFTY
    assert FIFTY.to_dict()["people"] == 500
    floats = {**FIFTY.to_dict(), "people": 500.0, "times": 50.0}
    assert event_from(floats) == FIFTY
    # The library does not know this kind and says so.
    assert "NonPrivate" in repr(dp_event([FIFTY]))


def test_what_cannot_be_said_is_infinite_and_what_is_absurd_refused():
    assert math.isinf(compose([FIFTY], delta=0.0).pld)
    assert math.isinf(compose([FIFTY], delta=1e-13).basic)
    silent = BootstrapEvent(parameter=math.inf, people=5, times=2)
    assert compose([silent], delta=0.0).basic == 0
    loud = BootstrapEvent(parameter=0.0, people=5, times=2)
    assert math.isinf(compose([loud], delta=0.1).pld)
    loud = BootstrapEvent(parameter=0.02, people=5, times=2)
    assert math.isinf(compose([loud, FIFTY], delta=1e-6).pld)
    for wrong in ({"people": 0}, {"people": 10**400}, {"times": 0}, {"times": 10**6}):
        with pytest.raises(ParameterError):
            BootstrapEvent(parameter=1.0, **{"people": 5, "times": 2} | wrong)
    with pytest.raises(ParameterError, match="a privacy event"):
        event_from({"kind": "laplace", "parameter": 1.0, "people": 5})
