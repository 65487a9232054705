"""Averages of Laplace draws against Gaussian noise: which is smaller, and when.

An average of ``k`` Laplace answers that share one epsilon has ``k`` times the variance
of a single one. Brawner and Honaker 2018 (remark 2) compare it with the classic
Gaussian mechanism and find it smaller for ``k < log(1.25/delta)``. Three corrections:
at the same pure epsilon the single draw always has the least; the Gaussian may be
calibrated exactly, which moves the limit down; and the average has a smaller epsilon at
that delta too, so that it may be calibrated to it as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq

from dpcore.errors import ParameterError
from dpcore.mechanisms import symmetric
from dpcore.mechanisms.base import require_budget
from dpcore.mechanisms.gaussian import classic_ratio
from dpcore.mechanisms.laplace import LaplaceSum
from dpcore.mechanisms.search import ROUND_UP
from dpcore.privacy import gaussian

_REMEMBERED = 1024
_TINY = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivals:
    """Noise for one number with sensitivity 1, from one epsilon and one delta.

    Raises:
        ParameterError: One of these is outside its domain.

    """

    epsilon: float = 1.0
    """In (0, inf)."""
    delta: float = 1e-6
    """In (0, 1)."""

    def __post_init__(self) -> None:
        require_budget(self.epsilon, self.delta)
        if not 0 < self.delta < 1:
            raise ParameterError(f"delta must be in (0, 1), got {self.delta}.")

    def average(self, draws: int) -> float:
        """Return the variance ``2 k / epsilon^2`` of an average: pure DP."""
        return 2 * LaplaceSum(draws=draws).draws / self.epsilon**2

    @property
    def classic(self) -> float:
        """Return ``2 log(1.25/delta) / epsilon^2``, proved for epsilon below 1."""
        return classic_ratio(self.epsilon, self.delta) ** 2

    @property
    def analytic(self) -> float:
        """Return the variance of the Gaussian that is exactly (epsilon, delta)-DP.

        >>> round(Rivals(epsilon=1.0, delta=1e-6).analytic, 5)
        17.84791
        """
        return 1 / gaussian.mu_for(self.epsilon, self.delta) ** 2

    @property
    def published_limit(self) -> float:
        """Return ``log(1.25/delta)``: averages of fewer draws beat the classic rule."""
        return math.log(1.25 / self.delta)

    @property
    def limit(self) -> float:
        """Return below which ``k`` the pure average beats the analytic Gaussian."""
        return self.analytic * self.epsilon**2 / 2

    def level(self, draws: int) -> float:
        """Return the epsilon at ``delta`` of the pure average.

        >>> round(Rivals(epsilon=1.0, delta=1e-6).level(10), 6)
        0.650086
        """
        noise = LaplaceSum(draws=draws)
        shift = np.array([self.epsilon])
        return float(symmetric.epsilon_of(noise, shift, self.delta)[0])

    def fair(self, draws: int) -> float:
        """Return the variance of an average that is exactly (epsilon, delta)-DP.

        The shift over the scale of one summand is a root, taken from below: what is
        spent never exceeds epsilon.

        >>> round(Rivals(epsilon=1.0, delta=1e-6).fair(10), 5)
        8.71154
        """
        return _fair(self.epsilon, self.delta, draws)


@lru_cache(maxsize=_REMEMBERED)
def _fair(epsilon: float, delta: float, draws: int) -> float:
    noise = LaplaceSum(draws=draws)

    def excess(shift: float) -> float:
        here = symmetric.delta_of(noise, np.array([shift]), epsilon)
        return math.log(max(float(here[0]), _TINY) / delta)

    high = 2 * epsilon + symmetric.free_shift(noise, delta)
    while excess(high) <= 0:
        high *= 2
    root = float(brentq(excess, epsilon, high, xtol=1e-300, rtol=1e-13))
    return 2 * draws / (root / ROUND_UP) ** 2
