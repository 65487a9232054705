"""The mean of a stated model by a parametric bootstrap of the released numbers.

Fitted is the member of the model whose clamped mean and mean square are the released ones;
the mean alone, if the model has one parameter. Samples of it are clamped and released with
the same noise, and fitted likewise. The interval has the middle 95% of their means (the
percentiles of algorithm 1 of Ferrando, Wang and Sheldon 2022).

That is asymptotic: it holds as often as stated only as the number of people grows, and
nothing is guaranteed. So how often it holds is simulated from the fitted member, with a
bootstrap of each simulated release. These share a few draws of ranks and of noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.inference.intervals import LEVEL
from dpcore.inference.spread_intervals import SpreadEstimate
from dpcore.inference.stated_models import Draws, Members, ModelInterval, StatedModel

SIMULATED: Final = 400
"""How many releases are simulated to see how often the interval holds."""
_DRAWS: Final = 1000
_DRAWS_OF_EACH: Final = 200
_STEPS: Final = 6
_MOST_STEPS: Final = 40
_CLOSE: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fits:
    """Members, each as mean and standard deviation on the last axis, and fits of them."""

    members: Members

    @property
    def fitted_to(self) -> slice:
        """Return which of the released numbers the parameters are fitted to."""
        return slice(1 if self.members.model is StatedModel.EXPONENTIAL else 2)

    def moments(self, fitted: FloatArray) -> FloatArray:
        """Return what is expected of the numbers that are fitted to."""
        heights = self.members.heights(fitted[..., 0], fitted[..., 1])
        return self.members.moments(heights)[..., self.fitted_to]

    def released(self, fitted: FloatArray, draws: Draws) -> FloatArray:
        """Return these numbers as they are released about samples of one member."""
        return self.members.released(self.members.heights(*fitted), draws)[:, self.fitted_to]

    def fit(self, released: FloatArray, start: FloatArray, *, steps: int = _STEPS) -> FloatArray:
        """Return members by Newton steps with the slopes at the start."""
        width = self.members.bounds.width
        small, most = 1e-5 * width, width / 3
        slopes = (self.moments(start + small * np.eye(2)) - self.moments(start)) / small
        back, fitted = np.linalg.pinv(slopes), start
        for _ in range(steps):
            step = (released - self.moments(fitted)) @ back
            fitted = np.clip(fitted + np.clip(step, -most, most), *self.members.box.T)
        return fitted


def bootstrap_interval(
    found: SpreadEstimate, bounds: Interval, model: StatedModel
) -> ModelInterval | None:
    """Return the mean of a model in the unit of the column; ``None`` if no member fits.

    Its coverage is a share of ``SIMULATED`` releases of the fitted member.
    """
    fits = _Fits(members=Members(found=found, bounds=bounds, model=model))
    released = np.array([found.mean, found.sd**2 + found.mean**2])[fits.fitted_to]
    middle = bounds.lower + bounds.width / 2
    fitted = np.array([middle + bounds.width * found.mean, bounds.width * found.sd])
    for _ in range(_MOST_STEPS):
        fitted = fits.fit(released, fitted, steps=1)
    if found.sd == 0 or np.abs(fits.moments(fitted) - released).max() > _CLOSE:
        return None
    draws = fits.members.draws(2, _DRAWS)
    means = fits.fit(fits.released(fitted, draws), fitted)[:, 0]
    ends = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
    lower, upper = fits.members.ends(*ends)
    blocks = zip(*(np.split(each, _DRAWS // _DRAWS_OF_EACH) for each in draws), strict=True)
    simulated = fits.fit(fits.released(fitted, fits.members.draws(1, SIMULATED)), fitted)
    held = 0
    for own, few in zip(simulated, cycle(blocks), strict=False):
        below = fits.fit(fits.released(own, few), own)[:, 0] <= fitted[0]
        held += bool(abs(below.mean() - 0.5) <= LEVEL / 2)
    return ModelInterval(mean=float(fitted[0]), lower=lower, upper=upper, coverage=held / SIMULATED)
