"""Intervals of a mean whose standard deviation was released with it.

All in *heights*: distances from the middle of the public bounds, over their width. Let
``m`` and ``q`` be the released means of the heights and of their squares (``JointMoments``),
with independent noise ``Z`` of one law on each. For every position ``p``

``T(p) = q - 2 p m + p^2`` is the mean squared distance from ``p``, with noise ``Z_2 - 2 p Z_1``.

Of a table with mean ``p`` it estimates the variance (divisor n). Of a sample from a
population with mean ``p`` and variance ``V`` its expected value is ``V``, and its sampling
variance at most ``V (D^2 - V) / n`` with ``D = 1/2 + |p|`` the largest possible distance,
because ``E(x - p)^4 <= D^2 V``. So a score test (Wilson 1927) limits ``V`` for every ``p``, and
``p`` itself is kept if ``m`` is no farther away than noise and a sampling error with the
largest kept variance reach. Without ``q``, ``V`` could be as large as ``1/4 - p^2`` (Bhatia and
Davis 2000).

By the union bound over a test of the mean and two of the variance both intervals hold
together. Sampling errors are those of averages of bounded numbers, taken as normal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
from scipy.special import ndtri

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.inference.group_ratios import reach
from dpcore.inference.intervals import LEVEL, Coordinate, Intervals, intervals_of_each
from dpcore.mechanisms.gaussian import Gaussian
from dpcore.mechanisms.laplace import Laplace
from dpcore.relations import TableSize
from dpcore.statistics.sums_and_means import Mean

OF_SPREAD: Final = 0.1
"""Which part of what may be missed is the standard deviation's."""
HEIGHTS: Final = Interval(lower=-0.5, upper=0.5)
_POSITIONS: Final = 257
_PLACES: Final = np.linspace(0.0, 0.5, 65)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadEstimate:
    """A released mean and standard deviation, as heights. PUBLIC.

    Attributes:
        mechanism: The noise of both numbers, as heights.
        mean: The released mean; of several releases, all of them.
        sd: The standard deviation that follows from both numbers, likewise.
        people: The number of people, or the public minimum.

    """

    mechanism: Laplace | Gaussian
    mean: float | FloatArray
    sd: float | FloatArray
    people: int

    @classmethod
    def of(
        cls, mechanism: Laplace | Gaussian, described: FloatArray, bounds: Interval, people: int
    ) -> SpreadEstimate:
        """Return mean and standard deviation in the unit of a column as heights."""
        mean, sd = described
        return cls(
            mechanism=replace(mechanism, noise=mechanism.noise / bounds.width),
            mean=(mean - bounds.lower) / bounds.width - 0.5,
            sd=sd / bounds.width,
            people=people,
        )

    def about(self, positions: FloatArray) -> FloatArray:
        """Return the released mean squared distance ``T(p)`` from each position."""
        return np.asarray(self.sd**2 + np.square(self.mean - positions))

    def noise_about(self, positions: FloatArray, missed: float) -> FloatArray:
        """Return how far off that is by noise, but with probability ``missed``."""
        return np.asarray(np.interp(np.abs(positions), _PLACES, _reaches(self.mechanism, missed)))

    def variances(self, positions: FloatArray, missed: float, *, sampled: bool) -> FloatArray:
        """Return the variances that are not contradicted at each position, ``(p, 2)``.

        Of the table, or where it is ``sampled`` of its population. Then noise and sampling
        may miss half each. ``|T - V| <= off + z √(V (D^2 - V) / n)`` is a quadratic in ``V``.
        """
        k, each = 0.0, missed
        if sampled:
            each = missed / 2
            k = float(ndtri(each / 2)) ** 2 / self.people
        about, off = self.about(positions), self.noise_about(positions, each)
        farthest = np.square(0.5 + np.abs(positions))
        ends = np.clip(np.stack([about - off, about + off]), 0.0, farthest)
        half = ends + k * farthest / 2
        root = np.sqrt(np.maximum(half**2 - (1 + k) * ends**2, 0.0))
        found = (half + np.array([[-1.0], [1.0]]) * root) / (1 + k)
        return np.asarray(np.clip(found, 0.0, 0.25 - np.square(positions)).T)


@lru_cache(maxsize=256)
def _reaches(mechanism: Laplace | Gaussian, missed: float) -> FloatArray:
    """Return how far ``Z_2 - 2 p Z_1`` reaches, for ``p`` from 0 to 1/2.

    It is convex in ``p`` (``group_ratios.reach``): between two places it is less than a line.
    """
    return reach(mechanism, np.stack([2 * _PLACES, np.ones_like(_PLACES)], axis=-1), missed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _LimitedMean(Mean):
    """A mean of heights in a population whose variance was released, too."""

    found: SpreadEstimate
    missed: float

    def sampling_sd(self, estimate: FloatArray) -> FloatArray:
        """Return that with the largest variance that is not contradicted."""
        positions = self.bounds.clip(estimate)
        largest = self.found.variances(positions, self.missed, sampled=True)[..., 1]
        return np.sqrt(largest / self.found.people)


def spread_intervals(found: SpreadEstimate, *, level: float = LEVEL) -> Intervals:
    """Return intervals of mean and standard deviation, as heights, shape ``(2, 2)`` each.

    All of one sort hold together with probability ``level``. The standard deviation of
    the table has divisor n.
    """
    of_mean, of_sd = (1 - level) * (1 - OF_SPREAD), (1 - level) * OF_SPREAD
    mean = Coordinate(
        mechanism=found.mechanism,
        statistic=_LimitedMean(
            bounds=HEIGHTS,
            size=TableSize(people=found.people, public=True),
            found=found,
            missed=of_sd,
        ),
        value=float(found.mean),
        bounds=HEIGHTS,
    )
    around = intervals_of_each([mean], tail=of_mean)
    noise = _sd_interval(found, around.noise[0], of_sd, sampled=False)
    total = _sd_interval(found, around.total[0], of_sd, sampled=True)
    return Intervals(
        level=level,
        noise=np.stack([around.noise[0], noise]),
        total=np.stack([around.total[0], total]),
    )


def _sd_interval(
    found: SpreadEstimate, around: FloatArray, missed: float, *, sampled: bool
) -> FloatArray:
    """Return the standard deviations of all means that are kept."""
    positions = np.linspace(around[0], around[1], _POSITIONS)
    kept = found.variances(positions, missed, sampled=sampled)
    # Between two positions the ends lie between those about them, or nearly so.
    low, high = np.abs(np.diff(kept, axis=0)).max(axis=0)
    ends = np.array([kept[:, 0].min() - low, kept[:, 1].max() + high])
    return np.asarray(np.sqrt(np.clip(ends, 0.0, 0.25)))
