"""Losses of many people under posterior samples and perturbed objectives.

The loss of a person depends on two numbers for posterior samples, and on three for the
objective perturbation of a ridge regression: with the person's length and the noise
scaled away, ``m``, ``S = |x|^2 x'H^-2 x >= m^2`` and ``e = |residual| |x| / sigma``.
It is a smooth function of them, so that for many people a table of exact losses is
interpolated by cubic splines, in the logarithm of the loss and in coordinates in which
its two regimes, large residuals and the floor at a residual of 0, are smooth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.models.objective_perturbation import NODES, PerturbedPairs
from dpcore.models.posterior import leverage_and_residual, repeated
from dpcore.privacy import gaussian

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray

    Profile = Callable[[NDArray[np.intp], FloatArray], FloatArray]

TABLE_FROM: Final = 400
"""Number of people from which losses of several posterior samples, and of perturbed
objectives, are interpolated. Those of a single sample are always exact."""
_SEVERAL: Final = (16, 24)
_PERTURBED: Final = (12, 18, 5)
_SOLUTION: Final = 1e-10
_COARSE: Final = 1e-5
_FEWER_NODES: Final = 501
_LEAST: Final = 1e-9
_STEPS: Final = 60
_TINY: Final = 1e-300
_FEWEST: Final = 4
"""Rows that a cubic spline needs."""


def smallest_epsilon(
    profile: Profile, guess: FloatArray, delta: float, *, precision: float = _SOLUTION
) -> FloatArray:
    """Return the smallest epsilons with ``profile <= delta``.

    By false position on the logarithm of the profile, which falls with epsilon.

    Args:
        profile: Returns delta for some people, given their positions and epsilons.
        guess: Where to begin, one positive number a person.
        delta: In (0, 1).
        precision: Relative error, of epsilon or of delta.

    """
    people = len(guess)
    everybody = np.arange(people)
    goal = np.log(delta)

    def excess(who: NDArray[np.intp], epsilon: FloatArray) -> FloatArray:
        logs = np.log(np.maximum(profile(who, epsilon), _TINY))
        return np.asarray(logs - goal)

    low, high = np.zeros(people), guess.copy()
    at_low = excess(everybody, low)
    high[at_low <= 0] = 0.0
    at_high = np.where(at_low <= 0, at_low, excess(everybody, high))
    while len(above := np.flatnonzero(at_high > 0)):
        low[above], at_low[above] = high[above], at_high[above]
        high[above] *= 2
        at_high[above] = excess(above, high[above])
    weight_low, weight_high = at_low.copy(), at_high.copy()
    open_ = np.flatnonzero(high > 0)
    for _ in range(_STEPS):
        span = high[open_] - low[open_]
        open_ = open_[span > precision * high[open_]]
        if len(open_) == 0:
            break
        a, b = weight_low[open_], weight_high[open_]
        part = np.clip(a / (a - b), 1e-12, 1 - 1e-12)
        middle = low[open_] + part * (high[open_] - low[open_])
        found = excess(open_, middle)
        up = found > 0
        raised, lowered = open_[up], open_[~up]
        # The end that stays counts half, so that it moves soon, too (Illinois).
        low[raised], weight_low[raised] = middle[up], found[up]
        weight_high[raised] /= 2
        high[lowered], weight_high[lowered] = middle[~up], found[~up]
        weight_low[lowered] /= 2
        near = np.abs(found) <= precision
        low[open_[near]] = high[open_[near]] = middle[near]
    return high


def sampled_epsilon(
    leverage: FloatArray, residual: FloatArray, *, delta: float, samples: int = 1
) -> FloatArray:
    """Return everybody's epsilon of posterior samples, shape ``(n,)``.

    Exact, or interpolated where there are many people and several samples: within a
    relative 1e-3 of the exact one.

    Args:
        leverage: ``x' H^-1 x`` without the person, at least 0; may be infinite.
        residual: ``sqrt(gamma) |y - x'theta|`` without the person.
        delta: In (0, 1).
        samples: Number of samples.

    """
    result = np.where(np.isfinite(leverage) & np.isfinite(residual), 0.0, np.inf)
    usual = np.flatnonzero((result == 0) & (leverage > 0))
    m, e = leverage[usual], np.abs(residual[usual])
    if samples == 1:
        result[usual] = leverage_and_residual.epsilon_of(m, e, delta)
        return result
    if len(usual) < TABLE_FROM:
        result[usual] = _several(m, e, delta, samples)
        return result
    # The residual at which the floor ends is about the root of the leverage.
    first, shares = _levels(m, _SEVERAL[0]), _shares(_SEVERAL[1])
    largest = float(e.max()) + _TINY
    bend = np.sqrt(np.exp(first))
    ends = np.log1p(largest / bend)
    nodes = np.expm1(shares * ends[:, np.newaxis]) * bend[:, np.newaxis]
    every = np.repeat(np.exp(first), _SEVERAL[1]), nodes.ravel()
    table = _several(*every, delta, samples, precision=_COARSE)
    places = (
        np.log(m),
        np.log1p(e / np.sqrt(m)) / np.log1p(largest / np.sqrt(m)),
    )
    found = _interpolated((first, shares), table.reshape(_SEVERAL), places)
    alone = np.flatnonzero(np.isnan(found))
    found[alone] = _several(m[alone], e[alone], delta, samples)
    result[usual] = found
    return result


def perturbed_epsilon(pairs: PerturbedPairs, *, delta: float) -> FloatArray:
    """Return everybody's epsilon of a perturbed ridge objective, shape ``(n,)``.

    Exact, or interpolated where there are many people: within a relative 1e-2.
    """
    m = pairs.leverage
    length = np.sqrt(pairs.square)
    spread = np.maximum(pairs.spread * pairs.square, m * m)
    e = np.abs(pairs.residual) * length / pairs.sigma
    result = np.zeros(len(m))
    usual = np.flatnonzero(m > 0)
    m, spread, e = m[usual], spread[usual], e[usual]
    if len(usual) < TABLE_FROM:
        result[usual] = _perturbed(m, spread, e, delta)
        return result
    excess = np.log(spread) - 2 * np.log(m)
    first, third = _levels(m, _PERTURBED[0]), _axis(excess, _PERTURBED[2])
    shares, largest = _shares(_PERTURBED[1]), float(e.max()) + _TINY
    bend = np.exp(first)
    steps = np.expm1(shares * np.log1p(largest / bend)[:, np.newaxis])
    every_m = np.broadcast_to(bend[:, np.newaxis, np.newaxis], _PERTURBED)
    every_e = np.broadcast_to(
        (steps * bend[:, np.newaxis])[..., np.newaxis], _PERTURBED
    )
    every_s = every_m**2 * np.exp(third)
    nodes = every_m.ravel(), every_s.ravel(), every_e.ravel()
    table = _perturbed(*nodes, delta, precision=_COARSE)
    places = np.log(m), np.log1p(e / m) / np.log1p(largest / m), excess
    found = _interpolated((first, shares, third), table.reshape(_PERTURBED), places)
    alone = np.flatnonzero(np.isnan(found))
    found[alone] = _perturbed(m[alone], spread[alone], e[alone], delta)
    result[usual] = found
    return result


def _interpolated(
    axes: tuple[FloatArray, ...], table: FloatArray, places: tuple[FloatArray, ...]
) -> FloatArray:
    """Return losses between those of the table; NaN beside those that are 0.

    A loss of 0 has no logarithm: the rows of the table that hold one are left out.
    """
    positive = np.all(table.reshape(len(table), -1) > 0, axis=1)
    start = len(positive) - int(np.argmin(positive[::-1])) if not positive.all() else 0
    found = np.full(len(places[0]), np.nan)
    if len(positive) - start < _FEWEST:
        return found
    axes, logs = (axes[0][start:], *axes[1:]), np.log(table[start:])
    inside = places[0] >= axes[0][0]
    here = tuple(place[inside] for place in places)
    from scipy import interpolate  # noqa: PLC0415 - slow to import

    if len(axes) == 2:  # noqa: PLR2004 - the quicker one
        plane = interpolate.RectBivariateSpline(axes[0], axes[1], logs)
        found[inside] = np.exp(plane.ev(*here))
        return found
    space = interpolate.RegularGridInterpolator(axes, logs, method="cubic")
    found[inside] = np.exp(space(np.column_stack(here)))
    return found


def _several(
    m: FloatArray,
    e: FloatArray,
    delta: float,
    samples: int,
    *,
    precision: float = _SOLUTION,
) -> FloatArray:
    def profile(who: NDArray[np.intp], epsilon: FloatArray) -> FloatArray:
        return repeated.delta_of(m[who], e[who], epsilon, samples=samples)

    guess = leverage_and_residual.epsilon_of(m, np.sqrt(samples) * e, delta)
    return smallest_epsilon(profile, guess + _LEAST, delta, precision=precision)


def _perturbed(
    m: FloatArray,
    spread: FloatArray,
    e: FloatArray,
    delta: float,
    *,
    precision: float = _SOLUTION,
) -> FloatArray:
    one = np.ones(len(m))

    def part(who: NDArray[np.intp]) -> PerturbedPairs:
        return PerturbedPairs(
            leverage=m[who],
            spread=spread[who],
            square=one[who],
            residual=e[who],
            sigma=1.0,
            nodes=NODES if precision == _SOLUTION else _FEWER_NODES,
        )

    guess = gaussian.epsilon_of(e, delta) - 2 * m * np.log(delta) + _LEAST
    absent = smallest_epsilon(
        lambda who, epsilon: part(who).absence_delta(epsilon),
        guess,
        delta,
        precision=precision,
    )
    # The other direction decides for the few, if any, where it is larger.
    everybody = np.arange(len(m))
    present = part(everybody).presence_delta(absent)
    more = np.flatnonzero(present > delta * (1 + 1e-6))
    if len(more):
        absent[more] = smallest_epsilon(
            lambda who, epsilon: part(more[who]).delta(epsilon),
            guess[more],
            delta,
            precision=precision,
        )
    return absent


def _levels(leverages: FloatArray, size: int) -> FloatArray:
    """Return equally spaced logarithms that hold those of the leverages."""
    return _axis(np.log(leverages), size)


def _shares(size: int) -> FloatArray:
    return np.linspace(0.0, 1.0, size)


def _axis(numbers: FloatArray, size: int) -> FloatArray:
    """Return equally spaced nodes that hold the numbers."""
    low, high = float(numbers.min()), float(numbers.max())
    margin = 1e-9 * (1 + abs(low) + abs(high))
    return np.linspace(low - margin, high + max(margin, 1e-3), size)
