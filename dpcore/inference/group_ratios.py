"""Counts, means and variances of groups from released numbers, whatever their size.

A mean is a ratio of two released numbers, a sum and a count, and a group may be empty.
So no interval divides by a noisy count: it keeps every mean that the release does not
contradict (Fieller 1954). For the mean ``t`` of the group in the table ``sum(x_i - t)``
is 0, exactly and for every size; what is released of it is noise alone, a weighted sum
whose law is known. ``t`` is kept where that noise is no rarer than agreed.

For the population behind the table, ``sum(x_i - t)`` is a sum of independent terms with
mean 0, within a known range and of a variance of at most ``(t - c0)(c1 - t)`` each
(Bhatia and Davis 2000): Bernstein's inequality bounds it for every number of terms, and
that number is bounded by the released count. Nothing here is an approximation for many
people.

Variances likewise, about each mean that is kept. Where both are released, the mean of the
population is tested with the largest variance that is kept in the place of ``(t - c0)(c1 -
t)``. That is one more test of the same events: mean and variance hold together at the level
that the variance has alone.

Weighted sums of independent noise: how far they reach, exactly.

A test about several released numbers looks at one weighted sum of them, and its noise
is the same weighted sum of the noises.

Counts of groups and means of several columns, from numbers that share one.

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
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.inference.intervals import LEVEL, expected_counts, level_of_each
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.mechanisms.search import first_where

_MEANS: Final = 33
"""Means about which a variance is bounded."""
_POSITIONS: Final = 17
LEAST_SIZE: Final = 1e-9
"""What a simulated size of nobody, or fewer, is divided as."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """What is asked of each group.

    Attributes:
        bounds: The public bounds of every value.
        ddof: What a sum of squares is divided by, less than the number of people; None
            for a mean.
        root: Whether the root of the variance is asked for.
        squares: Whether a mean comes with a variance: then squares are released, too.

    """

    bounds: Interval
    ddof: int | None = None
    root: bool = False
    squares: bool = False

    @property
    def degree(self) -> int:
        """Return the degree of the ``GroupMoments`` that it follows from."""
        return 1 if self.ddof is None and not self.squares else 2

    def in_units(self, height: FloatArray) -> FloatArray:
        """Return what a mean height, or the variance of heights, is in units."""
        width = self.bounds.width
        if self.ddof is None:
            return np.asarray(self.bounds.lower + width * height)
        if self.root:
            return np.asarray(width * np.sqrt(height))
        return np.asarray(width * width * height)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupEstimates:
    """What is known of each of ``G`` groups. PUBLIC: it follows from released numbers.

    Attributes:
        level: Confidence of all intervals of one sort together, those of counts and
            ratios.
        counts: People of each group, at least 0, shape ``(G,)``.
        counts_noise: Shape ``(G, 2)``: those of the table.
        counts_total: Those to be expected in such a sample of the population.
        ratios: The mean or spread of each group, or the means of ``d`` columns, shape
            ``(d, G)``; NaN where its count cannot tell it from a group that has none.
        ratios_noise: That of the table, with a last axis of length 2; NaN likewise.
        ratios_total: That of the population; NaN likewise.

    """

    level: float
    counts: FloatArray
    counts_noise: FloatArray
    counts_total: FloatArray
    ratios: FloatArray
    ratios_noise: FloatArray
    ratios_total: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class HeightSums:
    """How people and the sum of their heights follow from the numbers of a group.

    Attributes:
        size: How much each of ``k`` numbers adds to the number of people.
        total: How much each adds to the sum of their heights between the bounds.

    """

    size: tuple[float, ...]
    total: tuple[float, ...]

    @classmethod
    def from_parts(cls, parts: int) -> HeightSums:
        """Return those of ``GroupMoments``, which add up to the people."""
        return cls(size=(1.0,) * parts, total=tuple(_heights(parts).tolist()))


def exact_ratios(sums: FloatArray, ratio: Ratio) -> FloatArray:
    """Return the ratio of each group from sums without noise, NaN where it has none."""
    count, first = sums.sum(axis=1), sums @ _heights(sums.shape[1])
    divisor = count if ratio.ddof is None else count - ratio.ddof
    total = first
    with np.errstate(divide="ignore", invalid="ignore"):
        if ratio.ddof is not None:
            total = np.maximum(sums[:, 2] - first * first / count, 0.0)
        return np.where(divisor > 0, ratio.in_units(total / divisor), np.nan)


def estimate(
    mechanism: Mechanism,
    drawn: FloatArray,
    ratio: Ratio,
    *,
    level: float = LEVEL,
    together: int | None = None,
) -> GroupEstimates:
    """Return counts and ratios with intervals that hold for groups of every size.

    All counts and ratios hold together with confidence ``level``, by the union bound.

    ``drawn`` are the released ``GroupMoments``, shape ``(G, degree + 1)``; ``together``
    is how many groups hold together, ``G`` if not given.

    Raises:
        ParameterError: The noise is of another kind.

    """
    groups, parts = drawn.shape
    together = together or groups
    missed = 1 - level_of_each(together, level=level)
    size = drawn.sum(axis=1)
    alone, both = missed / parts, missed / (2 * parts)
    noise, told = _sizes(mechanism, drawn, ratio, together=together, level=level)
    wider = around(size, float(reach(mechanism, np.ones(parts), both)))
    ratios = np.full(groups, np.nan)
    ratios_noise, ratios_total = np.full((2, groups, 2), np.nan)
    if told.any():
        known = drawn[told]
        sampled = wider[told, 1], math.log(2 / both)
        of = _mean if ratio.ddof is None else _spread
        ratios[told], inner = of(mechanism, known, ratio, alone, None)
        _, outer = of(mechanism, known, ratio, both, sampled)
        ratios_noise[told] = inner
        ratios_total[told, 0] = np.minimum(inner[:, 0], outer[:, 0])
        ratios_total[told, 1] = np.maximum(inner[:, 1], outer[:, 1])
    return GroupEstimates(
        level=level,
        counts=np.maximum(size, 0.0),
        counts_noise=noise,
        counts_total=expected_counts(wider, both),
        ratios=ratios,
        ratios_noise=ratios_noise,
        ratios_total=ratios_total,
    )


def estimate_each(
    mechanism: Mechanism,
    drawn: FloatArray,
    ratios: tuple[Ratio, ...],
    *,
    level: float = LEVEL,
    together: int | None = None,
) -> GroupEstimates:
    """Return the same with several ratios of each group, shape ``(d, G)``.

    A mean with ``squares`` and its variance hold together: see the text above.
    """
    each = [estimate(mechanism, drawn, one, level=level, together=together) for one in ratios]
    return replace(
        each[0],
        ratios=np.stack([one.ratios for one in each]),
        ratios_noise=np.stack([one.ratios_noise for one in each]),
        ratios_total=np.stack([one.ratios_total for one in each]),
    )


def point_ratios(drawn: FloatArray, ratio: Ratio) -> FloatArray:
    """Return the ratio that ``estimate`` gives for each row of released numbers, (G,).

    Only where the count is positive does it mean anything.
    """
    size = np.maximum(drawn.sum(axis=1), LEAST_SIZE)
    middle = np.clip(drawn @ _heights(drawn.shape[1]), 0.0, size) / size
    if ratio.ddof is None:
        return ratio.in_units(middle)
    total, _ = _squares_about(drawn, middle, ratio.ddof, ratio.ddof)
    return ratio.in_units(total / np.maximum(size - ratio.ddof, LEAST_SIZE))


def half_widths(
    mechanism: Mechanism, ratio: Ratio, people: FloatArray, *, together: float
) -> FloatArray:
    """Return how far off the ratios of groups of ``people`` will be, about, at most.

    It is the interval from numbers that the noise left where they are, wherever the
    values of the group lie; NaN for too few people to say. From public numbers alone.
    Shape ``(s,)`` for as many sizes.
    """
    missed = (1 - level_of_each(together)) / (ratio.degree + 1)
    few = people <= fewest(mechanism, ratio, together=together)
    off = np.full(len(people), np.nan)
    known = people[~few]
    if ratio.ddof is None:
        # The noise of a sum about t is convex in t, hence largest about a bound.
        most = float(reach(mechanism, _heights(ratio.degree + 1), missed))
        off[~few] = ratio.bounds.width * np.minimum(most / known, 1.0)
    elif known.size:
        off[~few] = _spread_widths(mechanism, ratio, known, missed)
    return off


def _spread_widths(
    mechanism: Mechanism, ratio: Ratio, people: FloatArray, missed: float
) -> FloatArray:
    """Return how far off a spread is at most: all alike, or some at either bound.

    Always of the same groups, so that more noise never seems to do less.
    """
    # The mirror image of a group, bound for bound, has the same spread.
    p = np.linspace(0, 0.5, _POSITIONS)
    alike = np.stack([(1 - p) ** 2, 2 * p * (1 - p), p * p], axis=-1)
    halves = np.stack([1 - p, np.zeros_like(p), p], axis=-1)
    groups = np.concatenate([alike, halves])
    sums = np.multiply.outer(people, groups).reshape(-1, groups.shape[1])
    middle, ends = _spread(mechanism, sums, ratio, missed, None)
    off = np.abs(ends - middle[:, np.newaxis]).max(axis=1)
    return np.asarray(off.reshape(len(people), -1).max(axis=1))


def fewest(mechanism: Mechanism, ratio: Ratio, *, together: float) -> float:
    """Return the released count up to which a group has too few people to say."""
    parts = ratio.degree + 1
    missed = 1 - level_of_each(together)
    return float(reach(mechanism, np.ones(parts), missed / parts)) + (ratio.ddof or 0)


def _sizes(
    mechanism: Mechanism, drawn: FloatArray, ratio: Ratio, *, together: int, level: float
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the people that each group may have, and which can be told from empty."""
    parts = drawn.shape[1]
    missed = (1 - level_of_each(together, level=level)) / parts
    off = float(reach(mechanism, np.ones(parts), missed))
    noise = around(drawn.sum(axis=1), off)
    return noise, noise[:, 0] > (ratio.ddof or 0)


