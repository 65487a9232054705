"""Two laws of a person the plain way, which the studio computes otherwise."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from dpcore.models import leverage_and_residual as profile
from dpcore.models import objective_perturbation

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
_REACH = 9.0  # standard deviations; what lies beyond weighs less than 1e-18


def sampled(theta, hessian, *, gamma, draws, rng):
    """Return releases ``theta + L'^-1 g / sqrt(gamma)`` with ``H = L L'``, shape (draws, d)."""
    noise = rng.standard_normal((len(theta), draws))
    return theta + np.linalg.solve(np.linalg.cholesky(hessian).T, noise).T / np.sqrt(gamma)


def perturbed(theta, hessian, *, sigma, draws, rng):
    """Return releases ``theta - H^-1 b``, shape (draws, d)."""
    return theta - np.linalg.solve(hessian, sigma * rng.standard_normal((len(theta), draws))).T


@dataclass(frozen=True, kw_only=True)
class PosteriorPairs:
    """The two laws of each person, without and with their record.

    ``leverage`` is ``x' H^-1 x`` and ``residual`` ``sqrt(gamma) |y - x' theta|``, both of the
    fit WITHOUT the person.
    """

    leverage: np.ndarray
    residual: np.ndarray

    @classmethod
    def of_members(cls, *, leverage, residual, gamma):
        """Return the pairs of people in the table, from the fit with everybody."""
        rest = 1 - np.asarray(leverage)
        return cls(leverage=leverage / rest, residual=np.sqrt(gamma) * np.abs(residual) / rest)

    @classmethod
    def of_newcomers(cls, *, leverage, residual, gamma):
        """Return the pairs of people who are not in the table, from the fit to it."""
        m, e = np.broadcast_arrays(leverage, residual)
        return cls(leverage=m, residual=np.sqrt(gamma) * np.abs(e))

    @property
    def ceiling(self):
        """The most that any sample can speak for each person's presence."""
        return profile.ceiling(self.leverage, self.residual)

    @property
    def gaussian(self):
        """The ``mu`` of the Gaussian mechanism that each pair resembles (Wang 2019, remark 15)."""
        return self.residual * np.sqrt(self.leverage)

    def delta(self, epsilon):
        return profile.delta_of(self.leverage, self.residual, epsilon)

    def epsilon(self, delta):
        return profile.epsilon_of(self.leverage, self.residual, delta)

    def realized(self, residual):
        """Return the loss once a sample is known: of ``sqrt(gamma) (y - x' sample)``."""
        return np.abs(self.ceiling - np.square(residual) / 2)


def area(leverage, residual):
    """Return the area under the ROC: the chance of telling two samples apart.

    The chance that ``|u|`` is smaller with the person than, independently, without.
    """
    if leverage == 0:
        return 0.5
    center, deviation = residual / (1 + leverage), np.sqrt(leverage / (1 + leverage))
    low, high = center - _REACH * deviation, center + _REACH * deviation
    total = 0.0
    for start, stop in ((low, max(min(0.0, high), low)), (max(low, 0.0), high)):
        u = (start + stop) / 2 + (stop - start) / 2 * _NODES
        weight = np.exp(-(((u - center) / deviation) ** 2) / 2) / deviation
        beyond = ndtr((-np.abs(u) - residual) / np.sqrt(leverage))
        beyond += ndtr((residual - np.abs(u)) / np.sqrt(leverage))
        total += float((weight * beyond) @ _WEIGHTS) * (stop - start) / 2
    return total / float(np.sqrt(2 * np.pi))


class PerturbedPairs(objective_perturbation.PerturbedPairs):
    """The two laws of people under a perturbed ridge objective."""

    @classmethod
    def of_members(cls, *, leverage, spread, square, residual, sigma):
        """Return the pairs of people in the table, from the fit with everybody.

        ``H_-i^-1 x = H^-1 x/(1 - h)``.
        """
        rest = 1 - np.asarray(leverage)
        return cls(
            leverage=leverage / rest,
            spread=spread / rest**2,
            square=square,
            residual=residual / rest,
            sigma=sigma,
        )

    def epsilon(self, delta):
        """Return everybody's smallest epsilon, rounded up, by bisection to a relative 1e-9."""
        high = np.ones(len(self.square))
        while (short := self.delta(high) > delta).any():
            high = np.where(short, 2 * high, high)
        low = np.zeros(high.shape)
        free = self.delta(low) <= delta
        while np.any(high - low > 1e-9 * high):
            middle = (low + high) / 2
            above = self.delta(middle) > delta
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return np.where(free, 0.0, high)
