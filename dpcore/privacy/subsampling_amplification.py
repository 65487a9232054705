"""What keeping the sample secret is worth: amplification by subsampling.

A mechanism that is ``epsilon``-DP runs on a random sample of the rows. Whoever does not
know who is in the sample learns less about each person (Smith 2009, lemma 3). With
``q`` the chance that a row is in the sample, every event has

    (1 - q) p + q e^-epsilon p <= p' <= (1 - q) p + q e^epsilon p,

which gives the closed forms below (Balle, Barthe and Gaboardi 2018, theorems 8 to 10).
All of them hold for a secret, uniform sample that is drawn without a look at the data.
All raise ParameterError where an epsilon is not in [0, inf], or a rate not in [0, 1].

What noise on a secret sample reveals: exact profiles, and the Renyi curve.

With ``q`` the chance that a person is sampled and ``delta_0`` the profile of the noise,
the answer with the person is the mixture ``(1 - q) Q + q P`` and that without is ``Q``:

    delta(log(1 + q (e^eps - 1))) = q delta_0(eps)        for every eps >= 0.

For Poisson sampling with one person more or less this is the larger direction, exactly;
for samples of a fixed size with one record replaced it is the tight bound for both
(Balle, Barthe and Gaboardi 2018, theorems 8 and 9). ``ratio`` is the shift over the
scale of Laplace, over the standard deviation of Gaussian noise.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, logsumexp

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.privacy import gaussian, laplace
from dpcore.privacy.halving import halved

SOURCE_EPSILON = 1.0
"""The level from which lemma 3 starts."""
ONE_SIDED_LIMIT = 0.79681213002002
"""Largest rate at which ``2 q`` holds if only additions are limited (the source: 0.79).

