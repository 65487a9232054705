"""Discrete Laplace noise on counts, clamped: all against enumeration."""

import math

import numpy as np
import pytest

from dpcore.analyses import secure
from dpcore.data.bounds import Interval
from dpcore.errors import ClaimError
from dpcore.inference.intervals import noise_interval
from dpcore.mechanisms.boundary_inflated_geometric import BoundaryInflatedGeometric
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.privacy_filter import PrivacyCost

ONE = Sensitivity.scalar(1.0)
TEN = Interval(lower=0.0, upper=10.0)
COUNTS = np.arange(11)


def law(noise, count):
    """Return the probabilities of 0 to 10, by enumeration of the noise."""
    k = np.arange(-4000, 4001)
    chance = np.exp(-np.abs(k) / noise)
    return np.bincount(np.clip(count + k, 0, 10), chance / chance.sum(), minlength=11)


@pytest.mark.parametrize("noise", [0.3, 1.0, 7.0, 40.0])
def test_law_and_moments_are_those_of_an_enumeration(noise):
    made = BoundaryInflatedGeometric(noise=noise, bounds=TEN)
    for count in (0, 3, 10):
        chance = law(noise, count)
        np.testing.assert_allclose(made.cdf(COUNTS, count), chance.cumsum(), atol=1e-12)
        inner = made.pdf(COUNTS, count)
        inner[[0, 10]] += made.atoms(count)
        np.testing.assert_allclose(inner, chance, atol=1e-12)
        assert made.bias(count) == pytest.approx(chance @ (COUNTS - count), abs=1e-10)
        assert made.mse(count) == pytest.approx(chance @ (COUNTS - count) ** 2, rel=1e-10)
        u = np.array([1e-9, 0.02, 0.4, 0.6, 0.98, 1 - 1e-9])
        expected = np.searchsorted(chance.cumsum(), u)
        np.testing.assert_array_equal(made.quantile(u, count), np.minimum(expected, 10))


@pytest.mark.parametrize("noise", [0.3, 1.0, 7.0])
def test_profile_of_every_pair_is_that_of_an_enumeration(noise):
    made = BoundaryInflatedGeometric(noise=noise, bounds=TEN)
    laws = np.array([law(noise, count) for count in COUNTS])
    pairs = COUNTS[:, None, None].astype(float), COUNTS[None, :, None].astype(float)
    for epsilon in (0.0, 0.1, 0.5, 1.0, 2.5):
        gap = np.maximum(laws[:, None] - math.exp(epsilon) * laws[None], 0).sum(axis=-1)
        got = made.pairwise_delta(*pairs, epsilon=epsilon)
        np.testing.assert_allclose(got, np.maximum(gap, gap.T), atol=1e-11)
    np.testing.assert_allclose(
        made.pairwise_epsilon(*pairs), np.abs(np.subtract.outer(COUNTS, COUNTS)) / noise
    )
    back = made.pairwise_delta(*pairs, epsilon=0.3)
    level = made.pairwise_epsilon(*pairs, delta=0.05)
    assert ((level <= 0.3) == (back <= 0.05)).all()


def test_a_step_by_one_reveals_what_its_event_says():
    made = BoundaryInflatedGeometric.calibrate(sensitivity=ONE, epsilon=0.7, bounds=TEN)
    event = made.event(ONE)
    first, second = law(made.noise, 4), law(made.noise, 5)
    loss = float(first @ np.log(first / second))
    assert event.parameter == pytest.approx(0.7)
    assert loss == pytest.approx(event.rho, rel=1e-9)
    # Continuous noise of that scale reveals less.
    assert loss > 0.7 + math.exp(-0.7) - 1


def test_secure_draws_are_counts_of_the_stated_law_and_intervals_cover():
    size, noise = 4000, 2.0
    made = BoundaryInflatedGeometric(noise=noise, bounds=TEN)
    one = Sensitivity(coordinates=size, l1=1.0, l2=1.0, largest=1.0)
    found = secure.draw(
        made, np.full(size, 3.0), sensitivity=one, cost=PrivacyCost.of(epsilon=0.5, rho=1.0)
    )
    chance = law(noise, 3)
    seen = np.bincount(found.astype(int), minlength=11) / size
    assert (np.abs(seen - chance) <= 6 * np.sqrt(chance / size)).all()
    ends = noise_interval(made, COUNTS.astype(float), bounds=TEN, tail=0.1)
    np.testing.assert_array_equal(ends, ends.round())
    for count in COUNTS:
        kept = (ends[:, 0] <= count) & (count <= ends[:, 1])
        assert law(noise, count) @ kept >= 0.9
    with pytest.raises(ClaimError):
        secure.draw(made, np.zeros(1), sensitivity=ONE, cost=PrivacyCost.of(epsilon=0.4))
