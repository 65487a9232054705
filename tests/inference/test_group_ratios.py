"""Ratios of groups: intervals that hold for groups of every size, none included."""

import numpy as np
import pytest
from scipy import stats

from dpcore.data.bounds import Interval
from dpcore.inference.group_ratios import Ratio, estimate, estimate_each, exact_ratios, half_widths
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from tests.conftest import everything, few

BOUNDS = Interval(lower=10.0, upper=30.0)
SIZES = (0, 1, 3, 10, 100, 10_000)
MEAN = Ratio(bounds=BOUNDS)
RATIOS = {
    "mean": MEAN,
    "variance": Ratio(bounds=BOUNDS, ddof=1),
    "deviation": Ratio(bounds=BOUNDS, ddof=1, root=True),
    "population": Ratio(bounds=BOUNDS, ddof=0),
}
# Of a mean with its standard deviation.
BOTH = (Ratio(bounds=BOUNDS, squares=True), Ratio(bounds=BOUNDS, ddof=0, root=True))
# How people's heights between the bounds are distributed: their mean and variance.
PEOPLE = {"alike": (0.3, 0.0), "even": (0.5, 1 / 12), "rare": (0.02, 0.02 * 0.98)}


def heights(kind, shape, rng):
    if kind == "alike":
        return np.full(shape, 0.3)
    uniform = rng.random(shape)
    return uniform if kind == "even" else (uniform < 0.02) * 1.0


def sums(a, degree):
    b = 1 - a
    each = (b, a) if degree == 1 else (b * b, 2 * a * b, a * a)
    return np.stack([part.sum(axis=-1) for part in each], axis=-1)


def released(kind, sizes, degree, mechanism, *, runs, seed):
    """Tables of groups of ``sizes``, ``runs`` of each, with noise and without."""
    rng = np.random.default_rng(seed)
    # A few tables of the large group: the sampling error there is not what is hard.
    exact = np.stack(
        [
            np.resize(
                sums(heights(kind, (min(runs, 40) if n > 999 else runs, n), rng), degree),
                (runs, degree + 1),
            )
            for n in sizes
        ],
        axis=1,
    )
    noise = mechanism.simulate(np.zeros(1), rng=rng, size=exact.shape)
    return exact.reshape(-1, degree + 1), (exact + noise).reshape(-1, degree + 1)


def misses(intervals, numbers, runs):
    """Tell in which of the runs an interval missed; NaN is nothing to be missed."""
    low, high = intervals.T
    with np.errstate(invalid="ignore"):
        missed = (low > numbers + 1e-9) | (high < numbers - 1e-9)
    return missed.reshape(runs, -1).any(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", RATIOS)
@pytest.mark.parametrize("kind", PEOPLE)
@pytest.mark.parametrize("noise", [Laplace(noise=4.0), Gaussian(noise=1.5)])
def test_all_intervals_hold_together_for_groups_of_every_size(name, kind, noise):
    ratio = RATIOS[name]
    runs = 600 if name == "mean" else 120
    exact, drawn = released(kind, SIZES, ratio.degree, noise, runs=runs, seed=5)
    found = estimate(noise, drawn, ratio, together=len(SIZES))
    truth, people = exact_ratios(exact, ratio), np.tile(SIZES, runs)
    wrong = misses(found.ratios_noise, truth, runs)
    wrong |= misses(found.counts_noise, people, runs)
    # 95 of 100, within three standard errors of the simulation.
    assert wrong.mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
    mean, variance = PEOPLE[kind]
    spread = ratio.in_units(np.array(variance))
    population = spread if ratio.degree > 1 else ratio.in_units(np.array(mean))
    missed = misses(found.ratios_total, np.full(len(drawn), population), runs)
    assert missed.mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)
    # The large group is told in all runs, and an empty one is named in hardly any.
    told = ~np.isnan(found.ratios).reshape(runs, -1)
    assert told[:, -1].all()
    assert told[:, 0].mean() <= 0.05 / len(SIZES) + 0.02
    known = ~np.isnan(found.ratios)
    low, high = found.ratios_noise[known].T
    assert (low <= found.ratios[known] + 1e-9).all()
    assert (found.ratios[known] <= high + 1e-9).all()


