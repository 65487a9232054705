"""Two laws of a person the plain way, which the studio computes otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import ndtr

from dpcore.errors import ParameterError
from dpcore.models import leverage_and_residual as profile
from dpcore.models import objective_perturbation
from dpcore.models.influence import UNIQUE_FROM
from dpcore.models.model_mechanisms.posterior_samples import PosteriorLaws

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
_REACH = 9.0  # standard deviations; what lies beyond weighs less than 1e-18
_STEPS = 60
_LEAST = 1e-9


def sampled(theta, hessian, *, gamma: float, draws: int = 1, rng: np.random.Generator):
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
        raise ParameterError(
            "the matrix of the fit is not positive definite: raise lambda above 0."
        ) from None
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

    leverage: np.ndarray = field(repr=False)
    residual: np.ndarray = field(repr=False)

    @classmethod
    def of_members(cls, *, leverage, residual, gamma: float):
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
        if np.any((h < 0) | (h > 1 / UNIQUE_FROM)):
            raise ParameterError("the leverage of a person in the table must be in [0, 1].")
        unique = h >= UNIQUE_FROM
        rest = np.where(unique, 1.0, 1 - h)
        r = np.abs(np.asarray(residual, dtype=np.float64))
        return cls(
            leverage=np.where(unique, np.inf, h / rest),
            residual=np.where(unique, np.inf, np.sqrt(gamma) * r / rest),
        )

    @classmethod
    def of_newcomers(cls, *, leverage, residual, gamma: float):
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
            np.asarray(leverage, dtype=np.float64), np.asarray(residual, dtype=np.float64)
        )
        if np.any(m < 0):
            raise ParameterError("the leverage of a newcomer must be at least 0.")
        return cls(leverage=m, residual=np.sqrt(gamma) * np.abs(e))

    @property
    def ceiling(self):
        """Return the most that any sample can speak for each person's presence."""
        return profile.ceiling(self.leverage, self.residual)

    @property
    def gaussian(self):
        """Return ``mu`` of the Gaussian mechanism that each pair resembles.

        ``residual sqrt(leverage)`` (Wang 2019, remark 15). Close for small leverage and
        a residual well above it; far too small for a residual near 0, because a person
        also narrows the posterior.
        """
        return np.asarray(self.residual * np.sqrt(self.leverage))

    def delta(self, epsilon):
        """Return the smallest delta of each person at ``epsilon``."""
        return profile.delta_of(self.leverage, self.residual, epsilon)

    def epsilon(self, delta: float):
        """Return the smallest epsilon of each person at ``delta``."""
        return profile.epsilon_of(self.leverage, self.residual, delta)

    def realized(self, residual):
        """Return the loss ``|K - residual^2/2|`` once a sample is known.

        ``residual`` is ``sqrt(gamma) (y - x' sample)``.
        """
        u = np.asarray(residual, dtype=np.float64)
        return np.abs(self.ceiling - u * u / 2)


def area(leverage: float, residual: float):
    """Return the area under the ROC: the chance of telling two samples apart.

    The chance that ``|u|`` is smaller with the person than, independently, without.

    Raises:
        ParameterError: A number is not in [0, inf).

    """
    PosteriorLaws(leverage=leverage, residual=residual)
    if leverage == 0:
        return 0.5
    center = residual / (1 + leverage)
    deviation = np.sqrt(leverage / (1 + leverage))
    low, high = center - _REACH * deviation, center + _REACH * deviation
    total = 0.0
    for start, stop in ((low, max(min(0.0, high), low)), (max(low, 0.0), high)):
        u = (start + stop) / 2 + (stop - start) / 2 * _NODES
        weight = np.exp(-(((u - center) / deviation) ** 2) / 2) / deviation
        beyond = ndtr((-np.abs(u) - residual) / np.sqrt(leverage))
        beyond += ndtr((residual - np.abs(u)) / np.sqrt(leverage))
        total += float((weight * beyond) @ _WEIGHTS) * (stop - start) / 2
    return total / float(np.sqrt(2 * np.pi))


def _check_gamma(gamma: float):
    if not 0 < gamma < np.inf:
        raise ParameterError(f"gamma must be in (0, inf), got {gamma}.")


def perturbed(theta, hessian, *, sigma: float, draws: int = 1, rng: np.random.Generator):
    """Return simulated releases ``theta - H^-1 b``, shape ``(draws, d)``.

    Raises:
        ParameterError: ``sigma`` is not positive.

    """
    theta = np.asarray(theta, dtype=np.float64)
    _check_sigma(sigma)
    noise = sigma * rng.standard_normal((theta.size, draws))
    hessian = np.asarray(hessian, dtype=np.float64)
    return np.asarray(theta - np.linalg.solve(hessian, noise).T)


class PerturbedPairs(objective_perturbation.PerturbedPairs):
    """The two laws of people under a perturbed ridge objective."""

    __slots__ = ()

    @classmethod
    def of_members(cls, *, leverage, spread, square, residual, sigma: float):
        """Return the pairs of people in the table, from the fit with everybody.

        ``H_-i^-1 x = H^-1 x/(1 - h)``, so that leverage and residual are divided by ``1
        - h`` and the spread by its square.

        Raises:
            ParameterError: A leverage is not in [0, 1): the fit rests on that person's
                record alone.

        """
        h = np.asarray(leverage, dtype=np.float64)
        if not np.all((h >= 0) & (h < 1)):
            raise ParameterError(
                "the leverage of a person in the table must be in [0, 1); where it is "
                "1, raise lambda above 0."
            )
        rest = 1 - h
        return cls(
            leverage=h / rest,
            spread=np.asarray(spread, dtype=np.float64) / rest**2,
            square=np.asarray(square, dtype=np.float64),
            residual=np.asarray(residual, dtype=np.float64) / rest,
            sigma=sigma,
        )

    def epsilon(self, delta: float):
        """Return everybody's smallest epsilon with ``self.delta(epsilon) <= delta``.

        Found by bisection to a relative 1e-9, rounded up.

        Raises:
            ParameterError: ``delta`` is not in (0, 1).

        """
        if not 0 < delta < 1:
            raise ParameterError(f"delta must be in (0, 1), got {delta}.")
        high = np.ones(len(self.square))
        while (short := self.delta(high) > delta).any():
            high = np.where(short, 2 * high, high)
        low = np.zeros(high.shape)
        free = self.delta(low) <= delta
        for _ in range(_STEPS):
            middle = (low + high) / 2
            above = self.delta(middle) > delta
            low, high = np.where(above, middle, low), np.where(above, high, middle)
            if np.all(high - low <= _LEAST * high):
                break
        return np.where(free, 0.0, high)


def _check_sigma(sigma):
    if not 0 < sigma < np.inf:
        raise ParameterError(f"sigma must be in (0, inf), got {sigma}.")
