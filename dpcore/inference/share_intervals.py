"""Confidence intervals around a released proportion, blind to the noise or aware of it.

All are for the proportion of the population, from a sample of ``people``. Each returns
its ends on a last axis of length 2; only `clopper_pearson`, for events that were
counted and never released, returns them one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.inference.intervals import LEVEL


def sampling_variance(released: ArrayLike, people: ArrayLike) -> FloatArray:
    """Return ``p (1 - p) / n``, and 0 for a release outside [0, 1]."""
    p = np.clip(np.asarray(released, dtype=np.float64), 0.0, 1.0)
    return np.divide(p * (1 - p), people)


def wald(released: ArrayLike, *, people: ArrayLike, level: float = LEVEL) -> FloatArray:
    """Return ``p +- z sqrt(p (1 - p) / n)``: sampling error only, no noise.

    Raises:
        ParameterError: ``level`` is not between 0 and 1, or ``people`` below 1.

    """
    _check(people, 0.0, level)
    released = np.asarray(released, dtype=np.float64)
    reach = _z(level) * np.sqrt(sampling_variance(released, people))
    return np.stack([released - reach, released + reach], axis=-1)


def noise_aware(
    released: ArrayLike, *, people: ArrayLike, noise_variance: ArrayLike, level: float = LEVEL
) -> FloatArray:
    """Return the shares ``p`` with ``(x - p)^2 <= z^2 (p (1 - p) / n + v)``.

    A score interval (Wilson 1927) with noise: the sampling error is that at each share
    that is considered, since at a release near 0 or 1 it would look like none. The law
    of the noise is public, so that no budget has to be split to learn it. With ``a =
    z^2 / n`` the ends are the roots of ``(1 + a) p^2 - (2 x + a) p + x^2 - z^2 v``.
    Where a procedure biases the releases ``x``, as near the bounds, it still covers too
    seldom; there ``exact_shares`` inverts it.

    Args:
        released: Releases, of any shape; one outside [0, 1] counts as the bound.
        people: Size of the sample.
        noise_variance: Variance ``v`` of the noise: ``2 b^2`` of one Laplace release;
            of a vector, times the ``variance_multipliers`` of its procedure.
        level: Confidence, strictly between 0 and 1.

    Raises:
        ParameterError: ``level`` is not between 0 and 1, ``people`` below 1, or a
            variance negative.

    >>> noise_aware(0.0, people=100, noise_variance=0.0).round(4).tolist()
    [0.0, 0.037]

    """
    _check(people, noise_variance, level)
    x = np.clip(np.asarray(released, dtype=np.float64), 0.0, 1.0)
    square = _z(level) ** 2
    a, noise = np.divide(square, people), np.multiply(square, noise_variance)
    spread = np.sqrt(a**2 / 4 + a * x * (1 - x) + (1 + a) * noise)
    ends = np.stack([x + a / 2 - spread, x + a / 2 + spread], axis=-1)
    return np.asarray(ends / (1 + a)[..., np.newaxis])


def clopper_pearson(
    hits: ArrayLike, draws: ArrayLike, *, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Return exact confidence limits of a probability (Clopper and Pearson 1934).

    Args:
        hits: How often the event was seen; may be fractional, as an expected count.
        draws: Out of how many draws.
        confidence: Level of the two-sided interval, in (0, 1).

    >>> low, high = clopper_pearson(0, 10, confidence=0.95)
    >>> float(low), round(float(high), 4)
    (0.0, 0.3085)

    """
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence must be in (0, 1), got {confidence}.")
    hits = np.asarray(hits, dtype=np.float64)
    misses = np.asarray(draws, dtype=np.float64) - hits
    if np.any(hits < 0) or np.any(misses < 0):
        raise ParameterError("an event is seen at least never and at most at every draw.")
    tail = (1 - confidence) / 2
    with np.errstate(invalid="ignore"):
        low = betaincinv(hits, misses + 1, tail)
        high = betaincinv(hits + 1, misses, 1 - tail)
    return np.where(hits > 0, low, 0.0), np.where(misses > 0, high, 1.0)


def _z(level: float) -> float:
    return -float(ndtri((1 - level) / 2))


def _check(people: ArrayLike, noise_variance: ArrayLike, level: float) -> None:
    if not 0 < level < 1:
        raise ParameterError(f"the confidence level must lie between 0 and 1, got {level}.")
    if not np.all(np.asarray(people) >= 1):
        raise ParameterError("the number of people must be at least 1.")
    if not np.all(np.asarray(noise_variance) >= 0):
        raise ParameterError("the variance of the noise must be at least 0.")
