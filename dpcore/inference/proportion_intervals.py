"""Confidence intervals around a released proportion, of the naive and the honest kind.

All are for the proportion of the population, from a sample of ``people``. Each returns
its ends on a last axis of length 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from dpcore.errors import ParameterError
from dpcore.inference.intervals import LEVEL

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray


def sampling_variance(released: ArrayLike, people: ArrayLike) -> FloatArray:
    """Return ``p (1 - p) / n``, and 0 for a release outside [0, 1]."""
    p = np.clip(np.asarray(released, dtype=np.float64), 0.0, 1.0)
    return np.divide(p * (1 - p), people)


def wald(released: ArrayLike, *, people: ArrayLike, level: float = LEVEL) -> FloatArray:
    """Return ``p +- z sqrt(p (1 - p) / n)``: sampling error only, no noise.

    Raises:
        ParameterError: ``level`` is not between 0 and 1, or ``people`` below 1.

    """
    return noise_aware(released, people=people, noise_variance=0.0, level=level)


def noise_aware(
    released: ArrayLike,
    *,
    people: ArrayLike,
    noise_variance: ArrayLike,
    level: float = LEVEL,
) -> FloatArray:
    """Return ``p +- z sqrt(p (1 - p) / n + v)``: sampling error and noise.

    The law of the noise is public, so that no budget has to be split to learn it.
    Holds away from the bounds; near them ``intervals.intervals`` inverts the law.

    Args:
        released: Releases, of any shape.
        people: Size of the sample.
        noise_variance: Variance ``v`` of the noise: ``2 b^2`` of one Laplace release;
            of a vector, times the ``variance_multipliers`` of its procedure.
        level: Confidence, strictly between 0 and 1.

    Raises:
        ParameterError: ``level`` is not between 0 and 1, ``people`` below 1, or a
            variance negative.

    """
    if not 0 < level < 1:
        message = f"the confidence level must lie between 0 and 1, got {level}."
        raise ParameterError(message)
    if not np.all(np.asarray(people) >= 1):
        message = "the number of people must be at least 1."
        raise ParameterError(message)
    if not np.all(np.asarray(noise_variance) >= 0):
        message = "the variance of the noise must be at least 0."
        raise ParameterError(message)
    released = np.asarray(released, dtype=np.float64)
    variance = np.add(sampling_variance(released, people), noise_variance)
    reach = -ndtri((1 - level) / 2) * np.sqrt(variance)
    return np.stack([released - reach, released + reach], axis=-1)
