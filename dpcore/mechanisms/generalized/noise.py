"""The generalized Gaussian law of order p: density proportional to exp(-|x|^p).

``|X|^p`` has a Gamma law of shape ``1/p``, so that its tails are regularised incomplete
gamma functions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincc, gammainccinv

from dpcore.arrays import FloatArray

_ASYMPTOTIC_FROM = 50.0
_TERMS = 18
_NO_PROBABILITY = 750.0


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizedNoise:
    """Generalized Gaussian noise of scale 1, a ``symmetric.StandardNoise``.

    Attributes:
        order: The exponent ``p``, at least 1: 1 is Laplace, 2 is Gaussian.

    """

    order: float

    @property
    def variance(self) -> float:
        """Return ``Gamma(3/p) / Gamma(1/p)``."""
        p = self.order
        return math.exp(math.lgamma(3 / p) - math.lgamma(1 / p))

    @property
    def farthest(self) -> float:
        """Return a point beyond which the noise has no probability in floats."""
        return float(_NO_PROBABILITY ** (1 / self.order))

    def density(self, x: FloatArray) -> FloatArray:
        """Return ``p exp(-x^p) / (2 Gamma(1/p))``."""
        height = self.order / (2 * math.gamma(1 / self.order))
        return np.asarray(height * np.exp(-self._power(x)))

    def survival(self, x: FloatArray) -> FloatArray:
        """Return the probability of more than ``x``."""
        return np.asarray(gammaincc(1 / self.order, self._power(x)) / 2)

    def mills(self, x: FloatArray) -> FloatArray:
        """Return ``survival / density``: ``e^t Gamma(1/p, t) / p`` with ``t = x^p``.

        Far out its asymptotic series ``t^{1/p - 1} (1 + (1/p - 1)/t + ...) / p``.
        """
        a, t = 1 / self.order, self._power(x)
        near = np.minimum(t, _ASYMPTOTIC_FROM)
        direct = gammaincc(a, near) * np.exp(near) * math.gamma(a)
        far = np.maximum(t, _ASYMPTOTIC_FROM)
        series = np.ones_like(far)
        for k in range(_TERMS, 0, -1):
            series = 1 + (a - k) / far * series
        tail = far ** (a - 1) * series
        return np.asarray(np.where(t < _ASYMPTOTIC_FROM, direct, tail) / self.order)

    def log_ratio(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return ``y^p - x^p`` for ``0 <= x <= y``, without cancellation."""
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(y > 0, (x - y) / y, 0.0)
            less = np.expm1(self.order * np.log1p(share))
        return np.asarray(-self._power(y) * less)

    def quantile(self, u: FloatArray) -> FloatArray:
        """Return the ``u``-quantile."""
        tail = gammainccinv(1 / self.order, 2 * np.minimum(u, 1 - u))
        return np.asarray(np.sign(u - 0.5) * tail ** (1 / self.order))

    def _power(self, x: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return np.asarray(np.asarray(x, dtype=np.float64) ** self.order)
