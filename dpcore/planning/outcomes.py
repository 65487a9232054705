"""How many numbers an answer has, and what could come out: its law, as dots.

Equally likely outcomes that can be counted are understood better than a curve or an
interval. The value is one that somebody assumes: nothing is computed from a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.base import Request
from dpcore.analyses.differences import DifferencePlan
from dpcore.analyses.groups import GroupPlan
from dpcore.analyses.means import MeansPlan
from dpcore.analyses.measurement import Direct
from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.inference.group_ratios import LEAST_SIZE, point_ratios
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.covariances import CovarianceRelease, pairs_of, reaches_of
from dpcore.planning.analysis_plan import PlannedQuery

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
        raise ParameterError(f"two means differ by at most {in_full(width)} here.")
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
        raise ParameterError(
            f"the answer lies from {in_full(bounds.lower)} to {in_full(bounds.upper)}."
        )


def numbers_of(items: Sequence[PlannedQuery]) -> tuple[int, ...]:
    """Return how many numbers each answer has, those that follow from it included.

    Sizes of groups and sums of crossed counts are told with their answers. Empty where
    that is not known of one of the questions.
    """
    each = [getattr(item.request.plan, "numbers", None) for item in items]
    known = tuple(count for count in each if count is not None)
    return known if len(known) == len(each) else ()


# Simulated answers that are computed from several noisy numbers. PUBLIC.
#
# A mean of a group divides a noisy sum by a noisy count, and a covariance is drawn within
# what the released variances leave for it: no closed form is known for their errors. The
# values of the table are assumed, and nothing is computed from one.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedAnswers:
    """Answers of many simulated releases. PUBLIC.

    Attributes:
        values: The answers.
        told: Which of them would be given: the others have too few people to say.

    """

    values: FloatArray
    told: NDArray[np.bool_]


def group_answers(
    plan: GroupPlan, sums: FloatArray, rng: np.random.Generator, draws: int
) -> SimulatedAnswers:
    """Return the ratio of a group of these ``GroupMoments``, in its unit."""
    drawn = plan.mechanism.simulate(sums, rng=rng, size=(draws, len(sums)))
    return SimulatedAnswers(
        values=point_ratios(drawn, plan.ratio), told=drawn.sum(axis=1) > plan.fewest
    )


def difference_answers(
    plan: DifferencePlan,
    people: int,
    heights: tuple[float, float],
    rng: np.random.Generator,
    draws: int,
) -> SimulatedAnswers:
    """Return the difference of two groups of mean ``heights`` between the bounds."""
    sums = people * np.array([[1 - height, height] for height in heights])
    drawn = [plan.mechanism.simulate(each, rng=rng, size=(draws, 2)) for each in sums]
    sizes = [np.maximum(each.sum(axis=1), LEAST_SIZE) for each in drawn]
    one, other = (
        np.clip(each[:, 1], 0.0, size) / size for each, size in zip(drawn, sizes, strict=True)
    )
    return SimulatedAnswers(
        values=plan.statistic.bounds.width * (one - other), told=np.minimum(*sizes) > plan.fewest
    )


def mean_answers(
    plan: MeansPlan, people: int, height: float, rng: np.random.Generator, draws: int
) -> SimulatedAnswers:
    """Return the mean height of one of several columns in a group."""
    weight = plan.statistic.weight
    sums = people * np.array([weight, height - 0.5])
    drawn = plan.mechanism.simulate(sums, rng=rng, size=(draws, 2))
    size = np.maximum(drawn[:, 0] / weight, LEAST_SIZE)
    return SimulatedAnswers(
        values=np.clip(drawn[:, 1] / size + 0.5, 0.0, 1.0), told=size > plan.fewest
    )


def matrix_number(
    release: CovarianceRelease, place: int, value: FloatArray, rng: np.random.Generator, draws: int
) -> FloatArray:
    """Return one number of a matrix: only what it depends on is drawn."""
    columns = release.columns
    if place < columns:
        mechanism = release.step(place, release.largest[place]).mechanism
        return mechanism.simulate(value[place], rng=rng, size=(draws,))
    pair = pairs_of(columns)[place - columns]
    variances = np.column_stack(
        [matrix_number(release, column, value, rng, draws) for column in pair]
    )
    (reach,) = reaches_of(variances).T
    return release.covariance_quantiles(
        place, law.uniform(rng, (draws,)), float(value[place]), reach
    )


def correlation_answers(
    release: CovarianceRelease, value: FloatArray, rng: np.random.Generator, draws: int
) -> SimulatedAnswers:
    """Return the correlation of two columns; untold where a variance is released as 0."""
    variances = np.column_stack(
        [matrix_number(release, column, value, rng, draws) for column in (0, 1)]
    )
    (reach,) = reaches_of(variances).T
    drawn = release.covariance_quantiles(2, law.uniform(rng, (draws,)), float(value[2]), reach)
    told = reach > 0
    return SimulatedAnswers(
        values=np.clip(drawn / np.where(told, reach, 1.0), -1.0, 1.0), told=told
    )
