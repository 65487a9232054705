"""Errors of models before they are released, and the penalty that balances them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.analyses.model import ModelRequest
from dpcore.analyses.model_errors import balanced_penalty, errors_of, taken_of_spread
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind
from dpcore.models.design import Design
from dpcore.models.loss_functions import ModelKind
from dpcore.models.penalty import Penalty
from dpcore.models.question import ModelQuestion
from dpcore.models.ridge import fit_ridge
from dpcore.relations import NeighboringRelation, PrivacyUnit


def number(name):
    return Column(name=name, kind=ColumnKind.NUMBER, bounds=Interval(lower=-1.0, upper=1.0))


def question(model=ModelKind.LINEAR, *, people=2000, strength=1.0, columns=3):
    target = number("y")
    if model is ModelKind.LOGISTIC:
        target = Column(name="y", kind=ColumnKind.YES_NO, labels=("no", "yes"))
    return ModelQuestion(
        design=Design(target=target, features=tuple(number(f"x{k}") for k in range(columns))),
        model=model,
        penalty=Penalty(strength=strength),
        relation=NeighboringRelation.SUBSTITUTION,
        unit=PrivacyUnit(),
        most_people=people,
        threshold=0.25 if model is ModelKind.HUBER else None,
    )


def test_less_privacy_or_more_people_need_less_penalty_a_person():
    def share(people, epsilon):
        asked = question(people=people)
        return balanced_penalty(asked, epsilon=epsilon, delta=1e-6) / people

    assert share(1000, 0.5) > share(1000, 2.0) > share(100_000, 2.0)


@pytest.mark.parametrize("key", ["output", "posterior", "output-public"])
def test_noise_on_a_prediction_is_at_most_what_is_said(key):
    rng = np.random.default_rng(2)
    x = rng.standard_normal((300, 4))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    fit = fit_ridge(x, rng.uniform(-1, 1, 300), penalty=Penalty(strength=60.0))
    matrix = tuple(map(tuple, np.diag([1.0, 4.0, 0.5, 2.0]).tolist()))
    request = ModelRequest(
        question=question(people=300, strength=60.0),
        mechanism_key=key,
        epsilon=1.0,
        delta=1e-6,
        matrix=matrix if key == "output-public" else None,
    )
    drawn = request.law.simulations(fit, rng=rng, draws=4000)
    told = errors_of(request.plan).noise
    spread = np.std((drawn - fit.theta) @ x.T, axis=0).max()
    assert spread <= told * 1.05
    # A row along the direction of the largest noise has just about that much.
    widest = np.linalg.eigh(np.cov(drawn.T))[1][:, -1]
    along = np.std((drawn - fit.theta) @ widest)
    assert along >= told * (0.4 if key == "posterior" else 0.93)


def test_penalty_takes_more_where_values_lie_close_together():
    asked = question(strength=280.0, people=20_190)
    shares = [taken_of_spread(asked, spread) for spread in (1.0, 0.5, 0.1)]
    assert shares == pytest.approx([0.1427, 0.3996, 0.9433], abs=1e-4)


def test_a_model_without_a_guarantee_has_a_usual_penalty_all_the_same():
    target = Column(name="y", kind=ColumnKind.NUMBER, bounds=Interval(lower=0.0, upper=50.0))
    asked = replace(
        question(),
        design=Design(target=target, features=(number("x"),), counts=True),
        model=ModelKind.POISSON,
        most_people=20_190,
    )
    assert balanced_penalty(asked, epsilon=1.0, delta=1e-6) == 280.0
