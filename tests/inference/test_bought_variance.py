"""Intervals whose variance was paid for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.inference.bootstrap_intervals import BoughtVariance

AGES = BoughtVariance(width=100.0, people=500, rho=0.5)


def test_parts_cost_what_they_should():
    mean = (100 / 500) ** 2 / (2 * AGES.mean_noise**2)
    variance = (100**2 * 499 / 500**2) ** 2 / (2 * AGES.variance_noise**2)
    assert mean + variance == pytest.approx(0.5)
    assert variance == pytest.approx(0.05)


@pytest.mark.parametrize("people", [2, 3, 4])
def test_no_person_moves_the_variance_further(people):
    rng = np.random.default_rng(1)
    tables = rng.choice([0.0, 1.0, 0.5], size=(3000, people))
    moved = tables.copy()
    moved[:, 0] = rng.choice([0.0, 1.0], size=3000)
    change = np.abs(tables.var(axis=1) - moved.var(axis=1)).max()
    most = (people - 1) / people**2
    assert change == pytest.approx(most)
    bought = BoughtVariance(width=1.0, people=people, rho=1.0, share=0.5)
    assert bought.variance_noise == pytest.approx(most)


def test_negative_variance_leaves_the_noise_of_the_mean():
    assert float(AGES.variance(-5.0)) == pytest.approx(AGES.mean_noise**2)


def test_raised_variance_is_rarely_too_small():
    rng = np.random.default_rng(2)
    safe = BoughtVariance(width=100.0, people=500, rho=0.5, share=0.2, tail=0.05)
    _, drawn = safe.simulate(np.zeros(100_000), np.full(100_000, 300.0), rng=rng)
    true = 300 / 499 + safe.mean_noise**2
    assert np.mean(safe.variance(drawn) < true) == pytest.approx(0.05, abs=0.003)
    assert safe.half_width(300.0, level=0.9) > 1.96 * math.sqrt(true)


@pytest.mark.parametrize(
    "change",
    [
        {"width": 0.0},
        {"width": math.inf},
        {"people": 1},
        {"rho": 0.0},
        {"share": 0.0},
        {"share": 1.0},
        {"tail": 0.0},
        {"tail": 0.6},
    ],
)
def test_outside_the_domain(change):
    with pytest.raises(ParameterError):
        BoughtVariance(**{"width": 1.0, "people": 10, "rho": 1.0} | change)
