"""What one resample with Gaussian noise reveals: the law, and a pair that attains it.

A resample draws ``n`` rows with replacement, so that a person's row is in it ``J``
times, ``J ~ Bin(n, 1/n)``. One person moves a mean, a sum, a count or a proportion of
it by at most ``J`` steps, where one step over the standard deviation of the noise is
``mu``. Had resampling no effect on privacy, every resample would be a Gaussian release
with that ``mu``, which is what Brawner and Honaker (2018, result 1) claim. The pair of
tables below shows by how much that is wrong: everybody at the lower bound, and one
person at the upper bound or there, too. The law is ``sum_j w_j N(j mu, 1)`` with that
person and ``N(0, 1)`` without.

What one resample with Gaussian noise reveals at most: two upper bounds.

With ``w_j`` the probability that a row is drawn ``j`` times and ``mu`` the largest
change by one copy of it over the noise, as above:

* *generic*: for every statistic that moves by at most ``j`` steps where ``j`` rows of
  the resample are replaced. It is the amplification by sampling with replacement
  (Balle, Barthe and Gaboardi 2018, theorem 10), which Wang, Cheng and Awan (2022) use
  for the bootstrap. Proved.
* *mean*: for means and sums; see ``mean_delta`` for what is proved of it.

Neighboring is symmetric, so that both, which cover every pair of tables, extend to
negative epsilon by ``delta(-e) = 1 - exp(-e) + exp(-e) delta(e)``.

Why noisy resamples are not as private as was claimed: two short proofs.

Take the pair of tables above, with ``P = sum_j w_j N(j mu, 1)`` and
``Q = N(0, 1)``. Being rho-zCDP means that no Renyi divergence ``D_a(P || Q)`` exceeds
``a rho`` (Bun and Steinke 2016), and a resample with ``mu = sqrt(2 rho)`` is claimed to
be (Brawner and Honaker 2018, remark 3).

* ``D_2`` is ``log E[exp(2 rho J J')]`` for two independent multiplicities, each 1 on
  average, and so above ``2 rho`` whatever ``rho > 0`` is (Jensen).
* ``D_a / a`` tends to the loss of the largest multiplicity, which is ``n``: the least
  level that holds is ``n^2 rho``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx, logsumexp, ndtr

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.privacy import gaussian

MOST_PEOPLE = 10**30
"""More people than that are not accounted for."""
TAIL = 1e-30
"""Multiplicities that together are rarer than that count as revealing everything."""
_LOG_ROOT_TWO_PI = 0.5 * math.log(2 * math.pi)
_NEWTON_STEPS = 100
_CLOSE = 1e-13


@lru_cache(maxsize=256)
def multiplicities(people: int) -> FloatArray:
    """Return how likely a row is drawn ``j`` times, ``j = 0, 1, ...``. Read only.

    ``C(n, j) n^-j (1 - 1/n)^(n - j)``: the shares ``p_i`` of the partition mechanism
    (Brawner and Honaker 2018, equation 19). What lies beyond the last number has a
    probability below ``TAIL``.

    Raises:
        ParameterError: There is nobody.

    >>> multiplicities(1000)[:3].round(6).tolist()
    [0.367695, 0.368063, 0.184032]

    """
    require_people(people)
    if people == 1:
        return _frozen([0.0, 1.0])
    chances = [math.exp(people * math.log1p(-1 / people))]
    while len(chances) <= people:
        j = len(chances)
        chances.append(chances[-1] * (people - j + 1) / (j * (people - 1)))
        # From here on each number is less than half of the one before it.
        if j > 1 and chances[-1] < TAIL / 2:
            break
    return _frozen(chances)


def require_people(people: int) -> None:
    """Raise ParameterError unless there is somebody to draw, and not too many."""
    if people < 1:
        raise ParameterError(f"the number of people must be at least 1, got {people}.")
    if people > MOST_PEOPLE:
        raise ParameterError("there must be at most 10³⁰ people.")


def attained_delta(mu: float, epsilon: ArrayLike, *, people: int) -> FloatArray:
    """Return the delta of one noisy resample between the two tables above; broadcasts.

    A lower bound for the mechanism, since a pair of neighbors attains it. With ``t``
    where the likelihood ratio ``sum_j w_j e^(j mu t - j^2 mu^2 / 2)`` is ``e^epsilon``
    it is ``sum_j w_j Phi(j mu - t) - e^epsilon Phi(-t)``; up to ``log w_0``, below
    which the ratio never falls, it is ``1 - e^epsilon``.

    Raises:
        ParameterError: ``mu`` is not in [0, inf), or there is nobody.

    >>> float(attained_delta(1.0, 5.0, people=500).round(9))
    0.021924051

    """
    require_mu(mu)
    weights = multiplicities(people)
    epsilon = np.asarray(epsilon, dtype=np.float64)
    free = np.array(-np.expm1(np.minimum(epsilon, 0.0)))
    if mu == 0:
        return free
    result = free.copy()
    least = math.log(weights[0]) if weights[0] > 0 else -math.inf
    proper = epsilon > least
    z = -crossing(mu, epsilon[proper], weights)
    result[proper] = one_event(mu, z, weights)
    # Beyond the last multiplicity everything counts as revealed.
    return np.asarray(np.clip(np.maximum(result, free) + unlisted(people), 0.0, 1.0))


def unlisted(people: int) -> float:
    """Return a bound on the probability of the multiplicities that are not listed."""
    return TAIL if len(multiplicities(people)) <= people else 0.0


def require_mu(mu: float) -> None:
    """Raise ParameterError unless ``mu`` is in [0, inf)."""
    if not 0 <= mu < math.inf:
        raise ParameterError(f"the shift over the noise must be finite and at least 0, got {mu}.")


def crossing(mu: float, epsilon: FloatArray, weights: FloatArray) -> FloatArray:
    """Return where ``sum_j w_j e^(j mu t - j^2 mu^2/2)`` is ``e^epsilon sum_j w_j``.

    The logarithm of the sum is increasing and convex in ``t``, so that Newton steps
    that start on the right fall onto the root and never cross it. ``weights`` are those
    of ``j = 0, 1, ...``, as many as are meant; ``e^epsilon`` must be above the share of
    ``j = 0`` in them.
    """
    j = np.flatnonzero(weights)[:, np.newaxis]
    slopes = j * mu
    levels = np.log(weights[j] / weights.sum()) - slopes * slopes / 2
    # One summand alone reaches the level there, so that all of them lie above it.
    rising = j[:, 0] > 0
    t = ((np.ravel(epsilon) - levels[rising]) / slopes[rising]).min(axis=0)
    for _ in range(_NEWTON_STEPS):
        # Contiguous along the many levels, not along the few multiplicities.
        powers = levels + t * slopes
        top = powers.max(axis=0)
        parts = np.exp(powers - top)
        total = parts.sum(axis=0)
        excess = top + np.log(total) - np.ravel(epsilon)
        step = excess * total / (slopes[:, 0] @ parts)
        t = t - step
        if not np.any(np.abs(step) > _CLOSE * np.maximum(np.abs(t), 1.0)):
            break
    return np.asarray(t).reshape(np.shape(epsilon))


def one_event(mu: float, z: FloatArray, weights: FloatArray) -> FloatArray:
    """Return ``sum_j w_j [Phi(j mu + z) - e^epsilon Phi(z)]`` at the ``z`` of a root.

    There ``sum_j w_j phi(j mu + z) = e^epsilon phi(z) sum_j w_j``, so that with the
    Mills ratio ``R(x) = Phi(-x)/phi(x)`` it is ``sum_j w_j phi(j mu + z)
    [R(-j mu - z) - R(-z)]``, in which every term is at least 0 and nothing cancels.
    """
    shift = mu * np.arange(len(weights), dtype=np.float64)
    return np.asarray(excesses(z[..., np.newaxis], shift) @ weights)


def excesses(z: FloatArray, shift: FloatArray) -> FloatArray:
    """Return ``phi(z + shift) [R(-z - shift) - R(-z)]``, with the Mills ratio ``R``.

    At ``z = -epsilon/shift - shift/2`` it is the profile of a single Gaussian shift,
    but for a relative error near ``2e-16 |z| / shift``.
    """
    y, low = z + shift, np.minimum(z, 0.0)
    density = np.exp(-y * y / 2 - _LOG_ROOT_TWO_PI)
    # R(-x) overflows for large x, where phi(x) R(-x) is just Phi(x).
    mills = _mills(low)
    apart = density * (_mills(np.minimum(y, 0.0)) - mills)
    ratio = np.exp(-shift * (shift + 2 * np.maximum(z, 0.0)) / 2)
    second = np.where(z > 0, ratio * ndtr(z), density * mills)
    return np.maximum(np.where(y > 0, ndtr(y) - second, apart), 0.0)


def _mills(x: FloatArray) -> FloatArray:
    """Return ``R(-x)``, for ``x`` at most 0."""
    return math.sqrt(math.pi / 2) * np.asarray(erfcx(-x / math.sqrt(2)))


def _frozen(numbers: list[float]) -> FloatArray:
    array = np.array(numbers)
    array.flags.writeable = False
    return array


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


_MOST_COUNTED = 10**6
"""The order-2 divergence is summed over all multiplicities up to that many people."""
_SMALL = 1.0


def zcdp_level(mu: float, *, people: int) -> float:
    """Return the exact zCDP level of one noisy resample, ``n^2 mu^2 / 2``.

    No ``mu`` and no number of people makes it ``mu^2 / 2``, but a single person.

    >>> zcdp_level(1.0, people=500)
    125000.0
    """
    require_mu(mu)
    require_people(people)
    return people * people * mu * mu / 2


def renyi_two(mu: float, *, people: int) -> float:
    """Return the Renyi divergence of order 2 of one resample; ``mu^2`` is claimed.

    ``log sum_j w_j (1 + (e^(j mu^2) - 1) / n)^n``, by the moments of a binomial.

    Raises:
        ParameterError: ``mu`` is not in [0, inf), or ``people`` not from 1 to 10^6.

    >>> round(renyi_two(0.02**0.5, people=500), 6)
    0.020619

    """
    require_mu(mu)
    require_people(people)
    if people > _MOST_COUNTED:
        raise ParameterError(f"the number of people must be at most {_MOST_COUNTED}, got {people}.")
    if mu == 0:
        return 0.0
    powers = np.arange(people + 1) * (mu * mu)
    near = np.expm1(np.minimum(powers, _SMALL)) / people
    far = powers - math.log(people)
    far += np.log1p((people - 1) * np.exp(-powers))
    moments = people * np.where(powers < _SMALL, np.log1p(near), far)
    chances = _log_chances(people)
    if float((chances + moments).max()) > 0:
        return float(logsumexp(chances + moments))
    small = np.exp(chances) * np.expm1(np.minimum(moments, _SMALL))
    large = np.exp(chances + moments) - np.exp(chances)
    return math.log1p(float(np.where(moments < _SMALL, small, large).sum()))


def _log_chances(people: int) -> FloatArray:
    """Return the logarithms of the probabilities of all multiplicities."""
    if people == 1:
        return np.array([-np.inf, 0.0])
    j = np.arange(1, people + 1)
    steps = np.log((people - j + 1) / (j * (people - 1.0)))
    start = people * math.log1p(-1 / people)
    return np.concatenate([[start], start + np.cumsum(steps)])
