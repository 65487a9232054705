"""How far two groups lie apart, from intervals that hold for all groups at once.

Wherever the intervals of all groups hold, the numbers of two groups lie in theirs. So
their difference lies between the least and the greatest that two such numbers can have,
and so does the part of one that it is. Nothing further can fail: the differences of all
pairs hold together with the confidence of the intervals themselves, it does not matter
that a pair is chosen in the light of the answer, and it costs nothing. Two groups
differ for sure where their intervals do not overlap.

>>> men = IntervalEstimate(value=50.0, noise=(48, 52))
>>> women = IntervalEstimate(value=40.0, noise=(39, 42))
>>> difference(women, men).noise
(-13, -6)
>>> more_in_percent(women, men).noise
(-25.0, -12.5)

By how much the means of two groups differ, from their released counts and sums.

At the means of the two groups the noise in ``sum(x_i - t)`` of each is known
(``group_ratios``), and the two are independent. How rare the noise of a group would be,
``P``, is then uniform between 0 and 1, and a product of two such numbers is below ``c``
with probability ``c (1 - log c)`` (Fisher 1925). All pairs of means are kept whose
product is not: their differences, and the parts of one that these are, are what the
release does not contradict. One region is behind all of them, so that all hold
together; and it is smaller than what the intervals of both means leave open, in which
each would have to hold by itself.

The counts hold with a fifth of what may be missed, the means with the rest. A group
whose count cannot tell it from an empty one has no mean, and there is no difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.inference.group_ratios import around, mean_heights, reach
from dpcore.inference.intervals import LEVEL, expected_counts
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.mechanisms.mechanism import Mechanism
from dpcore.mechanisms.search import first_where

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalEstimate:
    """A number with the intervals that hold for it. PUBLIC, as what it is made of.

    Attributes:
        value: The number, as it was drawn.
        noise: Where that of the table lies.
        total: Where that of the population lies; None where nothing is said of it.

    Raises:
        ParameterError: An end is not a number, or the lower one lies above the upper.

    """

    value: float
    noise: Ends
    total: Ends | None = None

    def __post_init__(self) -> None:
        for ends in (self.noise, self.total or self.noise):
            if not ends[0] <= ends[1]:
                raise ParameterError(f"an interval needs a lower and an upper end, got {ends}.")


def difference(one: IntervalEstimate, other: IntervalEstimate) -> IntervalEstimate:
    """Return by how much ``one`` is larger than ``other``, in their own unit."""
    both = one.total is not None and other.total is not None
    return IntervalEstimate(
        value=one.value - other.value,
        noise=_apart(one.noise, other.noise),
        total=_apart(one.total, other.total) if both else None,  # type: ignore[arg-type] # both are there
    )


def more_in_percent(one: IntervalEstimate, other: IntervalEstimate) -> IntervalEstimate | None:
    """Return by how many percent of ``other`` is ``one`` larger; None if untold.

    It is told only where ``other`` is above 0 for sure: of nothing, or of less, there
    is no part. Where that holds in the table and may not hold in the population,
    nothing is said of the latter.
    """
    if other.noise[0] <= 0 or other.value <= 0:
        return None
    told = one.total is not None and other.total is not None and other.total[0] > 0
    return IntervalEstimate(
        value=_percent(one.value, other.value),
        noise=_parts(one.noise, other.noise),
        total=_parts(one.total, other.total) if told else None,  # type: ignore[arg-type] # both are there
    )


def _apart(one: Ends, other: Ends) -> Ends:
    return one[0] - other[1], one[1] - other[0]


def _parts(one: Ends, other: Ends) -> Ends:
    """Return the least and the most percent; of a number below 0 more is less."""
    low, high = one
    return (
        _percent(low, other[1] if low >= 0 else other[0]),
        _percent(high, other[0] if high >= 0 else other[1]),
    )


def _percent(one: float, other: float) -> float:
    if math.isinf(other):
        # Part of ever more: nothing of it is left.
        return -100.0
    return 100 * (one - other) / other


_OF_COUNTS: Final = 0.2
_SPLITS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class PairEstimates:
    """What is known of two groups. PUBLIC: it follows from released numbers.

    Attributes:
        counts: People of each group, at least 0, shape ``(2,)``.
        counts_noise: Those of the table, shape ``(2, 2)``.
        counts_total: Those to be expected in such a sample.
        means: The mean of each group; None where the groups are too small to say.
        apart: The mean of the first less that of the second; None likewise.
        percent: The same in percent of the second; None where that may be 0 or less.

    """

    counts: FloatArray
    counts_noise: FloatArray
    counts_total: FloatArray
    means: tuple[IntervalEstimate, IntervalEstimate] | None = None
    apart: IntervalEstimate | None = None
    percent: IntervalEstimate | None = None


def compare(
    mechanism: Mechanism, drawn: FloatArray, bounds: Interval, *, level: float = LEVEL
) -> PairEstimates:
    """Return counts, means and their difference; all of one sort hold together.

    ``drawn`` are the released numbers of both groups, shape ``(2, 2)``.

    Raises:
        ParameterError: The noise is neither Laplace nor Gaussian.

    """
    missed = 1 - level
    size = drawn.sum(axis=1)
    noise = around(size, _off(mechanism, missed))
    wider = around(size, _off(mechanism, missed / 2))
    counts = {
        "counts": np.maximum(size, 0.0),
        "counts_noise": noise,
        "counts_total": expected_counts(wider, missed * _OF_COUNTS / 4),
    }
    if not (noise[:, 0] > 0).all():
        return PairEstimates(**counts)
    left = missed * (1 - _OF_COUNTS)
    middle = bounds.lower + bounds.width * _middle(drawn)
    inner = _Region.of(mechanism, drawn, bounds, left, None)
    # Half for the noise; a quarter of the other half for each side of each group.
    log = math.log(8 / left)
    outer = _Region.of(mechanism, drawn, bounds, left / 2, (wider[:, 1], log))
    one, other = (
        IntervalEstimate(
            value=float(middle[place]),
            noise=inner.mean(place),
            total=_hull(inner.mean(place), outer.mean(place)),
        )
        for place in (0, 1)
    )
    return PairEstimates(
        means=(one, other),
        apart=IntervalEstimate(
            value=one.value - other.value,
            noise=inner.difference(),
            total=_hull(inner.difference(), outer.difference()),
        ),
        percent=_percent_between(one, other, inner, outer),
        **counts,
    )


def fewest_people(mechanism: Laplace | Gaussian, *, level: float = LEVEL) -> float:
    """Return the released count up to which a group has too few people to say."""
    fewest, _, _ = _of_scale_one(replace(mechanism, noise=1.0), 1 - level)
    return mechanism.noise * fewest


def half_width(
    mechanism: Laplace | Gaussian,
    bounds: Interval,
    people: tuple[float, float],
    *,
    level: float = LEVEL,
) -> float:
    """Return how far off the difference of two groups of such sizes is, at most, about.

    It is the interval from numbers that the noise left where they are, with means at
    the bounds, where noise does most. NaN where they are too few to say.
    """
    if min(people) <= fewest_people(mechanism, level=level):
        return math.nan
    _, *off = _of_scale_one(replace(mechanism, noise=1.0), 1 - level)
    parts = [
        np.minimum(mechanism.noise * far / number, 1.0)
        for far, number in zip(off, people, strict=True)
    ]
    return float(bounds.width * np.max(parts[0] + parts[1]))


@lru_cache(maxsize=64)
def _of_scale_one(
    mechanism: Laplace | Gaussian, missed: float
) -> tuple[float, FloatArray, FloatArray]:
    """Return the count that noise of scale 1 hides, and how far it takes the sums.

    At each split of what the means may miss. The noise of a sum about t is convex in t,
    hence largest about a bound, where it is that of a single number.
    """
    one, other = (
        np.asarray(mechanism.quantile(1 - side / 2, 0.0))
        for side in _splits(missed * (1 - _OF_COUNTS))
    )
    return _off(mechanism, missed), one, other


@dataclass(frozen=True, slots=True, kw_only=True)
class _Region:
    """Means of both groups that are kept, as ends at several splits of the product.

    ``one`` and ``other`` have shape ``(s, 2)``: where ``P`` of the first group is
    between two neighbors of a split, its mean is within ``one``, and that of the second
    within ``other``.
    """

    one: FloatArray
    other: FloatArray

    @classmethod
    def of(
        cls,
        mechanism: Mechanism,
        drawn: FloatArray,
        bounds: Interval,
        missed: float,
        sampled: tuple[FloatArray, float] | None,
    ) -> _Region:
        # All splits of both groups at once.
        rare = np.concatenate(_splits(missed))
        known = np.repeat(drawn, _SPLITS, axis=0)
        if sampled is not None:
            people, log = sampled
            sampled = np.repeat(people, _SPLITS), log
        _, heights = mean_heights(mechanism, known, rare, sampled)
        ends = bounds.lower + bounds.width * heights
        return cls(one=ends[:_SPLITS], other=ends[_SPLITS:])

    def mean(self, place: int) -> Ends:
        """Return all means that a group may have."""
        ends = (self.one, self.other)[place]
        return float(ends[:, 0].min()), float(ends[:, 1].max())

    def difference(self) -> Ends:
        """Return all differences."""
        return (
            float((self.one[:, 0] - self.other[:, 1]).min()),
            float((self.one[:, 1] - self.other[:, 0]).max()),
        )

    def percent(self) -> Ends | None:
        """Return the differences in percent of the second mean, where it is above 0."""
        parts = [
            more_in_percent(
                IntervalEstimate(value=one[0], noise=(one[0], one[1])),
                IntervalEstimate(value=other[1], noise=(other[0], other[1])),
            )
            for one, other in zip(self.one.tolist(), self.other.tolist(), strict=True)
        ]
        known = [part.noise for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        return min(low for low, _ in known), max(high for _, high in known)


def _percent_between(
    one: IntervalEstimate, other: IntervalEstimate, inner: _Region, outer: _Region
) -> IntervalEstimate | None:
    noise, total = inner.percent(), outer.percent()
    if noise is None or other.value <= 0:
        return None
    return IntervalEstimate(
        value=100 * (one.value - other.value) / other.value,
        noise=noise,
        total=None if total is None else _hull(noise, total),
    )


def _splits(missed: float) -> tuple[FloatArray, FloatArray]:
    """Return how rare the noise of each group may be where both are kept.

    The product is at least ``c``. Between two splits of the first the other is bounded
    at the far one, so that nothing is left out.
    """
    # In -log c, in which c (1 - log c) falls.
    log = first_where(lambda x: np.exp(-x) * (1 + x) <= missed, np.zeros(1), np.full(1, 800.0))
    steps = np.linspace(0, float(log[0]), _SPLITS + 1)
    return np.exp(-steps[1:]), np.exp(-(float(log[0]) - steps[:-1]))


def _middle(drawn: FloatArray) -> FloatArray:
    size = drawn.sum(axis=1)
    return np.asarray(np.clip(drawn[:, 1], 0.0, size) / size)


def _off(mechanism: Mechanism, missed: float) -> float:
    """Return how far off both counts are but with a fifth of ``missed``."""
    return float(reach(mechanism, np.ones(2), missed * _OF_COUNTS / 2))


def _hull(one: Ends, other: Ends) -> Ends:
    return min(one[0], other[0]), max(one[1], other[1])
