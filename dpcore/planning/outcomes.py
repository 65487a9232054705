"""How many numbers an answer has, and what could come out: its law, as dots.

Equally likely outcomes that can be counted are understood better than a curve or an
interval. The value is one that somebody assumes: nothing is computed from a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from dpcore.analyses.base import Request
from dpcore.analyses.measurement import SimulatedDraws
from dpcore.arrays import FloatArray
from dpcore.planning.analysis_plan import PlannedQuery

DOTS: Final = 20
_SIMULATION: Final = SimulatedDraws(draws=20_000)


def outcomes(item: PlannedQuery, assumed: float, *, dots: int = DOTS) -> FloatArray | None:
    """Return the quantiles of an answer if the table had ``assumed``, ascending.

    Of ``dots`` equally likely outcomes each stands for one. Of several numbers it is
    the first one; of a ratio of every group, that of one of the size of the item. Means
    of several columns are counted from 0 at the lower bound to 1 at the upper one. A
    mean or a difference of groups divides by noise: its law is that of 20,000 simulated
    draws, always the same ones. ``None`` where the law is no law around one value.

    Raises:
        ParameterError: The answer cannot have that value.

    """
    if not isinstance(item.request, Request):
        return None
    levels = (np.arange(dots) + 0.5) / dots
    plan = item.request.plan
    return plan.outcomes(assumed, levels, group=item.group, simulation=_SIMULATION)


def usual(item: PlannedQuery) -> float | None:
    """Return a value to assume: 0, or the middle of where the answer must lie.

    ``None`` where ``outcomes`` says nothing.
    """
    return item.request.plan.usual if isinstance(item.request, Request) else None


def numbers_of(items: Sequence[PlannedQuery]) -> tuple[int, ...]:
    """Return how many numbers each answer has, those that follow from it included.

    Sizes of groups and sums of crossed counts are released with their answers. Empty where
    that is not known of one of the questions.
    """
    each = [getattr(item.request.plan, "numbers", None) for item in items]
    known = tuple(count for count in each if count is not None)
    return known if len(known) == len(each) else ()
