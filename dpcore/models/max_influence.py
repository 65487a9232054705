"""How far anybody can move the coefficients: of this fit, and of any.

Rows are at most 1 long and targets lie within -1 and 1. With ``H >= lambda I``, no row
moves coefficients by more than ``c(lambda)`` times the residual (attained)::

    |H^-1 x| / (1 + x^T H^-1 x) <= c(lambda) = 1 / (2 sqrt(lambda))   if lambda <= 1
                                               1 / (1 + lambda)       if lambda >= 1

because ``w = H^-1 x`` has ``x^T w >= lambda |w|^2`` and ``|w| <= |x| / lambda``.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.models.loss_functions import Loss
from dpcore.models.metrics import ISOTROPIC, Metric
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import RidgeFit

_UP: Final = 1 + 1e-12


def steepness(convexity: float) -> float:
    """Return ``c(lambda)``, infinity at 0.

    >>> [steepness(convexity) for convexity in (0.25, 0.64, 1.0, 3.0)]
    [1.0, 0.625, 0.5, 0.25]
    """
    if convexity <= 0:
        return math.inf
    if convexity <= 1:
        return 1 / (2 * math.sqrt(convexity))
    return 1 / (1 + convexity)


def addition_certificate(fit: RidgeFit, metric: Metric = ISOTROPIC) -> float:
    """Return a bound on what one newcomer can do: ``(1 + |theta|) c(lambda_min(H))``.

    Infinite for a norm of ``H`` itself, and for a penalty per person, which a newcomer
    changes too.
    """
    if fit.penalty.per_person or not metric.public:
        return math.inf
    smallest = 1 / float(np.linalg.norm(fit.factor.inverse_root, 2)) ** 2
    reach = 1 + float(np.linalg.norm(fit.theta))
    return math.sqrt(metric.largest) * reach * steepness(smallest) * _UP


def substitution_certificates(fit: RidgeFit, shifts: FloatArray) -> FloatArray:
    """Return a bound on the shift by another record of each person, shape ``(n,)``.

    ``shifts`` are those of leaving, in the isotropic norm. The person leaves, and
    somebody joins: ``shift + (1 + |theta| + shift) c(lambda_-i)``, where the smallest
    eigenvalue without the person is at least ``lambda_min(H) - |x|^2`` and the penalty.
    """
    smallest = 1 / float(np.linalg.norm(fit.factor.inverse_root, 2)) ** 2
    squares = np.einsum("ij,ij->i", fit.features, fit.features)
    convexity = np.maximum(smallest - squares, fit.penalty.convexity(fit.people))
    with np.errstate(divide="ignore"):
        factors = np.where(
            convexity <= 1, 0.5 / np.sqrt(np.maximum(convexity, 0)), 1 / (1 + convexity)
        )
    reach = 1 + float(np.linalg.norm(fit.theta)) + shifts
    return np.asarray((shifts + reach * factors) * _UP)


def unit_substitution_certificate(fit: RidgeFit, *, rows: int) -> float:
    """Return a bound on the shift by other records of any so many rows together.

    The rows ``A`` leave, others ``B`` come. What leaves moves the coefficients by
    ``H_-A^-1 A^T e``, at most the sum of the largest ``|x| |residual|`` over ``mu``,
    where the smallest eigenvalue without them is at least ``mu``: ``lambda_min(H) -
    m``, or the penalty. What comes then moves them by ``H_-A^-1/2 W (I + W^T W)^-1``
    times at most ``sqrt(m) (1 + |theta| + shift)``, with ``W = H_-A^-1/2 B^T`` and
    singular values ``s`` of at most ``sqrt(m/mu)``: ``s/(1 + s^2)/sqrt(mu)`` is at most
    ``c_m(mu)``, which is ``1/(2 sqrt(mu))`` up to ``mu = m`` and ``sqrt(m)/(m + mu)``
    from there. Infinite where that is unknown.
    """
    if fit.penalty.per_person:
        return math.inf
    together = min(rows, fit.people)
    smallest = 1 / float(np.linalg.norm(fit.factor.inverse_root, 2)) ** 2
    convexity = max(smallest - together, fit.penalty.convexity(1))
    if convexity <= 0:
        return math.inf
    lengths = np.sqrt(np.einsum("ij,ij->i", fit.features, fit.features))
    pulls = np.partition(lengths * np.abs(fit.residuals), fit.people - together)
    left = float(pulls[fit.people - together :].sum()) / convexity
    reach = math.sqrt(rows) * (1 + float(np.linalg.norm(fit.theta)) + left)
    if convexity <= rows:
        come = 1 / (2 * math.sqrt(convexity))
    else:
        come = math.sqrt(rows) / (rows + convexity)
    return (left + reach * come) * _UP


def max_ridge_influence(penalty: Penalty, *, people: int, metric: Metric = ISOTROPIC) -> float:
    """Return the sensitivity of ridge coefficients over all tables.

    ``(1 + min(sqrt(n) / (2 sqrt(lambda)), n / lambda)) c(lambda)``: the second factor
    of the sum bounds the length of the coefficients. It needs a public bound ``people``
    on the number of people. A record that is replaced leaves and comes: twice that.

    Infinite where a coefficient goes unpenalized, and for noise shaped by the data.

    Raises:
        ParameterError: The penalty is per person, or ``people`` is not positive.

    """
    _check(penalty, people)
    strength = penalty.convexity(people)
    if strength == 0 or not metric.public:
        return math.inf
    length = min(math.sqrt(people / strength) / 2, people / strength)
    return (1 + length) * steepness(strength) * math.sqrt(metric.largest)


def max_glm_influence(loss: Loss, penalty: Penalty, *, metric: Metric = ISOTROPIC) -> float:
    """Return the sensitivity of a model whose loss is nowhere steeper than ``L``.

    ``L / lambda`` for rows at most 1 long (Chaudhuri, Monteleoni and Sarwate 2011,
    corollary 8, for sums). Infinite for Poisson regression.

    Raises:
        ParameterError: The penalty is per person.

    """
    _check(penalty, 1)
    strength = penalty.convexity(1)
    if strength == 0 or not metric.public:
        return math.inf
    return loss.steepest / strength * math.sqrt(metric.largest)


def _check(penalty: Penalty, people: int) -> None:
    if penalty.per_person:
        raise ParameterError(
            "the sensitivity is known for a penalty of the sum of losses, not for one "
            "per person; multiply it by a public number of people."
        )
    if people < 1:
        raise ParameterError(f"the number of people must be at least 1, got {people}.")
