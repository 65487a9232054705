"""What epsilon means to somebody who tries to find out about one person."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation


def posterior(prior: ArrayLike, epsilon: ArrayLike) -> FloatArray:
    """Return the most that a belief of probability ``prior`` can become.

    Pure DP multiplies the odds by at most ``e^epsilon``: ``1 / (1 + (1 - prior)/prior
    e^-epsilon)``. With ``-epsilon`` it is the least.

    >>> round(float(posterior(0.01, 5.0)), 10)
    0.5998596018
    """
    log_odds = np.asarray(logit(np.asarray(prior, dtype=np.float64)))
    return np.asarray(expit(log_odds + np.asarray(epsilon, dtype=np.float64)))


def best_guess(epsilon: ArrayLike, *, delta: float = 0.0, prior: ArrayLike = 0.5) -> FloatArray:
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
    likelier = np.maximum(prior, np.subtract(1.0, prior))
    return np.asarray(delta + (1 - delta) * np.maximum(told, likelier))


def laplace_detection(alarm: ArrayLike, *, r: float) -> FloatArray:
    """Return the chance of detecting a person behind Laplace noise, at best.

    By the Neyman-Pearson lemma no test is above it (receiver operating characteristic).
    With ``r`` the shift over the scale of the noise and ``a`` the chance of a false
    alarm: ``e^r a`` up to ``a = e^-r/2``, then ``1 - e^-r/(4 a)`` up to 1/2, then ``1 -
    e^-r (1 - a)``.
    """
    alarm = np.asarray(alarm, dtype=np.float64)
    few = math.exp(-r) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        # In log space, where a large r cannot overflow.
        steep = np.exp(np.minimum(np.log(alarm) + r, 0.0))
        middle = 1 - few / (2 * alarm)
    flat = 1 - math.exp(-r) * (1 - alarm)
    return np.where(alarm <= few, steep, np.where(alarm <= 0.5, middle, flat))  # noqa: PLR2004 - the median


# From a risk back to the noise. The risk is the power ``1 - f(a)`` at the false positive rate
# ``a`` that a guess has, ``f`` the trade-off function (``TradeOff.risk``).

_DOWN = 1 - 1e-12


def false_positive_rate(prior: float, risk: float, relation: NeighboringRelation) -> float:
    """Return the false positive rate of a guess that is right with ``prior``, then with ``risk``.

    That is how often it names what is not there: ``prior`` in a table without the record, and
    ``prior (1 - risk)/(1 - prior)`` with another candidate in its place.

    >>> round(false_positive_rate(1 / 20, 1 / 13, NeighboringRelation.SUBSTITUTION), 9)
    0.048582996
    """
    if relation is NeighboringRelation.ADD_REMOVE:
        return prior
    return prior * (1 - risk) / (1 - prior)


def epsilon_for_risk(alarm: float, risk: float, *, delta: float = 0.0) -> float:
    """Return the largest epsilon at which no guess is right with more than ``risk``.

    ``1 - f(a)`` is the less of ``delta + e^epsilon a`` and ``1 - e^-epsilon (1 - delta - a)``,
    ``a`` the false positive rate of the guess. 0 where the delta alone is too much; rounded down.

    >>> round(epsilon_for_risk(1 / 20, 1 / 13), 9)
    0.430782916

    Raises:
        ParameterError: ``0 < alarm <= risk < 1`` does not hold.

    """
    _check(alarm, risk)
    left, right = (risk - delta) / alarm, max(1 - delta - alarm, 0.0) / (1 - risk)
    return math.log(max(left, right, 1.0)) * _DOWN


def mu_for_risk(alarm: float, risk: float) -> float:
    """Return the largest level of Gaussian DP, ``Phi^-1(risk) - Phi^-1(alarm)``.

    Raises:
        ParameterError: As ``epsilon_for_risk``.

    """
    _check(alarm, risk)
    return max(float(ndtri(risk) - ndtri(alarm)), 0.0) * _DOWN


def laplace_ratio_for_risk(alarm: float, risk: float) -> float:
    """Return the largest shift over the scale of Laplace noise: ``laplace_detection`` inverted.

    Raises:
        ParameterError: As ``epsilon_for_risk``.

    """
    _check(alarm, risk)
    if risk <= 0.5:  # noqa: PLR2004 - the median
        return math.log(risk / alarm) * _DOWN
    middle = -math.log(4 * alarm * (1 - risk))
    flat = math.log((1 - alarm) / (1 - risk))
    return (flat if alarm >= 0.5 else middle) * _DOWN  # noqa: PLR2004 - the median


def _check(alarm: float, risk: float) -> None:
    if not 0 < alarm <= risk < 1:
        raise ParameterError(
            f"a risk must be at least the prior, and both in (0, 1), got {risk} and {alarm}."
        )
