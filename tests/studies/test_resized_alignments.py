"""Laplace and uniform noise that do as well as a resample in one respect."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.studies.resampling.resized_study import (
    break_even,
    detection,
    detection_around,
    laplace_variance,
    rivals,
    same_advantage,
    same_pair,
    uniform_variance,
)

USUAL = ResizedBootstrap.from_ratio(1000, 10)


def named(bootstrap=USUAL, ones=1):
    return {rival.key: rival for rival in rivals(bootstrap, ones)}


def test_reference_values():
    assert same_advantage(USUAL) == pytest.approx(0.2001000667167067, rel=1e-9)
    assert same_pair(USUAL) == pytest.approx(0.3001000667167067, rel=1e-9)
    assert uniform_variance(USUAL) == pytest.approx(9.193337664182986e-06, rel=1e-9)
    found = named()
    assert found["claim"].variance == pytest.approx(2e-4)
    assert found["pair"].variance == pytest.approx(2.2207404937e-5, rel=1e-9)
    assert found["advantage"].variance == pytest.approx(4.9950004167e-5, rel=1e-9)


@pytest.mark.parametrize(("key", "least"), [("claim", 20), ("pair", 2.2207), ("advantage", 4.995)])
def test_break_even(key, least):
    rival = named()[key]
    assert break_even(USUAL, rival) == pytest.approx(least, rel=1e-3)
    # On either side of it the other one has the smaller variance.
    for k in range(1000):
        spread = k * (1 - k / 1000)
        if abs(spread - least) > 0.01:
            assert (rival.variance < USUAL.variance(k / 1000)) == (spread > least)


def test_rivals_are_equal_in_what_they_are_said_to_be_equal_in():
    for n, z, k in ((1000, 10, 10), (50, 7, 3), (10**6, 333, 5000), (10, 2, 5)):
        bootstrap = ResizedBootstrap.from_ratio(n, z)
        found, tau = named(bootstrap, k), bootstrap.delta()
        assert found["claim"].epsilon == bootstrap.claimed_epsilon
        assert found["advantage"].deltas(0.0) == pytest.approx(tau)
        assert found["pair"].deltas(1 / z) == pytest.approx(tau)
        assert found["error"].variance == pytest.approx(float(bootstrap.variance(k / n)))
        assert (found["uniform"].deltas([0.0, 3.0]) == tau).all()
        assert found["uniform"].delta == tau
        assert found["claim"].delta == 0


def test_laplace_profile_by_quadrature():
    rival = named()["pair"]
    scale = 1 / (1000 * rival.epsilon)
    y = np.linspace(-60 * scale, 60 * scale, 2_000_001)
    first, second = (np.exp(-np.abs(y - at) / scale) / (2 * scale) for at in (0, 1e-3))
    for epsilon in (0.0, 0.1, 0.2):
        excess = np.maximum(first - math.exp(epsilon) * second, 0)
        assert rival.deltas(epsilon) == pytest.approx(np.trapezoid(excess, y), abs=1e-6)


def test_detection_is_one_minus_the_least_miss_rate():
    alarm = np.linspace(0, 1, 101)
    tau = USUAL.delta()
    assert detection(USUAL, alarm)[0] == tau
    assert detection(USUAL, alarm)[-1] == 1
    for rival in rivals(USUAL, 10):
        found = rival.detection(alarm)
        assert (np.diff(found) >= -1e-12).all()
        assert (found >= alarm - 1e-12).all()
        assert (found - alarm).max() == pytest.approx(float(rival.deltas(0.0)), abs=1e-3)
        if math.isfinite(rival.epsilon):
            # No pure release lets anybody detect more (Dong, Roth and Su 2022).
            steep = math.exp(rival.epsilon) * alarm
            flat = 1 - math.exp(-rival.epsilon) * (1 - alarm)
            assert (found <= np.minimum(steep, flat) + 1e-12).all()
    # The area under it: 1/2 + tau/2.
    area = np.trapezoid(detection(USUAL, alarm), alarm)
    assert area == pytest.approx(0.5 + tau / 2)


@pytest.mark.parametrize("ones", [0, 1, 10, 500, 999])
def test_corners_of_the_best_tests(ones):
    alarm, found = detection_around(USUAL, ones)
    assert alarm[0] == found[0] == 0
    assert alarm[-1] == pytest.approx(1)
    assert found[-1] == pytest.approx(1)
    assert (np.diff(alarm) >= 0).all()
    assert (np.diff(found) >= 0).all()
    advantage = (found - alarm).max()
    assert advantage == pytest.approx(USUAL.pair(ones).delta(0.0), rel=1e-9)
    if ones == 0:
        assert found[alarm == 0].max() == pytest.approx(USUAL.delta())


def test_tables_without_an_error_have_no_rival_of_the_same_error():
    for ones in (0, 1000):
        assert "error" not in named(ones=ones)
    with pytest.raises(ParameterError, match="ones"):
        rivals(USUAL, 1001)


def test_one_person_leaves_no_laplace_noise_of_the_same_advantage():
    assert set(named(ResizedBootstrap.from_ratio(1, 0.5), 1)) == {"claim", "uniform"}


def test_variance_of_laplace_noise():
    assert laplace_variance(1000, 0.1) == pytest.approx(2e-4)
