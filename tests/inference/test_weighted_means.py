"""Weighted means, totals and sums of weights: intervals that hold, and the design effect."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.inference.group_differences import IntervalEstimate
from dpcore.inference.group_ratios import Ratio, estimate
from dpcore.inference.intervals import expected_sums
from dpcore.inference.stratified_means import corrected, stratified
from dpcore.inference.weighted_means import estimate_weighted
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from tests.releases.questions import weighted

CAP = 5.0
RATIO = Ratio(bounds=Interval(lower=10.0, upper=30.0))
SIZES = (0, 3, 30, 300)
# Weights and heights of a row: alike, dependent on each other, rare and heavy.
LAWS = {
    "alike": lambda _, n: (np.full(n, 2.0), np.full(n, 0.3)),
    "dependent": lambda rng, n: ((u := rng.random(n)) * CAP, (u + rng.random(n)) / 2),
    "heavy": lambda rng, n: (
        np.where(heavy := rng.random(n) < 0.05, CAP, 0.1),
        np.where(heavy, 1.0, rng.random(n)),
    ),
}


def missed(ends, truth):
    return (ends[..., 0] > truth + 1e-9) | (truth - 1e-9 > ends[..., 1])


def in_population(law):
    """Mean weight, and mean of weight times value, of a million rows."""
    weights, heights = LAWS[law](np.random.default_rng(0), 1_000_000)
    return weights.mean(), (weights * (10 + 20 * heights)).mean()


def simulated(noise, law, runs, rng):
    """Return how often any number of a table, and of its population, is missed."""
    weight, total = in_population(law)
    sizes = np.array([np.roll(SIZES, run)[:3] for run in range(runs)]).ravel()
    rows = [LAWS[law](rng, n) for n in sizes]
    sums = np.array([weights.sum() for weights, _ in rows])
    totals = np.array([(weights * (10 + 20 * heights)).sum() for weights, heights in rows])
    above = np.array([(weights * heights).sum() for weights, heights in rows])
    drawn = np.stack([sums - above, above], axis=-1) / CAP
    drawn += noise.simulate(np.zeros(1), rng=rng, size=drawn.shape)
    found = estimate_weighted(noise, drawn, RATIO, cap=CAP, totals=True, together=3)
    groups, told = found.groups, ~np.isnan(found.groups.ratios)
    # Of nobody there is no mean: then the sum of weights is missed already.
    means = totals / np.where(sums > 0, sums, 1.0)
    off = (
        missed(groups.counts_noise, sums)
        | missed(found.totals_noise, totals)
        | missed(groups.ratios_noise, means) & told & (sums > 0)
    )
    far = (
        missed(groups.counts_total, sizes * weight)
        | missed(found.totals_total, sizes * total)
        | missed(groups.ratios_total, total / weight) & told
    )
    return np.stack([off, far]).reshape(2, runs, 3).any(axis=2).mean(axis=1)


NOISES = [Laplace(noise=2.0), Gaussian(noise=3.0)]


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("noise", NOISES)
def test_intervals_hold_together_in_400_releases(noise, law):
    # With 0.05 at most, more than 0.09 of 400 are missed once in two thousand such tests.
    assert simulated(noise, law, 400, np.random.default_rng(7)).max() <= 0.09


def test_means_and_totals_without_noise_are_those_of_the_sums():
    found = estimate_weighted(
        Laplace(noise=1e-9), np.array([[30.0, 10.0]]), RATIO, cap=CAP, totals=True
    )
    assert found.groups.counts[0] == pytest.approx(200.0)
    assert found.groups.ratios[0] == pytest.approx(15.0)
    assert found.totals[0] == pytest.approx(3000.0)
    np.testing.assert_allclose(found.groups.ratios_noise[0], 15.0, atol=1e-6)
    np.testing.assert_allclose(found.totals_noise[0], 3000.0, atol=1e-4)
    assert np.isnan(
        estimate_weighted(
            Laplace(noise=1e-9), np.array([[30.0, 10.0]]), RATIO, cap=CAP, totals=False
        ).totals
    ).all()


@pytest.mark.parametrize("mean", [0.5, 5.0, 80.0])
@pytest.mark.parametrize("part", [1.0, 0.02])
def test_expected_sums_are_missed_no_more_often_than_stated(mean, part):
    """Sums of memberships, and of many small numbers, of any mean."""
    rng = np.random.default_rng(3)
    sums = part * rng.binomial(10_000, mean / part / 10_000, size=20_000)
    ends = expected_sums(np.stack([sums, sums], axis=-1), 0.05)
    assert missed(ends, mean).mean() <= 0.05


def test_noise_adds_what_a_simulation_finds():
    """Half of the values at either bound; weights of a known design effect."""
    plan = replace(weighted(epsilon=0.5).plan, mean_weight=2.0)
    rng, rows, runs = np.random.default_rng(1), 200, 4_000
    weights = np.where(rng.random((runs, rows)) < 0.5, 1.0, 3.0)
    effect = rows * np.square(weights).sum(axis=1) / weights.sum(axis=1) ** 2
    heights = rng.random((runs, rows)) < 0.5
    below = (weights * ~heights).sum(axis=1) / 4
    above = (weights * heights).sum(axis=1) / 4
    exact = above / (above + below)
    below = plan.mechanism.simulate(below, rng=rng, size=(runs,))
    above = plan.mechanism.simulate(above, rng=rng, size=(runs,))
    design = plan.design(float(effect.mean()), spread=0.5)
    added = (above / (above + below)).std() / exact.std() - 1
    assert design.added(rows) == pytest.approx(added, rel=0.15)
    assert design.added(design.rows_for(0.05)) == pytest.approx(0.05)
    for impossible in (0.9, 2.1):
        with pytest.raises(ParameterError, match="between 1 and 2"):
            plan.design(impossible, spread=0.5)


def test_a_stratified_mean_holds_where_the_intervals_of_its_strata_do():
    rng = np.random.default_rng(2)
    for _ in range(200):
        low, inner, high = np.sort(rng.normal(size=(3, 4)), axis=0)
        sizes = rng.integers(0, 9, 4) + np.eye(4)[0]
        strata = [
            IntervalEstimate(value=v, noise=(a, b), total=(a - 1, b + 1))
            for a, v, b in zip(low, inner, high, strict=True)
        ]
        found = stratified(strata, sizes)
        truth = np.average(rng.uniform(low, high), weights=sizes)
        assert found.noise[0] - 1e-12 <= truth <= found.noise[1] + 1e-12
        assert found.value == pytest.approx(np.average(inner, weights=sizes))
        assert found.total == pytest.approx((found.noise[0] - 1, found.noise[1] + 1))
    for wrong in ((1, 2, 3), (0, 0, 0, 0), (1, 1, 1, -1)):
        with pytest.raises(ParameterError, match="4 public sizes"):
            stratified(strata, wrong)


@pytest.mark.parametrize("together", [1, 20])
@pytest.mark.parametrize(
    ("size", "rows"), [(40, 30), (60, 57), (100, 99), (200, 100), (500, 50), (500, 490)]
)
@pytest.mark.parametrize("squares", [False, True])
def test_the_finite_population_correction_holds_for_all_populations_of_0_and_1(
    size, rows, together, squares
):
    """By the hypergeometric law, without noise; also of one stratum of many at one level."""
    ones = np.arange(rows + 1)
    drawn = np.stack([rows - ones, *[0 * ones] * squares, ones], axis=-1).astype(float)
    ratio = Ratio(bounds=Interval(lower=0.0, upper=1.0), squares=squares)
    found = estimate(Laplace(noise=1e-6), drawn, ratio, together=together)
    strata = [
        IntervalEstimate(value=ones[place] / rows, noise=tuple(noise), total=tuple(total))
        for place, (noise, total) in enumerate(
            zip(found.ratios_noise.tolist(), found.ratios_total.tolist(), strict=True)
        )
    ]
    ends = np.array(
        [one.total for one in corrected(strata, [size] * len(ones), [rows] * len(ones))]
    )
    assert np.ptp(ends, axis=1).mean() < np.ptp(found.ratios_total, axis=1).mean()
    for share in range(size + 1):
        held = (ends[:, 0] <= share / size + 1e-9) & (share / size - 1e-9 <= ends[:, 1])
        assert stats.hypergeom(size, share, rows).pmf(ones)[held].sum() >= 1 - 0.05 / together


def test_a_population_is_no_smaller_than_its_rows_in_the_table():
    one = IntervalEstimate(value=1.0, noise=(0.0, 2.0), total=(-4.0, 6.0))
    assert corrected([one], [100.0], [75.0])[0].total == (-2.0, 4.0)
    assert corrected([one], [100.0], [100.0])[0].total == pytest.approx((-1.265, 3.265), abs=1e-3)
    assert corrected([replace(one, total=None)], [9.0], [1.0])[0].total is None
    for wrong in ([70.0], [100.0, 100.0]):
        with pytest.raises(ParameterError, match="at least the rows of the table"):
            corrected([one], wrong, [75.0])