def missed_of_both(kind, noise, runs, sizes=(0, 3, 30, 300, 2000)):
    """Return in how many tables, and populations, a count, mean or deviation is missed."""
    exact, drawn = released(kind, sizes, 2, noise, runs=runs, seed=7)
    found = estimate_each(noise, drawn, BOTH, together=len(sizes))
    mean, variance = PEOPLE[kind]
    off, far = np.zeros((2, runs), dtype=bool)
    for place, ratio in enumerate(BOTH):
        inner, outer = found.ratios_noise[place], found.ratios_total[place]
        off |= misses(inner, exact_ratios(exact, ratio), runs)
        population = ratio.in_units(np.array(mean if place == 0 else variance))
        far |= misses(outer, np.full(len(drawn), population), runs)
    off |= misses(found.counts_noise, np.tile(sizes, runs), runs)
    return int(off.sum()), int(far.sum())


@pytest.mark.slow
@pytest.mark.parametrize("kind", PEOPLE)
@pytest.mark.parametrize("noise", [Laplace(noise=4.0), Gaussian(noise=1.5)])
def test_means_and_deviations_of_groups_of_every_size_hold_together(kind, noise):
    runs = 400 if everything() else 60
    for missed in missed_of_both(kind, noise, runs):
        assert stats.binomtest(missed, runs, 0.05, alternative="greater").pvalue > 1e-3


def test_the_released_deviation_shortens_the_interval_of_the_mean():
    """Without noise it is Bernstein's inequality with the largest variance that is kept."""
    a = np.random.default_rng(1).normal(0.4, 0.1, 20_000).clip(0, 1)
    noise, table = Laplace(noise=1e-6), sums(a, 2)[np.newaxis]
    of_mean, deviation = (estimate(noise, table, ratio) for ratio in BOTH)
    largest = (deviation.ratios_total[0, 1] / BOUNDS.width) ** 2
    assert 0.1**2 < largest < 0.12**2
    log, c = np.log(12 / 0.05), np.log(12 / 0.05) / 3
    for end, farthest in zip(of_mean.ratios_total[0], (0.6, 0.4), strict=True):
        off = c * farthest + np.sqrt((c * farthest) ** 2 + 2 * len(a) * largest * log)
        assert abs(end - of_mean.ratios[0]) == pytest.approx(20 * off / len(a), rel=0.01)
    alone = estimate(noise, sums(a, 1)[np.newaxis], MEAN)
    assert np.ptp(of_mean.ratios_total) < 0.3 * np.ptp(alone.ratios_total)


@pytest.mark.parametrize("size", few(2, *SIZES))
def test_a_mean_is_missed_as_often_as_its_level_says(size):
    """One group alone: its interval is exact, where it is told, whatever its size."""
    noise, runs = Laplace(noise=2.0), 4000
    rng = np.random.default_rng(size)
    a = heights("even", (1, size), rng)
    drawn = sums(a, 1) + noise.simulate(np.zeros(1), rng=rng, size=(runs, 2))
    found = estimate(noise, drawn, MEAN, together=1)
    truth = exact_ratios(sums(a, 1), MEAN)
    with np.errstate(invalid="ignore"):
        missed = (found.ratios_noise[:, 0] > truth) | (found.ratios_noise[:, 1] < truth)
    off = (found.counts_noise[:, 0] > size) | (found.counts_noise[:, 1] < size)
    assert missed.mean() <= 0.025 + 0.01
    if size >= 100:  # exactly half of the tail each
        assert missed.mean() == pytest.approx(0.025, abs=0.008)
        assert off.mean() == pytest.approx(0.025, abs=0.008)
    if size == 0:
        assert np.isnan(found.ratios).mean() >= 0.975


@pytest.mark.parametrize("lower", [0.0, 100.0])
def test_numbers_of_the_check_from_outside(lower):
    """A minimum of 300 drew ten people with a mean of 7.3 up to 18.9 [9.4, 28.3]."""
    ratio = Ratio(bounds=Interval(lower=lower, upper=lower + 60.0))
    # Ten people, a category that nobody has, and two large groups, epsilon 1.
    a = np.full(10, 7.3 / 60)
    exact = np.array([[(1 - a).sum(), a.sum()], [0, 0], [400, 60], [230, 40]])
    noise = Laplace(noise=2.0)
    rng = np.random.default_rng(1)
    runs = 500
    drawn = exact + noise.simulate(np.zeros(1), rng=rng, size=(runs, 4, 2))
    found = estimate(noise, drawn.reshape(-1, 2), ratio, together=4)
    told = ~np.isnan(found.ratios).reshape(runs, 4)
    assert told[:, 1].mean() < 0.05 / 4
    # Where ten people are told at all, their mean is in the interval.
    low, high = found.ratios_noise.reshape(runs, 4, 2)[:, 0].T
    held = (low <= lower + 7.3) & (high >= lower + 7.3)
    assert held[told[:, 0]].mean() > 0.9
    assert (~held & told[:, 0]).mean() < 0.0125
    assert told[:, 2:].all()


