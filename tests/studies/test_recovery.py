"""Attacks on losses that were told: they find the exact answer."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpcore.data.bounds import Interval
from dpcore.errors import DataError, ParameterError
from dpcore.individual.per_instance_loss import per_instance_losses
from dpcore.mechanisms.laplace import Laplace
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.sums_and_means import Mean
from dpcore.studies.attacks.noise import (
    attack_count,
    attack_mean,
    counts_from_loss,
    means_from_loss,
    realized_loss,
    rounded_up,
)
from tests.individual.plans import Plan

X1 = np.array([-1.2, -0.8, -0.5, -0.1, 0.0, 0.3, 0.6, 0.9, 1.4, 2.5])
BOUNDS = Interval(lower=-3.0, upper=3.0)


def test_mean_of_ten_people_from_the_loss_of_one():
    mean = Mean(bounds=BOUNDS, size=TableSize(people=10, public=True))
    plan = Plan(Laplace(noise=0.6), mean.sensitivity(NeighboringRelation.SUBSTITUTION))
    removal = NeighboringRelation.ADD_REMOVE
    losses = per_instance_losses(plan, mean, X1, relation=removal).epsilon
    assert losses[9] == pytest.approx(0.4055555556, rel=1e-9)
    wide = Interval(lower=-9.0, upper=9.0)
    ask = {"value": 2.5, "scale": 0.6, "people": 10}
    both = means_from_loss(losses[9], bounds=wide, **ask)
    np.testing.assert_allclose(both, [0.31, 4.69], rtol=1e-12)
    assert means_from_loss(losses[9], bounds=BOUNDS, **ask) == (pytest.approx(0.31, rel=1e-12),)


@given(
    st.lists(st.floats(-5, 5), min_size=2, max_size=40),
    st.data(),
    st.floats(0.01, 5),
    st.integers(0, 2**32),
)
def test_every_person_finds_the_mean_among_two_candidates(values, data, epsilon, seed):
    person = data.draw(st.integers(0, len(values) - 1))
    rng = np.random.default_rng(seed)
    found = attack_mean(np.array(values), person, bounds=BOUNDS, epsilon=epsilon, rng=rng)
    assert min(abs(candidate - found.truth) for candidate in found.candidates) < 1e-9
    assert len(found.candidates) <= 2
    assert found.recovered in found.candidates
    assert all(-3 - 1e-8 <= candidate <= 3 + 1e-8 for candidate in found.candidates)


@given(st.integers(0, 10**6), st.floats(0.05, 5), st.integers(0, 2**32))
def test_anybody_finds_the_count(counted, epsilon, seed):
    rng = np.random.default_rng(seed)
    found = attack_count(counted, epsilon=epsilon, delta=1e-6, rng=rng)
    off = sorted(abs(c - round(c)) for c in found.candidates)
    # By chance the other candidate may be as close to a whole number.
    assume(off[1] > 1e-6)
    assert found.recovered == counted == found.truth
    assert found.error == 0


@pytest.mark.parametrize("member", [True, False])
def test_realized_loss_is_the_log_ratio_of_the_densities(member):
    count, sigma, release = 40, 3.0, 43.7
    other = count - 1 if member else count + 1

    def log_density(mean):
        return -((release - mean) ** 2) / (2 * sigma**2)

    exact = abs(log_density(count) - log_density(other))
    loss = realized_loss(release, count=count, sigma=sigma, member=member)
    assert loss == pytest.approx(exact, rel=1e-12)
    found = counts_from_loss(loss, release=release, sigma=sigma, member=member)
    assert min(abs(one - count) for one in found) < 1e-12


def test_rounding_only_blurs_the_answer():
    rng = np.random.default_rng(3)
    values = rng.normal(40, 15, 500)
    bounds = Interval(lower=0.0, upper=100.0)
    exact, blurred = (
        attack_mean(
            values, 7, bounds=bounds, epsilon=0.5, rng=np.random.default_rng(1), digits=digits
        )
        for digits in (None, 3)
    )
    assert exact.slack == 0
    assert 0 < blurred.error <= blurred.slack < 0.1 * blurred.reach
    assert exact.error < 1e-9 < blurred.error
    assert blurred.told >= exact.told


@given(st.floats(1e-9, 1e6), st.integers(1, 6))
def test_losses_are_rounded_up(loss, digits):
    told, unit = rounded_up(loss, digits)
    assert loss * (1 - 1e-9) <= told <= (loss + unit) * (1 + 1e-9)
    assert float(f"{told:.{digits}g}") == pytest.approx(told, rel=1e-12)


def test_what_rounding_leaves_alone():
    assert rounded_up(0.0, 3) == (0.0, 0.0)
    assert rounded_up(math.inf, 3) == (math.inf, 0.0)
    assert rounded_up(0.123456, None) == (0.123456, 0.0)


def test_all_equal_and_nobody_counted():
    rng = np.random.default_rng(0)
    equal = attack_mean(np.full(5, 2.0), 0, bounds=BOUNDS, epsilon=1.0, rng=rng)
    assert equal.told == 0
    assert equal.candidates == (2.0,)
    assert equal.error == 0
    assert attack_count(0, epsilon=1.0, delta=1e-6, rng=rng).truth == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"values": np.ones(1)},
        {"values": np.empty(0)},
        {"person": 5},
        {"person": -1},
        {"epsilon": 0.0},
    ],
)
def test_domains(wrong):
    known = {"values": X1[:5], "person": 0, "epsilon": 1.0} | wrong
    values, person = known.pop("values"), known.pop("person")
    rng = np.random.default_rng(0)
    with pytest.raises((DataError, ParameterError)):
        attack_mean(values, person, bounds=BOUNDS, rng=rng, **known)


def test_domains_of_the_count():
    rng = np.random.default_rng(0)
    for wrong in ({"counted": -1}, {"delta": 0.0}, {"epsilon": np.inf}):
        known = {"counted": 3, "epsilon": 1.0, "delta": 1e-6} | wrong
        with pytest.raises(ParameterError):
            attack_count(known.pop("counted"), rng=rng, **known)
