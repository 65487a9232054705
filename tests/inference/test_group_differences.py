"""Differences of two groups: as sure as the intervals that they follow from."""

from itertools import permutations

import numpy as np
import pytest

from dpcore.errors import ParameterError
from dpcore.inference.group_differences import IntervalEstimate, difference, more_in_percent
from dpcore.inference.group_ratios import estimate, exact_ratios
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from tests.inference.test_group_ratios import MEAN, PEOPLE, SIZES, released


def held(found, place):
    """The number of a group as a release keeps it; None where it cannot be told."""
    if np.isnan(found.ratios[place]):
        return None
    noise, total = found.ratios_noise[place], found.ratios_total[place]
    return IntervalEstimate(
        value=float(found.ratios[place]), noise=tuple(noise), total=tuple(total)
    )


def within(ends, number):
    return ends[0] - 1e-9 <= number <= ends[1] + 1e-9


@pytest.mark.parametrize("kind", PEOPLE)
@pytest.mark.parametrize("noise", [Laplace(noise=4.0), Gaussian(noise=1.5)])
def test_all_differences_hold_together_for_groups_of_every_size(kind, noise):
    runs, count = 300, len(SIZES)
    exact, drawn = released(kind, SIZES, MEAN.degree, noise, runs=runs, seed=11)
    found = estimate(noise, drawn, MEAN, together=count)
    truth = exact_ratios(exact, MEAN)
    missed = np.zeros((2, runs), dtype=bool)
    for run in range(runs):
        places = range(run * count, (run + 1) * count)
        groups = {place: held(found, place) for place in places}
        told = {place: one for place, one in groups.items() if one is not None}
        for one, other in permutations(told, 2):
            apart = difference(told[one], told[other])
            percent = more_in_percent(told[one], told[other])
            # An empty group that is told is missed already, as one of the intervals.
            a, b = truth[one], truth[other]
            if not np.isnan([a, b]).any():
                missed[0, run] |= not within(apart.noise, a - b)
                missed[0, run] |= not within(percent.noise, 100 * (a - b) / b)
            missed[1, run] |= not within(apart.total, 0.0)
            # All groups are samples of one population.
            missed[1, run] |= not within(percent.total, 0.0)
    # 95 of 100, within three standard errors of the simulation.
    assert (missed.mean(axis=1) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)).all()


@pytest.mark.parametrize("one", [(-3.0, -1.0), (-1.0, 2.0), (0.0, 4.0), (1.0, 1.0), (-2.0, np.inf)])
@pytest.mark.parametrize("other", [(0.5, 0.5), (1.0, 3.0), (1e-9, np.inf)])
def test_ends_are_the_extremes_of_all_numbers_between(one, other):
    low, high = (IntervalEstimate(value=e[0], noise=e) for e in (one, other))
    grid = [np.linspace(e[0], min(e[1], 1e6), 41) for e in (one, other)]
    a, b = np.meshgrid(*grid)
    for held_apart, every in (
        (difference(low, high), a - b),
        (more_in_percent(low, high), 100 * (a - b) / b),
    ):
        ends = held_apart.noise
        slack = 1e-9 * np.abs(every)
        assert (every >= ends[0] - slack).all()
        assert (every <= ends[1] + slack).all()
        if np.isfinite([*one, *other]).all():
            np.testing.assert_allclose(ends, (every.min(), every.max()), atol=1e-9)


def test_no_percentage_of_what_may_be_nothing():
    sure = IntervalEstimate(value=2.0, noise=(1, 3), total=(1, 3))
    for other in (
        IntervalEstimate(value=1.0, noise=(0.0, 3.0)),
        IntervalEstimate(value=-2.0, noise=(-3.0, -1.0)),
    ):
        assert more_in_percent(sure, other) is None
        assert difference(sure, other).noise == (1 - other.noise[1], 3 - other.noise[0])
    # Above 0 in the table, and perhaps not in the population.
    perhaps = IntervalEstimate(value=1.0, noise=(0.5, 2.0), total=(-1.0, 4.0))
    found = more_in_percent(sure, perhaps)
    assert found.noise == (-50.0, 500.0)
    assert found.total is None
    assert difference(sure, perhaps).total == (-3.0, 4.0)
    with pytest.raises(ParameterError, match="lower and an upper end"):
        IntervalEstimate(value=1.0, noise=(2.0, 1.0))
