"""Several noisy answers to one question, combined into one with the least error.

Independent unbiased answers are best weighted by the inverses of their variances. For
Laplace answers of levels ``e_i`` these are as the squares of ``e_i``. Brawner and
Honaker 2018 print them with the wrong sign of the exponent (eq. 6), and the variance
with the sensitivity not squared (eq. 7); the weights are kept here to be shown beside
what is right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError


def laplace_weights(epsilons: ArrayLike) -> FloatArray:
    """Return the best weights ``e_i^2 / sum e_j^2`` of Laplace answers.

    An answer with epsilon 0 tells nothing and weighs nothing.

    >>> laplace_weights([0.1, 0.5, 1.0]).round(8)
    array([0.00793651, 0.1984127 , 0.79365079])

    Raises:
        ParameterError: There is no answer, all epsilons are 0, or one is negative, NaN
            or infinite.

    """
    levels = _levels(epsilons)
    relative = levels / levels.max()
    return np.asarray(relative**2 / np.sum(relative**2))


def published_weights(epsilons: ArrayLike) -> FloatArray:
    """Return ``e_i^-2 / sum e_j^-2``, as printed: the noisiest answer weighs most.

    Raises:
        ParameterError: As ``laplace_weights``, or an epsilon is 0.

    """
    levels = _levels(epsilons)
    if levels.min() == 0:
        raise ParameterError("the weights as published need every epsilon above 0.")
    relative = levels.min() / levels
    return np.asarray(relative**2 / np.sum(relative**2))


def laplace_variance(epsilons: ArrayLike, weights: ArrayLike, *, sensitivity: float = 1.0) -> float:
    """Return the variance ``2 D^2 sum w_j^2 / e_j^2`` of a weighted average.

    With the best weights it is ``2 D^2 / sum e_j^2``.

    >>> epsilons = [0.1, 0.5, 1.0]
    >>> round(laplace_variance(epsilons, laplace_weights(epsilons)), 10)
    1.5873015873
    >>> round(laplace_variance(epsilons, published_weights(epsilons)), 8)
    181.41768707

    Raises:
        ParameterError: As ``laplace_weights``, an answer that tells nothing weighs
            something, or the sensitivity is not in [0, inf).

    """
    levels, shares = _weighted(epsilons, weights, sensitivity)
    return 2 * float(np.sum((sensitivity * shares / levels) ** 2))


def _weighted(
    given: ArrayLike, weights: ArrayLike, sensitivity: float
) -> tuple[FloatArray, FloatArray]:
    """Return the levels and weights of the answers that weigh something."""
    levels, shares = _levels(given), np.asarray(weights, dtype=np.float64).ravel()
    if shares.shape != levels.shape or not np.isfinite(shares).all():
        raise ParameterError("there must be one finite weight for each answer.")
    if not 0 <= sensitivity < np.inf:
        raise ParameterError(f"the sensitivity must be in [0, inf), got {sensitivity}.")
    heard = shares != 0
    if np.any(levels[heard] == 0):
        raise ParameterError("an answer with a privacy level of 0 tells nothing: give it weight 0.")
    return levels[heard], shares[heard]


def _levels(given: ArrayLike) -> FloatArray:
    levels = np.asarray(given, dtype=np.float64).ravel()
    proper = np.isfinite(levels) & (levels >= 0)
    if levels.size == 0 or not proper.all() or levels.max() == 0:
        raise ParameterError(
            "the privacy levels of the answers must be in [0, inf), at least one of them above 0."
        )
    return np.asarray(levels)