Sampled = tuple["FloatArray", float] | None
"""Most people of each group, and minus the logarithm of what each side may miss."""


def _mean(
    mechanism: Mechanism, drawn: FloatArray, ratio: Ratio, missed: float, sampled: Sampled
) -> tuple[FloatArray, FloatArray]:
    """Return the mean of each group, and the means that are not contradicted."""
    largest: FloatArray | float = np.inf
    if ratio.squares and sampled is not None:
        heights = Ratio(bounds=Interval(lower=0.0, upper=1.0), ddof=0)
        _, variances = _spread(mechanism, drawn, heights, missed, sampled)
        largest = variances[:, 1]
    middle, ends = mean_heights(mechanism, drawn, missed, sampled, largest=largest)
    return ratio.in_units(middle), ratio.in_units(ends)


def mean_heights(
    mechanism: Mechanism,
    drawn: FloatArray,
    missed: float | FloatArray,
    sampled: Sampled,
    *,
    of: HeightSums | None = None,
    largest: FloatArray | float = np.inf,
) -> tuple[FloatArray, FloatArray]:
    """Return the mean height of each group between the bounds, and those kept.

    Kept are those of which the noise would be no rarer than ``missed``, which may
    differ from group to group. ``of`` says what the numbers of a group are, those of
    ``GroupMoments`` if nothing is said, and ``largest`` limits the variance of the
    population. Shapes ``(G,)`` and ``(G, 2)``.
    """
    of = of or HeightSums.from_parts(drawn.shape[1])
    people, h = np.array(of.size), np.array(of.total)
    size = drawn @ people
    # What lies beyond every possible mean only contradicts less if moved to the end.
    total = np.clip(drawn @ h, 0.0, size)
    middle = total / size

    def kept(p: FloatArray) -> NDArray[np.bool_]:
        away = total - p * size
        if sampled is not None:
            most, log = sampled
            away = _beyond_sampling(away, p, 1.0, most, log, largest)
        weights = h - p[:, np.newaxis] * people
        return tail(mechanism, weights, np.abs(away)) >= missed

    return middle, _hull(kept, np.zeros_like(middle), middle, np.ones_like(middle))


