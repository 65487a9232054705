"""Counts of cells and their sums: intervals that hold together, nobody included."""

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.inference.intervals import count_intervals, sum_reach
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Sensitivity

SIZES = np.array([[0.0, 1, 3], [10, 100, 10_000], [0, 0, 0]])
PEOPLE = float(SIZES.sum())


def sums_of(table):
    return np.concatenate([table.ravel(), table.sum(axis=1), table.sum(axis=0)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "public", "runs"),
    [
        ("laplace", True, 150),
        ("laplace", False, 80),
        ("gaussian", True, 150),
        ("bit", True, 60),
        ("folded", False, 20),
    ],
)
def test_all_cells_and_sums_hold_together(key, public, runs):
    bounds = Interval(lower=0.0, upper=PEOPLE if public else np.inf)
    mechanism = CATALOG[key].calibrate(
        sensitivity=Sensitivity(coordinates=2, l1=2.0, l2=2**0.5, largest=1.0),
        epsilon=0.7,
        delta=1e-6,
        bounds=bounds,
    )
    rng = np.random.default_rng(4)
    missed = np.zeros((2, runs), dtype=bool)
    population = sums_of(SIZES)
    for run in range(runs):
        # A table is a sample: everybody falls into a cell by chance.
        table = rng.multinomial(int(PEOPLE), SIZES.ravel() / PEOPLE).reshape(3, 3)
        drawn = mechanism.simulate(table * 1.0, rng=rng, size=table.shape)
        found = count_intervals(mechanism, drawn, bounds=bounds)
        for side, (ends, truth) in enumerate(
            ((found.noise, sums_of(table)), (found.total, population))
        ):
            low, high = ends.T
            missed[side, run] = ((low > truth + 1e-6) | (high < truth - 1e-6)).any()
    assert (missed.mean(axis=1) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)).all()


@pytest.mark.parametrize("noise", [Laplace(noise=3.0), Gaussian(noise=2.0)])
@pytest.mark.parametrize("count", [1, 4, 30])
def test_sums_reach_as_far_as_is_said(noise, count):
    rng = np.random.default_rng(count)
    drawn = noise.simulate(np.zeros(1), rng=rng, size=(40_000, count)).sum(axis=1)
    beyond = np.abs(drawn) > sum_reach(noise, count, 0.02)
    assert beyond.mean() == pytest.approx(0.02, abs=0.003)
    # Of ever so many noises the union bound is left, which reaches farther.
    assert sum_reach(noise, 101, 0.02) > sum_reach(noise, 100, 0.02)


def test_interval_of_a_sum_is_no_wider_than_those_of_its_cells():
    table = np.full((4, 5), 50.0)
    bounds = Interval(lower=0.0, upper=1000.0)
    found = count_intervals(Laplace(noise=2.0), table, bounds=bounds).noise
    widths = found[:, 1] - found[:, 0]
    assert np.allclose(widths[:20], widths[0])
    assert (widths[20:24] < 5 * widths[0]).all()
    assert (widths[20:] > widths[0]).all()
