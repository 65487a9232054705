"""Counts of groups and means of several columns, from numbers that share one.

As in ``group_ratios``: for the mean height ``t`` of a column in the group, ``sum(a_i -
t) = T + S / (2 c) - t S / c`` is 0 in the table, whatever the size of the group, so
that what is released of it is noise alone, of weight ``(1 - 2 t) / (2 c)`` on ``S`` and
1 on ``T``. Every ``t`` is kept of which that noise is no rarer than agreed. For the
population Bernstein's inequality bounds the same sum.

All counts and means of all groups hold together, by the union bound: what may be missed
of a group is shared by its count and its ``d`` means. For the population it is shared
by twice as many: the count within which the inequality is used, the count that is to be
expected, and for each column the noise and the sampling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.inference.expected_counts import expected_counts
from dpcore.inference.group_ratios import HeightSums, around, mean_heights
from dpcore.inference.intervals import LEVEL, level_of_each
from dpcore.inference.noise_sums import reach
from dpcore.mechanisms.base import Mechanism


@dataclass(frozen=True, slots=True, kw_only=True)
class MeansEstimates:
    """What is known of ``d`` means in each of ``G`` groups. PUBLIC.

    Attributes:
        level: Confidence of all intervals of one sort together.
        counts: People of each group, at least 0, shape ``(G,)``.
        counts_noise: Those of the table, shape ``(G, 2)``.
        counts_total: Those to be expected in such a sample of the population.
        means: Shape ``(d, G)``, in the unit of each column; NaN in a group whose count
            cannot tell it from an empty one.
        means_noise: Those of the table, shape ``(d, G, 2)``; NaN likewise.
        means_total: Those of the population; NaN likewise.

    """

    level: float
    counts: FloatArray
    counts_noise: FloatArray
    counts_total: FloatArray
    means: FloatArray
    means_noise: FloatArray
    means_total: FloatArray


def sums_of(weight: float) -> HeightSums:
    """Return how people and heights follow from ``S`` and ``T`` of weight ``c``."""
    return HeightSums(size=(1 / weight, 0.0), total=(1 / (2 * weight), 1.0))


def exact_means(sums: FloatArray, bounds: tuple[Interval, ...], *, weight: float) -> FloatArray:
    """Return all means, ``(d, G)``, from sums without noise; NaN of nobody."""
    people = sums[:, 0] / weight
    with np.errstate(divide="ignore", invalid="ignore"):
        heights = np.where(people > 0, sums[:, 1:].T / people + 0.5, np.nan)
    return in_units(heights, bounds)


def estimate_means(
    mechanism: Mechanism,
    drawn: FloatArray,
    bounds: tuple[Interval, ...],
    *,
    weight: float,
    level: float = LEVEL,
    together: int | None = None,
) -> MeansEstimates:
    """Return counts and means with intervals that hold for groups of every size.

    ``drawn`` are the released ``MeanMoments``, shape ``(G, d + 1)``; ``together`` is
    how many groups hold together, ``G`` if not given.

    Raises:
        ParameterError: The noise is neither Laplace nor Gaussian.

    """
    groups, parts = drawn.shape
    missed = 1 - level_of_each(together or groups, level=level)
    alone, both = missed / parts, missed / (2 * parts)
    size = drawn[:, 0] / weight
    noise = around(size, _reach_of_count(mechanism, weight, alone))
    wider = around(size, _reach_of_count(mechanism, weight, both))
    told = noise[:, 0] > 0
    d = parts - 1
    means = np.full((d, groups), np.nan)
    inner, outer = np.full((2, d, groups, 2), np.nan)
    if told.any():
        # All columns at once: each group, of one column after the other.
        known = drawn[told]
        pairs = np.stack([np.tile(known[:, 0], d), known[:, 1:].T.ravel()], axis=-1)
        sampled = np.tile(wider[told, 1], d), math.log(2 / both)
        of, shape = sums_of(weight), (d, len(known))
        middle, ends = mean_heights(mechanism, pairs, alone, None, of=of)
        _, far = mean_heights(mechanism, pairs, both, sampled, of=of)
        means[:, told] = middle.reshape(shape)
        inner[:, told] = ends.reshape(*shape, 2)
        outer[:, told] = far.reshape(*shape, 2)
    return MeansEstimates(
        level=level,
        counts=np.maximum(size, 0.0),
        counts_noise=noise,
        counts_total=expected_counts(wider, both),
        means=in_units(means, bounds),
        means_noise=in_units(inner, bounds),
        means_total=in_units(
            np.stack(
                [
                    np.minimum(inner[..., 0], outer[..., 0]),
                    np.maximum(inner[..., 1], outer[..., 1]),
                ],
                axis=-1,
            ),
            bounds,
        ),
    )


def in_units(heights: FloatArray, bounds: tuple[Interval, ...]) -> FloatArray:
    """Return what heights between the bounds are in the unit of each column.

    Shape ``(d, ...)``, one column after the other.
    """
    ends = [(column.lower, column.width) for column in bounds]
    return np.stack(
        [lower + width * one for (lower, width), one in zip(ends, heights, strict=True)]
    )


def count_reach(mechanism: Mechanism, *, weight: float, columns: int, together: int) -> float:
    """Return how far off every count is at most, which is what an empty group shows."""
    missed = (1 - level_of_each(together)) / (columns + 1)
    return _reach_of_count(mechanism, weight, missed)


def height_reach(mechanism: Mechanism, *, weight: float, columns: int, together: int) -> float:
    """Return how far off every sum of heights less their mean is, at most.

    The noise of a sum about ``t`` is convex in ``t``, and the same at both bounds:
    it is largest there.
    """
    missed = (1 - level_of_each(together)) / (columns + 1)
    return float(reach(mechanism, np.array([1 / (2 * weight), 1.0]), missed))


def _reach_of_count(mechanism: Mechanism, weight: float, missed: float) -> float:
    return float(reach(mechanism, np.array([1 / weight]), missed))
