"""What several noisy resamples of one table reveal together.

Brawner and Honaker (2018, result 1) take ``k`` resamples, each with Gaussian noise of
variance ``k D^2 / (2 rho)`` for a statistic that one person changes by at most ``D``,
and claim rho-zCDP for all of them together. That is the privacy of ``k`` Gaussian
releases of the table itself, a Gaussian shift by ``sqrt(2 rho)``; it does not hold, as
``counterexamples`` proves. A *factor* ``c`` on the variance corrects it.

The true level comes from composing the profile of one resample: an upper bound from a
profile that is one, a lower bound from the profile that a pair of tables attains. The
privacy loss is discretized by connecting the dots (Doroshenko et al. 2022), which errs
upwards, and convolved by ``dp_accounting``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import brentq

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.privacy import gaussian
from dpcore.privacy.bootstrap.profile import require_mu, require_people
from dpcore.privacy.bootstrap.upper_bounds import Bound

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


def step(factor: float, *, rho: float, times: int) -> float:
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


def epsilon(
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
    loss, 0.35 % of ``mu`` by default. ``rho`` is the zCDP that was claimed for all
    ``times`` resamples, 1 to ``MOST_TIMES``; ``delta`` is in [``LEAST_DELTA``, 1).

    Infinite where ``mu`` is above ``LARGEST_STEP``.

    Raises:
        ParameterError: One of these is outside its domain.

    >>> round(epsilon(1.0, rho=0.5, times=50, people=500, delta=1e-6), 2)
    6.74

    """
    mu = step(factor, rho=rho, times=times)
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
        raise ParameterError(f"delta must be from {LEAST_DELTA:g} to below 1, got {delta}.")
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


def delta_at(
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
    mu = step(factor, rho=rho, times=times)
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


def losses(mu: float, *, people: int, bound: Bound, interval: float) -> Any:  # noqa: ANN401 - untyped library
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
    one = losses(mu, people=people, bound=bound, interval=interval)
    return one.self_compose(times)


def _alone(profile: Callable[[FloatArray], FloatArray], delta: float) -> float:
    """Return where one profile falls to ``delta``, rounded up."""

    def excess(level: float) -> float:
        return math.log(max(float(profile(np.array(level))), 1e-300) / delta)

    if excess(0.0) <= 0:
        return 0.0
    high = _reach(profile)
    root = float(brentq(excess, 0.0, high, xtol=1e-13, rtol=1e-14))
    return root * (1 + 1e-10) + 1e-12


def _reach(profile: Callable[[FloatArray], FloatArray]) -> float:
    """Return an epsilon from which on delta is negligible, at most 5 % too far."""
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
