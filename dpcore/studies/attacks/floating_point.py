"""Floating-point attack: the last digits of noise give the value away.

A generator of uniform doubles has 2^53 outputs, so that ``value + b log(u)`` reaches
some doubles and not others, and which ones depends on the value (Mironov 2012). Real
releases are drawn by an exact discrete sampler.

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

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError

_STEPS = 2.0**53
_SLACK = 16


def naive_releases(
    value: float, noise: float, *, draws: int, rng: np.random.Generator
) -> FloatArray:
    """Return ``value ± b log(u)`` as a careless program computes it."""
    u = (rng.integers(0, int(_STEPS), draws) + 1) / _STEPS
    sign = np.where(rng.random(draws) < 0.5, -1.0, 1.0)  # noqa: PLR2004 - a coin
    return value - sign * (noise * np.log(u))


def reachable(releases: FloatArray, value: float, noise: float) -> FloatArray:
    """Return for each release whether ``naive_releases`` can give it from ``value``.

    All uniform doubles near the one that the release would need are tried.

    Raises:
        ParameterError: ``noise`` is so far below the numbers that too many doubles
            would have to be tried, or not positive.

    """
    largest = float(np.max(np.abs(releases), initial=abs(value)))
    spread = math.inf if noise <= 0 else np.spacing(largest) / noise * _STEPS
    if not spread < 1e5:  # noqa: PLR2004 - a few megabytes
        raise ParameterError("noise must be positive, and not tiny beside the releases.")
    reach = int(np.ceil(2 * spread)) + _SLACK
    around = np.arange(-reach, reach + 1, dtype=np.float64)
    needed = np.round(np.exp(-np.abs(releases - value) / noise) * _STEPS)
    steps = np.clip(needed[:, np.newaxis] + around, 1, _STEPS)
    noises = noise * np.log(steps / _STEPS)
    sign = np.where(releases < value, -1.0, 1.0)[:, np.newaxis]
    hits = value - sign * noises == releases[:, np.newaxis]
    return np.asarray(hits.any(axis=1), dtype=np.float64)


def step_of(scale: float) -> float:
    """Return the step of the grid: a power of two, far below the noise.

    >>> step_of(1.0) == 2.0**-30
    True
    """
    if not 0 < scale < math.inf:
        raise ParameterError(f"the scale of the noise must be positive and finite, got {scale}.")
    return 2.0 ** math.floor(math.log2(scale)) * 2.0**-30


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