def _spread(
    mechanism: Mechanism, drawn: FloatArray, ratio: Ratio, missed: float, sampled: Sampled
) -> tuple[FloatArray, FloatArray]:
    """Return the spread of each group, and the spreads that are not contradicted."""
    middle, ends = mean_heights(mechanism, drawn, missed, sampled)
    steps = np.linspace(0, 1, _MEANS)[:, np.newaxis]
    means = np.concatenate([ends[:, 0] + steps * (ends[:, 1] - ends[:, 0]), [middle]])
    means = np.sort(means, axis=0)
    ddof = float(ratio.ddof or 0)
    best, around = _variances(mechanism, drawn, means, missed, sampled, ddof)
    # Between two means of the grid the ends lie between those about them.
    step = np.abs(np.diff(around, axis=0)).max(axis=0)
    lower = np.maximum(around[..., 0].min(axis=0) - step[:, 0], 0.0)
    upper = np.minimum(around[..., 1].max(axis=0) + step[:, 1], (1 + ddof) / 4)
    place = np.abs(means - middle).argmin(axis=0)
    at_middle = best[place, np.arange(len(middle))]
    return ratio.in_units(at_middle), ratio.in_units(np.stack([lower, upper], axis=-1))


def _variances(
    mechanism: Mechanism,
    drawn: FloatArray,
    means: FloatArray,
    missed: float,
    sampled: Sampled,
    ddof: float,
) -> tuple[FloatArray, FloatArray]:
    """Return the variance about each of ``means``, ``(m, G)``, and those kept."""
    # In the population there is no divisor to correct for.
    less = ddof if sampled is None else 0.0
    size = drawn.sum(axis=1) - less
    total, squares = _squares_about(drawn, means, ddof, less)
    largest = means * (1 - means) * (1 + ddof)
    best = total / size

    def kept(v: FloatArray) -> NDArray[np.bool_]:
        away = total - v * size
        if sampled is not None:
            people, log = sampled
            ceiling = np.square(np.maximum(means, 1 - means))
            away = _beyond_sampling(away, v, ceiling, people, log)
        return tail(mechanism, squares - v[..., np.newaxis], np.abs(away)) >= missed

    return best, _hull(kept, np.zeros_like(best), best, largest)


