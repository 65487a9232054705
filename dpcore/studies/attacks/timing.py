"""Timing: how often noise was drawn again says where the value lies.

Truncated noise that is drawn until it lands between the bounds takes ``k`` draws with
probability ``(1 - Z)^(k - 1) Z`` (geometric law), where ``Z`` is the chance of landing
inside, which depends on the secret value. Over ``r`` releases the draws add up by the
negative binomial law: at most ``k`` with probability ``I_Z(r, k - r + 1)``, the
regularized incomplete beta function. As few draws speak for the value with the larger
``Z``, the best test has one threshold: where both are equally likely, ``k = r + r
log(Z_1/Z_0) / log((1 - Z_0)/(1 - Z_1))``. It is right with probability ``1/2 +
|F_0(k) - F_1(k)|/2``. A release that always takes the same number of draws tells
nothing by its time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError

PER_DRAW: Final = 40.0
"""Time of one draw on the simulated stopwatch, in microseconds."""
JITTER: Final = 6.0
"""How unsteady the stopwatch is: a standard deviation, in microseconds."""
_FAR = 1e-12


def at_most(draws: ArrayLike, kept: float, *, releases: int) -> FloatArray:
    """Return how likely so many releases take at most so many draws together."""
    k = np.asarray(draws, dtype=np.float64)
    below = betainc(float(releases), np.maximum(k - releases + 1, 1.0), _checked(kept))
    return np.where(k >= releases, below, 0.0)


def right(first: float, second: float, *, releases: int) -> float:
    """Return how often the best test of the time alone tells two values apart.

    Args:
        first: The chance that a draw is kept in the first world, in (0, 1].
        second: The same in the second world.
        releases: How many releases are timed.

    Raises:
        ParameterError: A chance is outside its domain, or nothing is timed.

    >>> round(right(0.5, 0.6, releases=1), 4), right(0.5, 0.5, releases=9)
    (0.55, 0.5)

    """
    if releases < 1:
        raise ParameterError(f"at least one release must be timed, got {releases}.")
    low, high = sorted((_checked(first), _checked(second)))
    if low == high:
        return 0.5
    with np.errstate(divide="ignore"):
        steeper = np.log1p(-low) - np.log1p(-high)
    most = releases + np.floor(releases * np.log(high / low) / steeper)
    below = [float(at_most(most, kept, releases=releases)) for kept in (low, high)]
    return float(0.5 + (below[1] - below[0]) / 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopwatch:
    """Times of releases in two worlds, in microseconds.

    Attributes:
        first: In the first world, shape ``(m,)``.
        second: In the second world, shape ``(m,)``.

    """

    first: FloatArray = field(repr=False)
    second: FloatArray = field(repr=False)


def redrawing(first: float, second: float, *, releases: int, rng: np.random.Generator) -> Stopwatch:
    """Return how long releases take that draw until a draw is kept."""
    tries = [rng.geometric(_checked(kept), releases) for kept in (first, second)]
    return _timed(tries[0], tries[1], rng)


def steady(draws: int, *, releases: int, rng: np.random.Generator) -> Stopwatch:
    """Return how long releases take that always make so many draws."""
    same = np.full(releases, draws)
    return _timed(same, same, rng)


def _timed(first: ArrayLike, second: ArrayLike, rng: np.random.Generator) -> Stopwatch:
    watch = [
        PER_DRAW * np.asarray(tries, dtype=np.float64)
        + JITTER * rng.standard_normal(np.shape(tries))
        for tries in (first, second)
    ]
    return Stopwatch(first=watch[0], second=watch[1])


def _checked(kept: float) -> float:
    if not _FAR < kept <= 1:
        raise ParameterError(f"the chance that a draw is kept must be in (0, 1], got {kept}.")
    return kept
