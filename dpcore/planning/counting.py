"""How many numbers the answer to a planned question has. PUBLIC."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

from dpcore.planning.item import Item
from dpcore.releases.plans.chains import ChainPlan
from dpcore.releases.plans.differences import DifferencePlan
from dpcore.releases.plans.groups import GroupPlan
from dpcore.releases.plans.means import MeansPlan
from dpcore.releases.plans.plan import Direct
from dpcore.releases.plans.ranks import RankPlan


def numbers_of(items: Sequence[Item]) -> tuple[int, ...]:
    """Return how many numbers each answer has, those that follow from it included.

    Sizes of groups and sums of crossed counts are told with their answers. Empty where
    that is not known of one of the questions.
    """
    each = [_numbers(item.request.plan) for item in items]
    known = tuple(count for count in each if count is not None)
    return known if len(known) == len(each) else ()


@singledispatch
def _numbers(plan: Any) -> int | None:  # noqa: ANN401, ARG001 - any plan
    return None


@_numbers.register
def _(plan: Direct) -> int:
    return plan.together


@_numbers.register
def _(plan: GroupPlan) -> int:
    return len(plan.groups) + len(plan.count_names)


@_numbers.register
def _(plan: MeansPlan) -> int:
    return sum(map(len, plan.names)) + len(plan.count_names)


@_numbers.register(DifferencePlan)
@_numbers.register(ChainPlan)
def _(plan: DifferencePlan | ChainPlan) -> int:
    return len(plan.names)


@_numbers.register
def _(plan: RankPlan) -> int:  # noqa: ARG001
    return 1
