"""Intervals keep their coverage, wherever the truth lies."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.inference.intervals import (
    expect,
    intervals,
    noise_half_width,
    noise_interval,
    normal_plus_laplace_quantile,
)
from dpcore.mechanisms.catalog import CATALOG
from dpcore.mechanisms.mechanism import Sensitivity
from dpcore.relations import TableSize
from dpcore.statistics.histogram import Histogram
from dpcore.statistics.sums_and_means import Mean, Proportion
from tests.conftest import everything, few
from tests.terms import UNIT


def mechanism(key, *, change=0.1, epsilon=1.0, bounds=UNIT):
    delta = 1e-6 if CATALOG[key].needs_delta else 0.0
    return CATALOG[key].calibrate(
        sensitivity=Sensitivity.scalar(change), epsilon=epsilon, delta=delta, bounds=bounds
    )


@pytest.mark.slow
@pytest.mark.parametrize("key", CATALOG)
@pytest.mark.parametrize("position", [0.0, 0.03, 0.5, 0.9, 1.0])
def test_noise_interval_covers_the_statistic_as_often_as_it_says(key, position):
    law = mechanism(key)
    rng = np.random.default_rng(7)
    drawn = law.simulate(position, rng=rng, size=(5_000,))
    ends = noise_interval(law, drawn, bounds=UNIT, tail=0.05)
    inside = (ends[:, 0] <= position + 1e-12) & (position - 1e-12 <= ends[:, 1])
    # Five standard errors of a share of 95% in 5 000 draws.
    assert inside.mean() > 0.95 - 5 * np.sqrt(0.95 * 0.05 / 5_000)


@pytest.mark.parametrize("key", ["laplace", "gaussian", "truncated"])
def test_noise_interval_is_not_wider_than_it_must_be(key):
    law = mechanism(key)
    drawn = law.simulate(0.5, rng=np.random.default_rng(8), size=(5_000,))
    ends = noise_interval(law, drawn, bounds=UNIT, tail=0.5)
    inside = (ends[:, 0] <= 0.5) & (ends[:, 1] >= 0.5)
    assert inside.mean() == pytest.approx(0.5, abs=0.035)


def test_an_atom_counts_wherever_the_mechanism_has_it():
    # Clamped to less than what is possible, as a covariance given its variances is.
    law = mechanism("bit", bounds=Interval(lower=-0.2, upper=0.2))
    wide = Interval(lower=-1.0, upper=1.0)
    low, high = noise_interval(law, np.array([0.2]), bounds=wide, tail=0.05)[0]
    assert low == pytest.approx(max(-1.0, 0.2 - law.noise * np.log(20)), rel=1e-9)
    assert high == 1.0
    # However far away they are: what is clamped hides how far beyond it was.
    far = Interval(lower=-1e6, upper=1e6)
    assert noise_interval(law, np.array([0.2]), bounds=far, tail=0.05)[0, 1] == 1e6


@given(
    key=st.sampled_from(["laplace", "bit"]),
    # Unbounded noise leaves the bounds.
    released=st.lists(st.floats(-1.0, 2.0), min_size=1, max_size=20),
    tail=st.floats(1e-12, 0.9),
    change=st.floats(1e-6, 1.0),
)
@example(key="laplace", released=[1.0], tail=1e-12, change=0.03125)
def test_closed_forms_are_what_halving_finds(key, released, tail, change):
    law = mechanism(key, change=change)
    drawn = np.array(released) if key == "laplace" else UNIT.clip(released)
    halving = noise_interval.dispatch(object)
    closed, found = (of(law, drawn, bounds=UNIT, tail=tail) for of in (noise_interval, halving))
    # The search sees an upper tail as 1 - F, which is known to a unit of rounding only.
    blur = law.noise * 4 * np.finfo(float).eps / tail
    np.testing.assert_allclose(closed, found, atol=1e-12 + blur)


@pytest.mark.slow
@pytest.mark.parametrize("key", few(5, *CATALOG))
@pytest.mark.parametrize("n", [40, 4000])
def test_total_interval_covers_the_population(key, n):
    rng = np.random.default_rng(9)
    statistic = Mean(bounds=UNIT, size=TableSize(people=n, public=True))
    law = mechanism(key, change=1 / n)
    mean, hits, runs = 0.2, 0, 100 if everything() else 50
    for _ in range(runs):
        # A yes/no population has the largest spread that its mean allows.
        table = (rng.random(n) < mean).astype(float)
        drawn = law.simulate(statistic.value(table), rng=rng, size=(1,))
        low, high = intervals(law, statistic, drawn, bounds=UNIT).total[0]
        hits += low <= mean <= high
    assert hits / runs > 0.95 - 5 * np.sqrt(0.95 * 0.05 / runs)


def test_cells_of_a_histogram_hold_together():
    size = TableSize(people=1000, public=True)
    statistic = Histogram(labels=("a", "b", "c", "d"), size=size)
    bounds = statistic.range
    law = CATALOG["laplace"].calibrate(
        sensitivity=Sensitivity(coordinates=2, l1=2, l2=2**0.5, largest=1),
        epsilon=0.5,
        delta=0.0,
        bounds=bounds,
    )
    truth = np.array([400.0, 300.0, 200.0, 100.0])
    rng = np.random.default_rng(10)
    hits = 0
    for _ in range(400):
        drawn = law.simulate(truth, rng=rng, size=(4,))
        ends = noise_interval(law, drawn, bounds=bounds, tail=0.05 / 4)
        hits += bool(np.all((ends[:, 0] <= truth) & (truth <= ends[:, 1])))
    assert 0.91 < hits / 400 < 0.985
    both = intervals(law, statistic, drawn, bounds=bounds)
    assert both.noise == pytest.approx(ends)


@settings(deadline=None, max_examples=150)
@given(scale=st.floats(1e-6, 1e6), sd=st.floats(1e-6, 1e6), tail=st.floats(1e-4, 0.5))
def test_quantile_of_the_sum_lies_between_its_parts(scale, sd, tail):
    found = normal_plus_laplace_quantile(scale=scale, sd=sd, tail=tail)
    laplace = -scale * np.log(tail)
    normal = -sd * stats.norm.ppf(tail / 2)
    assert found >= max(laplace, normal) * (1 - 1e-6)
    # Union bound: each part beyond its own quantile at half the tail.
    assert found <= -scale * np.log(tail / 2) - sd * stats.norm.ppf(tail / 4) + 1e-9


def test_quantile_of_the_sum_without_one_part():
    assert normal_plus_laplace_quantile(scale=2.0, sd=0.0, tail=0.05) == pytest.approx(
        2 * np.log(20)
    )
    assert normal_plus_laplace_quantile(scale=0.0, sd=2.0, tail=0.05) == pytest.approx(
        2 * 1.959963984540054
    )


@pytest.mark.slow
@pytest.mark.parametrize("key", CATALOG)
def test_expectation_is_what_draws_show_at_the_worst_position(key):
    law = mechanism(key)
    ahead = expect(law, Mean(bounds=UNIT, size=TableSize(people=10, public=True)), UNIT)
    rng = np.random.default_rng(11)
    rmse, far = 0.0, []
    for position in np.linspace(0, 1, 11):
        errors = law.simulate(position, rng=rng, size=(20_000,)) - position
        rmse = max(rmse, float(np.sqrt(np.mean(errors**2))))
        far.append(np.mean(np.abs(errors) > ahead.noise))
    assert ahead.typical == pytest.approx(rmse, rel=0.03)
    assert max(far) < 0.06
    assert ahead.noise == noise_half_width(law, bounds=UNIT, level=0.95)
    assert ahead.sampling == pytest.approx(1.959963984540054 * 0.5 / 10**0.5, rel=1e-3)


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, float("nan")])
def test_level_outside_its_domain_is_refused(level):
    statistic = Mean(bounds=UNIT, size=TableSize(people=10, public=True))
    with pytest.raises(ParameterError, match="between 0 and 1"):
        intervals(mechanism("laplace"), statistic, np.array([0.5]), bounds=UNIT, level=level)


@pytest.mark.slow
def test_rare_members_do_not_look_certain():
    """A normal interval with the spread of its own estimate covers 63% here."""
    n, share, runs = 100, 0.01, 150
    statistic = Proportion(size=TableSize(people=n, public=True))
    law = mechanism("laplace", change=1 / n, epsilon=50.0)
    rng = np.random.default_rng(12)
    hits = 0
    for _ in range(runs):
        table = (rng.random(n) < share).astype(float)
        drawn = law.simulate(statistic.value(table), rng=rng, size=(1,))
        low, high = intervals(law, statistic, drawn, bounds=UNIT).total[0]
        hits += low <= share <= high
    assert hits / runs > 0.9