def test_ratios_without_noise_are_those_of_the_values():
    rng = np.random.default_rng(3)
    values = rng.uniform(10, 30, 50)
    table = np.stack([sums((values - 10) / 20, 2), np.zeros(3)])
    for name, expected in (
        ("variance", values.var(ddof=1)),
        ("deviation", values.std(ddof=1)),
        ("population", values.var()),
    ):
        found = exact_ratios(table, RATIOS[name])
        assert found[0] == pytest.approx(expected)
        assert np.isnan(found[1])
        sharp = estimate(Laplace(noise=1e-6), table, RATIOS[name])
        assert sharp.ratios[0] == pytest.approx(expected, rel=1e-3)
        np.testing.assert_allclose(sharp.ratios_noise[0], expected, rtol=2e-3)
    mean = exact_ratios(np.array([[30.0, 10.0], [0.0, 0.0]]), MEAN)
    assert mean[0] == 15.0
    assert np.isnan(mean[1])
    alone = np.stack([sums(np.array([0.4]), 2)])
    assert np.isnan(exact_ratios(alone, RATIOS["variance"])[0])
    assert exact_ratios(alone, RATIOS["population"])[0] == pytest.approx(0, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mean", "deviation"])
@pytest.mark.parametrize("noise", [Laplace(noise=4.0), Gaussian(noise=2.0)])
def test_noise_before_is_the_noise_after(name, noise):
    """The half-width for a named size is about that of an answer for such a group."""
    ratio, sizes = RATIOS[name], (200, 2000)
    before = half_widths(noise, ratio, np.array(sizes, dtype=float), together=3)
    p = np.linspace(0, 1, 9)[:, np.newaxis]
    for size, promised in zip(sizes, before, strict=True):
        spread = np.repeat(p, size, axis=1)
        halves = np.arange(size) < p * size
        exact = np.concatenate([sums(spread, ratio.degree), sums(halves * 1.0, ratio.degree)])
        rng = np.random.default_rng(size)
        drawn = exact + noise.simulate(np.zeros(1), rng=rng, size=(12, *exact.shape))
        flat = drawn.reshape(-1, ratio.degree + 1)
        found = estimate(noise, flat, ratio, together=3)
        off = np.abs(found.ratios_noise - found.ratios[:, np.newaxis]).max(axis=1)
        typical = np.median(off.reshape(12, -1), axis=0).max()
        assert typical == pytest.approx(promised, rel=0.15)


# How fast the half-width falls, in powers of epsilon: that of a mean as noise does.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "law", "fastest"),
    [("mean", Laplace, 1), ("mean", Gaussian, 1), ("variance", Laplace, 3)],
)
def test_noise_before_falls_without_jumps_as_epsilon_grows(name, law, fastest):
    sizes = np.array([30.0, 300.0, 10_000.0])
    epsilons = np.geomspace(0.4, 20, 8)
    widths = np.array(
        [
            half_widths(law(noise=2 / epsilon), RATIOS[name], sizes, together=10)
            for epsilon in epsilons
        ]
    )
    known = ~np.isnan(widths)
    assert (np.diff(known.astype(int), axis=0) >= 0).all()
    falls = -np.diff(np.log(widths), axis=0) / np.diff(np.log(epsilons))[:, np.newaxis]
    falls = falls[~np.isnan(falls)]
    assert (falls >= 0).all()
    assert (falls <= fastest + 1e-6).all()


@pytest.mark.parametrize("ratio", [MEAN, BOTH[0]])
@pytest.mark.parametrize("noise", [Laplace(noise=4.0), Gaussian(noise=2.0)])
def test_noise_of_a_mean_before_is_that_of_the_worst_group(noise, ratio):
    sizes, between = np.array([60.0, 200.0, 2000.0]), [np.zeros(401)] * (ratio.degree - 1)
    before = half_widths(noise, ratio, sizes, together=3)
    p = np.linspace(0, 1, 401)
    for size, promised in zip(sizes, before, strict=True):
        drawn = size * np.stack([1 - p, *between, p], axis=-1)
        found = estimate(noise, drawn, ratio, together=3)
        off = np.abs(found.ratios_noise - found.ratios[:, np.newaxis]).max()
        assert off == pytest.approx(promised, rel=0.005)
        assert off <= promised * (1 + 1e-9)


def test_counts_of_a_population_are_garwoods():
    found = estimate(Laplace(noise=1e-9), np.array([[4.0, 6.0]]), MEAN, level=0.8)
    # Half of a fifth for the table, of that half for sampling: 0.05 on both sides.
    np.testing.assert_allclose(found.counts_total[0], [4.795389, 18.390356], rtol=1e-5)
