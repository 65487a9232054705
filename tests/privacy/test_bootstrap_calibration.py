"""How much noise keeps the promise of the bootstrap."""

import itertools
import math

import pytest

from dpcore.errors import ParameterError
from dpcore.privacy import bootstrap_cost
from dpcore.privacy.bootstrap_cost import (
    ASYMPTOTIC,
    Correction,
    calibrate_resampling,
    calibration_steps,
    claimed_epsilon,
    factor_of,
    resampled_epsilon,
    rho_for,
)
from dpcore.privacy.bootstrap_profiles import Bound
from tests.conftest import few

FIFTY = {"rho": 0.5, "delta": 1e-6, "times": 50, "people": 500}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rho", "delta", "times", "attained", "generic"),
    few(
        1,
        (0.5, 1e-6, 50, 1.0979, 1.6676),
        (0.5, 1e-6, 200, 1.025, 1.382),
        (1.0, 1e-6, 50, 1.146, 1.775),
        (0.5, 1e-9, 50, 1.124, 1.864),
    ),
)
def test_factors_by_number_of_bootstraps(rho, delta, times, attained, generic):
    setting = {"rho": rho, "delta": delta, "times": times, "people": 500}
    least = calibrate_resampling(**setting, bound=Bound.ATTAINED)
    assert least == pytest.approx(attained, abs=8e-4)
    factor = calibrate_resampling(**setting)
    assert factor == pytest.approx(generic, abs=8e-4)
    target = claimed_epsilon(rho, delta)
    level = resampled_epsilon(factor, **setting)
    assert target * (1 - 1e-5) <= level <= target


@pytest.mark.slow
def test_factor_for_means():
    factor = calibrate_resampling(**FIFTY, bound=Bound.MEAN)
    assert factor == pytest.approx(1.1349, abs=1e-4)
    assert resampled_epsilon(factor, **FIFTY, bound=Bound.MEAN) <= claimed_epsilon(0.5, 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("times", "mean", "generic"), few(1, (20, 4.910, 7.182), (200, 4.405, 5.149))
)
def test_the_asymptotic_factor_is_not_enough_for_few_bootstraps(times, mean, generic):
    setting = FIFTY | {"times": times}
    for bound, level in ((Bound.MEAN, mean), (Bound.GENERIC, generic)):
        found = resampled_epsilon(ASYMPTOTIC, **setting, bound=bound)
        assert found == pytest.approx(level, abs=6e-4)


@pytest.mark.slow
def test_ways_to_choose_the_noise():
    assert factor_of(Correction.PUBLISHED, **FIFTY) == 1
    assert factor_of(Correction.ASYMPTOTIC, **FIFTY) == 2 - 2 / math.e
    assert factor_of(Correction.FINITE, **FIFTY) == calibrate_resampling(**FIFTY)
    assert calibrate_resampling(**FIFTY | {"people": 1}) == pytest.approx(1, abs=1e-5)
    # Where the released share is already better than claimed, nothing is taken off.
    assert calibrate_resampling(rho=0.5, delta=0.3, times=1, people=500) == 1


@pytest.mark.slow
@pytest.mark.parametrize("bound", few(1, Bound.ATTAINED, Bound.GENERIC))
def test_a_search_closes_in_and_tells_how_far_it_is(bound):
    seen = list(calibration_steps(**FIFTY, bound=bound))
    assert 3 <= len(seen) <= 15
    assert [step.steps for step in seen] == list(range(1, len(seen) + 1))
    assert all(a.low <= b.low for a, b in itertools.pairwise(seen))
    assert all(a.high >= b.high for a, b in itertools.pairwise(seen))
    assert all(a.done <= b.done for a, b in itertools.pairwise(seen))
    assert seen[-1].done == 1
    assert calibrate_resampling(**FIFTY, bound=bound) == seen[-1].high
    assert seen[-1].low <= seen[-1].high <= seen[-1].low * (1 + 2e-6)


def test_a_search_can_be_stopped_and_is_remembered(monkeypatch):
    setting = FIFTY | {"times": 1}
    first = next(calibration_steps(**setting))
    assert first.steps == 1
    factor, again = factor_of(Correction.FINITE, **setting), []
    monkeypatch.setattr(bootstrap_cost, "resampled_epsilon", lambda *_, **__: again.append(1))
    assert factor_of(Correction.FINITE, **setting) == factor
    assert not again


def test_rho_of_an_epsilon_is_the_inverse_of_the_claim():
    for level, delta in ((0.1, 1e-5), (1.0, 1e-6), (8.0, 1e-9)):
        claimed = claimed_epsilon(rho_for(level, delta), delta)
        assert claimed == pytest.approx(level, rel=1e-9)
        assert claimed <= level * (1 + 1e-13)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("rho", 0.0),
        ("rho", math.inf),
        ("rho", math.nan),
        ("delta", 0.0),
        ("delta", 0.9),  # there the claim is an epsilon of 0
        ("times", 0),
        ("people", 0),
    ],
)
def test_what_cannot_be_calibrated_is_refused(name, wrong):
    with pytest.raises(ParameterError):
        calibrate_resampling(**FIFTY | {name: wrong})


def test_an_absurdly_cheap_claim_takes_absurdly_more_noise():
    setting = {"rho": 100.0, "delta": 1e-6, "times": 1, "people": 500}
    factor, target = calibrate_resampling(**setting), claimed_epsilon(100.0, 1e-6)
    assert target * (1 - 1e-5) <= resampled_epsilon(factor, **setting) <= target
    assert math.isinf(resampled_epsilon(0.1, **setting))
    with pytest.raises(ParameterError, match="at most 100"):
        calibrate_resampling(**setting | {"rho": 101.0})
