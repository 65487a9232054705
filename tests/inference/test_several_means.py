"""Means of several columns by group: intervals that hold for groups of every size."""

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.inference.group_ratios import estimate_means
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.statistics.group_sums import MeanMoments
from tests.conftest import few

BOUNDS = (
    Interval(lower=10.0, upper=30.0),
    Interval(lower=-1.0, upper=1.0),
    Interval(lower=0.0, upper=5.0),
)
STATISTIC = MeanMoments(labels_of_groups=("a", "b"), bounds=BOUNDS)
WEIGHT = STATISTIC.weight
SIZES = (0, 1, 3, 10, 100, 10_000)
# Heights of everybody in three columns, and their means in the population.
PEOPLE = {
    "alike": (lambda _, n: np.full((n, 3), 0.3), 0.3),
    "even": (lambda rng, n: rng.random((n, 3)), 0.5),
    "rare": (lambda rng, n: (rng.random((n, 3)) < 0.02) * 1.0, 0.02),
    "bound": (lambda _, n: np.ones((n, 3)), 1.0),
}


def sums(heights):
    return np.array([WEIGHT * len(heights), *(heights - 0.5).sum(axis=0)])


def missed(ends, truth):
    return (ends[..., 0] > truth + 1e-9) | (truth - 1e-9 > ends[..., 1])


def simulated(noise, kind, runs, rng):
    """Return how often anything of a table, and of a population, is missed."""
    draw, middle = PEOPLE[kind]
    lower, width = np.array([[b.lower, b.width] for b in BOUNDS]).T[..., np.newaxis]
    sizes = np.array([np.roll(SIZES, run)[:3] for run in range(runs)]).ravel()
    tables = [draw(rng, n) for n in sizes]
    exact = np.stack([sums(table) for table in tables])
    drawn = exact + noise.simulate(np.zeros(1), rng=rng, size=exact.shape)
    found = estimate_means(noise, drawn, BOUNDS, weight=WEIGHT, together=3)
    told = ~np.isnan(found.ratios[0])
    counts = missed(found.counts_noise, sizes)
    # Of nobody there is no mean: then the count is missed already.
    assert counts[told & (sizes == 0)].all()
    told &= sizes > 0
    actual = np.array([t.mean(axis=0) if len(t) else np.zeros(3) for t in tables])
    off = missed(found.ratios_noise, lower + width * actual.T).any(axis=0) & told
    far = missed(found.ratios_total, lower + width * middle).any(axis=0) & told
    answers = np.stack([off | counts, far]).reshape(2, runs, 3)
    return answers.any(axis=2).mean(axis=1)


@pytest.mark.parametrize(
    ("kind", "noise"),
    few(
        2,
        ("alike", Laplace(noise=2.0)),
        ("even", Gaussian(noise=2.0)),
        ("rare", Laplace(noise=1.0)),
        ("bound", Gaussian(noise=3.0)),
    ),
)
def test_everything_holds_together_for_groups_of_every_size(kind, noise):
    runs = 200
    rates = simulated(noise, kind, runs, np.random.default_rng(4))
    assert max(rates) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
