"""What Live mode keeps of a regression model behind the confidential area.

A fit, and losses from it, with more digits than chance has.
"""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pandas as pd

from dpcore.analyses.model import ModelRequest
from dpcore.analyses.model_errors import balanced_penalty
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.individual.model_losses import known_relations, model_losses
from dpcore.models.design import Design
from dpcore.models.loss_functions import ModelKind
from dpcore.models.penalty import Penalty
from dpcore.models.question import ModelQuestion
from dpcore.relations import NeighboringRelation, PrivacyUnit
from tests.browser.test_walls import COLUMN, PEOPLE, TOP

MECHANISMS = {"output": "Noise on the coefficients", "posterior": "Posterior sample (OPS)"}


def number(name: str, upper: float) -> Column:
    return Column(
        name=name,
        kind=ColumnKind.NUMBER,
        bounds=Interval(lower=0.0, upper=upper),
        missing=MissingPolicy.REPLACE,
        replacement=upper / 2,
    )


SUBSTITUTION = NeighboringRelation.SUBSTITUTION
TARGET, FEATURE = number(COLUMN, TOP), number("hours", 80.0)


def request(key: str) -> ModelRequest:
    """Return the model as the page asks for it at first."""
    question = ModelQuestion(
        design=Design(target=TARGET, features=(FEATURE,)),
        model=ModelKind.LINEAR,
        penalty=Penalty(strength=64.0),
        relation=SUBSTITUTION,
        unit=PrivacyUnit(),
        most_people=PEOPLE,
    )
    usual = balanced_penalty(question, epsilon=1.0, delta=1e-6)
    question = replace(question, penalty=Penalty(strength=usual))
    return ModelRequest(question=question, mechanism_key=key, epsilon=1.0, delta=1e-6)


def secrets(text: str) -> dict[str, float]:
    """Return the fit and losses from it, each with more digits than chance has."""
    frame = pd.read_csv(io.StringIO(text))[[COLUMN, "hours"]]
    dataset = Dataset(name="people", frame=frame, columns=(TARGET, FEATURE))
    known: dict[str, float] = {}
    for key in MECHANISMS:
        asked = request(key)
        fit = asked.question.fit(dataset)
        units = asked.question.design.in_units(fit.theta)
        losses = model_losses(asked, fit, relation=NeighboringRelation.ADD_REMOVE)
        first = losses.most_exposed(1)[0].entry
        known |= {
            "intercept": float(fit.theta[0]),
            "slope": float(fit.theta[1]),
            "constant in units": units.constant,
            "slope in units": float(units.slopes[0]),
            f"{key}, largest": losses.maximum,
            f"{key}, median": float(np.median(losses.epsilon)),
            f"{key}, newcomers": losses.for_all,
            f"{key}, leverage": float(losses.influence.leverage[first]),
            f"{key}, residual": float(losses.influence.residual[first]),
            f"{key}, shift": float(losses.influence.move[first]),
        }
        if SUBSTITUTION in known_relations(asked.law, linear=True):
            # What the page shows first: another record in the person's place.
            other = model_losses(asked, fit, relation=SUBSTITUTION)
            known |= {
                f"{key}, replaced": other.maximum,
                f"{key}, replaced, median": float(np.median(other.epsilon)),
                f"{key}, replaced, certificate": other.certificate,
            }
    return known
