"""Coverage of intervals around released shares, by simulation."""

from itertools import product

import numpy as np
import pytest

from dpcore.releases.constraints import ConstraintKind
from dpcore.studies.proportions.share_coverage import coverage, simulated
from tests.releases.questions import shares

PROCEDURES = [
    pytest.param(kind, syntheses, id=f"{kind.name}-{syntheses}")
    for kind, syntheses in product(ConstraintKind, (1, 4))
]


@pytest.mark.parametrize(("kind", "syntheses"), PROCEDURES)
def test_intervals_cover_where_naive_ones_do_not(kind, syntheses):
    rng, truth = np.random.default_rng(12), np.array([0.2, 0.3, 0.5])
    known = {"kind": kind, "syntheses": syntheses}
    benign = coverage(
        shares("bit", people=500, epsilon=4.0, **known).plan,
        truth,
        surveys=1500,
        rng=rng,
    )
    assert benign.released.min() >= 0.93
    noisy = coverage(
        shares("bit", people=500, epsilon=0.1, **known).plan,
        truth,
        surveys=1500,
        rng=rng,
    )
    assert noisy.naive.max() < 0.8
    assert noisy.released.min() >= 0.9


def test_coverage_has_a_rate_for_each_share_of_a_population():
    plan, rng = shares(people=50).plan, np.random.default_rng
    found = coverage(plan, np.array([0.2, 0.8, 0.0]), surveys=50, rng=rng(1))
    assert found.naive.shape == found.released.shape == (3,)
    # A population may be given in any unit.
    again = coverage(plan, np.array([2.0, 8.0, 0.0]), surveys=50, rng=rng(1))
    np.testing.assert_array_equal(again.released, found.released)


@pytest.mark.parametrize(("kind", "syntheses"), PROCEDURES)
def test_simulated_answers_are_shares_around_the_truth(kind, syntheses):
    plan = shares("bit", kind, people=2000, syntheses=syntheses).plan
    truth = np.array([0.2, 0.3, 0.5])
    drawn = simulated(plan, truth, rng=np.random.default_rng(13), size=(4000,))
    assert drawn.shape == (4000, 3)
    assert drawn.min() >= 0
    np.testing.assert_allclose(drawn.sum(axis=-1), 1)
    error = drawn.std(axis=0) / np.sqrt(4000)
    assert np.all(np.abs(drawn.mean(axis=0) - truth) < 5 * error)
    # One row of shares for each simulation does the same.
    rows = np.tile(truth, (4000, 1))
    again = simulated(plan, rows, rng=np.random.default_rng(13), size=(4000,))
    np.testing.assert_array_equal(again, drawn)