``1 - q >= e^(-2q)`` up to ``1 + W(-2 e^-2)/2``, with ``W`` the main branch of Lambert's
function.
"""
MOST_DRAWS = 100_000
"""Most draws with replacement whose copies are counted one by one."""
_BIG = 600.0


def amplify(epsilon: ArrayLike, rate: ArrayLike) -> FloatArray:
    """Return the epsilon of a mechanism on a secret sample: ``log(1 + q (e^eps - 1))``.

    Tight for Poisson sampling when one row is added or removed, and for a sample of
    fixed size without replacement (``q = m/n``) when a row is replaced. Broadcasts.

    Args:
        epsilon: The level on the sample, in [0, inf].
        rate: The chance ``q`` that a row is in the sample, in [0, 1].

    Raises:
        ParameterError: An argument is outside its domain.

    >>> round(float(amplify(1.0, 0.1)), 12)
    0.15856507874

    """
    level, q = _levels(epsilon), _rates(rate)
    return _between(_log_mixture(level, q), 0.0, level)


def amplify_removal(epsilon: ArrayLike, rate: ArrayLike) -> FloatArray:
    """Return the other direction, ``-log(1 - q (1 - e^-eps))``: never the larger one.

    It limits how much *less* likely an answer is with the person than without.
    """
    level, q = _levels(epsilon), _rates(rate)
    with np.errstate(divide="ignore"):
        return _between(-np.log1p(q * np.expm1(-level)), 0.0, level)


def amplify_replacement(epsilon: ArrayLike, rate: ArrayLike) -> FloatArray:
    """Return the epsilon under Poisson sampling when a row is *replaced*.

    ``epsilon`` is the level on the sample for one row more or less. The person may be
    in the sample with either record: both directions add up.
    """
    return np.asarray(amplify(epsilon, rate) + amplify_removal(epsilon, rate))


def amplify_one_sided(epsilon: ArrayLike, rate: ArrayLike) -> FloatArray:
    """Return the epsilon if only *adding* a row is limited (Smith's note b).

    A sudden drop is allowed, so that the trivial bound 0 stands in for the lower one:
    ``max(log(1 + q (e^eps - 1)), -log(1 - q))``. For a small epsilon the second is the
    larger one, and it may exceed ``epsilon``.
    """
    level, q = _levels(epsilon), _rates(rate)
    with np.errstate(divide="ignore"):
        return np.maximum(amplify(level, q), -np.log1p(-q))


def source_bound(rate: ArrayLike) -> FloatArray:
    """Return the ``2 q`` of lemma 3, for a mechanism that is 1-DP on the sample.

    Valid for every rate; ``amplify(1, q)`` starts with the slope ``e - 1 = 1.718``.
    """
    return 2 * _rates(rate)


def source_rate(target: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return the rate ``target e^-epsilon`` that the source's note c suffices with.

    ``retention_rate`` is the exact one. For a large epsilon hardly anybody is kept:
    of ``n`` rows less than one, once ``epsilon > log(n target)``.
    """
    return np.asarray(_levels(target) * np.exp(-_levels(epsilon)))


def base_epsilon(target: ArrayLike, rate: ArrayLike) -> FloatArray:
    """Return the level on the sample that ends at ``target``: ``amplify``, inverted.

    ``log(1 + (e^target - 1)/q)``; ``inf`` where nobody is ever sampled.

    >>> round(float(base_epsilon(0.1, 0.05)), 8)
    1.1325042

    """
    level, q = _levels(target), _rates(rate)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near = np.log1p(np.expm1(np.minimum(level, _BIG)) / q)
        # Here e^target swamps the ones beside it.
        far = level - np.log(q)
    base = np.where((level > _BIG) | np.isinf(near), far, near)
    return np.asarray(np.where(q == 0, np.inf, base))


def retention_rate(target: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return the largest rate that brings ``epsilon`` down to ``target``.

    ``(e^target - 1)/(e^epsilon - 1)``, at most 1.

    >>> round(float(retention_rate(0.1, 3.0)), 12)
    0.005510503503

    """
    goal, level = np.broadcast_arrays(_levels(target), _levels(epsilon))
    kept = np.ones(goal.shape)
    less = goal < level
    a, b = goal[less], level[less]
    # (e^a - 1)/(e^b - 1), where neither exponential overflows.
    kept[less] = np.exp(a - b) * np.expm1(-a) / np.expm1(-b)
    return kept


def amplify_with_replacement(epsilon: float, draws: int, people: int) -> float:
    """Return the epsilon of ``m`` draws with replacement when a row is replaced.

    ``epsilon`` is the level for each copy of a row. Where a row is likely drawn at most
    once it is ``m log(1 + (e^eps - 1)/n)``, exact for yes/no values with Laplace noise.
    Where that exceeds ``epsilon``, the answer ``t`` solves, with ``w`` the binomial
    chances of ``j`` copies and ``e`` short for the level,

        w_0 (e^t - 1) + sum_(j e < t) w_j (e^(t - j e) - 1)
            = sum_(j e >= t) w_j (e^(j e) - e^t).

    Raises:
        ParameterError: ``epsilon`` is not in [0, inf), ``people`` is below 1, or
            ``draws`` not from 0 to ``MOST_DRAWS``.

    >>> round(amplify_with_replacement(1.0, 100, 1000), 10)
    0.1716807271

    """
    level = float(_levels(epsilon))
    m, n = (float(number) for number in _drawn(draws, people))
    if math.isinf(level) or m > MOST_DRAWS:
        raise ParameterError(f"epsilon must be finite, and the draws at most {MOST_DRAWS:,}.")
    if m == 0 or level == 0:
        return 0.0
    rare = m * float(_log_mixture(np.asarray(level), np.asarray(1 / n)))
    return rare if rare <= level else _often(level, m, n, rare)


def _often(level: float, m: float, n: float, rare: float) -> float:
    if n == 1:
        return m * level
    j = np.arange(m + 1)
    w = gammaln(m + 1) - gammaln(j + 1) - gammaln(m - j + 1)
    w += -j * math.log(n) + (m - j) * math.log1p(-1 / n)

    def reached(t: float) -> bool:
        """Tell whether the losses no longer outweigh the rest at ``t``."""
        gap = j * level - t
        far = gap >= 0
        with np.errstate(divide="ignore"):
            more = w[far] + t + _log_expm1(gap[far])
            less = w[~far] + _log_expm1(-gap[~far])
        return bool(logsumexp(more) <= logsumexp(less))

    return halved(reached, rare, m * level)[1]


def _log_expm1(x: FloatArray) -> FloatArray:
    return np.asarray(x + np.log(-np.expm1(-x)))


def _log_mixture(level: FloatArray, q: FloatArray) -> FloatArray:
    """Return ``log(1 - q + q e^level)`` without an overflow."""
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.log1p(q * np.expm1(np.minimum(level, _BIG)))
        # e^level swamps all else, but for the rarest rates.
        far = np.logaddexp(level + np.log(q), np.log1p(-q))
    mixed = np.where(level > _BIG, far, near)
    return np.asarray(np.where(q == 0, 0.0, mixed))


def _between(value: FloatArray, low: float, high: FloatArray) -> FloatArray:
    """Keep rounding errors within limits that are known."""
    return np.asarray(np.minimum(np.maximum(value, low), high))


def _levels(epsilon: ArrayLike) -> FloatArray:
    level = np.asarray(epsilon, dtype=np.float64)
    if not (level >= 0).all():
        raise ParameterError("epsilon must be at least 0.")
    return level


def _rates(rate: ArrayLike) -> FloatArray:
    q = np.asarray(rate, dtype=np.float64)
    if not ((q >= 0) & (q <= 1)).all():
        raise ParameterError("the chance that a row is in the sample must lie from 0 to 1.")
    return q


def _drawn(draws: ArrayLike, people: ArrayLike) -> tuple[FloatArray, FloatArray]:
    m = np.asarray(draws, dtype=np.float64)
    n = np.asarray(people, dtype=np.float64)
    if not ((m >= 0) & np.isfinite(m)).all() or not ((n >= 1) & np.isfinite(n)).all():
        raise ParameterError("a sample needs at least 0 draws, from at least 1 person.")
    return m, n


NoiseLaw = Literal["laplace", "gaussian"]
_LARGEST_ORDER = 100_000


def subsampled_delta(
    law: NoiseLaw, ratio: ArrayLike, rate: ArrayLike, epsilon: ArrayLike
) -> FloatArray:
    """Return the smallest delta at ``epsilon``, in [0, inf); broadcasts.

    Raises:
        ParameterError: A rate is not in [0, 1] or an epsilon below 0.

    >>> round(float(subsampled_delta("laplace", 1.0, 0.1, 0.0628547235)), 10)
    0.0221199217

    """
    profile = gaussian.delta_of if law == "gaussian" else laplace.delta_of
    level = base_epsilon(epsilon, rate)
    finite = np.where(np.isinf(level), 0.0, level)
    kept = np.asarray(rate) * profile(ratio, finite)
    return np.asarray(np.where(np.isinf(level), 0.0, kept))


def subsampled_epsilon(
    law: NoiseLaw, ratio: ArrayLike, rate: ArrayLike, delta: float
) -> FloatArray:
    """Return the smallest epsilon with ``subsampled_delta(...) <= delta``; broadcasts.

    0 where ``delta >= rate``: then even the sampled rows might be published.

    Raises:
        ParameterError: A rate is not in [0, 1], or ``delta`` not either.

    >>> round(float(subsampled_epsilon("gaussian", 1.0, 0.1, 1e-6)), 7)
    2.1816941

    """
    if not 0 <= delta <= 1:
        raise ParameterError(f"delta must lie from 0 to 1, got {delta}.")
    ratio, rates = np.broadcast_arrays(
        np.asarray(ratio, dtype=np.float64), np.asarray(rate, dtype=np.float64)
    )
    result = np.empty(rates.shape)
    # Few distinct rates, mostly one: the profiles take many ratios at one delta.
    for q in np.unique(rates):
        here = rates == q
        result[here] = amplify(_unsampled_epsilon(law, ratio[here], delta, q), q)
    return result


def subsampled_divergence(mu: float, rate: float, order: int) -> float:
    """Return the Renyi divergence of order ``a`` of Gaussian noise on a sample.

    ``log(sum_k C(a, k) (1 - q)^(a - k) q^k e^(k (k - 1) mu^2/2)) / (a - 1)`` (Mironov,
    Talwar and Zhang 2019). Divided by the order it grows to ``mu^2/2``, the zCDP level
    *without* sampling: a sample does not make zCDP stronger.

    Raises:
        ParameterError: ``mu`` is not in [0, inf), ``rate`` not in [0, 1], or the order
            not from 2 to 100,000.

    >>> round(subsampled_divergence(1.0, 0.1, 2) / 2, 5)
    0.00852

    """
    if not (0 <= mu < math.inf and 0 <= rate <= 1):
        raise ParameterError(
            f"mu must be at least 0 and finite and the rate from 0 to 1, got {mu} and {rate}."
        )
    if not 2 <= order <= _LARGEST_ORDER:  # noqa: PLR2004 - the first whole order
        raise ParameterError(f"the order must be from 2 to {_LARGEST_ORDER:,}, got {order}.")
    if rate == 0 or mu == 0:
        return 0.0
    if rate == 1:
        return order * mu * mu / 2
    k = np.arange(order + 1, dtype=np.float64)
    terms = gammaln(order + 1) - gammaln(k + 1) - gammaln(order - k + 1)
    terms += (order - k) * math.log1p(-rate) + k * math.log(rate)
    terms += k * (k - 1) * mu * mu / 2
    return max(float(logsumexp(terms)) / (order - 1), 0.0)


def _unsampled_epsilon(law: NoiseLaw, ratio: FloatArray, delta: float, q: float) -> FloatArray:
    if delta >= q:
        return np.zeros(ratio.shape)
    if law == "laplace":
        return laplace.epsilon_of(ratio, delta / q)
    return gaussian.epsilon_of(ratio, delta / q)
