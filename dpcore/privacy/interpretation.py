"""What epsilon means to somebody who tries to find out about one person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.arrays import FloatArray


def posterior(prior: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return the most that a belief of probability ``prior`` can become.

    Pure DP multiplies the odds by at most ``e^epsilon``: ``1 / (1 + (1 - prior)/prior
    e^-epsilon)``. With ``-epsilon`` it is the least.

    >>> round(float(posterior(0.01, 5.0)), 10)
    0.5998596018
    """
    log_odds = np.asarray(logit(np.asarray(prior, dtype=np.float64)))
    return np.asarray(expit(log_odds + np.asarray(epsilon, dtype=np.float64)))


def best_guess(
    epsilon: ArrayLike, *, delta: float = 0.0, prior: float = 0.5
) -> FloatArray:
    """Return how often the best guess between two tables is right, at most.

    ``delta + (1 - delta) max(e^epsilon/(1 + e^epsilon), prior, 1 - prior)``: a release
    tells no more than one that tells all with probability ``delta``, and else which of
    both tables it is with the odds ``e^epsilon`` (Kairouz, Oh and Viswanath 2015). For
    a prior of 1/2 and no delta it is also the most that ``posterior`` can become.

    Args:
        epsilon: At least 0.
        delta: In [0, 1].
        prior: How likely one of the tables is beforehand, in [0, 1].

    >>> round(float(best_guess(1.0)), 10), round(float(best_guess(1.0, delta=0.1)), 10)
    (0.7310585786, 0.7579527208)

    """
    told = expit(np.asarray(epsilon, dtype=np.float64))
    return np.asarray(delta + (1 - delta) * np.maximum(told, max(prior, 1 - prior)))


def trade_off(alpha: ArrayLike, *, epsilon: float, delta: float = 0.0) -> FloatArray:
    """Return the least miss rate of a test whose false alarm rate is ``alpha``.

    ``max(0, 1 - delta - e^epsilon alpha, e^-epsilon (1 - delta - alpha))`` holds for
    every (epsilon, delta)-DP mechanism (Dong, Roth and Su 2022).
    """
    alpha = np.asarray(alpha, dtype=np.float64)
    with np.errstate(divide="ignore"):
        # In log space, where a large epsilon cannot overflow.
        steep = 1 - delta - np.exp(np.minimum(np.log(alpha) + epsilon, 1.0))
    flat = np.exp(-epsilon) * (1 - delta - alpha)
    return np.asarray(np.maximum(0.0, np.maximum(steep, flat)))


def trade_off_gaussian(alpha: ArrayLike, *, mu: float) -> FloatArray:
    """Return the least miss rate against Gaussian noise: ``Phi(Phi^-1(1-alpha) - mu)``.

    ``mu`` is the shift over the standard deviation.
    """
    return np.asarray(ndtr(-ndtri(np.asarray(alpha, dtype=np.float64)) - mu))
