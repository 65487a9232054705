"""What the means of several columns would be off by, asked for column by column."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dpcore.analyses.base import Request
from dpcore.analyses.groups import ANY_SIZE, GroupedQuery
from dpcore.analyses.means import MeansPlan, MeansQuery
from dpcore.analyses.number import Query
from dpcore.inference.group_ratios import reach
from dpcore.inference.intervals import level_of_each
from dpcore.mechanisms.laplace import Laplace
from dpcore.statistics.kinds import StatisticKind


@dataclass(frozen=True, slots=True, kw_only=True)
class OneByOne:
    """How far off means are that are asked for one by one, as a part of together.

    Attributes:
        bound: Of a mean at a bound, where noise does most.
        middle: Of one halfway between its bounds.

    """

    bound: float
    middle: float


def one_by_one(request: Request, query: MeansQuery, plan: MeansPlan) -> OneByOne:
    """Return the error of as many questions by group for the same price in all.

    Each costs as much as the others, and all of them hold together as those of the one
    question do. Laplace noise adds up its epsilon, ``d`` times; Gaussian noise its rho,
    for which the root of ``d`` is enough. Where an account adds up epsilon and delta
    instead, Gaussian noise one by one would be off by more than is said here.

    """
    d, groups = len(query.numbers), len(plan.groups)
    part = Query(
        kind=StatisticKind.MEAN,
        column=query.column,
        relation=query.relation,
        unit=query.unit,
        size=ANY_SIZE,
    )
    alone = replace(request, query=GroupedQuery(part=part, group=query.group))
    spread = d if isinstance(plan.mechanism, Laplace) else math.sqrt(d)
    noise = replace(plan.mechanism, noise=spread * alone.mechanism.noise)
    missed = (1 - level_of_each(groups * d)) / 2
    within = (1 - level_of_each(groups)) / (d + 1)
    one = np.array([1.0])
    return OneByOne(
        bound=float(reach(noise, one, missed)) / plan.reach,
        middle=float(reach(noise, np.array([0.5, 0.5]), missed))
        / float(reach(plan.mechanism, one, within)),
    )
