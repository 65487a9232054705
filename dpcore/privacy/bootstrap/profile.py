"""What one resample with Gaussian noise reveals: the law, and a pair that attains it.

A resample draws ``n`` rows with replacement, so that a person's row is in it ``J``
times, ``J ~ Bin(n, 1/n)``. One person moves a mean, a sum, a count or a proportion of
it by at most ``J`` steps, where one step over the standard deviation of the noise is
``mu``. Had resampling no effect on privacy, every resample would be a Gaussian release
with that ``mu``, which is what Brawner and Honaker (2018, result 1) claim. The pair of
tables below shows by how much that is wrong: everybody at the lower bound, and one
person at the upper bound or there, too. The law is ``sum_j w_j N(j mu, 1)`` with that
person and ``N(0, 1)`` without.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfcx, ndtr

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError

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
        raise ParameterError(f"there must be at most {MOST_PEOPLE:.0e} people.")


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
