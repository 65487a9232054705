"""What a person is to a fit: all that the loss from its release depends on.

With ``h = x' H^-1 x`` the leverage and ``r = y - x' theta`` the residual of a person in
a linear fit, the fit without the person has, for the person's row, the leverage ``h/(1
- h)``, the residual ``e = r/(1 - h)`` and the direction ``H_-^-1 x = H^-1 x/(1 - h)``,
and the coefficients move by ``H_-^-1 x r`` (the Sherman-Morrison formula).

Every law of a release takes its losses from these numbers, and nothing else does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.errors import DataError, ParameterError
from dpcore.models.loss_functions import Loss
from dpcore.models.metrics import ISOTROPIC, Metric
from dpcore.models.penalty import Penalty
from dpcore.models.ridge import RidgeFit

UNIQUE_FROM: Final = 1 - 1e-10
"""Leverage from which a person alone determines a coefficient."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Influence:
    """What each of some people is to a fit, arrays of shape ``(m,)``. CONFIDENTIAL."""

    leverage: FloatArray = field(repr=False)
    """``h``, with the person, in [0, 1]."""
    residual: FloatArray = field(repr=False)
    """``e``, what the fit without the person misses; NaN where there is none."""
    move: FloatArray = field(repr=False)
    """Length of the move of the coefficients when the unit leaves, in the norm of the
    noise; infinite where there is no fit without it.
    """
    square: FloatArray = field(repr=False)
    """``|x|^2``."""
    spread: FloatArray = field(repr=False)
    """``x' H_-^-2 x``; NaN where the law does not need it."""
    rows: int = 1
    """How many rows like this one the unit owns, all of which leave."""
    strength: float = 0.0
    """``lambda``, which every coefficient is penalized by; or 0."""
    error: float = field(default=0.0, repr=False)
    """Largest relative error of approximate moves that an audit found; 0 where they are
    exact.
    """

    @classmethod
    def of_members(
        cls, *, leverage: FloatArray, residual: FloatArray, length: FloatArray, square: FloatArray
    ) -> Self:
        """Return the influence of people in a table, from the fit with everybody.

        ``residual`` is ``r``, and ``length`` is ``x' H^-1 A H^-1 x`` in a public norm.
        """
        alone = leverage >= UNIQUE_FROM
        rest = np.where(alone, 1.0, 1 - leverage)
        spread = length / rest**2
        return cls(
            leverage=leverage,
            residual=np.where(alone, np.nan, residual / rest),
            move=np.where(alone, np.inf, np.abs(residual) * np.sqrt(spread)),
            square=square,
            spread=spread,
        )

    @classmethod
    def of_moves(cls, moves: FloatArray) -> Self:
        """Return people of whom moves alone are known: enough for public noise."""
        rest = np.broadcast_to(np.nan, moves.shape)
        return cls(leverage=rest, residual=rest, move=moves, square=rest, spread=rest)

    def of(self, people: NDArray[np.intp]) -> Self:
        """Return that of some of the people."""
        return replace(
            self,
            leverage=self.leverage[people],
            residual=self.residual[people],
            move=self.move[people],
            square=self.square[people],
            spread=self.spread[people],
        )

    def owned(self, rows: int, *, strength: float, largest: float) -> Self:
        """Return that of units that own ``rows`` rows like each person's own.

        A table may hold fewer of them. Then it is kept within what so many rows can do
        at all: the Hessian without them is no less than the penalty. Leverages are then
        at most ``k |x|^2/(lambda + k |x|^2)``, moves ``k |x r| sqrt(a)/lambda``.

        Args:
            rows: ``k``, at least 1.
            strength: ``lambda``, or 0.
            largest: ``a``, the largest eigenvalue of a public norm; infinite for other
                norms, which the rows change: the move stays that of one row.

        """
        if rows == 1:
            return self
        units = replace(self, rows=rows, strength=strength)
        if math.isinf(largest):
            return units
        gone = np.minimum(rows * self.leverage, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            move = self.move * rows * units.kept / (1 - gone)
        move = np.where(gone < 1, move, np.inf)
        if strength > 0:
            reach = rows * np.sqrt(self.square) * np.abs(self.residual) * units.kept
            move = np.minimum(move, reach / strength * math.sqrt(largest))
        return replace(units, move=move)

    @property
    def kept(self) -> FloatArray:
        """Return ``1 - h``, which a penalty bounds from below, whatever is rounded."""
        if self.strength == 0:
            return np.asarray(1 - self.leverage)
        least = self.strength / (self.strength + self.square)
        return np.maximum(1 - self.leverage, least)

    @property
    def together(self) -> FloatArray:
        """Return the leverage of all rows of the unit, in [0, 1]."""
        if self.rows == 1:
            return self.leverage
        whole = np.minimum(self.rows * self.leverage, 1.0)
        if self.strength == 0:
            return whole
        own = self.rows * self.square
        return np.minimum(whole, own / (self.strength + own))

    @property
    def alone(self) -> NDArray[np.bool_]:
        """Return which units alone determine a coefficient."""
        return np.asarray(self.together >= UNIQUE_FROM)

    @property
    def outside(self) -> FloatArray:
        """Return the leverage of the unit in the fit without it; may be infinite."""
        h, alone = self.together, self.alone
        return np.where(alone, np.inf, h / np.where(alone, 1.0, 1 - h))

    @property
    def missed(self) -> FloatArray:
        """Return what the fit without the unit misses: root of the sum of squares."""
        return np.asarray(np.abs(self.residual) * math.sqrt(self.rows) * self._grown)

    @property
    def spreads(self) -> FloatArray:
        """Return ``spread`` of the unit."""
        return np.asarray(self.spread * self.rows * self._grown**2)

    @property
    def _grown(self) -> FloatArray | float:
        """Return how much more a residual grows without the unit than without a row."""
        if self.rows == 1:
            return 1.0
        return self.kept / np.where(self.alone, 1.0, 1 - self.together)


def without(leverage: FloatArray, residual: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return leverages ``h/(1 - h)`` and residuals ``|r|/(1 - h)`` without each person.

    Infinite for people whom the fit rests on alone.
    """
    alone = leverage >= UNIQUE_FROM
    rest = np.where(alone, 1.0, 1 - leverage)
    return (
        np.where(alone, np.inf, leverage / rest),
        np.where(alone, np.inf, np.abs(residual) / rest),
    )


def given_away() -> DataError:
    """Return the error for a person without whom there is no fit to compare with."""
    message = "the model depends on this record alone and reveals it."
    return DataError(message)


# How far anybody can move the coefficients: of this fit, and of any.
#
# Rows are at most 1 long and targets lie within -1 and 1. With ``H >= lambda I``, no row
# moves coefficients by more than ``c(lambda)`` times the residual (attained)::
#
#     |H^-1 x| / (1 + x^T H^-1 x) <= c(lambda) = 1 / (2 sqrt(lambda))   if lambda <= 1
#                                                1 / (1 + lambda)       if lambda >= 1
#
# because ``w = H^-1 x`` has ``x^T w >= lambda |w|^2`` and ``|w| <= |x| / lambda``.

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
