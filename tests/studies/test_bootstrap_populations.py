"""Populations of simulated tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpcore.errors import ParameterError
from dpcore.studies.resampling.bootstrap_study import Ages, Normal, People
from tests.terms import UNIT


def test_ages_are_those_of_the_census():
    ages = Ages()
    assert ages.mean == pytest.approx(43.93744, abs=5e-6)
    assert ages.sd == pytest.approx(17.59333, abs=5e-6)


@pytest.mark.parametrize("width", [0.1, 1.0, 3.0, 40.0])
def test_deviation_of_clamped_normal_values(width):
    inside = stats.truncnorm(-width, width).var() * (1 - 2 * stats.norm.sf(width))
    expected = inside + 2 * width**2 * stats.norm.sf(width)
    assert Normal(half_width=width).sd ** 2 == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    "population",
    [Ages(), Normal(half_width=1.5), People.of(np.array([0.0, 0.2, 1.0]), bounds=UNIT, name="x")],
    ids=lambda p: p.name,
)
def test_draws_have_the_mean_and_deviation(population):
    drawn = population.draw(np.random.default_rng(1), 200_000)
    bounds = population.bounds
    assert bounds.lower <= drawn.min() <= drawn.max() <= bounds.upper
    error = population.sd / np.sqrt(drawn.size)
    assert abs(drawn.mean() - population.mean) < 4 * error
    assert drawn.std() == pytest.approx(population.sd, rel=0.01)


def test_one_person_and_all_equal_are_populations():
    alone = People.of(np.array([0.5]), bounds=UNIT, name="x")
    assert (alone.mean, alone.sd) == (0.5, 0.0)
    equal = People.of(np.full(9, 0.25), bounds=UNIT, name="x")
    assert equal.draw(np.random.default_rng(1), 4).tolist() == [0.25] * 4


@pytest.mark.parametrize("values", [[], [2.0], [np.nan], [-np.inf]])
def test_values_outside_their_bounds(values):
    with pytest.raises(ParameterError):
        People.of(np.array(values), bounds=UNIT, name="x")


@pytest.mark.parametrize("width", [0.0, -1.0, np.inf, np.nan])
def test_width_outside_its_domain(width):
    with pytest.raises(ParameterError):
        Normal(half_width=width)
