"""The built-in surveys that lessons are about: tables that anybody may see.

They were published decades ago without a name in them, so that true values may stand
beside simulated releases. Who teaches with a table of their own uses Classroom mode.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from typing import Final

import numpy as np

from dpcore.analyses.base import Request
from dpcore.analyses.number import Query
from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.data.examples import EXAMPLES
from dpcore.errors import ParameterError
from dpcore.individual.per_instance_loss import StatisticLosses, per_instance_losses
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.kinds import StatisticKind

VOTERS: Final = "anes96"
"""A survey of voters before an election."""
PATIENTS: Final = "rand-hie"
"""A survey of how often people went to the doctor."""
LEVEL: Final = 0.95
"""Confidence of every ± in a lesson."""
SEED: Final = 1996
"""Every simulated release of a lesson comes from it: all classes see the same."""


@cache
def table(key: str = VOTERS) -> Dataset:
    """Return a built-in table."""
    return next(example for example in EXAMPLES if example.key == key).load()


def column(name: str, key: str = VOTERS) -> Column:
    """Return what is declared of one of its columns."""
    return table(key).column(name)


def bounds(name: str, key: str = VOTERS) -> Interval:
    """Return the public bounds of one of its columns."""
    found = column(name, key).bounds
    if found is None:
        raise ParameterError(f"lessons are about columns of numbers, and {name} is another one.")
    return found


def ages() -> FloatArray:
    """Return the ages of the voters, shape ``(944,)``."""
    return table().numbers("age")


def mean_request(
    epsilon: float,
    *,
    name: str = "age",
    key: str = VOTERS,
    people: int | None = None,
    mechanism: str = "laplace",
    bounds: Interval | None = None,
) -> Request:
    """Return the question for a mean, as the Release page would ask it.

    One record is replaced by another; the number of people is public. ``bounds`` stand
    in for those that are declared of the column.
    """
    size = TableSize(people=people or table(key).people, public=True)
    asked = column(name, key)
    if bounds is not None:
        # No value is missing, but its replacement must lie within the bounds.
        asked = replace(asked, bounds=bounds, replacement=((bounds.lower + bounds.upper) / 2))
    query = Query(
        kind=StatisticKind.MEAN,
        column=asked,
        relation=NeighboringRelation.SUBSTITUTION,
        unit=PrivacyUnit(),
        size=size,
    )
    return Request(query=query, mechanism_key=mechanism, epsilon=epsilon)


def noise_of_mean(epsilon: float, people: int | None = None) -> Mechanism:
    """Return the Laplace noise on the mean age of so many voters."""
    return mean_request(epsilon, people=people).mechanism


def usual_error(epsilon: float, *, people: int | None = None) -> float:
    """Return the standard deviation of the noise on the mean age, in years."""
    return float(np.sqrt(noise_of_mean(epsilon, people).variance(0.0)))


def half_width(request: Request) -> float:
    """Return the ± of an answer of one number, as pages and documents print it."""
    return float(request.plan.half_widths(LEVEL)[0])


@lru_cache(maxsize=8)
def exposure(epsilon: float, *, name: str = "age", key: str = VOTERS) -> StatisticLosses:
    """Return everybody's loss from a mean, as Individual privacy opens with it.

    It is compared with the table without the person.
    """
    request = mean_request(epsilon, name=name, key=key)
    query = request.query
    return per_instance_losses(
        request.plan,
        query.statistic,
        query.values(table(key)),
        relation=NeighboringRelation.ADD_REMOVE,
    )


def generator() -> np.random.Generator:
    """Return a generator of simulated noise, the same each time."""
    return np.random.default_rng(SEED)
