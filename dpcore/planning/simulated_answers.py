"""Simulated answers that are computed from several noisy numbers. PUBLIC.

A mean of a group divides a noisy sum by a noisy count, and a covariance is drawn within
what the released variances leave for it: no closed form is known for their errors. The
values of the table are assumed, and nothing is computed from one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.differences import DifferencePlan
from dpcore.analyses.groups import GroupPlan
from dpcore.analyses.means import MeansPlan
from dpcore.arrays import FloatArray
from dpcore.inference.group_ratios import LEAST_SIZE, point_ratios
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.covariances import CovarianceRelease, pairs_of, reaches_of


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
