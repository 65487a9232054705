"""Why Laplace noise from a floating-point logarithm is no private noise.

A generator of uniform doubles has 2^53 outputs, so that ``value + b log(u)`` reaches
some doubles and not others, and which ones depends on the value (Mironov 2012). Real
releases are drawn by an exact discrete sampler.
"""

from __future__ import annotations

import math

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


def given_away(
    first: float, second: float, noise: float, *, draws: int, rng: np.random.Generator
) -> float:
    """Return the share of naive releases of ``first`` that ``second`` cannot give.

    Each of them gives the value away with certainty, whatever epsilon was promised.
    """
    releases = naive_releases(first, noise, draws=draws, rng=rng)
    return 1 - float(reachable(releases, second, noise).mean())
