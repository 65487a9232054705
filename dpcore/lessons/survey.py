"""The built-in surveys that lessons are about: tables that anybody may see.

They were published decades ago without a name in them, so that true values may stand
beside simulated releases. Who teaches with a table of their own uses Classroom mode.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.data.examples import EXAMPLES
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.releases.request import Request
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.query import Query

if TYPE_CHECKING:
    from dpcore.arrays import FloatArray
    from dpcore.data.bounds import Interval
    from dpcore.data.columns import Column
    from dpcore.data.dataset import Dataset
    from dpcore.mechanisms.base import Mechanism

VOTERS: Final = "anes96"
"""A survey of voters before an election."""
PATIENTS: Final = "rand-hie"
"""A survey of how often people went to the doctor."""
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
        message = f"lessons are about columns of numbers, and {name} is none."
        raise ParameterError(message)
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
) -> Request:
    """Return the question for a mean, as the Release page would ask it.

    One record is replaced by another; the number of people is public.
    """
    size = TableSize(people=people or table(key).people, public=True)
    query = Query(
        kind=StatisticKind.MEAN,
        column=column(name, key),
        relation=NeighboringRelation.SUBSTITUTION,
        unit=PrivacyUnit(),
        size=size,
    )
    return Request(query=query, mechanism_key=mechanism, epsilon=epsilon)


def noise_of_mean(epsilon: float, people: int | None = None) -> Mechanism:
    """Return the Laplace noise on the mean age of so many voters."""
    return mean_request(epsilon, people=people).mechanism


def generator() -> np.random.Generator:
    """Return a generator of simulated noise, the same each time."""
    return np.random.default_rng(SEED)
