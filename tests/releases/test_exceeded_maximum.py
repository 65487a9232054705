"""Models of tables with more rows than the public maximum: the guarantee holds.

A false public maximum may cost accuracy. It may not let a person move the coefficients
by more than is charged.
"""

import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from dpcore.analyses.base import Mode
from dpcore.analyses.model import MODEL_MECHANISMS
from dpcore.analyses.reading import model_request_from
from dpcore.data.columns import MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.models import guarantees
from dpcore.models.design import Design
from dpcore.models.loss_functions import ModelKind
from dpcore.models.metrics import ISOTROPIC
from dpcore.models.penalty import Penalty
from dpcore.relations import PrivacyUnit
from tests.conftest import few
from tests.releases.models import COLUMNS, TARGETS, question, request, table
from tests.terms import ADD_REMOVE, SUBSTITUTION

MAXIMUM = 3
BOUNDED = [ModelKind.LINEAR, ModelKind.HUBER, ModelKind.LOGISTIC]
ROWS = [
    *itertools.product((-1.0, 0.0, 1.0), (-1.0, 1.0), (-1.0, 1.0)),
    *itertools.product((-1.0, 1.0), (math.nan,), (-1.0, 1.0)),  # left out
]
FEATURES = tuple(
    replace(column, missing=MissingPolicy.DROP, replacement=None) for column in COLUMNS[3:]
)


def asked_of(model, relation=ADD_REMOVE, rows=1, strength=1.0, **changes):
    """Return a model of the columns a and b, of people with both, at most three."""
    design = Design(target=TARGETS[model], features=FEATURES, intercept=False)
    settings = {
        "design": design,
        "relation": relation,
        "unit": PrivacyUnit(rows=rows),
        "penalty": Penalty(strength=strength),
        "most_people": MAXIMUM,
    }
    return question(model, **(settings | changes))


def of_rows(rows):
    """Return a table of (target, a, b), with the target as a number and as yes/no."""
    y, a, b = np.array(rows, dtype=float).reshape(-1, 3).T
    frame = pd.DataFrame(
        {"y": y, "count": 0.0, "member": np.where(y > 0, "yes", "no"), "a": a, "b": b}
    )
    return Dataset(name="few", frame=frame, columns=(*COLUMNS[:3], *FEATURES))


def moved(asked, before, after):
    return float(np.linalg.norm(asked.fit(of_rows(before)).theta - asked.fit(of_rows(after)).theta))


def neighbors(rows, unit, relation, others):
    """Yield all tables without, or with another, unit of rows anywhere in the table."""
    for place in range(len(rows) - unit + 1):
        left = rows[:place] + rows[place + unit :]
        yield left
        if relation is SUBSTITUTION:
            yield rows[:place] + others[:unit] + rows[place + unit :]


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(BOUNDED),
    st.sampled_from([ADD_REMOVE, SUBSTITUTION]),
    st.integers(1, 2),
    st.sampled_from([0.05, 1.0, 8.0]),
    st.lists(st.sampled_from(ROWS), min_size=1, max_size=MAXIMUM + 3),
    st.lists(st.sampled_from(ROWS), min_size=2, max_size=2),
)
def test_no_unit_moves_a_model_farther_than_charged_whatever_the_maximum(
    model, relation, unit, strength, rows, others
):
    asked = asked_of(model, relation, unit, strength)
    worst = guarantees.max_influence(asked, ISOTROPIC)
    for after in neighbors(rows, unit, relation, others):
        assert moved(asked, rows, after) <= worst


def test_one_row_more_than_the_maximum_of_a_huber_regression():
    asked = asked_of(ModelKind.HUBER, threshold=0.001)
    worst = guarantees.max_influence(asked, ISOTROPIC)
    assert worst == pytest.approx(0.001, rel=1e-6)
    every = [(y, x, x) for y in (-1, 1) for x in (-1, 1)]
    farthest = max(
        moved(asked, [first, *rest], rest)
        for first in every
        for rest in map(list, itertools.combinations_with_replacement(every, 3))
    )
    # By exchange for the fourth row it was 0.002.
    assert 0.0009 < farthest <= worst


