"""What one resample with Gaussian noise reveals at most: two upper bounds.

With ``w_j`` the probability that a row is drawn ``j`` times and ``mu`` the largest
change by one copy of it over the noise, as in ``profile``:

* *generic*: for every statistic that moves by at most ``j`` steps where ``j`` rows of
  the resample are replaced. It is the amplification by sampling with replacement
  (Balle, Barthe and Gaboardi 2018, theorem 10), which Wang, Cheng and Awan (2022) use
  for the bootstrap. Proved.
* *mean*: for means and sums; see ``mean_delta`` for what is proved of it.

Neighboring is symmetric, so that both, which cover every pair of tables, extend to
negative epsilon by ``delta(-e) = 1 - exp(-e) + exp(-e) delta(e)``.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.privacy import gaussian
from dpcore.privacy.bootstrap.profile import (
    attained_delta,
    crossing,
    excesses,
    multiplicities,
    one_event,
    require_mu,
    unlisted,
)

_TINY = 1e-3


class Bound(StrEnum):
    """Which profile of one noisy resample is meant."""

    GENERIC = "generic"
    """At most that, for every additive statistic. Proved."""
    MEAN = "mean"
    """At most that, for means: proved for changes from one end to the other."""
    ATTAINED = "attained"
    """At least that: two neighboring tables are that far apart."""

    def delta(self, mu: float, epsilon: ArrayLike, *, people: int) -> FloatArray:
        """Return the delta of one noisy resample; broadcasts over any real epsilon."""
        return _PROFILES[self](mu, epsilon, people=people)


def generic_delta(mu: float, epsilon: ArrayLike, *, people: int) -> FloatArray:
    """Return the generic bound on delta; broadcasts.

    With ``q = 1 - w_0`` and ``e^e' = 1 + (e^epsilon - 1)/q`` it is ``sum_(j >= 1) w_j
    delta_(j mu)(e')`` where ``delta_m`` is the profile of a Gaussian shift by ``m``.

    Raises:
        ParameterError: ``mu`` is not in [0, inf), or there is nobody.

    >>> float(generic_delta(1.0, 2.0, people=500).round(9))
    0.10786276

    """
    require_mu(mu)
    weights = multiplicities(people)

    def positive(level: FloatArray) -> FloatArray:
        never, drawn = weights[0], 1 - weights[0]
        # e^e' = (e^epsilon - w_0) / q, by whichever form does not cancel or overflow.
        near = np.log1p(np.expm1(np.minimum(level, 1.0)) / drawn)
        far = level + np.log1p(-never * np.exp(-level)) - np.log(drawn)
        raised = np.where(level < 1, near, far)
        return _mixed(mu, raised, weights) + unlisted(people)

    return _symmetric(positive, epsilon)


def mean_delta(mu: float, epsilon: ArrayLike, *, people: int) -> FloatArray:
    """Return the bound on delta for means and sums; broadcasts.

    ``max over a_0 >= a_1 >= ... of sum_j w_j [G_(j mu)(a_j) - e^epsilon a_j]`` with
    ``G_m(a) = Phi(m + Phi^-1(a))``. Why: tell, for every draw, which other row would
    have been there. Given that, the larger one of the two laws has more of everything
    above a threshold, and the more of the person's copies there are, the less likely
    the smaller one is to be above it: its chances ``a_j`` fall with ``j``.

    This proves it where the person's value goes from one bound to the other, whatever
    the rest of the table: for shares and counts of members that is every change. For
    changes in between it was checked numerically only.

    The maximum pools the first ``J`` multiplicities at one common threshold
    (adjacent violators); each one after them has its own, that of a Gaussian shift.

    >>> float(mean_delta(1.0, 2.0, people=500).round(9))
    0.098483752

    """
    require_mu(mu)
    weights = multiplicities(people)

    def positive(level: FloatArray) -> FloatArray:
        return _pooled(mu, level, weights) + unlisted(people)

    return _symmetric(positive, epsilon)


_PROFILES: dict[Bound, Callable[..., FloatArray]] = {
    Bound.GENERIC: generic_delta,
    Bound.MEAN: mean_delta,
    Bound.ATTAINED: attained_delta,
}


def _mixed(mu: float, epsilon: FloatArray, weights: FloatArray) -> FloatArray:
    """Return ``sum_(j >= 1) w_j delta_(j mu)(epsilon)``."""
    shifts = mu * np.arange(1, len(weights), dtype=np.float64)
    level = np.asarray(epsilon)[..., np.newaxis]
    if mu < _TINY:
        parts = gaussian.delta_of(shifts, level)
    else:
        parts = excesses(-level / shifts - shifts / 2, shifts)
    return np.asarray(parts @ weights[1:])


def _symmetric(positive: Callable[[FloatArray], FloatArray], epsilon: ArrayLike) -> FloatArray:
    """Return a profile at every real epsilon from that at the positive ones."""
    epsilon = np.asarray(epsilon, dtype=np.float64)
    value = np.clip(positive(np.abs(epsilon)), 0.0, 1.0)
    below = np.minimum(epsilon, 0.0)
    return np.asarray(-np.expm1(below) + np.exp(below) * value)


def _pooled(mu: float, epsilon: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the maximum for ``epsilon`` of at least 0."""
    if mu == 0:
        return np.zeros(np.shape(epsilon))
    shape, level = np.shape(epsilon), np.ravel(epsilon)
    result, waiting = np.zeros(level.size), np.arange(level.size)
    # As few are pooled as leave the thresholds after them in order.
    for last in range(1, len(weights)):
        here = level[waiting]
        z = -crossing(mu, here, weights[: last + 1])
        if last + 1 < len(weights):
            step = (last + 1) * mu
            done = z >= -here / step - step / 2
        else:
            done = np.ones(here.size, dtype=np.bool_)
        places = waiting[done]
        rest = np.where(np.arange(len(weights)) > last, weights, 0.0)
        result[places] = one_event(mu, z[done], weights[: last + 1])
        result[places] += _mixed(mu, level[places], rest)
        waiting = waiting[~done]
        if not waiting.size:
            break
    return np.reshape(result, shape)
