"""Several quantiles: intervals that hold together, for tables of every size."""

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.inference.quantile_intervals import chain, exact_places
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.relations import TableSize
from dpcore.statistics.quantiles import GRID_SIZE, CumulativeCounts

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
BOUNDS = Interval(lower=0.0, upper=GRID_SIZE - 1.0)
SIZES = (0, 1, 3, 10, 100, 10_000)
POPULATIONS = {
    "alike": lambda rng, n: 100.0 + 0 * rng.random(n),
    "even": lambda rng, n: rng.uniform(-50, 600, n),
    "gap": lambda rng, n: np.where(rng.random(n) < 0.5, 7.0, 480.0),
}


def within(ends, places):
    return ((ends[:, 0] <= places) & (places <= ends[:, 1])).all()


@pytest.mark.slow
@pytest.mark.parametrize("kind", POPULATIONS)
@pytest.mark.parametrize("noise", [Laplace(noise=3.0), Gaussian(noise=3.0)])
@pytest.mark.parametrize("public", [True, False])
def test_all_quantiles_hold_together_for_tables_of_every_size(kind, noise, public):
    runs, draw = 60, POPULATIONS[kind]
    rng = np.random.default_rng(2)
    statistic = CumulativeCounts(bounds=BOUNDS, size=TableSize(people=1, public=False))
    many = statistic.value(draw(rng, 400_000))
    population = exact_places(many, SHARES)
    missed = np.zeros((2, len(SIZES), runs), dtype=bool)
    for row, people in enumerate(SIZES):
        size = TableSize(people=max(people, 1), public=public and people > 0)
        for run in range(runs):
            counts = statistic.value(draw(rng, people))
            drawn = counts + noise.simulate(np.zeros(1), rng=rng, size=counts.shape)
            found = chain(noise, drawn, SHARES, size=size)
            missed[0, row, run] = not within(found.noise, exact_places(counts, SHARES))
            # Where half of the people have one value, a quantile may be either.
            sure = population if kind != "gap" else np.delete(population, 2)
            kept = slice(None) if kind != "gap" else [0, 1, 3, 4]
            missed[1, row, run] = not within(found.total[kept], sure)
            for ends in (found.noise, found.total):
                assert (np.diff(ends, axis=0) >= 0).all()
                assert within(ends, found.places)
            assert (np.diff(found.places) >= 0).all()
    rate = missed.mean(axis=2)
    assert (rate <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)).all(), rate
    # All sizes together, which is sharper.
    assert missed.mean() <= 0.05


def test_sharp_counts_leave_the_quantiles_of_the_table():
    rng = np.random.default_rng(3)
    values = rng.uniform(0, 511, 999)
    size = TableSize(people=999, public=True)
    counts = CumulativeCounts(bounds=BOUNDS, size=size).value(values)
    found = chain(Laplace(noise=1e-6), counts, SHARES, size=size)
    expected = np.rint(np.quantile(values, SHARES, method="inverted_cdf"))
    np.testing.assert_array_equal(found.places, expected)
    np.testing.assert_array_equal(found.noise[:, 0], expected)
    # In a sample of 999 they may be others.
    assert (found.total[:, 0] < expected).all()
    assert (found.total[:, 1] > expected).all()
