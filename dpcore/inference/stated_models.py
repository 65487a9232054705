"""The mean of a stated model, with an interval that includes the bias from clamping.

The reader states how values are distributed before they are clamped. Released are a mean
and a standard deviation (``SpreadEstimate``); what follows costs nothing (post-processing).

A member of the model with mean ``a`` and standard deviation ``b`` fixes the law of what was
released: that of averages of ``n`` clamped heights, and of the noise. It is kept unless the
released mean, or the mean squared distance from its own clamped mean, is too far off. The
interval is that of the means ``a`` of all members that are kept. That is a confidence set by
inversion of tests, as in simulation-based inference (Awan and Wang 2024, who simulate the
law that is taken as normal plus noise here). The union bound and the projection make it
hold more often than stated, if the model holds; else nothing is claimed. A
``parametric_bootstrap`` is shorter, and covers only about as often as stated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Final

import numpy as np
from scipy.special import log_ndtr, ndtri

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.inference.intervals import LEVEL, combined_error
from dpcore.inference.spread_intervals import HEIGHTS, OF_SPREAD, SpreadEstimate

RELEASES: Final = 2000
"""How many releases are simulated to see how often an interval holds."""
_SCORES: Final = np.linspace(-6.0, 6.0, 241)
_WEIGHTS: Final = np.exp(-(_SCORES**2) / 2) / np.exp(-(_SCORES**2) / 2).sum()
_SDS: Final = np.linspace(0.0, 0.5, 129)
_GRID: Final = 33
_ZOOMS: Final = 12
_FARTHEST: Final = 3.0
"""How far beyond the middle of the bounds a mean is looked for, in their width."""


Draws = tuple[FloatArray, FloatArray]
"""Parts of the people at each score, and noise, of each of several releases."""


class StatedModel(StrEnum):
    """How values are distributed before they are clamped, as the reader states."""

    NORMAL = "normal"
    LOG_NORMAL = "log-normal"
    EXPONENTIAL = "exponential"

    @property
    def positive(self) -> bool:
        """Tell whether its values are above 0."""
        return self is not StatedModel.NORMAL

    def values(self, mean: FloatArray, sd: FloatArray) -> FloatArray:
        """Return its quantiles at the normal scores, on a last axis of their own.

        An exponential distribution has the standard deviation ``mean``, whatever ``sd`` is.
        """
        a, b = mean[..., np.newaxis], sd[..., np.newaxis]
        if self is StatedModel.NORMAL:
            return np.asarray(a + b * _SCORES)
        if self is StatedModel.EXPONENTIAL:
            return np.asarray(-a * log_ndtr(-_SCORES))
        log_variance = np.log1p(np.square(b / a))
        return np.asarray(a * np.exp(np.sqrt(log_variance) * _SCORES - log_variance / 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInterval:
    """The mean of a stated model. PUBLIC.

    Attributes:
        mean: That of the member that agrees best, in the unit of the column.
        lower: Lower end of the interval; infinite where the search has no end there.
        upper: Upper end, likewise.
        coverage: In how many of ``RELEASES`` simulated from that member it is kept itself,
            as a share. The interval holds its mean at least as often.

    """

    mean: float
    lower: float
    upper: float
    coverage: float


@dataclass(frozen=True, kw_only=True)
class Members:
    """The members of a model beside what was released."""

    found: SpreadEstimate
    bounds: Interval
    model: StatedModel

    def heights(self, mean: FloatArray, sd: FloatArray) -> FloatArray:
        """Return the clamped heights at the normal scores."""
        values = self.bounds.clip(self.model.values(mean, sd))
        return np.asarray((values - self.bounds.lower) / self.bounds.width - 0.5)

    @property
    def box(self) -> FloatArray:
        """Return where means and standard deviations are looked for, shape ``(2, 2)``."""
        width = self.bounds.width
        middle, far, least = self.bounds.lower + width / 2, _FARTHEST * width, 1e-9 * width
        lower = max(middle - far, least) if self.model.positive else middle - far
        return np.array([[lower, middle + far], [least, far]])

    def ends(self, lower: float, upper: float) -> tuple[float, float]:
        """Return the ends of an interval of means; infinite where the search has none."""
        (first, last), _ = self.box
        low, high = lower if lower > first else -math.inf, upper if upper < last else math.inf
        return max(low, 0.0) if self.model.positive else low, high

    def moments(self, heights: FloatArray) -> FloatArray:
        """Return mean and mean square of heights, on the last axis."""
        return np.stack([heights @ _WEIGHTS, np.square(heights) @ _WEIGHTS], axis=-1)

    def draws(self, seed: int, size: int) -> Draws:
        """Return what chance decides about so many releases, whatever the member is."""
        rng, people = np.random.default_rng(seed), self.found.people
        ranks = rng.multinomial(people, _WEIGHTS, size=size) / people
        return ranks, self.found.mechanism.simulate(np.zeros(2), rng=rng, size=(size, 2))

    def released(self, heights: FloatArray, draws: Draws) -> FloatArray:
        """Return mean and mean square as they are released about samples of a member."""
        ranks, noise = draws
        return np.asarray(ranks @ np.stack([heights, np.square(heights)], axis=-1) + noise)

    @cached_property
    def _reaches(self) -> FloatArray:
        """Return how far off a mean is by noise and sampling, for each of ``_SDS``."""
        error = combined_error(self.found.mechanism, 0.0, HEIGHTS, (1 - LEVEL) * (1 - OF_SPREAD))
        return error.reach(_SDS / math.sqrt(self.found.people))

    def excess(self, heights: FloatArray, found: SpreadEstimate) -> FloatArray:
        """Return how far off what was released is, over what noise and sampling reach.

        The larger of two: that of the mean, and that of the mean squared distance.
        Members up to 1 are kept.
        """
        mean = heights @ _WEIGHTS
        squares = np.square(heights - mean[..., np.newaxis])
        variance = squares @ _WEIGHTS
        scatter = np.sqrt(np.maximum(np.square(squares) @ _WEIGHTS - variance**2, 0.0))
        n, of_sd = math.sqrt(found.people), (1 - LEVEL) * OF_SPREAD
        reach = np.interp(np.sqrt(variance), _SDS, self._reaches)
        noise = found.noise_about(mean, of_sd / 2)
        about = noise - float(ndtri(of_sd / 4)) * scatter / n
        off = np.abs(found.mean - mean) / reach
        return np.asarray(np.maximum(off, np.abs(found.about(mean) - variance) / about))

    def coverage(self, mean: float, sd: float) -> float:
        """Return how often a member is kept of what is released about its own samples."""
        heights = self.heights(np.array(mean), np.array(sd))
        drawn = self.released(heights, self.draws(1, RELEASES))
        variance = np.clip(drawn[:, 1] - drawn[:, 0] ** 2, 0.0, 0.25)
        released = replace(self.found, mean=drawn[:, 0], sd=np.sqrt(variance))
        return float(np.mean(self.excess(heights, released) <= 1))


def model_interval(
    found: SpreadEstimate, bounds: Interval, model: StatedModel
) -> ModelInterval | None:
    """Return the mean of a model in the unit of the column; ``None`` if no member agrees.

    Members are looked for on a grid of means and standard deviations, which is narrowed to
    what agrees, and one step more. A mean at most 3 widths from the middle is looked for.
    """
    search = Members(found=found, bounds=bounds, model=model)
    box = outer = search.box
    for _ in range(_ZOOMS):
        means, sds = (np.linspace(low, high, _GRID) for low, high in box)
        excess = search.excess(search.heights(*np.meshgrid(means, sds, indexing="ij")), found)
        near = np.nonzero(excess <= max(1.0, 2 * excess.min()))
        box = np.array(
            [
                [max(axis[place.min()] - step, low), min(axis[place.max()] + step, high)]
                for axis, place, (low, high) in zip((means, sds), near, outer, strict=True)
                for step in [axis[1] - axis[0]]
            ]
        )
    best = np.unravel_index(excess.argmin(), excess.shape)
    if excess[best] > 1:
        return None
    mean, sd = float(means[best[0]]), float(sds[best[1]])
    lower, upper = search.ends(*box[0].tolist())
    return ModelInterval(mean=mean, lower=lower, upper=upper, coverage=search.coverage(mean, sd))


def has_negative_values(model: StatedModel, bounds: Interval, mean: float, sd: float) -> bool:
    """Tell whether a model has many values below 0 although the bounds begin at 0 or above.

    That is a normal distribution whose released mean is less than two released standard
    deviations above 0.
    """
    return model is StatedModel.NORMAL and bounds.lower >= 0 and mean < 2 * sd