def test_an_exchanged_row_of_a_linear_regression_counts_as_two_moves():
    asked = asked_of(ModelKind.LINEAR, most_people=1)
    shift = moved(asked, [(1, 1, 1), (-1, 1, 1)], [(-1, 1, 1)])
    before = replace(asked, covers_excess=False)
    assert asked.moves == 2
    assert before.moves == 1
    assert guarantees.max_influence(before, ISOTROPIC) < shift
    assert shift <= guarantees.max_influence(asked, ISOTROPIC)


@pytest.mark.parametrize("model", [ModelKind.HUBER, ModelKind.LOGISTIC])
def test_models_of_bounded_slopes_read_all_rows_at_the_price_of_before(model):
    asked, whole = question(model, most_people=60), table(200)
    assert asked.fit(whole).people == 200
    assert len(asked.rows(whole)) == 200
    assert asked.moves == 1
    assert "covers_excess" not in asked.parameters()
    more = replace(asked, most_people=200).fit(whole)
    np.testing.assert_array_equal(asked.fit(whole).theta, more.theta)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.floats(-6, 1).map(lambda power: 10**power))
def test_the_reserve_for_rounding_covers_ten_times_the_maximum(seed, strength):
    rng = np.random.default_rng(seed)
    asked = asked_of(ModelKind.LOGISTIC, strength=strength, most_people=30)
    rows = np.column_stack([rng.choice([-1.0, 1.0], 300), rng.uniform(-1, 1, (300, 2))])
    fit = asked.fit(of_rows(rows.tolist()))
    theta = fit.theta.astype(np.longdouble)
    x, y = fit.features.astype(np.longdouble), fit.target.astype(np.longdouble)
    slopes = 1 / (1 + np.exp(-(x @ theta))) - y
    gradient = x.T @ slopes + np.longdouble(strength) * theta
    distance = float(np.sqrt((gradient**2).sum())) / strength
    assert distance <= guarantees.fit_error(asked)


def delta_between(first, second, epsilon):
    """Return the delta at epsilon of two normal laws, each a mean and a deviation."""
    middle = (first[0] + second[0]) / 2
    reach = abs(first[0] - second[0]) + 12 * max(first[1], second[1])
    places = np.linspace(middle - reach, middle + reach, 20_001)
    one, other = (norm.pdf(places, *law) for law in (first, second))
    return max(
        float(np.maximum(p - math.exp(epsilon) * q, 0).sum() * (places[1] - places[0]))
        for p, q in ((one, other), (other, one))
    )


@pytest.mark.parametrize("key", few(1, "posterior", "output"))
def test_samples_of_a_truncated_table_keep_their_delta(key):
    design = Design(target=COLUMNS[0], features=FEATURES[:1], intercept=False)
    asked = asked_of(ModelKind.LINEAR, design=design, most_people=1, strength=20.0)
    law = request(key, asked=asked, epsilon=1.0, delta=1e-3).law
    worst = 0.0
    for rows in itertools.product(itertools.product((-1.0, 0.0, 1.0), repeat=2), repeat=2):
        (y, x), (other_y, other_x) = rows
        laws = []
        for targets, features in ((y, x), (other_y, other_x)):
            curvature = features**2 + 20.0
            spread = law.noise / math.sqrt(curvature if key == "posterior" else 1.0)
            laws.append((features * targets / curvature, spread))
        fits = [asked.fit(of_rows([(t, f, 0.0)])) for t, f in rows]
        np.testing.assert_allclose([fit.theta[0] for fit in fits], [m for m, _ in laws])
        worst = max(worst, delta_between(*laws, 1.0))
    assert worst <= 1e-3


@pytest.mark.parametrize("key", MODEL_MECHANISMS)
def test_questions_of_earlier_versions_are_read_and_not_released_again(key):
    covered = request(key)
    assert covered.parameters()["question"]["covers_excess"] is True
    before = replace(covered, question=replace(covered.question, covers_excess=False))
    stored = json.loads(json.dumps(before.parameters()))
    assert "covers_excess" not in stored["question"]
    again = model_request_from(stored, table(20))
    assert again == before
    assert "a new question" in again.refusal(Mode.RELEASE)
    assert again.analysis("table") != covered.analysis("table")