def _squares_about(
    drawn: FloatArray, means: FloatArray, ddof: float, less: float
) -> tuple[FloatArray, FloatArray]:
    """Return sums of squares about means, which are possible, and their weights."""
    t = means[..., np.newaxis]
    squares = np.square(_heights(3) - t)
    # Of degree 2 the middle number is of a (1 - a), whose square about t is this.
    squares[..., 1] = t[..., 0] ** 2 - t[..., 0]
    largest = means * (1 - means) * (1 + ddof) * np.maximum(drawn.sum(axis=1) - less, 0.0)
    return np.clip((squares * drawn).sum(axis=-1), 0.0, largest), squares


def _beyond_sampling(
    away: FloatArray,
    mean: FloatArray,
    ceiling: FloatArray | float,
    people: FloatArray,
    log: float,
    largest: FloatArray | float = np.inf,
) -> FloatArray:
    """Return what sampling does not explain of a sum less its expected value.

    Bernstein: with terms in ``[0, ceiling]`` of that mean a sum of ``n`` exceeds its
    expected value by more than ``c + sqrt(c^2 + 2 n v log)`` with probability
    ``e^-log`` at most, where ``v`` is ``mean (ceiling - mean)``, or the ``largest``
    variance if that is less, and ``c`` is a third of ``log`` times the largest term less
    the mean; below likewise with ``c`` from the mean.
    """
    room = np.maximum(ceiling - mean, 0.0)
    up = away > 0
    c = np.where(up, room, mean) * log / 3
    squared = np.minimum(2 * people * mean * room * log, 2 * people * largest * log)
    explained = c + np.sqrt(c * c + squared)
    explained = np.minimum(explained, people * np.where(up, room, mean))
    return np.maximum(np.abs(away) - explained, 0.0)


def _hull(
    kept: Callable[[FloatArray], NDArray[np.bool_]],
    low: FloatArray,
    middle: FloatArray,
    high: FloatArray,
) -> FloatArray:
    """Return the ends of what is kept around ``middle``, which is; shape ``(..., 2)``.

    The noise of the test is convex in what is tested, and its value linear: what is
    rejected on one side of the middle is one stretch.
    """
    lower = first_where(kept, low, middle)
    upper = -first_where(lambda p: kept(-p), -high, -middle)
    return np.stack([lower, upper], axis=-1)


def _heights(parts: int) -> FloatArray:
    """Return how much each number of a group adds to the sum of its heights."""
    return np.linspace(0, 1, parts)


