"""Models to ask for, and tables that they are fitted to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from dpcore.analyses.model import MODEL_MECHANISMS, ModelRequest
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.models.design import Design
from dpcore.models.loss_functions import ModelKind
from dpcore.models.penalty import Penalty
from dpcore.models.question import ModelQuestion
from dpcore.relations import PrivacyUnit
from tests.terms import ADD_REMOVE


def number(name, lower=-1.0, upper=1.0):
    return Column(
        name=name,
        kind=ColumnKind.NUMBER,
        bounds=Interval(lower=lower, upper=upper),
        missing=MissingPolicy.REPLACE,
        replacement=(lower + upper) / 2,
    )


YES_NO = Column(
    name="member",
    kind=ColumnKind.YES_NO,
    labels=("no", "yes"),
    missing=MissingPolicy.REPLACE,
    replacement="no",
)
TOWN = Column(name="town", kind=ColumnKind.CATEGORY, labels=("north", "south", "west"))
COLUMNS = (number("y"), number("count", 0.0, 20.0), YES_NO, number("a"), number("b"))
TARGETS = {
    ModelKind.LINEAR: COLUMNS[0],
    ModelKind.HUBER: COLUMNS[0],
    ModelKind.POISSON: COLUMNS[1],
    ModelKind.LOGISTIC: COLUMNS[2],
}


def table(people=200, seed=0):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(-1, 1, (2, people))
    frame = pd.DataFrame(
        {
            "y": np.clip(0.5 * a - 0.3 * b + 0.3 * rng.normal(size=people), -1, 1),
            "count": np.minimum(rng.poisson(np.exp(a)), 20).astype(float),
            "member": np.where(rng.uniform(size=people) < 0.5 + 0.3 * b, "yes", "no"),
            "a": a,
            "b": b,
        }
    )
    return Dataset(name="made up", frame=frame, columns=COLUMNS)


def with_towns(people=200, seed=0):
    plain = table(people, seed)
    towns = np.random.default_rng(seed).choice(["north", "south", "west", "elsewhere"], people)
    return Dataset(name="made up", frame=plain.frame.assign(town=towns), columns=(*COLUMNS, TOWN))


def question(model=ModelKind.LINEAR, **changes):
    settings = {
        "design": Design(
            target=TARGETS[model], features=COLUMNS[3:], counts=model is ModelKind.POISSON
        ),
        "model": model,
        "penalty": Penalty(strength=20.0),
        "relation": ADD_REMOVE,
        "unit": PrivacyUnit(),
        "most_people": 200,
        "threshold": 0.25 if model is ModelKind.HUBER else None,
    }
    return ModelQuestion(**(settings | changes))


def without_anybody(model=ModelKind.LINEAR):
    """Return a model, and a table of which it drops everybody."""
    asked = question(model)
    a, b = (
        replace(column, missing=MissingPolicy.DROP, replacement=None)
        for column in asked.design.features
    )
    columns = (*COLUMNS[:3], a, b)
    empty = Dataset(name="none", frame=table(4).frame.assign(a=np.nan), columns=columns)
    return replace(asked, design=replace(asked.design, features=(a, b))), empty


def request(key="output", model=ModelKind.LINEAR, *, asked=None, **changes):
    settings = {"epsilon": 1.0, "delta": 1e-6}
    if key == "output-public":
        settings["matrix"] = ((2.0, 0.0, 0.0), (0.0, 3.0, 0.5), (0.0, 0.5, 1.0))
    if key in MODEL_MECHANISMS and model not in MODEL_MECHANISMS[key].guaranteed:
        settings["gamma"] = 1.0
    asked = asked or question(model)
    return ModelRequest(question=asked, mechanism_key=key, **(settings | changes))
