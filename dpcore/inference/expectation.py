"""How far off a release will be, before it is drawn and from public numbers only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.inference.intervals import LEVEL, noise_half_width, positions_across
from dpcore.mechanisms.base import Mechanism
from dpcore.statistics.base import Statistic


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """What to expect of a release, at the least favorable position.

    Attributes:
        typical: Largest root mean squared error over all positions in the bounds.
        noise: Half-width that holds a release with the probability asked for.
        sampling: Half-width of the sampling error of the table itself, at most, with
            the same probability; the error that no mechanism can remove.

    """

    typical: float
    noise: float
    sampling: float


def expect(
    mechanism: Mechanism, statistic: Statistic, bounds: Interval, *, level: float = LEVEL
) -> Expectation:
    """Return what to expect of one coordinate of a release, with probability ``level``.

    Of several numbers that shall hold together, ask for the ``level_of_each``.
    """
    positions = positions_across(bounds, mechanism.noise)
    return Expectation(
        typical=float(np.sqrt(np.max(mechanism.mse(positions)))),
        noise=noise_half_width(mechanism, bounds=bounds, level=level),
        sampling=_sampling(statistic, bounds, positions, level),
    )


def _sampling(statistic: Statistic, bounds: Interval, positions: FloatArray, level: float) -> float:
    """Return the half-width; infinite where it grows with an answer without limit."""
    if not np.isfinite(bounds.width):
        return np.inf
    sd = [statistic.sampling_sd(np.array([position])) for position in positions]
    return float(-ndtri((1 - level) / 2) * np.max(sd))
