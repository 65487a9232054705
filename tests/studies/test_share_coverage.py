"""Coverage of intervals around released shares, by simulation."""

import numpy as np
import pytest
from scipy.stats import binom

from dpcore.postprocessing.share_constraints import ConstraintKind
from dpcore.studies.proportion_intervals import coverage
from tests.releases.questions import shares


@pytest.mark.slow
@pytest.mark.parametrize("kind", ConstraintKind)
@pytest.mark.parametrize("syntheses", [1, 4])
def test_intervals_cover_where_naive_ones_do_not(kind, syntheses):
    rng, truth = np.random.default_rng(12), np.array([0.2, 0.3, 0.5])
    known = {"kind": kind, "syntheses": syntheses}
    benign = coverage(
        shares("bit", people=500, epsilon=4.0, **known).plan, truth, surveys=500, rng=rng
    )
    assert benign.released.min() >= 0.93
    noisy = coverage(
        shares("bit", people=500, epsilon=0.1, **known).plan, truth, surveys=500, rng=rng
    )
    assert noisy.naive.max() < 0.8
    assert noisy.released.min() >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "people", "epsilon", "syntheses"),
    [
        *((kind, 100, 10.0, 1) for kind in ConstraintKind),
        *((ConstraintKind.RESCALE, 50, 1.0, sets) for sets in (2, 5)),
    ],
)
def test_intervals_of_rare_shares_miss_no_more_than_promised(kind, people, epsilon, syntheses):
    known = {"people": people, "epsilon": epsilon, "syntheses": syntheses}
    plan = shares("bit", kind, cells=4, **known).plan
    truth, surveys = np.array([0.01, 0.01, 0.01, 0.97]), 4000
    found = coverage(plan, truth, surveys=surveys, rng=np.random.default_rng(14))
    assert np.all(binom.cdf(np.rint(found.released * surveys), surveys, 0.95) > 1e-4)


def test_coverage_has_a_rate_for_each_share_of_a_population():
    plan, rng = shares(people=50).plan, np.random.default_rng
    found = coverage(plan, np.array([0.2, 0.8, 0.0]), surveys=50, rng=rng(1))
    assert found.naive.shape == found.released.shape == (3,)
    # A population may be given in any unit.
    again = coverage(plan, np.array([2.0, 8.0, 0.0]), surveys=50, rng=rng(1))
    np.testing.assert_array_equal(again.released, found.released)
