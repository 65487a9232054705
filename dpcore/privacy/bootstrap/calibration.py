"""How much more noise makes the bootstrap as private as was claimed.

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

from dpcore.errors import ParameterError
from dpcore.privacy import gaussian
from dpcore.privacy.bootstrap.real_cost import claimed_epsilon, epsilon
from dpcore.privacy.bootstrap.upper_bounds import Bound

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
class Step:
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
def calibrate(
    *, rho: float, delta: float, times: int, people: int, bound: Bound = Bound.GENERIC
) -> float:
    """Return the least factor ``c`` with which the claim holds at ``delta``.

    The least one from 1 on, up to one part in a million, with which ``epsilon(c)`` is
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

    >>> round(calibrate(rho=0.5, delta=1e-6, times=50, people=500), 3)
    1.668

    """
    *_, last = search(rho=rho, delta=delta, times=times, people=people, bound=Bound(bound))
    return last.high


def search(
    *, rho: float, delta: float, times: int, people: int, bound: Bound = Bound.GENERIC
) -> Iterator[Step]:
    """Yield the steps of a calibration; ``high`` of the last one is the factor.

    Stop asking to stop the search. Arguments and errors are those of ``calibrate``.
    """
    if not 0 < rho <= MOST_RHO:
        raise ParameterError(f"rho must be above 0 and at most {MOST_RHO:g}, got {rho}.")
    target = claimed_epsilon(rho, delta)
    if target <= 0:
        raise ParameterError(
            f"at delta {delta:g} the claim for rho {rho:g} is an epsilon of 0; choose "
            "a smaller delta."
        )

    def excess(log_factor: float) -> float:
        level = epsilon(
            math.exp(log_factor), rho=rho, times=times, people=people, delta=delta, bound=bound
        )
        return math.log(min(max(level, 1e-300), 1e300) / target)

    for steps, (low, high) in enumerate(_brackets(excess), 1):
        closed = high - low <= _CLOSE
        yield Step(
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
    return calibrate(rho=rho, delta=delta, times=times, people=people, bound=bound)


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
