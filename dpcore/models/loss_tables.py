"""Losses of many people under posterior samples and perturbed objectives.

The loss of a person depends on two numbers for posterior samples, and on three for the
objective perturbation of a ridge regression: with the person's length and the noise
scaled away, ``m``, ``S = |x|^2 x'H^-2 x >= m^2`` and ``e = |residual| |x| / sigma``.
It is a smooth function of them, so that for many people a table of exact losses is
interpolated by cubic splines, in the logarithm of the loss and in coordinates in which
its two regimes, large residuals and the floor at a residual of 0, are smooth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.models import leverage_and_residual
from dpcore.models.objective_perturbation import NODES, PerturbedPairs
from dpcore.privacy import gaussian

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
    if samples == 1:
        result, usual, m, e = _usual(leverage, residual)
        result[usual] = leverage_and_residual.epsilon_of(m, e, delta)
        return result
    span = sampled_span(leverage, residual)
    if span.people >= TABLE_FROM:
        table = SampledTable.of(span, delta=delta, samples=samples)
        return table.epsilon(leverage, residual)
    result, usual, m, e = _usual(leverage, residual)
    result[usual] = _several(m, e, delta, samples)
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Between which ends numbers of many people lie. CONFIDENTIAL."""

    people: int = field(repr=False)
    low: tuple[float, ...] = field(repr=False)
    """The least number of each kind; infinite of nobody."""
    high: tuple[float, ...] = field(repr=False)
    """The largest one."""

    @classmethod
    def of(cls, *kinds: FloatArray) -> Span:
        """Return that of some people, an array for each kind of number."""
        return cls(
            people=len(kinds[0]),
            low=tuple(float(kind.min(initial=np.inf)) for kind in kinds),
            high=tuple(float(kind.max(initial=-np.inf)) for kind in kinds),
        )

    @classmethod
    def together(cls, spans: Iterable[Span]) -> Span:
        """Return that of the people of all spans; there is at least one."""
        every = list(spans)
        return cls(
            people=sum(span.people for span in every),
            low=tuple(map(min, zip(*(span.low for span in every), strict=True))),
            high=tuple(map(max, zip(*(span.high for span in every), strict=True))),
        )


def sampled_span(leverage: FloatArray, residual: FloatArray) -> Span:
    """Return the span that losses of several samples are interpolated in."""
    _, _, m, e = _usual(leverage, residual)
    return Span.of(np.log(m), e)


def _usual(
    leverage: FloatArray, residual: FloatArray
) -> tuple[FloatArray, NDArray[np.intp], FloatArray, FloatArray]:
    """Return losses of 0 or infinity, who has others, and both numbers of these."""
    result = np.where(np.isfinite(leverage) & np.isfinite(residual), 0.0, np.inf)
    usual = np.flatnonzero((result == 0) & (leverage > 0))
    return result, usual, leverage[usual], np.abs(residual[usual])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampledTable:
    """Losses by several posterior samples, for all people in a span. CONFIDENTIAL."""

    delta: float
    samples: int
    first: FloatArray = field(repr=False)
    """Logarithms of leverages."""
    largest: float = field(repr=False)
    """The largest residual."""
    losses: FloatArray = field(repr=False)

    @classmethod
    def of(cls, span: Span, *, delta: float, samples: int) -> SampledTable:
        """Return the table for a span of ``sampled_span``, of somebody."""
        # The residual at which the floor ends is about the root of the leverage.
        first = _axis(span.low[0], span.high[0], _SEVERAL[0])
        shares = np.linspace(0.0, 1.0, _SEVERAL[1])
        largest = span.high[1] + _TINY
        bend = np.sqrt(np.exp(first))
        ends = np.log1p(largest / bend)
        nodes = np.expm1(shares * ends[:, np.newaxis]) * bend[:, np.newaxis]
        every = np.repeat(np.exp(first), _SEVERAL[1]), nodes.ravel()
        table = _several(*every, delta, samples, precision=_COARSE)
        return cls(
            delta=delta,
            samples=samples,
            first=first,
            largest=largest,
            losses=table.reshape(_SEVERAL),
        )

    def epsilon(self, leverage: FloatArray, residual: FloatArray) -> FloatArray:
        """Return everybody's epsilon; arguments as for ``sampled_epsilon``."""
        result, usual, m, e = _usual(leverage, residual)
        places = (np.log(m), np.log1p(e / np.sqrt(m)) / np.log1p(self.largest / np.sqrt(m)))
        axes = self.first, np.linspace(0.0, 1.0, _SEVERAL[1])
        found = _interpolated(axes, self.losses, places)
        alone = np.flatnonzero(np.isnan(found))
        found[alone] = _several(m[alone], e[alone], self.delta, self.samples)
        result[usual] = found
        return result


