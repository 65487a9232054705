"""The difference of two groups: an interval that holds for groups of every size."""

import itertools

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.inference.group_differences import compare, difference, half_width
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from tests.conftest import few

BOUNDS = Interval(lower=10.0, upper=30.0)
SIZES = (0, 1, 3, 10, 100, 10_000)
HEIGHTS = {
    "alike": (lambda rng, n: 0.3 + 0 * rng.random(n), 0.3),
    "even": (lambda rng, n: rng.random(n), 0.5),
    "rare": (lambda rng, n: (rng.random(n) < 0.02) * 1.0, 0.02),
}


def sums(a):
    return np.array([(1 - a).sum(), a.sum()])


def misses(ends, truth):
    return not ends[0] - 1e-9 <= truth <= ends[1] + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kinds", "noise"),
    [
        (("alike", "even"), Laplace(noise=2.0)),
        (("rare", "even"), Gaussian(noise=1.5)),
        (("even", "even"), Laplace(noise=1.0)),
    ],
)
def test_everything_holds_together_for_groups_of_every_size(kinds, noise):
    rng, runs = np.random.default_rng(8), 2
    (draw, middle), (other_draw, other_middle) = (HEIGHTS[kind] for kind in kinds)
    missed = []
    for sizes in itertools.product(SIZES, repeat=2):
        for _ in range(runs):
            tables = draw(rng, sizes[0]), other_draw(rng, sizes[1])
            exact = np.stack([sums(table) for table in tables])
            drawn = exact + noise.simulate(np.zeros(1), rng=rng, size=(2, 2))
            found = compare(noise, drawn, BOUNDS)
            off = [
                misses(ends, people) for ends, people in zip(found.counts_noise, sizes, strict=True)
            ]
            if found.apart is None:
                missed.append((any(off), False))
                continue
            # Of nobody there is no mean: then the count is missed already.
            if 0 in sizes:
                assert any(off)
                missed.append((True, False))
                continue
            one, less = (10 + 20 * table.mean() for table in tables)
            off += [
                misses(found.apart.noise, one - less),
                misses(found.percent.noise, 100 * (one - less) / less),
                misses(found.means[0].noise, one),
                misses(found.means[1].noise, less),
            ]
            one, less = 10 + 20 * middle, 10 + 20 * other_middle
            far = [
                misses(found.apart.total, one - less),
                misses(found.percent.total, 100 * (one - less) / less),
                misses(found.means[0].total, one),
            ]
            missed.append((any(off), any(far)))
    rate = np.mean(missed, axis=0)
    assert (rate <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(missed))).all()


@pytest.mark.slow
def test_difference_of_one_pair_is_missed_no_more_often_than_its_level_says():
    noise, runs = Laplace(noise=2.0), 20
    rng = np.random.default_rng(5)
    exact = np.array([[60.0, 40.0], [90.0, 60.0]])
    off = []
    for _ in range(runs):
        drawn = exact + noise.simulate(np.zeros(1), rng=rng, size=(2, 2))
        found = compare(noise, drawn, BOUNDS)
        off.append(misses(found.apart.noise, 0.0))
    # The projection of a region misses less than the region does, which is 4 of 100.
    assert np.mean(off) <= 0.04 + 0.08


def test_difference_is_sharper_than_what_both_means_leave_open():
    noise = Laplace(noise=2.0)
    drawn = np.array([[120.0, 80.0], [90.0, 110.0]])
    found = compare(noise, drawn, BOUNDS)
    box = difference(*found.means)
    length = found.apart.noise[1] - found.apart.noise[0]
    assert length < 0.6 * (box.noise[1] - box.noise[0])
    assert found.apart.noise[0] < found.apart.value < found.apart.noise[1]
    assert found.apart.total[0] <= found.apart.noise[0]
    assert found.apart.total[1] >= found.apart.noise[1]


@pytest.mark.parametrize("noise", few(1, Laplace(noise=2.0), Gaussian(noise=2.0)))
def test_noise_before_is_the_noise_after(noise):
    people = np.array([150.0, 400.0])
    before = half_width(noise, BOUNDS, (150.0, 400.0))
    worst = 0.0
    for heights in itertools.product((0.0, 0.3, 1.0), repeat=2):
        a = np.array(heights)
        drawn = people[:, np.newaxis] * np.stack([1 - a, a], axis=-1)
        apart = compare(noise, drawn, BOUNDS).apart
        off = max(abs(end - apart.value) for end in apart.noise)
        worst = max(worst, off)
    # At most, about: a mean that is no bound moves away from the worst of them.
    assert 0.9 * before <= worst <= before * (1 + 1e-9)
