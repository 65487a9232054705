"""What several noisy resamples of one table reveal together.

Brawner and Honaker (2018, result 1) take ``k`` resamples, each with Gaussian noise of
variance ``k D^2 / (2 rho)`` for a statistic that one person changes by at most ``D``,
and claim rho-zCDP for all of them together. That is the privacy of ``k`` Gaussian
releases of the table itself, a Gaussian shift by ``sqrt(2 rho)``; it does not hold, as
``bootstrap_profiles`` proves. A *factor* ``c`` on the variance corrects it.

The true level comes from composing the profile of one resample: an upper bound from a
profile that is one, a lower bound from the profile that a pair of tables attains. The
privacy loss is discretized by connecting the dots (Doroshenko et al. 2022), which errs
upwards, and convolved by ``dp_accounting``.

What noisy resamples reveal about one person whose own change is known.

Were it told how often a person was drawn into each of ``k`` resamples, ``J_1`` to
``J_k``, the rest would be Gaussian releases with shifts ``J_b mu``, and all of them
together one shift by ``mu sqrt(J_1^2 + ... + J_k^2)``. Telling more reveals more, so
that the average of that profile over the multiplicities is an upper bound::

    delta(epsilon) <= E[delta_(mu sqrt(T))(epsilon)],   T = J_1^2 + ... + J_k^2

It holds for every pair of values of the person and every rest of the table, with ``mu``
the change by one copy between these two values, over the noise. The generic bound does
not hold with a person's own ``mu``: where the rows that take the place of a person's
copies are far away, the answer really tells the multiplicities, and this bound is
attained.

How much more noise makes the bootstrap as private as was claimed.

The claim for ``k`` noisy resamples is the privacy of one Gaussian release with
rho-zCDP. A factor ``c`` on the variance of their noise makes up for the resampling:

* as published it is 1, and the claim does not hold;
* ``2 - 2/e`` suffices in the limit of many resamples (Wang, Cheng and Awan 2022), which
  may take thousands of them;
* for a given number of resamples the least factor is found by composing a bound.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.formatting import in_full
from dpcore.privacy import gaussian
from dpcore.privacy.bootstrap_profiles import (
    TAIL,
    Bound,
    multiplicities,
    require_mu,
    require_people,
    unlisted,
)

MOST_TIMES = 10_000
"""More resamples than that are not accounted for."""
LEAST_DELTA = 1e-12
"""Below it the rounding errors of a convolution would count."""
LARGEST_STEP = 15.0
"""A larger change over the noise counts as telling everything."""
_NEGLIGIBLE = 1e-18
_NOISE = 1e-15
_NOISE_OF_EACH = 5e-17
_FINENESS = 3.5e-3
_MOST_CELLS = 100_000
_REMEMBERED = 1024


def claimed_epsilon(rho: float, delta: float) -> float:
    """Return the epsilon at ``delta`` that was claimed for all resamples together.

    That of a Gaussian shift by ``sqrt(2 rho)``, which is what rho-zCDP noise gives.

    Raises:
        ParameterError: ``rho`` is not in [0, inf) or ``delta`` not in (0, 1).

    >>> round(claimed_epsilon(0.5, 1e-6), 4)
    4.8866

    """
    _require_rho(rho)
    if not 0 < delta < 1:
        raise ParameterError(f"delta must be above 0 and below 1, got {delta}.")
    return float(gaussian.epsilon_of(math.sqrt(2 * rho), delta))


def resampled_step(factor: float, *, rho: float, times: int) -> float:
    """Return ``mu``: the largest change by one copy of a row over the noise.

    ``sqrt(2 rho / (c k))`` for noise of variance ``c k D^2 / (2 rho)``.

    Raises:
        ParameterError: ``factor`` is not positive, ``rho`` not in [0, inf), or
            ``times`` not a whole number from 1 to ``MOST_TIMES``.

    """
    _require_rho(rho)
    require_times(times)
    if not factor > 0:
        raise ParameterError(f"the factor on the variance must be above 0, got {factor}.")
    return math.sqrt(2 * rho / (factor * times))


def require_times(times: int) -> None:
    """Raise ParameterError unless that many resamples are accounted for."""
    if times != int(times) or not 1 <= times <= MOST_TIMES:
        raise ParameterError(
            f"the number of bootstraps must be a whole number from 1 to {MOST_TIMES}, got {times}."
        )


def resampled_epsilon(
    factor: float,
    *,
    rho: float,
    times: int,
    people: int,
    delta: float,
    bound: Bound = Bound.GENERIC,
    interval: float | None = None,
) -> float:
    """Return the epsilon of all resamples together at ``delta``.

    A ``factor`` of 1 is as published. The generic and the mean ``bound`` give an upper
    bound; the attained one a lower bound up to the error of discretizing, a few
    millionths of the result. ``interval`` is the width of a cell of the discretized
    loss, 0.35% of ``mu`` by default. ``rho`` is the zCDP that was claimed for all
    ``times`` resamples, 1 to ``MOST_TIMES``; ``delta`` is in [``LEAST_DELTA``, 1).

    Infinite where ``mu`` is above ``LARGEST_STEP``.

    Raises:
        ParameterError: One of these is outside its domain.

    >>> round(resampled_epsilon(1.0, rho=0.5, times=50, people=500, delta=1e-6), 2)
    6.74

    """
    mu = resampled_step(factor, rho=rho, times=times)
    return epsilon_of_step(
        mu, times=times, people=people, delta=delta, bound=bound, interval=interval
    )


@lru_cache(maxsize=_REMEMBERED)
def epsilon_of_step(
    mu: float,
    *,
    times: int,
    people: int,
    delta: float,
    bound: Bound = Bound.GENERIC,
    interval: float | None = None,
) -> float:
    """Return ``epsilon`` for the change by one copy of a row over the noise, ``mu``."""
    _require(mu, times, people)
    if not LEAST_DELTA <= delta < 1:
        raise ParameterError(f"delta must be from {in_full(LEAST_DELTA)} to below 1, got {delta}.")
    if mu == 0:
        return 0.0
    if mu > LARGEST_STEP:
        return math.inf
    if times * float(bound.delta(mu, np.zeros(()), people=people)) <= delta:
        # The chances of telling two tables apart at all add up to no more.
        return 0.0
    if times == 1 and interval is None:
        return _alone(lambda level: bound.delta(mu, level, people=people), delta)
    whole = _composed(mu, times, people, bound, interval)
    return float(whole.get_epsilon_for_delta(delta - _rounding(times)))


def resampled_delta(
    factor: float,
    *,
    rho: float,
    times: int,
    people: int,
    epsilon: float,
    bound: Bound = Bound.GENERIC,
) -> float:
    """Return the delta of all resamples together at ``epsilon``, at least 0.

    Raises:
        ParameterError: A parameter is outside its domain.

    """
    mu = resampled_step(factor, rho=rho, times=times)
    _require(mu, times, people)
    if not 0 <= epsilon < math.inf:
        raise ParameterError(f"epsilon must be in [0, inf), got {epsilon}.")
    if mu == 0:
        return 0.0
    if mu > LARGEST_STEP:
        return 1.0
    if times == 1:
        return float(bound.delta(mu, epsilon, people=people))
    whole = _composed(mu, times, people, bound, None)
    return min(float(whole.get_delta_for_epsilon(epsilon)) + _rounding(times), 1.0)


def resampled_losses(mu: float, *, people: int, bound: Bound, interval: float) -> Any:  # noqa: ANN401 - untyped library
    """Return the discretized loss of one resample, a ``dp_accounting`` distribution.

    It covers both directions, so that one of them is enough.

    ``mu`` is in (0, ``LARGEST_STEP``], ``interval``, the width of a cell, in (0, inf).
    """
    from dp_accounting.pld import pld_pmf, privacy_loss_distribution  # noqa: PLC0415 - a second to import, rarely used

    def profile(level: FloatArray) -> FloatArray:
        return bound.delta(mu, level, people=people)

    high = math.ceil(_reach(profile) / interval)
    low = -math.ceil(_depth(profile, high * interval) / interval)
    deltas = profile(interval * np.arange(low, high + 1, dtype=np.float64))
    mass = pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(
        interval, low, high, np.minimum.accumulate(deltas)
    )
    return privacy_loss_distribution.PrivacyLossDistribution(mass)


@lru_cache(maxsize=16)
def _composed(mu: float, times: int, people: int, bound: Bound, interval: float | None) -> Any:  # noqa: ANN401 - untyped library
    if interval is None:
        # The cells add about k interval^2 / 6 to a variance of the loss near k mu^2.
        interval = _FINENESS * mu
        reach = _reach(lambda level: bound.delta(mu, level, people=people))
        interval = max(interval, reach / _MOST_CELLS)
    one = resampled_losses(mu, people=people, bound=bound, interval=interval)
    return one.self_compose(times)


def _alone(profile: Callable[[FloatArray], FloatArray], delta: float) -> float:
    """Return where one profile falls to ``delta``, rounded up."""
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to import

    def excess(level: float) -> float:
        return math.log(max(float(profile(np.array(level))), 1e-300) / delta)

    if excess(0.0) <= 0:
        return 0.0
    high = _reach(profile)
    root = float(brentq(excess, 0.0, high, xtol=1e-13, rtol=1e-14))
    return root * (1 + 1e-10) + 1e-12


def _reach(profile: Callable[[FloatArray], FloatArray]) -> float:
    """Return an epsilon from which on delta is negligible, at most 5% too far."""
    high = 1e-6
    while float(profile(np.array(high))) > _NEGLIGIBLE:
        high *= 2
    between = high * np.linspace(0.5, 1.0, 21)
    beyond = profile(between) <= _NEGLIGIBLE
    return float(between[int(np.argmax(beyond))])


def _depth(profile: Callable[[FloatArray], FloatArray], most: float) -> float:
    """Return how far below 0 the loss has a probability that is not negligible."""
    below = most * np.linspace(0.05, 1.0, 20)
    bare = profile(-below) + np.expm1(-below) <= _NOISE
    return float(below[int(np.argmax(bare))]) if bare.any() else most


def _rounding(times: int) -> float:
    """Return how far the rounding errors of a convolution may move a delta.

    Against Gaussian releases, whose composition is known, they were three times
    smaller.
    """
    return max(_NOISE, times * _NOISE_OF_EACH)


def _require(mu: float, times: int, people: int) -> None:
    require_mu(mu)
    require_times(times)
    require_people(people)


def _require_rho(rho: float) -> None:
    if not 0 <= rho < math.inf:
        raise ParameterError(f"rho must be in [0, inf), got {rho}.")


_MOST_SOLVER_STEPS = 60
_CONVERGED = 1e-12
_DIRECT = 96
_MOST_VALUES = 600
_KNOTS = 193
_LEAST_KNOT = 1e-5
_ROUNDING = 1e-9


@lru_cache(maxsize=64)
def squares(times: int, people: int) -> tuple[FloatArray, FloatArray, float]:
    """Return the law of ``T``: its values, their probabilities, and the rest.

    Values that are together rarer than ``1e-18`` a resample are left out: the small
    ones are counted as the least that is listed, and of the large ones the probability
    is the third number.

    Raises:
        ParameterError: ``times`` is not from 1 to 10,000, or there is nobody.

    """
    require_times(times)
    chances = multiplicities(people)
    one = np.zeros((len(chances) - 1) ** 2 + 1)
    one[np.arange(len(chances)) ** 2] = chances
    law, first, lost = np.ones(1), 0, times * unlisted(people)
    for digit in f"{times:b}":
        law, first, more = _trimmed(np.convolve(law, law), 2 * first)
        lost = 2 * lost + more
        if digit == "1":
            law, first, more = _trimmed(np.convolve(law, one), first)
            lost += more
    present = np.flatnonzero(law)
    values, law = first + present.astype(np.float64), law[present]
    if values.size > _MOST_VALUES:
        # Several values together count as the largest of them.
        starts = np.arange(0, values.size, -(-values.size // _MOST_VALUES))
        values = values[np.append(starts[1:], values.size) - 1]
        law = np.add.reduceat(law, starts)
    return values, law, lost + TAIL


def revealed_delta(mu: ArrayLike, epsilon: ArrayLike, *, times: int, people: int) -> FloatArray:
    """Return the bound on delta; broadcasts ``mu`` and ``epsilon``, both at least 0."""
    values, chances, lost = squares(times, people)
    mu = np.asarray(mu, dtype=np.float64)[..., np.newaxis]
    parts = gaussian.delta_of(mu * np.sqrt(values), np.asarray(epsilon)[..., np.newaxis])
    moved = np.where(mu[..., 0] > 0, lost, 0.0)
    return np.asarray(np.minimum(parts @ chances + moved, 1.0))


def revealed_epsilon(
    mu: ArrayLike, *, times: int, people: int, delta: float, most: float | None = None
) -> FloatArray:
    """Return the bound on epsilon at ``delta`` for each ``mu``, elementwise.

    ``mu`` is how far a person shifts a resampled answer, in standard deviations of its
    noise, in [0, inf].

    Many values at once are interpolated in a table, from above: epsilon is convex in
    ``mu`` but for values that cost next to nothing.

    NaN stays NaN. ``most`` is a public number that no ``mu`` exceeds but by rounding:
    its table is remembered.

    Raises:
        ParameterError: A parameter is outside its domain.

    >>> bound = revealed_epsilon(1.0, times=1, people=500, delta=1e-6)
    >>> round(float(bound), 2)
    43.86

    """
    mu = np.asarray(mu, dtype=np.float64)
    if not np.all(np.isnan(mu) | (mu >= 0)):
        raise ParameterError("shifts over the noise must be at least 0.")
    if not LEAST_DELTA <= delta < 1:
        raise ParameterError(f"delta must be from {in_full(LEAST_DELTA)} to below 1, got {delta}.")
    result = np.where(np.isnan(mu), np.nan, np.where(np.isinf(mu), np.inf, 0.0))
    proper = np.isfinite(mu) & (mu > 0)
    shifts = mu[proper]
    if shifts.size <= _DIRECT:
        result[proper] = _solved(shifts, times, people, delta)
        return result
    if most is None:
        table = _tabulated(float(shifts.max()), times, people, delta)
    else:
        table = _remembered(most * (1 + _ROUNDING), times, people, delta)
    result[proper] = np.interp(shifts, *table, right=np.inf)
    return result


def _tabulated(most: float, times: int, people: int, delta: float) -> tuple[FloatArray, FloatArray]:
    knots = most * np.geomspace(_LEAST_KNOT, 1.0, _KNOTS)
    return knots, np.maximum.accumulate(_solved(knots, times, people, delta))


_remembered = lru_cache(maxsize=64)(_tabulated)


def _solved(mu: FloatArray, times: int, people: int, delta: float) -> FloatArray:
    """Return where the bound falls to ``delta``, from above, for finite ``mu``.

    By Newton steps for the logarithm, and halving where these leave the bracket.
    """
    values, chances, lost = squares(times, people)
    roots = np.sqrt(values)

    def profile(mu: FloatArray, epsilon: FloatArray) -> FloatArray:
        return revealed_delta(mu, epsilon, times=times, people=people)

    result = np.zeros_like(mu)
    index = np.flatnonzero(profile(mu, np.zeros_like(mu)) > delta)
    # Were every T the largest one, the profile would lie above that of the mixture.
    high = gaussian.epsilon_of(mu[index] * roots[-1], delta - lost)
    low, at = np.zeros_like(high), high.copy()
    result[index] = high
    for _ in range(_MOST_SOLVER_STEPS):
        found = profile(mu[index], at)
        above = found > delta
        low, high = np.where(above, at, low), np.where(above, high, at)
        result[index] = high
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # The derivative of each profile is delta - Phi(mu/2 - epsilon/mu).
            length = mu[index, np.newaxis] * roots
            sure = ndtr(length / 2 - at[:, np.newaxis] / length) @ chances
            to = at + np.log(found / delta) * found / (sure - (found - lost))
        here = np.abs(to - at) <= _CONVERGED * at
        if here.any():
            # A little further, to be at or below delta.
            ahead = np.maximum(to, at)[here] * (1 + _CONVERGED)
            enough = profile(mu[index[here]], ahead) <= delta
            result[index[here]] = np.where(enough, np.minimum(ahead, high[here]), high[here])
        inside = (to > low) & (to < high)
        at = np.where(inside, to, (low + high) / 2)[~here]
        index, low, high = index[~here], low[~here], high[~here]
        if not index.size:
            break
    return result


def _trimmed(law: FloatArray, first: int) -> tuple[FloatArray, int, float]:
    """Cut off both tails: the lower one is counted where it was cut."""
    start = int(np.searchsorted(np.cumsum(law), _NEGLIGIBLE))
    stop = law.size - int(np.searchsorted(np.cumsum(law[::-1]), _NEGLIGIBLE))
    kept = law[start:stop].copy()
    kept[0] += law[:start].sum()
    return kept, first + start, float(law[stop:].sum())


MOST_RHO = 100.0
"""A claim that costs more than that is not worth any noise."""
PUBLISHED = 1.0
ASYMPTOTIC = 2 - 2 / math.e
_CLOSE = 1e-6
_FIRST = 0.5
_USUAL_STEPS = 9
_MOST_STEPS = 80


class Correction(StrEnum):
    """How the noise of the bootstrap is chosen."""

    PUBLISHED = "published"
    """As Brawner and Honaker (2018) do; its claim does not hold."""
    ASYMPTOTIC = "asymptotic"
    """With ``2 - 2/e`` times the variance; right in the limit of many bootstraps."""
    FINITE = "finite sample"
    """With what this number of bootstraps takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationStep:
    """How far a search for a factor has come.

    Attributes:
        steps: How many factors were tried.
        low: One that is too small, or 0 where none was.
        high: One that is large enough, or ``inf`` where none is known.
        done: Share of the work that is done, by estimate; 1 at the end.

    """

    steps: int
    low: float
    high: float
    done: float


