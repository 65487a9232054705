"""The law of a sum of k independent Laplace variables: a difference of two Gammas.

Its density is ``e^-x`` times a polynomial in ``x = |value|`` with positive
coefficients, and so is its survival function (a mixture of Erlang tails). Both
polynomials are evaluated divided by ``(1 + x)^{k-1}``, in ``x/(1 + x)`` and ``1/(1 +
x)``: nothing overflows, and nothing cancels.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import factorial

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError

MOST_DRAWS = 100
_NO_PROBABILITY = 760.0
_PER_DRAW = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceSum:
    """The sum of ``draws`` standard Laplace variables, a ``symmetric.StandardNoise``.

    Attributes:
        draws: Their number ``k``.

    Raises:
        ParameterError: ``draws`` is not a whole number from 1 to ``MOST_DRAWS``.

    """

    draws: int

    def __post_init__(self) -> None:
        if self.draws != int(self.draws) or not 1 <= self.draws <= MOST_DRAWS:
            raise ParameterError(
                f"the number of draws must be a whole number from 1 to {MOST_DRAWS}, "
                f"got {self.draws}."
            )

    @property
    def farthest(self) -> float:
        """Return a point beyond which the noise has no probability in floats."""
        return _NO_PROBABILITY + _PER_DRAW * self.draws

    def density(self, x: FloatArray) -> FloatArray:
        """Return ``e^-x sum_j a_j x^(k-1-j)``.

        ``a_j = (k-1+j)! / ((k-1-j)! j! 2^(k+j) (k-1)!)``: a Bessel function of the
        second kind of half-integer order.
        """
        return np.asarray(np.exp(self._log_polynomial(_density(self.draws), x) - x))

    def survival(self, x: FloatArray) -> FloatArray:
        """Return the probability of more than ``x``."""
        return np.asarray(np.exp(self._log_polynomial(_survival(self.draws), x) - x))

    def mills(self, x: FloatArray) -> FloatArray:
        """Return ``survival / density``, the ratio of the two polynomials."""
        above = _homogeneous(_survival(self.draws), x)
        return np.asarray(above / _homogeneous(_density(self.draws), x))

    def log_ratio(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return ``log density(x) - log density(y)`` for ``0 <= x <= y``."""
        coefficients = _density(self.draws)
        ahead = self._log_polynomial(coefficients, x)
        return np.asarray(y - x + ahead - self._log_polynomial(coefficients, y))

    def _log_polynomial(self, coefficients: tuple[float, ...], x: FloatArray) -> FloatArray:
        factor = np.log(_homogeneous(coefficients, x))
        return np.asarray((self.draws - 1) * np.log1p(x) + factor)


def _homogeneous(coefficients: tuple[float, ...], x: FloatArray) -> FloatArray:
    """Return ``sum_i c_i x^i / (1 + x)^(k-1)`` by Horner's rule."""
    rest = 1 / (1 + np.asarray(x, dtype=np.float64))
    share, power = 1 - rest, np.ones_like(rest)
    value = np.full_like(rest, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        power *= rest
        value = value * share + coefficient * power
    return value


@lru_cache(maxsize=MOST_DRAWS)
def _exact(k: int) -> tuple[Fraction, ...]:
    """Return the coefficients of the density, in ascending powers."""
    return tuple(
        Fraction(
            factorial(k - 1 + j),
            factorial(k - 1 - j) * factorial(j) * 2 ** (k + j) * factorial(k - 1),
        )
        for j in reversed(range(k))
    )


@lru_cache(maxsize=MOST_DRAWS)
def _density(k: int) -> tuple[float, ...]:
    return tuple(map(float, _exact(k)))


@lru_cache(maxsize=MOST_DRAWS)
def _survival(k: int) -> tuple[float, ...]:
    """Return the coefficients of the integral: ``sum_{m >= i} c_m m! / i!``."""
    sums, above = [], Fraction(0)
    for i, coefficient in reversed(list(enumerate(_exact(k)))):
        above += coefficient * factorial(i)
        sums.append(float(above / factorial(i)))
    return tuple(reversed(sums))
