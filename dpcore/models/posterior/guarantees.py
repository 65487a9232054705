"""What a posterior sample guarantees for everybody, and how accurate it is.

Wang 2019, proposition 16, as far as software can compute it: the guarantee for all
newcomers to a table, that over all tables, the exact risk of the sampled coefficients
and the exact law of the optimization error.

Why the worst pair is at a corner. At the same leverage a larger residual never lowers
the profile: both laws are symmetric and unimodal, and the weighted overlap of two such
densities shrinks as their centers part. At the same ``residual/sqrt(1 + leverage)`` a
larger leverage dominates a smaller one: the pair of the smaller arises from that of the
larger by scaling, shifting and adding normal noise, which is post-processing. Together:
nobody with leverage up to ``m`` and residual up to ``e`` loses more than the pair
``(m, e sqrt(1 + m))``. In millions of trials with ``m`` up to 1, even ``(m, e)`` was
never exceeded; for that sharper corner no proof is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.search import first_where
from dpcore.models.posterior import leverage_and_residual

_PRIVATE_SIDE = 1 - 1e-12
_FARTHEST = 60.0
"""Logarithm of the largest residual that is tried, and of the smallest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordBounds:
    """Public bounds on every record."""

    features: float = 1.0
    """Largest Euclidean length of a row of features, positive and finite."""
    target: float = 1.0
    """Largest absolute target, positive and finite."""

    def __post_init__(self) -> None:
        if not (0 < self.features < math.inf and 0 < self.target < math.inf):
            raise ParameterError("the bounds of features and target must be in (0, inf).")

    def leverage(self, floor: float) -> float:
        """Return the largest leverage if all eigenvalues of ``H`` are at least that."""
        return self.features**2 / floor if floor > 0 else math.inf

    def residual(self, length: float) -> float:
        """Return the largest residual of a fit with coefficients of that length."""
        return self.target + self.features * length


def covering_residual(leverage: ArrayLike, residual: ArrayLike) -> FloatArray:
    """Return the residual that, at ``leverage``, covers all pairs up to both numbers.

    Proved, see the top of this module: ``residual sqrt(1 + leverage)``.
    """
    m = np.asarray(leverage, dtype=np.float64)
    return np.asarray(np.asarray(residual, dtype=np.float64) * np.sqrt(1 + m))


def longest(people: int, bounds: RecordBounds, *, penalty: float) -> float:
    """Return the largest length of the coefficients over all tables.

    ``|y| max s/(s^2 + lambda) = sqrt(n) B_y / (2 sqrt(lambda))``, at a singular value
    ``s = sqrt(lambda)``; ``inf`` without a penalty.
    """
    if penalty <= 0:
        return math.inf
    return math.sqrt(people) * bounds.target / (2 * math.sqrt(penalty))


def for_all(
    *,
    gamma: ArrayLike,
    delta: float,
    floor: float,
    length: float,
    bounds: RecordBounds,
    proved: bool = False,
) -> FloatArray:
    """Return the most that any newcomer to one table loses. CONFIDENTIAL.

    Args:
        gamma: Shape ``(...)``, positive.
        delta: The delta of the losses.
        floor: Smallest eigenvalue of ``H`` of the table.
        length: Length of its coefficients.
        bounds: Public bounds of the records.
        proved: Whether to use the corner with a proof instead of the sharper one, which
            has been checked by trial up to a leverage of 1.

    Raises:
        ParameterError: The sharper corner is asked for beyond a leverage of 1.

    """
    m, e = bounds.leverage(floor), bounds.residual(length)
    if proved:
        e = float(covering_residual(m, e))
    elif m > 1:
        raise ParameterError(
            "beyond a leverage of 1 the sharper corner is not known to be the worst "
            "pair: raise lambda, or ask for the proved one."
        )
    return leverage_and_residual.epsilon_of(m, np.sqrt(np.asarray(gamma, dtype=float)) * e, delta)


def worst_case(
    *,
    gamma: ArrayLike,
    delta: float,
    penalty: float,
    people: int,
    bounds: RecordBounds,
    proved: bool = False,
) -> FloatArray:
    """Return the guarantee: the most that anybody loses in any table of that size.

    The number of people is public, and the larger one of two neighboring tables.
    Arguments and errors as ``for_all``.
    """
    return for_all(
        gamma=gamma,
        delta=delta,
        floor=penalty,
        length=longest(people, bounds, penalty=penalty),
        bounds=bounds,
        proved=proved,
    )


