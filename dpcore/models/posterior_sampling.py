"""Releasing one sample of the posterior of a ridge regression (OPS).

The release is one draw with density proportional to ``exp(-gamma/2 (|y - X c|^2 +
lambda |c|^2))``, the law ``N(theta, (gamma H)^-1)`` with ``H = X'X + lambda I`` (Wang
2019, equation 6). ``gamma`` is a public number: the larger, the more precise and
the more revealing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import ndtr, ndtri

from dpcore.errors import ParameterError
from dpcore.models import posterior_profile as profile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray

UNIQUE = 1e-10
"""From which ``1 - leverage`` on a person's own record is all that the fit rests on."""

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
_REACH = 9.0  # standard deviations; what lies beyond weighs less than 1e-18


def simulate(
    theta: ArrayLike,
    hessian: ArrayLike,
    *,
    gamma: float,
    draws: int = 1,
    rng: np.random.Generator,
) -> FloatArray:
    """Return simulated releases, shape ``(draws, d)``.

    ``theta + L'^-1 g / sqrt(gamma)`` with ``hessian = L L'`` and standard normal ``g``.

    Args:
        theta: Shape ``(d,)``: the fitted coefficients.
        hessian: Shape ``(d, d)``: ``H``, positive definite.
        gamma: In (0, inf).
        draws: Number of simulated releases.
        rng: Source of the simulation.

    Raises:
        ParameterError: ``gamma`` is not in (0, inf), or ``hessian`` not positive
            definite.

    """
    theta = np.asarray(theta, dtype=np.float64)
    _check_gamma(gamma)
    try:
        lower = np.linalg.cholesky(np.asarray(hessian, dtype=np.float64))
    except np.linalg.LinAlgError:
        message = (
            "the matrix of the fit is not positive definite: raise lambda above 0."
        )
        raise ParameterError(message) from None
    noise = rng.standard_normal((theta.size, draws))
    moved = solve_triangular(lower, noise, lower=True, trans="T")
    return np.asarray(theta + moved.T / np.sqrt(gamma))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PosteriorPairs:
    """The two laws of each person, without and with their record. CONFIDENTIAL.

    Attributes:
        leverage: ``x' H^-1 x`` with ``H`` WITHOUT the person, shape ``(n,)``.
        residual: ``sqrt(gamma) |y - x' theta|``, ``theta`` WITHOUT the person.

    """

    leverage: FloatArray = field(repr=False)
    residual: FloatArray = field(repr=False)

    @classmethod
    def of_members(
        cls, *, leverage: ArrayLike, residual: ArrayLike, gamma: float
    ) -> Self:
        """Return the pairs of people in the table, from the fit with everybody.

        Args:
            leverage: ``h = x' H^-1 x`` in [0, 1]; from ``1 - UNIQUE`` on, a person
                counts as given away.
            residual: ``y - x' theta``.
            gamma: In (0, inf).

        Raises:
            ParameterError: A leverage is not in [0, 1], or ``gamma`` not in (0, inf).

        """
        _check_gamma(gamma)
        h = np.asarray(leverage, dtype=np.float64)
        if np.any((h < 0) | (h > 1 + UNIQUE)):
            message = "the leverage of a person in the table must be in [0, 1]."
            raise ParameterError(message)
        unique = h >= 1 - UNIQUE
        rest = np.where(unique, 1.0, 1 - h)
        r = np.abs(np.asarray(residual, dtype=np.float64))
        return cls(
            leverage=np.where(unique, np.inf, h / rest),
            residual=np.where(unique, np.inf, np.sqrt(gamma) * r / rest),
        )

    @classmethod
    def of_newcomers(
        cls, *, leverage: ArrayLike, residual: ArrayLike, gamma: float
    ) -> Self:
        """Return the pairs of people who are not in the table, from the fit to it.

        Args:
            leverage: ``x' H^-1 x``, at least 0.
            residual: ``y - x' theta``.
            gamma: In (0, inf).

        Raises:
            ParameterError: A leverage is negative, or ``gamma`` not in (0, inf).

        """
        _check_gamma(gamma)
        m, e = np.broadcast_arrays(
            np.asarray(leverage, dtype=np.float64),
            np.asarray(residual, dtype=np.float64),
        )
        if np.any(m < 0):
            message = "the leverage of a newcomer must be at least 0."
            raise ParameterError(message)
        return cls(leverage=m, residual=np.sqrt(gamma) * np.abs(e))

    @property
    def ceiling(self) -> FloatArray:
        """Return the most that any sample can speak for each person's presence."""
        return profile.ceiling(self.leverage, self.residual)

    @property
    def gaussian(self) -> FloatArray:
        """Return ``mu`` of the Gaussian mechanism that each pair resembles.

        ``residual sqrt(leverage)`` (Wang 2019, remark 15). Close for small leverage and
        a residual well above it; far too small for a residual near 0, because a person
        also narrows the posterior.
        """
        return np.asarray(self.residual * np.sqrt(self.leverage))

    def delta(self, epsilon: ArrayLike) -> FloatArray:
        """Return the smallest delta of each person at ``epsilon``."""
        return profile.delta_of(self.leverage, self.residual, epsilon)

    def epsilon(self, delta: float) -> FloatArray:
        """Return the smallest epsilon of each person at ``delta``."""
        return profile.epsilon_of(self.leverage, self.residual, delta)

    def realized(self, residual: ArrayLike) -> FloatArray:
        """Return the loss ``|K - residual^2/2|`` once a sample is known.

        ``residual`` is ``sqrt(gamma) (y - x' sample)``.
        """
        u = np.asarray(residual, dtype=np.float64)
        return np.abs(self.ceiling - u * u / 2)