def around(size: FloatArray, off: float) -> FloatArray:
    """Return the people that a group may have, shape ``(G, 2)``."""
    counts = np.maximum(size, 0.0)
    return np.stack([np.maximum(counts - off, 0.0), counts + off], axis=-1)


_APART: Final = 1e-4


@singledispatch
def tail(
    mechanism: Mechanism,
    weights: FloatArray,  # noqa: ARG001 - the common signature
    distance: FloatArray,  # noqa: ARG001 - the common signature
) -> FloatArray:
    """Return ``P(|sum_i w_i Z_i| >= distance)``, ``Z_i`` the noise of a release each.

    Args:
        mechanism: Adds the noise, Laplace or Gaussian.
        weights: Shape ``(..., k)``.
        distance: At least 0, shape ``(...)``.

    Raises:
        ParameterError: No closed form is known for this noise.

    """
    raise ParameterError(f"sums of {type(mechanism).__name__} noise have no closed form here.")


@tail.register(Gaussian)
def _(mechanism: Gaussian, weights: FloatArray, distance: FloatArray) -> FloatArray:
    sd = mechanism.noise * np.sqrt(np.square(weights).sum(axis=-1))
    with np.errstate(divide="ignore", invalid="ignore"):
        tails = 2 * ndtr(-np.asarray(distance) / sd)
    return np.where(sd > 0, tails, np.asarray(distance) <= 0)


@tail.register(Laplace)
def _(mechanism: Laplace, weights: FloatArray, distance: FloatArray) -> FloatArray:
    """Return the tail as a mixture: ``sum_i c_i exp(-x/b_i)``.

    With scales ``b_i`` that all differ the density of the sum is a signed mixture of
    Laplace densities, with ``c_i = prod_(j != i) b_i^2 / (b_i^2 - b_j^2)`` (partial
    fractions of the characteristic function). Scales that nearly agree are set apart,
    upwards, by a ten-thousandth: more noise has a heavier tail.
    """
    scales = np.flip(np.sort(np.abs(weights), axis=-1), axis=-1) * mechanism.noise
    for place in range(scales.shape[-1] - 2, -1, -1):
        least = scales[..., place + 1] * (1 + _APART)
        scales[..., place] = np.maximum(scales[..., place], least)
    largest = np.where(scales[..., :1] > 0, scales[..., :1], 1.0)
    scales, x = scales / largest, np.asarray(distance) / largest[..., 0]
    found = np.zeros(np.broadcast_shapes(scales.shape[:-1], x.shape))
    with np.errstate(divide="ignore", invalid="ignore"):
        for place in range(scales.shape[-1]):
            own = scales[..., place]
            others = np.delete(scales, place, axis=-1)
            square = np.square(own)[..., np.newaxis]
            share = np.prod(square / (square - np.square(others)), axis=-1)
            found += np.where(own > 0, share * np.exp(-x / own), 0.0)
    return np.where(scales[..., 0] > 0, np.clip(found, 0.0, 1.0), x <= 0)


def reach(mechanism: Mechanism, weights: FloatArray, missed: float) -> FloatArray:
    """Return how far the sum reaches but with probability ``missed``, shape ``(...)``.

    As a function of the weights it is convex, for log-concave symmetric noise and
    ``missed`` below 1 (Lagoa, Li and Sznaier 2005).

    >>> round(float(reach(Laplace(noise=2.0), np.array([1.0, 0.0]), 0.05)), 9)
    5.991464547
    """
    weights = np.asarray(weights, dtype=np.float64)
    # Union bound: no summand reaches farther than its own quantile.
    each = mechanism.quantile(1 - missed / (2 * weights.shape[-1]), 0.0)
    high = np.abs(weights).sum(axis=-1) * float(each) * (1 + 2 * _APART)
    low = np.zeros_like(high)
    return first_where(lambda x: tail(mechanism, weights, x) <= missed, low, high)


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
) -> GroupEstimates:
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
    return GroupEstimates(
        level=level,
        counts=np.maximum(size, 0.0),
        counts_noise=noise,
        counts_total=expected_counts(wider, both),
        ratios=in_units(means, bounds),
        ratios_noise=in_units(inner, bounds),
        ratios_total=in_units(
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
