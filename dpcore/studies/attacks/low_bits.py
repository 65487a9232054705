"""The last digits of noise: what a careless sampler gives away, and a grid does not.

Noise that is computed as ``b log(u)`` in floating point reaches some numbers from one
value and not from another (``studies.teaching.floating_point``). A sampler that rounds
the value to a public grid and adds a whole number of steps reaches the same numbers
from all values, with probabilities that differ by at most ``e^epsilon``. The exact
samplers of real releases do that with the randomness of the operating system; here a
seeded generator draws by the same law.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.studies.teaching.floating_point import naive_releases, reachable

_FINE: Final = 2.0**-30


def step_of(scale: float) -> float:
    """Return the step of the grid: a power of two, far below the noise.

    >>> step_of(1.0) == 2.0**-30
    True
    """
    if not 0 < scale < math.inf:
        raise ParameterError(f"the scale of the noise must be positive and finite, got {scale}.")
    return 2.0 ** math.floor(math.log2(scale)) * _FINE


def grid_releases(
    value: float, scale: float, *, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return the value on the grid plus discrete Laplace noise, shape ``(draws,)``.

    The difference of two geometric numbers of steps has the law ``P(k) ~ e^(-|k|
    step/b)``.
    """
    step = step_of(scale)
    chance = -math.expm1(-step / scale)
    steps = rng.geometric(chance, draws) - rng.geometric(chance, draws)
    return np.asarray(step * (np.round(value / step) + steps))


@dataclass(frozen=True, slots=True, kw_only=True)
class LowBits:
    """What releases of one value say against another value.

    Attributes:
        releases: Drawn from the first value, shape ``(m,)``.
        possible: Whether the second value can give each of them, 1 or 0.

    """

    releases: FloatArray = field(repr=False)
    possible: FloatArray = field(repr=False)

    @property
    def given_away(self) -> float:
        """Return the share of releases that the second value can never give."""
        return 1 - float(self.possible.mean())


def careless(
    first: float, second: float, scale: float, *, draws: int, rng: np.random.Generator
) -> LowBits:
    """Return what the careless sampler gives away of ``first`` against ``second``."""
    releases = naive_releases(first, scale, draws=draws, rng=rng)
    return LowBits(releases=releases, possible=reachable(releases, second, scale))


def on_grid(
    first: float, second: float, scale: float, *, draws: int, rng: np.random.Generator
) -> LowBits:
    """Return what the sampler on a grid gives away: each step is open to both."""
    releases = grid_releases(first, scale, draws=draws, rng=rng)
    step = step_of(scale)
    away = (releases - step * np.round(second / step)) / step
    return LowBits(releases=releases, possible=np.asarray(away == np.round(away), np.float64))