def roc(
    leverage: float, residual: float, *, points: int = 401
) -> tuple[FloatArray, FloatArray]:
    """Return chances of a false alarm, ascending, and of detecting the person.

    The best test says "present" if ``|u| < c`` (Neyman and Pearson): its chances are
    ``P(|u| < c)`` without and ``Q(|u| < c)`` with the person, for ``c`` from 0 to inf.

    Raises:
        ParameterError: A number is not in [0, inf).

    """
    _check_pair(leverage, residual)
    if leverage == 0:
        alarm = np.linspace(0, 1, points)
        return alarm, alarm
    center, deviation = _with(leverage, residual)
    step = ndtri(np.linspace(0, 1, points // 2 + 1)[1:-1])
    cuts = np.concatenate(
        [residual + np.sqrt(leverage) * step, center + deviation * step]
    )
    c = np.concatenate([[0.0], np.sort(np.abs(cuts)), [np.inf]])
    curve = (
        _within(c, residual, np.sqrt(leverage)),
        _within(c, center, deviation),
    )
    alarm, detection = map(np.maximum.accumulate, curve)
    return alarm, detection


def area(leverage: float, residual: float) -> float:
    """Return the area under the ROC: the chance of telling two samples apart.

    The chance that ``|u|`` is smaller with the person than, independently, without.

    Raises:
        ParameterError: A number is not in [0, inf).

    """
    _check_pair(leverage, residual)
    if leverage == 0:
        return 0.5
    center, deviation = _with(leverage, residual)
    low, high = center - _REACH * deviation, center + _REACH * deviation
    total = 0.0
    for start, stop in ((low, max(min(0.0, high), low)), (max(low, 0.0), high)):
        u = (start + stop) / 2 + (stop - start) / 2 * _NODES
        weight = np.exp(-(((u - center) / deviation) ** 2) / 2) / deviation
        beyond = 1 - _within(np.abs(u), residual, np.sqrt(leverage))
        total += float((weight * beyond) @ _WEIGHTS) * (stop - start) / 2
    return total / float(np.sqrt(2 * np.pi))


def _with(leverage: float, residual: float) -> tuple[float, float]:
    """Return mean and standard deviation of ``u`` with the person."""
    rest = 1 + leverage
    return residual / rest, float(np.sqrt(leverage / rest))


def _within(c: FloatArray, center: float, deviation: float) -> FloatArray:
    """Return the chance that ``|u| < c``."""
    return np.asarray(ndtr((c - center) / deviation) - ndtr((-c - center) / deviation))


def _check_pair(leverage: float, residual: float) -> None:
    if not (0 <= leverage < np.inf and 0 <= residual < np.inf):
        message = "leverage and residual must be in [0, inf)."
        raise ParameterError(message)


def _check_gamma(gamma: float) -> None:
    if not 0 < gamma < np.inf:
        message = f"gamma must be in (0, inf), got {gamma}."
        raise ParameterError(message)