def gamma_for(
    *, epsilon: float, delta: float, leverage: ArrayLike, residual: ArrayLike
) -> FloatArray:
    """Return the largest ``gamma`` at which pairs stay within (epsilon, delta).

    Rounded down, to the private side; 0 where the narrower posterior alone, without any
    residual, is above delta already. Broadcasts. Residuals are positive, and not yet
    multiplied by ``sqrt(gamma)``.

    Raises:
        ParameterError: A parameter is outside its domain.

    """
    m, e = np.broadcast_arrays(
        np.asarray(leverage, dtype=np.float64), np.asarray(residual, dtype=np.float64)
    )
    if not (0 <= epsilon < math.inf and 0 < delta < 1):
        raise ParameterError(
            f"epsilon must be in [0, inf) and delta in (0, 1), got epsilon {epsilon} "
            f"and delta {delta}."
        )
    if not (np.all(m >= 0) and np.all(e > 0)):
        raise ParameterError("leverages must be at least 0 and residuals positive.")

    def within(minus_log: FloatArray) -> NDArray[np.bool_]:
        return np.asarray(leverage_and_residual.delta_of(m, np.exp(-minus_log), epsilon) <= delta)

    ends = np.full(m.shape, _FARTHEST)
    scaled = np.exp(-first_where(within, -ends, ends))
    possible = leverage_and_residual.delta_of(m, 0.0, epsilon) <= delta
    possible &= scaled > np.exp(-ends)
    return np.where(possible, (scaled / e) ** 2 * _PRIVATE_SIDE, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PosteriorRisk:
    """The mean squared error of sampled coefficients, by its three causes."""

    variance: float
    """``sigma^2 tr(H^-1 X'X H^-1)``: the noise of the targets."""
    privacy: float
    """``tr(H^-1)/gamma``: the sampling."""
    shrinkage: float
    """``lambda^2 |H^-1 theta|^2``: the penalty."""

    @property
    def total(self) -> float:
        """Return the sum of all three."""
        return self.variance + self.privacy + self.shrinkage


def risk(
    gram: ArrayLike, *, truth: ArrayLike, sigma: float, gamma: float, penalty: float
) -> PosteriorRisk:
    """Return ``E |sample - truth|^2`` for fixed features; exact at every size.

    Without a penalty the ratio to the Cramer-Rao bound is ``1 + 1/(gamma sigma^2)``
    (Wang 2019, proposition 16, statement 3).

    Args:
        gram: ``X'X``, shape ``(d, d)``.
        truth: The true coefficients, shape ``(d,)``.
        sigma: Standard deviation of the noise of the targets.
        gamma: Positive.
        penalty: ``lambda``, at least 0.

    Raises:
        ParameterError: ``X'X + lambda I`` is not positive definite.

    """
    values, vectors = np.linalg.eigh(np.asarray(gram, dtype=np.float64))
    values = np.maximum(values, 0.0)
    raised = values + penalty
    if not raised.min() > 0:
        raise ParameterError("the risk is infinite without a penalty: raise lambda above 0.")
    along = vectors.T @ np.asarray(truth, dtype=np.float64)
    return PosteriorRisk(
        variance=float(sigma**2 * np.sum(values / raised**2)),
        privacy=float(np.sum(1 / raised) / gamma),
        shrinkage=float(penalty**2 * np.sum((along / raised) ** 2)),
    )


def excess_quantile(columns: int, gamma: float, level: ArrayLike) -> FloatArray:
    """Return a quantile of the objective of a sample above its minimum.

    The objective is ``(|y - X c|^2 + lambda |c|^2)/2``; its excess is chi-square with
    ``columns`` degrees of freedom over ``2 gamma``, with mean ``columns/(2 gamma)``
    (proposition 16, statement 4).

    >>> round(float(excess_quantile(4, 3.0, 0.95)), 5)
    1.58129
    """
    upper = 1 - np.asarray(level, dtype=np.float64)
    return np.asarray(chdtri(columns, upper) / (2 * gamma))
