"""Laplace and uniform noise that do as well as a resample in one respect."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpcore.mechanisms.resized_bootstrap import ResizedBootstrap
from dpcore.studies.resampling.resized_study import (
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


def test_laplace_profile_by_quadrature():
    rival = named()["pair"]
    scale = 1 / (1000 * rival.epsilon)
    y = np.linspace(-60 * scale, 60 * scale, 2_000_001)
    first, second = (np.exp(-np.abs(y - at) / scale) / (2 * scale) for at in (0, 1e-3))
    for epsilon in (0.0, 0.1, 0.2):
        excess = np.maximum(first - math.exp(epsilon) * second, 0)
        assert rival.deltas(epsilon) == pytest.approx(np.trapezoid(excess, y), abs=1e-6)


def test_one_person_leaves_no_laplace_noise_of_the_same_advantage():
    assert set(named(ResizedBootstrap.from_ratio(1, 0.5), 1)) == {"claim", "uniform"}


def test_variance_of_laplace_noise():
    assert laplace_variance(1000, 0.1) == pytest.approx(2e-4)
