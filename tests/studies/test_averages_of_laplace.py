"""Averages of Laplace draws against Gaussian noise, and budgets in equal parts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import ParameterError
from dpcore.mechanisms import symmetric
from dpcore.mechanisms.laplace import LaplaceSum
from dpcore.studies.resampling.laplace_averages import (
    BudgetSharing,
    Equipartition,
    Rivals,
    laplace_epsilon,
)
from tests.conftest import few

USUAL = Rivals(epsilon=1.0, delta=1e-6)
USUAL_PARTS = Equipartition(epsilon=1.0, delta=1e-6, times=50)


@pytest.mark.parametrize(
    ("k", "level", "fair"),
    few(
        2,
        (1, 0.9999980, 1.99999),
        (2, 0.9125975, 3.33808),
        (5, 0.7742016, 6.06993),
        (10, 0.6500862, 8.71154),
        (20, 0.5193185, 11.44045),
    ),
)
def test_known_levels_and_fair_variances(k, level, fair):
    assert USUAL.level(k) == pytest.approx(level, abs=6e-8)
    assert USUAL.fair(k) == pytest.approx(fair, abs=6e-6)


@pytest.mark.slow
@given(epsilon=st.floats(0.05, 5), power=st.floats(2, 10), k=st.integers(1, 40))
@settings(max_examples=8)
def test_fair_average_spends_the_budget_and_no_more(epsilon, power, k):
    rivals = Rivals(epsilon=epsilon, delta=10**-power)
    shift = np.array([math.sqrt(2 * k / rivals.fair(k))])
    # A part of 1e-9 more of a shift spends too much, however small delta is.
    for moved, fits in ((shift, True), (shift * (1 + 1e-9), False)):
        delta = float(symmetric.delta_of(LaplaceSum(draws=k), moved, epsilon)[0])
        assert (delta <= rivals.delta * (1 + 1e-12)) is fits
    assert rivals.fair(k) <= rivals.average(k) * (1 + 1e-9)


def test_known_variances():
    assert USUAL_PARTS.variance(BudgetSharing.ONE) == 2.0
    assert USUAL_PARTS.variance(BudgetSharing.BASIC) == pytest.approx(100.0)
    assert USUAL_PARTS.variance(BudgetSharing.ZCDP) == pytest.approx(USUAL.analytic)


def test_every_other_sharing_keeps_its_promise():
    kept = [BudgetSharing.BASIC, BudgetSharing.ADVANCED, BudgetSharing.OPTIMAL]
    for sharing in kept:
        assert USUAL_PARTS.spent(sharing) <= 1 + 1e-9
    assert 0.9999 <= laplace_epsilon(USUAL_PARTS.part(BudgetSharing.LAPLACE), 50, 1e-6) <= 1
    order = [USUAL_PARTS.variance(s) for s in (BudgetSharing.LAPLACE, *reversed(kept))]
    assert order == sorted(order)


@pytest.mark.parametrize(
    "call",
    [
        lambda: Rivals(epsilon=0.0),
        lambda: Rivals(delta=0.0),
        lambda: Rivals(delta=1.0),
        lambda: USUAL.average(0),
        lambda: USUAL.level(1000),
        lambda: Equipartition(epsilon=math.inf),
        lambda: Equipartition(delta=0.0),
        lambda: Equipartition(times=0),
        lambda: USUAL_PARTS.part(BudgetSharing.ZCDP),
    ],
)
def test_outside_the_domain(call):
    with pytest.raises(ParameterError):
        call()