@lru_cache(maxsize=256)
def calibrate_resampling(
    *, rho: float, delta: float, times: int, people: int, bound: Bound = Bound.GENERIC
) -> float:
    """Return the least factor ``c`` with which the claim holds at ``delta``.

    The least one from 1 on, up to one part in a million, with which ``resampled_epsilon(c)`` is
    at most ``claimed_epsilon(rho, delta)``. It depends on public numbers only, and what
    it took to find is remembered: a second call takes no time.

    Args:
        rho: What all bootstraps together shall cost, in zCDP; in (0, ``MOST_RHO``].
        delta: In [1e-12, 1), and small enough that the claim is above 0.
        times: How many bootstraps.
        people: Number of people, public.
        bound: Which bound shall meet the claim. ``ATTAINED`` gives what any correction
            needs at least.

    Raises:
        ParameterError: One of these is outside its domain.

    >>> round(calibrate_resampling(rho=0.5, delta=1e-6, times=50, people=500), 3)
    1.668

    """
    *_, last = calibration_steps(
        rho=rho, delta=delta, times=times, people=people, bound=Bound(bound)
    )
    return last.high


def calibration_steps(
    *, rho: float, delta: float, times: int, people: int, bound: Bound = Bound.GENERIC
) -> Iterator[CalibrationStep]:
    """Yield the steps of a calibration; ``high`` of the last one is the factor.

    Stop asking to stop the search. Arguments and errors are those of ``calibrate``.
    """
    if not 0 < rho <= MOST_RHO:
        raise ParameterError(f"rho must be above 0 and at most {in_full(MOST_RHO)}, got {rho}.")
    target = claimed_epsilon(rho, delta)
    if target <= 0:
        raise ParameterError(f"ρ = {rho} means ε = 0 at δ = {delta}. Choose a smaller δ.")

    def excess(log_factor: float) -> float:
        level = resampled_epsilon(
            math.exp(log_factor), rho=rho, times=times, people=people, delta=delta, bound=bound
        )
        return math.log(min(max(level, 1e-300), 1e300) / target)

    for steps, (low, high) in enumerate(_brackets(excess), 1):
        closed = high - low <= _CLOSE
        yield CalibrationStep(
            steps=steps,
            low=math.exp(low),
            high=math.exp(high),
            done=1.0 if closed else min(steps / _USUAL_STEPS, 0.95),
        )


