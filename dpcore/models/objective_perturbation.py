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

Given ``u`` the loss is normal, and one integral over ``u`` is left. With a single
coefficient, or a row along a principal axis, ``v`` follows from ``u``, and the
integrand has a kink wherever the loss is epsilon; close to that, it bends sharply. The
mean of the loss is a parabola in ``u``, so that these places are known: the integral is
split there, and each piece done by the double exponential rule (Takahasi and Mori
1974), whose nodes crowd at the ends, so that kinks and bends cost no digits.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.models import mills

NODES = 2001
"""Points of the integral, over all of its pieces."""

_REACH = 12.0
_PIECES = 4
_ENDS = 3.2  # where nodes of a piece are e^-38 of it from its ends
_PEOPLE = 200  # whose integrals are held at a time


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PerturbedPairs:
    """The two laws of each person, without and with their record. CONFIDENTIAL.

    Everything from the fit WITHOUT the person, each of shape ``(n,)``.
    """

    leverage: FloatArray = field(repr=False)
    """``x' H^-1 x``."""
    spread: FloatArray = field(repr=False)
    """``x' H^-2 x``."""
    square: FloatArray = field(repr=False)
    """``|x|^2``."""
    residual: FloatArray = field(repr=False)
    """``(y - x'theta)``."""
    sigma: float
    """Standard deviation of the perturbation."""
    nodes: int = NODES
    """Points of the integral."""

    def __post_init__(self) -> None:
        if not 0 < self.sigma < np.inf:
            raise ParameterError(f"sigma must be in (0, inf), got {self.sigma}.")
        parts = self.leverage, self.spread, self.square, self.residual
        shapes = {np.shape(part) for part in parts}
        if len(shapes) > 1 or len(shapes.pop()) != 1:
            raise ParameterError("all numbers of the people must have one shape (n,).")
        finite = all(np.isfinite(part).all() for part in parts)
        if not (finite and all(np.all(part >= 0) for part in parts[:3])):
            raise ParameterError("leverages, spreads and squares must be finite and at least 0.")

    def absence_delta(self, epsilon: ArrayLike) -> FloatArray:
        """Return ``sup P(S) - e^epsilon Q(S)``, P without and Q with the person."""
        return self._integrated(epsilon, present=False)

    def presence_delta(self, epsilon: ArrayLike) -> FloatArray:
        """Return ``sup Q(S) - e^epsilon P(S)``, P without and Q with the person."""
        return self._integrated(epsilon, present=True)

    def delta(self, epsilon: ArrayLike) -> FloatArray:
        """Return the larger of both directions: everybody's delta at ``epsilon``."""
        return np.maximum(self.absence_delta(epsilon), self.presence_delta(epsilon))

    def _integrated(self, epsilon: ArrayLike, *, present: bool) -> FloatArray:
        people = len(self.square)
        epsilon = np.broadcast_to(np.asarray(epsilon, dtype=np.float64), people)
        result = np.zeros(people)
        for first in range(0, people, _PEOPLE):
            part = slice(first, first + _PEOPLE)
            result[part] = self._block(part, epsilon[part], present=present)
        # Without leverage there is nothing to tell.
        return np.where(self.leverage > 0, np.clip(result, 0.0, 1.0), 0.0)

    def mixture(self, person: int, *, present: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the loss of one person as a mixture of normal ones.

        Means, standard deviations and weights, each of shape ``(NODES,)``, one for each
        node of ``u``: of ``log P/Q`` under P, or of ``log Q/P`` under Q if ``present``.
        """
        loss = self._loss(slice(person, person + 1), present=present)
        z = np.linspace(-_REACH, _REACH, self.nodes)
        mean, deviation = loss.at(z[np.newaxis])
        return mean[0], deviation[0], mills.density(z) * (z[1] - z[0])

    def _block(self, part: slice, epsilon: FloatArray, *, present: bool) -> FloatArray:
        loss = self._loss(part, present=present)
        z, weight = _pieced(loss.bends(epsilon), self.nodes // _PIECES)
        mean, deviation = loss.at(z)
        over = _expected(epsilon[:, np.newaxis], mean, deviation)
        return np.asarray((over * weight * mills.density(z)).sum(axis=1))

    def _loss(self, part: slice, *, present: bool) -> _Parabola:
        """Return the loss given ``u = e + sigma sqrt(s) z``, ``z`` standard normal."""
        columns = self.leverage, self.spread, self.square, self.residual
        m, s, q, e = (column[part, np.newaxis] for column in columns)
        share = np.where(m > 0, m, 1.0)
        s = np.where(m > 0, s, 1.0)
        sign, grown, variance = 1.0, np.log1p(m), self.sigma**2
        # q - m^2/s is at least 0 (Cauchy and Schwarz), and unchanged with the person.
        left = np.maximum(q - share * share / s, 0.0)
        if present:
            sign, e, share, s = -1.0, e / (1 + m), share / (1 + m), s / (1 + m) ** 2
        step = self.sigma * np.sqrt(s)
        # v given u has mean share/s step z, in either direction with the sign of u v.
        drift = share / s * step
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            found = _Parabola(
                start=e,
                step=step,
                constant=-sign * grown + q * e * e / (2 * variance),
                slope=(sign * drift + q * step) * e / variance,
                bend=(sign * drift + q * step / 2) * step / variance,
                spread=np.sqrt(left) / self.sigma,
            )
            most = np.abs(found.constant) + 144 * np.abs(found.bend)
            most += _REACH * np.abs(found.slope)
        if not np.isfinite(most).all():
            raise ParameterError("the noise is too small for these records: raise sigma.")
        return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Parabola:
    """Normal losses given ``z``, all of shape ``(people, 1)``.

    ``N(constant + slope z + bend z^2, (spread u)^2)`` for ``u = start + step z``.
    """

    start: FloatArray
    step: FloatArray
    constant: FloatArray
    slope: FloatArray
    bend: FloatArray
    spread: FloatArray

    def at(self, z: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return means and deviations at ``z``, each of shape ``(people, nodes)``."""
        mean = self.constant + (self.slope + self.bend * z) * z
        return mean, np.abs(self.start + self.step * z) * self.spread

    def bends(self, epsilon: FloatArray) -> FloatArray:
        """Return where the mean is epsilon, or else nearest to it, and ``u`` is 0."""
        middle = -self.slope / 2
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            square = middle**2 - self.bend * (self.constant - epsilon[:, np.newaxis])
            root = np.copysign(np.sqrt(np.maximum(square, 0.0)), middle)
            # The two roots without cancellation, where the parabola is nearly a line.
            far, near = middle + root, self.constant - epsilon[:, np.newaxis]
            places = np.hstack([far / self.bend, near / far, -self.start / self.step])
            apart = np.hstack([middle / self.bend] * 2)
            places[:, :2] = np.where(square > 0, places[:, :2], apart)
        return np.nan_to_num(places, nan=0.0)


def _pieced(bends: FloatArray, count: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes from -12 to 12 that crowd at ``bends``, and their weights."""
    people = len(bends)
    inner = np.clip(np.sort(bends, axis=1), -_REACH, _REACH)
    ends = np.full((people, 1), _REACH)
    edges = np.hstack([-ends, inner, ends])
    t = np.linspace(-_ENDS, _ENDS, count)
    place = expit(np.pi * np.sinh(t))
    rise = place * expit(-np.pi * np.sinh(t)) * np.pi * np.cosh(t) * (t[1] - t[0])
    width = np.diff(edges, axis=1)[..., np.newaxis]
    z = edges[:, :-1, np.newaxis] + width * place
    return z.reshape(people, -1), (width * rise).reshape(people, -1)


def _expected(epsilon: FloatArray, mean: FloatArray, deviation: FloatArray) -> FloatArray:
    """Return ``E (1 - e^(epsilon - L))_+`` of normal losses."""
    spread = np.maximum(deviation, 1e-12 * np.maximum(np.abs(mean), 1e-3))
    return mills.excess((epsilon - mean) / spread, spread)
