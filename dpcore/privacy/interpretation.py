"""What epsilon means to somebody who tries to find out about one person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray


def posterior(prior: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return the most that a belief of probability ``prior`` can become.

    Pure DP multiplies the odds by at most ``e^epsilon``: ``1 / (1 + (1 - prior)/prior
    e^-epsilon)``. With ``-epsilon`` it is the least.

    >>> round(float(posterior(0.01, 5.0)), 10)
    0.5998596018
    """
    log_odds = np.asarray(logit(np.asarray(prior, dtype=np.float64)))
    return np.asarray(expit(log_odds + np.asarray(epsilon, dtype=np.float64)))


def best_guess(epsilon: ArrayLike) -> FloatArray:
    """Return the chance of the best guess between two equally likely tables.

    ``e^epsilon / (1 + e^epsilon)``, at most, under pure DP.
    """
    return np.asarray(expit(np.asarray(epsilon, dtype=np.float64)))


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