def factor_of(
    correction: Correction,
    *,
    rho: float,
    delta: float,
    times: int,
    people: int,
    bound: Bound = Bound.GENERIC,
) -> float:
    """Return the factor on the variance of the noise for a way to choose it.

    >>> factor_of(Correction.PUBLISHED, rho=0.5, delta=1e-6, times=50, people=500)
    1.0
    """
    if correction is Correction.PUBLISHED:
        return PUBLISHED
    if correction is Correction.ASYMPTOTIC:
        return ASYMPTOTIC
    return calibrate_resampling(rho=rho, delta=delta, times=times, people=people, bound=bound)


def rho_for(epsilon: float, delta: float) -> float:
    """Return the rho whose claim is ``epsilon`` at ``delta``, rounded down.

    >>> round(rho_for(4.886554117462, 1e-6), 9)
    0.5
    """
    mu = gaussian.mu_for(epsilon, delta)
    return mu * mu / 2


def _brackets(excess: Callable[[float], float]) -> Iterator[tuple[float, float]]:
    """Yield ever closer brackets of where a falling function reaches 0, from 0 on.

    Secant steps through the last two points, halving the bracket where they leave it.
    Once they agree, they aim a little to the far side, so that both ends close in.
    """
    last, value = 0.0, excess(0.0)
    if value <= 0:
        yield last, last
        return
    low, high = last, math.inf
    yield low, high
    here = _FIRST
    for _ in range(_MOST_STEPS):
        before, earlier = last, value
        last, value = here, excess(here)
        low, high = (last, high) if value > 0 else (low, last)
        yield low, high
        if high - low <= _CLOSE:
            return
        slope = (value - earlier) / (last - before)
        here = last - value / slope if slope < 0 else math.inf
        if math.isinf(high):
            # Steeper than that it never falls for long: a step too far is harmless.
            here = min(here, 2 * last + _FIRST)
        elif not low < here < high:
            here = (low + high) / 2
        if high - here < here - low:
            here -= _CLOSE / 2
        else:
            here += _CLOSE / 2
        here = min(max(here, low + _CLOSE / 4), high - _CLOSE / 4)
