"""How many numbers an answer has, and what could come out: its law, as dots.

Equally likely outcomes that can be counted are understood better than a curve or an
interval. The value is one that somebody assumes: nothing is computed from a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any, Final

import numpy as np

from dpcore.analyses.base import Request
from dpcore.analyses.differences import DifferencePlan
from dpcore.analyses.groups import GroupPlan
from dpcore.analyses.means import MeansPlan
from dpcore.analyses.measurement import Direct
from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.simulated_answers import difference_answers, group_answers, mean_answers

DOTS: Final = 20
_HEIGHTS: Final = Interval(lower=0.0, upper=1.0)
"""Where means of several columns lie, which have no unit in common."""
_DRAWS, _SEED = 20_000, 1


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
    return _quantiles(item.request.plan, item, assumed, levels)


def usual(item: PlannedQuery) -> float | None:
    """Return a value to assume: 0, or the middle of where the answer must lie.

    ``None`` where ``outcomes`` says nothing.
    """
    if not isinstance(item.request, Request):
        return None
    plan = item.request.plan
    if isinstance(plan, DifferencePlan):
        return 0.0
    if isinstance(plan, GroupPlan):
        return None if plan.ratio.ddof is not None else _middle(plan.ratio.bounds)
    if isinstance(plan, MeansPlan):
        return _middle(_HEIGHTS)
    if isinstance(plan, Direct):
        return _middle(plan.bounds)
    return None


def _middle(bounds: Interval) -> float:
    middle = (bounds.lower + bounds.upper) / 2
    return float(middle) if np.isfinite(middle) else 0.0


@singledispatch
def _quantiles(
    plan: Any,  # noqa: ANN401, ARG001 - any plan
    item: PlannedQuery,  # noqa: ARG001
    assumed: float,  # noqa: ARG001
    levels: FloatArray,  # noqa: ARG001
) -> FloatArray | None:
    return None


@_quantiles.register(Direct)
def _(
    plan: Direct,
    item: PlannedQuery,  # noqa: ARG001
    assumed: float,
    levels: FloatArray,
) -> FloatArray | None:
    _require(plan.bounds, assumed)
    return np.asarray(plan.mechanism.quantile(levels, assumed))


@_quantiles.register(GroupPlan)
def _(plan: GroupPlan, item: PlannedQuery, assumed: float, levels: FloatArray) -> FloatArray | None:
    if plan.ratio.ddof is not None:
        return None
    bounds = plan.ratio.bounds
    _require(bounds, assumed)
    height = (assumed - bounds.lower) / bounds.width
    sums = item.group * np.array([1 - height, height])
    found = group_answers(plan, sums, np.random.default_rng(_SEED), _DRAWS)
    return np.quantile(found.values, levels)


@_quantiles.register(DifferencePlan)
def _(
    plan: DifferencePlan, item: PlannedQuery, assumed: float, levels: FloatArray
) -> FloatArray | None:
    width = plan.statistic.bounds.width
    if not abs(assumed) <= width:
        raise ParameterError(f"two means differ by at most {width:g} here.")
    apart = assumed / (2 * width)
    rng = np.random.default_rng(_SEED)
    found = difference_answers(plan, item.group, (0.5 + apart, 0.5 - apart), rng, _DRAWS)
    return np.quantile(found.values, levels)


@_quantiles.register(MeansPlan)
def _(plan: MeansPlan, item: PlannedQuery, assumed: float, levels: FloatArray) -> FloatArray | None:
    _require(_HEIGHTS, assumed)
    found = mean_answers(plan, item.group, assumed, np.random.default_rng(_SEED), _DRAWS)
    return np.quantile(found.values, levels)


def _require(bounds: Interval, assumed: float) -> None:
    if not bounds.lower <= assumed <= bounds.upper:
        raise ParameterError(f"the answer lies from {bounds.lower:g} to {bounds.upper:g}.")


def numbers_of(items: Sequence[PlannedQuery]) -> tuple[int, ...]:
    """Return how many numbers each answer has, those that follow from it included.

    Sizes of groups and sums of crossed counts are told with their answers. Empty where
    that is not known of one of the questions.
    """
    each = [getattr(item.request.plan, "numbers", None) for item in items]
    known = tuple(count for count in each if count is not None)
    return known if len(known) == len(each) else ()
