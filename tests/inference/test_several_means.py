"""Means of several columns by group: intervals that hold for groups of every size."""

import numpy as np
import pytest

from dpcore.data.bounds import Interval
from dpcore.inference.group_ratios import Ratio, count_reach, estimate, estimate_means, height_reach
from dpcore.inference.group_ratios import half_widths as widths_alone
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.releases.table import TOO_FEW, to_csv
from dpcore.statistics.group_sums import MeanMoments
from tests.releases.questions import by_group, means
from tests.releases.sample_releases import make_release
from tests.terms import ADD_REMOVE, SUBSTITUTION

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
    [
        ("alike", Laplace(noise=2.0)),
        ("even", Gaussian(noise=2.0)),
        ("rare", Laplace(noise=1.0)),
        ("bound", Gaussian(noise=3.0)),
    ],
)
def test_everything_holds_together_for_groups_of_every_size(kind, noise):
    runs = 200
    rates = simulated(noise, kind, runs, np.random.default_rng(4))
    assert max(rates) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)


@pytest.mark.parametrize("relation", [SUBSTITUTION, ADD_REMOVE])
def test_one_column_with_gaussian_noise_is_told_as_by_its_own_question(relation):
    alone = by_group("gaussian", relation=relation, delta=1e-6)
    statistic = MeanMoments(labels_of_groups=("north", "south"), bounds=BOUNDS[:1])
    # The numbers are turned and shortened, and so is their noise.
    noise = alone.mechanism.noise / np.sqrt(2)
    low, high = np.array([[30.0, 12.0], [2.0, 5.0], [100.0, 250.0]]).T
    drawn = np.column_stack([low + high, high - low]) / 2
    ratio = Ratio(bounds=BOUNDS[0])
    expected = estimate(Gaussian(noise=alone.mechanism.noise), np.stack([low, high], -1), ratio)
    found = estimate_means(Gaussian(noise=noise), drawn, BOUNDS[:1], weight=statistic.weight)
    for name in ("counts", "counts_noise", "counts_total"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-6)
    assert found.ratios[0] == pytest.approx(expected.ratios, rel=1e-6, nan_ok=True)
    assert found.ratios_noise[0] == pytest.approx(expected.ratios_noise, rel=1e-6, nan_ok=True)
    assert found.ratios_total[0] == pytest.approx(expected.ratios_total, rel=1e-6, nan_ok=True)


@pytest.mark.parametrize("noise", [Laplace(noise=2.0), Gaussian(noise=2.0)])
def test_noise_before_is_the_noise_after(noise):
    of = {"weight": WEIGHT, "columns": 3, "together": 2}
    before = height_reach(noise, **of) / 500
    worst = 0.0
    for height in (0.0, 0.4, 1.0):
        drawn = np.array([[500 * WEIGHT, *[500 * (height - 0.5)] * 3]] * 2)
        found = estimate_means(noise, drawn, BOUNDS, weight=WEIGHT)
        off = found.ratios_noise - found.ratios[..., np.newaxis]
        widths = np.array([b.width for b in BOUNDS])[:, np.newaxis, np.newaxis]
        worst = max(worst, np.abs(off / widths).max())
    assert 0.9 * before <= worst <= before * (1 + 1e-6)
    # No more can be told of a group than that there may be nobody in it.
    few = count_reach(noise, **of)
    drawn = np.array([[WEIGHT * few * 0.999, 0, 0, 0], [WEIGHT * few * 1.001, 0, 0, 0]])
    told = ~np.isnan(estimate_means(noise, drawn, BOUNDS, weight=WEIGHT).ratios)
    assert not told[:, 0].any()
    assert told[:, 1].all()


def test_several_columns_are_sharper_than_one_by_one_for_the_same_price():
    for key, delta in (("laplace", 0.0), ("gaussian", 1e-6)):
        for relation in (SUBSTITUTION, ADD_REMOVE):
            together = means(key, relation=relation, delta=delta).plan
            (off,) = together.height_half_widths((1_000,))
            one = by_group(key, relation=relation, delta=delta).mechanism
            # Each at a part of the price that lets both add up to that of the other,
            # and each missing half of what both may miss.
            spread = 2.0 if key == "laplace" else np.sqrt(2)
            share = type(one)(noise=one.noise * spread)
            (alone,) = widths_alone(
                share,
                Ratio(bounds=Interval(lower=0.0, upper=1.0)),
                np.array([1000.0]),
                together=2 * 3,
            )
            assert off < alone


def test_answer_names_every_number_with_its_unit_and_says_what_it_cannot():
    request = means(epsilon=5.0)
    plan = request.plan
    sums_ = np.zeros((3, 3))
    sums_[0] = 400 * request.query.statistic.weight, 40.0, -80.0
    drawn = plan.answer(sums_.ravel(), cost=request.cost)
    assert drawn.labels == ("age of north", "weight of north")
    assert drawn.values == pytest.approx((60.0, 60.0), abs=5.0)
    assert set(drawn.unsaid) == {
        f"{column} of {group}" for column in ("age", "weight") for group in ("south", "other")
    }
    assert list(drawn.derived) == ["people in north", "people in south", "people in other"]
    assert drawn.intervals.noise.keys() == {*drawn.labels, *drawn.derived}
    kept = make_release(
        request=request.parameters(),
        labels=drawn.labels,
        values=drawn.values,
        unit=request.unit_text,
        units=request.units,
        unsaid=drawn.unsaid,
        derived=drawn.derived,
        intervals=drawn.intervals,
    )
    rows = to_csv([kept]).splitlines()
    assert len(rows) == 1 + 2 + 3 + 4
    assert sum(",years," in row for row in rows) == 1
    assert sum(",kg," in row for row in rows) == 1
    assert sum(TOO_FEW in row for row in rows) == 4
    assert all(",counts," in row for row in rows[1:])
