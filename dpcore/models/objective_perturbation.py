"""Objective perturbation of a ridge regression: its privacy loss, almost exactly.

The release minimizes ``|y - X c|^2/2 + lambda |c|^2/2 + b'c`` with normal ``b`` of
standard deviation ``sigma`` (Wang 2019, equation 5), so that its law is ``N(theta,
sigma^2 H^-2)``: the covariance depends on the table, and the loss is NOT that of the
Gaussian mechanism with a fixed covariance, which may understate it several times.

One person ``(x, y)`` enters through ``u = y - x'release`` and ``v = x'b``. With
``m = x'H^-1 x``, ``s = x'H^-2 x`` and ``e = y - x'theta`` from the fit WITHOUT the
person, and ``q = |x|^2``::

    without the person   log P/Q = -log(1+m) + (2 u v + q u^2)/(2 sigma^2)
                         u ~ N(e, sigma^2 s),
                         v given u ~ N(m/s (u - e), sigma^2 (q - m^2/s))
    with the person      log Q/P = log(1+m) - (2 u v - q u^2)/(2 sigma^2), where e, m
                         and s are divided by 1+m, 1+m and (1+m)^2

Given ``u`` the loss is normal, and one integral over ``u`` is left. It is done by the
trapezoid rule, which converges faster than any power of the step here. With a single
coefficient ``v`` follows from ``u``, the integrand has kinks, and the last digits (a
relative 1e-3 of delta) are lost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np

from dpcore.errors import ParameterError
from dpcore.models import mills

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from dpcore.data.bounds import FloatArray

NODES = 2001
"""Points of the integral; 501 of them leave an error of about 1e-7."""

_REACH = 12.0
_STEPS = 60
_PEOPLE = 200  # whose integrals are held at a time
_LEAST = 1e-9


def simulate(
    theta: ArrayLike,
    hessian: ArrayLike,
    *,
    sigma: float,
    draws: int = 1,
    rng: np.random.Generator,
) -> FloatArray:
    """Return simulated releases ``theta - H^-1 b``, shape ``(draws, d)``.

    Raises:
        ParameterError: ``sigma`` is not positive.

    """
    theta = np.asarray(theta, dtype=np.float64)
    _check_sigma(sigma)
    noise = sigma * rng.standard_normal((theta.size, draws))
    hessian = np.asarray(hessian, dtype=np.float64)
    return np.asarray(theta - np.linalg.solve(hessian, noise).T)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PerturbedPairs:
    """The two laws of each person, without and with their record. CONFIDENTIAL.

    Everything from the fit WITHOUT the person, each of shape ``(n,)``.

    Attributes:
        leverage: ``x' H^-1 x``.
        spread: ``x' H^-2 x``.
        square: ``|x|^2``.
        residual: ``(y - x'theta)``.
        sigma: Standard deviation of the perturbation.
        nodes: Points of the integral.

    """

    leverage: FloatArray = field(repr=False)
    spread: FloatArray = field(repr=False)
    square: FloatArray = field(repr=False)
    residual: FloatArray = field(repr=False)
    sigma: float
    nodes: int = NODES

    def __post_init__(self) -> None:
        _check_sigma(self.sigma)
        parts = self.leverage, self.spread, self.square, self.residual
        shapes = {np.shape(part) for part in parts}
        if len(shapes) > 1 or len(shapes.pop()) != 1:
            message = "all numbers of the people must have one shape (n,)."
            raise ParameterError(message)
        finite = all(np.isfinite(part).all() for part in parts)
        if not (finite and all(np.all(part >= 0) for part in parts[:3])):
            message = "leverages, spreads and squares must be finite and at least 0."
            raise ParameterError(message)

    @classmethod
    def of_members(
        cls,
        *,
        leverage: ArrayLike,
        spread: ArrayLike,
        square: ArrayLike,
        residual: ArrayLike,
        sigma: float,
    ) -> Self:
        """Return the pairs of people in the table, from the fit with everybody.

        ``H_-i^-1 x = H^-1 x/(1 - h)``, so that leverage and residual are divided by ``1
        - h`` and the spread by its square.

        Raises:
            ParameterError: A leverage is not in [0, 1): the fit rests on that person's
                record alone.

        """
        h = np.asarray(leverage, dtype=np.float64)
        if not np.all((h >= 0) & (h < 1)):
            message = (
                "the leverage of a person in the table must be in [0, 1); where it is "
                "1, raise lambda above 0."
            )
            raise ParameterError(message)
        rest = 1 - h
        return cls(
            leverage=h / rest,
            spread=np.asarray(spread, dtype=np.float64) / rest**2,
            square=np.asarray(square, dtype=np.float64),
            residual=np.asarray(residual, dtype=np.float64) / rest,
            sigma=sigma,
        )

    def absence_delta(self, epsilon: ArrayLike) -> FloatArray:
        """Return ``sup P(S) - e^epsilon Q(S)``, P without and Q with the person."""
        return self._integrated(epsilon, present=False)

    def presence_delta(self, epsilon: ArrayLike) -> FloatArray:
        """Return ``sup Q(S) - e^epsilon P(S)``, P without and Q with the person."""
        return self._integrated(epsilon, present=True)

    def delta(self, epsilon: ArrayLike) -> FloatArray:
        """Return the larger of both directions: everybody's delta at ``epsilon``."""
        return np.maximum(self.absence_delta(epsilon), self.presence_delta(epsilon))

    def epsilon(self, delta: float) -> FloatArray:
        """Return everybody's smallest epsilon with ``self.delta(epsilon) <= delta``.

        Found by bisection to a relative 1e-9, rounded up.

        Raises:
            ParameterError: ``delta`` is not in (0, 1).

        """
        if not 0 < delta < 1:
            message = f"delta must be in (0, 1), got {delta}."
            raise ParameterError(message)
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

    def _integrated(self, epsilon: ArrayLike, *, present: bool) -> FloatArray:
        people = len(self.square)
        epsilon = np.broadcast_to(np.asarray(epsilon, dtype=np.float64), people)
        result = np.zeros(people)
        for part in self._parts():
            result[part] = self._block(part, epsilon[part], present=present)
        # Without leverage there is nothing to tell.
        return np.where(self.leverage > 0, np.clip(result, 0.0, 1.0), 0.0)

    def _parts(self) -> Iterator[slice]:
        for first in range(0, len(self.square), _PEOPLE):
            yield slice(first, first + _PEOPLE)

    def mixture(
        self, person: int, *, present: bool
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the loss of one person as a mixture of normal ones.

        Means, standard deviations and weights, each of shape ``(NODES,)``, one for each
        node of ``u``: of ``log P/Q`` under P, or of ``log Q/P`` under Q if ``present``.
        """
        part = slice(person, person + 1)
        mean, deviation, weight = self._given_residual(part, present=present)
        return mean[0], deviation[0], weight

    def _block(self, part: slice, epsilon: FloatArray, *, present: bool) -> FloatArray:
        mean, deviation, weight = self._given_residual(part, present=present)
        return np.asarray(_expected(epsilon[:, np.newaxis], mean, deviation) @ weight)

    def _given_residual(
        self, part: slice, *, present: bool
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return means and deviations of the loss given ``u``, and weights of ``u``."""
        columns = self.leverage, self.spread, self.square, self.residual
        m, s, q, e = (column[part, np.newaxis] for column in columns)
        share = np.where(m > 0, m, 1.0)
        s = np.where(m > 0, s, 1.0)
        sign, grown, variance = 1.0, np.log1p(m), self.sigma**2
        # q - m^2/s is at least 0 (Cauchy and Schwarz), and unchanged with the person.
        left = np.maximum(q - share * share / s, 0.0)
        if present:
            sign, e, share, s = -1.0, e / (1 + m), share / (1 + m), s / (1 + m) ** 2
        z = np.linspace(-_REACH, _REACH, self.nodes)
        moved = self.sigma * np.sqrt(s) * z
        u = e + moved
        # v given u has mean share/s moved, in either direction with the sign of u v.
        drift = u * (share / s * moved)
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            mean = -sign * grown + (2 * sign * drift + q * u * u) / (2 * variance)
        if not np.isfinite(mean).all():
            message = "the noise is too small for these records: raise sigma."
            raise ParameterError(message)
        deviation = np.abs(u) * np.sqrt(left) / self.sigma
        weight = mills.density(z) * (z[1] - z[0])
        return mean, deviation, weight


def _expected(
    epsilon: FloatArray, mean: FloatArray, deviation: FloatArray
) -> FloatArray:
    """Return ``E (1 - e^(epsilon - L))_+`` of normal losses."""
    spread = np.maximum(deviation, 1e-12 * np.maximum(np.abs(mean), 1e-3))
    return mills.excess((epsilon - mean) / spread, spread)


def _check_sigma(sigma: float) -> None:
    if not 0 < sigma < np.inf:
        message = f"sigma must be in (0, inf), got {sigma}."
        raise ParameterError(message)