def perturbed_epsilon(pairs: PerturbedPairs, *, delta: float) -> FloatArray:
    """Return everybody's epsilon of a perturbed ridge objective, shape ``(n,)``.

    Exact, or interpolated where there are many people: within a relative 1e-2.
    """
    span = perturbed_span(pairs)
    if span.people >= TABLE_FROM:
        return PerturbedTable.of(span, delta=delta).epsilon(pairs)
    usual, m, spread, e = _pulled(pairs)
    result = np.zeros(len(pairs.leverage))
    result[usual] = _perturbed(m, spread, e, delta)
    return result


def perturbed_span(pairs: PerturbedPairs) -> Span:
    """Return the span that losses of a perturbed objective are interpolated in."""
    _, m, spread, e = _pulled(pairs)
    return Span.of(np.log(m), e, _excess(m, spread))


def _pulled(pairs: PerturbedPairs) -> tuple[NDArray[np.intp], FloatArray, FloatArray, FloatArray]:
    """Return who has a loss above 0, and ``m``, ``S`` and ``e`` of each."""
    m = pairs.leverage
    length = np.sqrt(pairs.square)
    spread = np.maximum(pairs.spread * pairs.square, m * m)
    e = np.abs(pairs.residual) * length / pairs.sigma
    usual = np.flatnonzero(m > 0)
    return usual, m[usual], spread[usual], e[usual]


def _excess(m: FloatArray, spread: FloatArray) -> FloatArray:
    return np.asarray(np.log(spread) - 2 * np.log(m))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PerturbedTable:
    """Losses by a perturbed objective, for all people in a span. CONFIDENTIAL."""

    delta: float
    first: FloatArray = field(repr=False)
    """Logarithms of leverages."""
    third: FloatArray = field(repr=False)
    """Logarithms of ``S/m^2``."""
    largest: float = field(repr=False)
    """The largest ``e``."""
    losses: FloatArray = field(repr=False)

    @classmethod
    def of(cls, span: Span, *, delta: float) -> PerturbedTable:
        """Return the table for a span of ``perturbed_span``, of somebody."""
        first = _axis(span.low[0], span.high[0], _PERTURBED[0])
        third = _axis(span.low[2], span.high[2], _PERTURBED[2])
        shares = np.linspace(0.0, 1.0, _PERTURBED[1])
        largest = span.high[1] + _TINY
        bend = np.exp(first)
        steps = np.expm1(shares * np.log1p(largest / bend)[:, np.newaxis])
        every_m = np.broadcast_to(bend[:, np.newaxis, np.newaxis], _PERTURBED)
        every_e = np.broadcast_to((steps * bend[:, np.newaxis])[..., np.newaxis], _PERTURBED)
        every_s = every_m**2 * np.exp(third)
        nodes = every_m.ravel(), every_s.ravel(), every_e.ravel()
        table = _perturbed(*nodes, delta, precision=_COARSE)
        return cls(
            delta=delta, first=first, third=third, largest=largest, losses=table.reshape(_PERTURBED)
        )

    def epsilon(self, pairs: PerturbedPairs) -> FloatArray:
        """Return everybody's epsilon, shape ``(n,)``."""
        usual, m, spread, e = _pulled(pairs)
        axes = self.first, np.linspace(0.0, 1.0, _PERTURBED[1]), self.third
        share = np.log1p(e / m) / np.log1p(self.largest / m)
        places = np.log(m), share, _excess(m, spread)
        found = _interpolated(axes, self.losses, places)
        alone = np.flatnonzero(np.isnan(found))
        found[alone] = _perturbed(m[alone], spread[alone], e[alone], self.delta)
        result = np.zeros(len(pairs.leverage))
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
    m: FloatArray, e: FloatArray, delta: float, samples: int, *, precision: float = _SOLUTION
) -> FloatArray:
    def profile(who: NDArray[np.intp], epsilon: FloatArray) -> FloatArray:
        return leverage_and_residual.delta_of(m[who], e[who], epsilon, samples=samples)

    guess = leverage_and_residual.epsilon_of(m, np.sqrt(samples) * e, delta)
    return smallest_epsilon(profile, guess + _LEAST, delta, precision=precision)


def _perturbed(
    m: FloatArray, spread: FloatArray, e: FloatArray, delta: float, *, precision: float = _SOLUTION
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
        lambda who, epsilon: part(who).absence_delta(epsilon), guess, delta, precision=precision
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


def _axis(low: float, high: float, size: int) -> FloatArray:
    """Return equally spaced nodes that hold all numbers between two."""
    margin = 1e-9 * (1 + abs(low) + abs(high))
    return np.linspace(low - margin, high + max(margin, 1e-3), size)
