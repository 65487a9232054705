"""Fits by search: how far from the minimum they may end, and that it is charged."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.data.dataset import Dataset
from dpcore.models import guarantees
from dpcore.models.design import Design, UnitRows
from dpcore.models.glm import fit_glm
from dpcore.models.loss_functions import Logistic, ModelKind
from dpcore.models.metrics import ISOTROPIC
from dpcore.models.penalty import Penalty
from tests.conftest import everything
from tests.releases.models import number, question

TARGET, FEATURES = number("y"), tuple(number(f"x{k}") for k in range(11))
COLUMNS = (TARGET, *FEATURES)
WIDE = Design(target=TARGET, features=FEATURES, unit_rows=UnitRows.CLIP)


def huber(*, k, strength, people=10):
    return question(
        ModelKind.HUBER,
        design=WIDE,
        threshold=k,
        penalty=Penalty(strength=strength),
        most_people=people,
    )


def table(numbers):
    frame = pd.DataFrame(numbers, columns=[column.name for column in COLUMNS])
    return Dataset(name="wide", frame=frame, columns=COLUMNS)


def huber_distance(fit, k, strength):
    """Return |gradient|/lambda of a Huber fit, the gradient without any rounding."""
    theta = [Fraction(number) for number in fit.theta.tolist()]
    gradient = [Fraction(strength) * number for number in theta]
    for row, y in zip(fit.features.tolist(), fit.target.tolist(), strict=True):
        entries = [Fraction(entry) for entry in row]
        miss = sum(a * b for a, b in zip(entries, theta, strict=True)) - Fraction(y)
        slope = min(max(miss, -Fraction(k)), Fraction(k))
        gradient = [g + slope * entry for g, entry in zip(gradient, entries, strict=True)]
    return math.sqrt(sum(g * g for g in gradient)) / strength


@pytest.mark.slow
def test_fits_with_a_faint_penalty_and_a_low_threshold_end_at_the_minimum():
    rng = np.random.default_rng(0)
    for k in np.geomspace(1e-6, 5e-5, 104 if everything() else 20).tolist():
        asked = huber(k=k, strength=8.3e-6)
        fit = asked.fit(table(rng.uniform(-1, 1, (10, 12))))
        assert fit.found
        assert huber_distance(fit, k, 8.3e-6) <= guarantees.fit_error(asked)


@pytest.mark.slow
def test_neighbors_with_a_faint_penalty_differ_by_no_more_than_is_charged():
    asked = huber(k=8.2e-6, strength=8.3e-6)
    worst = guarantees.max_influence(asked, ISOTROPIC)
    # What the search may leave is charged, and next to nothing.
    bare = 8.2e-6 / 8.3e-6
    assert bare + 2 * guarantees.fit_error(asked) <= worst <= bare * (1 + 1e-6)
    rng, farthest = np.random.default_rng(3), 0.0
    for _ in range(25):
        numbers = np.clip(rng.normal(size=(10, 12)), -1, 1)
        fits = [asked.fit(table(numbers[some:])).theta for some in (0, 1)]
        farthest = max(farthest, float(np.linalg.norm(fits[0] - fits[1])))
    assert 0.9 * worst < farthest <= worst


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32),
    st.floats(-8, 1).map(lambda power: 10**power),
    st.floats(-9, 1).map(lambda power: 10**power),
    st.integers(1, 60),
    st.booleans(),
)
def test_every_search_ends_within_its_public_error(seed, k, strength, people, on_grid):
    rng = np.random.default_rng(seed)
    numbers = rng.uniform(-1, 1, (people, 12))
    numbers = np.round(2 * numbers) / 2 if on_grid else numbers
    asked = huber(k=k, strength=strength, people=people)
    fit = asked.fit(table(numbers))
    assert fit.found
    assert huber_distance(fit, k, strength) <= guarantees.fit_error(asked)
    if people > 1:
        shift = np.linalg.norm(fit.theta - asked.fit(table(numbers[1:])).theta)
        assert shift <= guarantees.max_influence(asked, ISOTROPIC)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32),
    st.floats(-9, 1).map(lambda power: 10**power),
    st.integers(1, 60),
    st.floats(-1, 3).map(lambda power: 10**power),
    st.booleans(),
)
def test_logistic_searches_end_at_the_minimum_pulled_or_not(
    seed, strength, people, size, separated
):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, (people, 4)) / 2
    y = (x @ rng.normal(size=4) > 0) if separated else rng.random(people) < 0.5
    y = y.astype(float)
    fit = fit_glm(x, y, loss=Logistic(), penalty=Penalty(strength=strength))
    assert fit.found
    for pull in (np.zeros(4), size * rng.normal(size=4)):
        theta = fit.pulled(pull)
        slopes = Logistic().slope(x @ theta, y)
        gradient = x.T @ slopes + strength * theta + pull
        far = 1 + np.linalg.norm(theta)
        assert np.linalg.norm(gradient) <= 1e-10 + 1e-13 * (size + people * far)


def test_errors_of_the_search_are_public_and_grow_as_the_penalty_falls():
    asked = question(ModelKind.HUBER)
    weaker = replace(asked, penalty=Penalty(strength=0.02))
    assert 0 < guarantees.fit_error(asked) < guarantees.fit_error(weaker) < 1e-6
    assert math.isinf(guarantees.longest_fit(question(ModelKind.POISSON)))
