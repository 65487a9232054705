"""The Gaussian mechanism with its exact (analytic) calibration.

Besides the exact size of the noise there are other rules. All take the ratio ``sigma /
l2`` from an epsilon and a delta, and give the same mechanism with another ``sigma``;
what that really guarantees, ``Gaussian`` knows. With ``mu = l2 / sigma`` the privacy
loss is normal with mean ``mu^2/2`` and variance ``mu^2``. Probabilistic DP (pDP) bounds
the probability of a large loss, which implies approximate DP with the same numbers: the
ratios are ordered exact approximate DP (the analytic rule) < one-sided pDP < two-sided
pDP <= Liu's pDP.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr, ndtri

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.mechanisms import laplace_law as law
from dpcore.mechanisms.mechanism import AdditiveNoise, Sensitivity, require_budget
from dpcore.mechanisms.pairs import distances
from dpcore.mechanisms.search import ROUND_UP
from dpcore.privacy import gaussian as profile
from dpcore.privacy.events import GaussianEvent
from dpcore.privacy_filter import PrivacyCost, float_below
from dpcore.secure_noise import covering, drawn_by


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian(AdditiveNoise):
    """Release ``value + N(0, sigma^2)`` in each coordinate (Balle and Wang 2018).

    What it reveals depends on ``mu``, the l2 distance over ``sigma``, alone; every
    answer about privacy is exact, for vectors too. No epsilon holds at ``delta = 0``.
    """

    @classmethod
    def calibrate(
        cls,
        *,
        sensitivity: Sensitivity,
        epsilon: float,
        delta: float = 0.0,
        bounds: Interval,  # noqa: ARG003 - the release is not bounded
    ) -> Self:
        """Return the least ``sigma`` that is (epsilon, delta)-DP, rounded up.

        Raises:
            ParameterError: ``delta`` is 0; Gaussian noise needs a positive one.

        """
        require_budget(epsilon, delta)
        if delta == 0:
            raise ParameterError("the Gaussian mechanism needs a delta above 0.")
        return cls(noise=sensitivity.l2 / profile.mu_for(epsilon, delta))

    def pdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the normal density."""
        distance = np.abs(np.subtract(x, position))
        if self.noise == 0:
            return np.where(distance == 0, np.inf, 0.0)
        z = distance / self.noise
        return np.asarray(np.exp(-z * z / 2) / (self.noise * math.sqrt(2 * math.pi)))

    def cdf(self, x: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return the probability of releasing at most ``x``."""
        if self.noise == 0:
            return np.greater_equal(x, position).astype(np.float64)
        return np.asarray(ndtr(np.subtract(x, position) / self.noise))

    def quantile(self, u: ArrayLike, position: ArrayLike) -> FloatArray:
        """Return ``position + sigma Phi^-1(u)``."""
        z = ndtri(np.asarray(u, dtype=np.float64))
        noise = z * self.noise if self.noise > 0 else 0 * np.asarray(u)
        return np.asarray(np.asarray(position, dtype=np.float64) + noise)

    def variance(self, position: ArrayLike) -> FloatArray:
        """Return ``sigma^2``."""
        return np.full(np.shape(position), self.noise * self.noise)

    def pairwise_epsilon(
        self, first: ArrayLike, second: ArrayLike, *, delta: float = 0.0
    ) -> FloatArray:
        """Return the exact epsilon at ``delta``; ``inf`` at 0 where anything moves."""
        return profile.epsilon_of(self._mu(first, second), delta)

    def pairwise_delta(self, first: ArrayLike, second: ArrayLike, *, epsilon: float) -> FloatArray:
        """Return the exact delta at ``epsilon``."""
        return profile.delta_of(self._mu(first, second), epsilon)

    def epsilon(self, sensitivity: Sensitivity, *, delta: float = 0.0) -> float:
        """Return the exact epsilon at ``delta`` of a shift by ``l2``."""
        mu = law.scaled(sensitivity.l2, self.noise)
        return float(profile.epsilon_of(mu, delta))

    def secure_draw(
        self, value: FloatArray, *, sensitivity: Sensitivity, cost: PrivacyCost
    ) -> FloatArray:
        """Return OpenDP's Gaussian noise around ``value``."""
        level = float_below(cost.rho)
        return drawn_by(covering("gaussian", len(value), self.noise, sensitivity.l2, level), value)

    def event(self, sensitivity: Sensitivity) -> GaussianEvent:
        """Return Gaussian noise of ``sigma / l2`` times the sensitivity.

        Its zCDP level ``rho`` is ``(l2 / sigma)^2 / 2``.
        """
        mu = float(law.scaled(sensitivity.l2, self.noise))
        return GaussianEvent.from_ratio(mu)

    def _mu(self, first: ArrayLike, second: ArrayLike) -> FloatArray:
        moved = distances(first, second)
        length = moved[..., 0] if moved.shape[-1] == 1 else np.hypot.reduce(moved, -1)
        return law.scaled(length, self.noise)


Rule = Callable[[float, float], float]


def classic_ratio(epsilon: float, delta: float) -> float:
    """Return ``sqrt(2 log(1.25/delta)) / epsilon`` (Dwork and Roth 2014, theorem A.1).

    Proved for epsilon below 1. For a large epsilon (above 8.42 at delta 1e-5) it gives
    too little noise: the real delta is larger.

    >>> round(classic_ratio(1.0, 1e-5), 11)
    4.84480526261
    """
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon * ROUND_UP


def liu_ratio(epsilon: float, delta: float) -> float:
    """Return ``(z + sqrt(z^2 + 2 epsilon)) / (2 epsilon)``, ``Phi(-z) = delta/2``.

    Two-sided pDP, both tails bounded by the larger one (Liu 2016, eq. 3 of order 2).

    >>> round(liu_ratio(1.0, 1e-5), 9)
    4.527607026
    """
    return _tail_ratio(epsilon, delta / 2)


def one_sided_ratio(epsilon: float, delta: float) -> float:
    """Return the ratio at which the loss exceeds epsilon with probability delta.

    As ``liu_ratio`` with ``Phi(-z) = delta``.

    >>> round(one_sided_ratio(1.0, 1e-5), 11)
    4.37907028132
    """
    return _tail_ratio(epsilon, delta)


def two_sided_ratio(epsilon: float, delta: float) -> float:
    """Return the ratio at which the size of the loss exceeds epsilon at most at delta.

    The root of ``loss_exceeds``, which increases in ``mu``.

    >>> round(two_sided_ratio(1.0, 1e-5), 11)
    4.44412330621
    """
    from scipy.optimize import brentq  # noqa: PLC0415 - slow to import

    target = math.log(delta)

    def excess(ratio: float) -> float:
        return _log_loss_exceeds(1 / ratio, epsilon) - target

    low, high = one_sided_ratio(epsilon, delta) / 1.001, liu_ratio(epsilon, delta)
    if excess(high) >= 0:
        return high  # the two tails agree to the last bit
    return float(brentq(excess, low, high, xtol=1e-300, rtol=1e-14)) * ROUND_UP


def _log_loss_exceeds(mu: float, epsilon: float) -> float:
    above, below = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
    return float(np.logaddexp(log_ndtr(above), log_ndtr(below)))


def _tail_ratio(epsilon: float, tail: float) -> float:
    """Return ``1/mu`` with ``epsilon/mu - mu/2 = z``, ``Phi(-z) = tail``."""
    z = -float(ndtri(tail))
    root = math.hypot(z, math.sqrt(2 * epsilon))
    ratio = (z + root) / (2 * epsilon) if z > 0 else 1 / (root - z)
    return ratio * ROUND_UP


def calibrated(
    ratio: Rule,
    *,
    sensitivity: Sensitivity,
    epsilon: float,
    delta: float = 0.0,
    bounds: Interval,  # noqa: ARG001 - the release is not bounded
) -> Gaussian:
    """Return the mechanism whose sigma is ``ratio(epsilon, delta)`` times ``l2``.

    Raises:
        ParameterError: The budget is outside its domain, or ``delta`` is 0.

    """
    require_budget(epsilon, delta)
    if delta == 0:
        raise ParameterError("the Gaussian mechanism needs a delta above 0.")
    return Gaussian(noise=sensitivity.l2 * ratio(epsilon, delta))


classic = partial(calibrated, classic_ratio)
"""Makes the mechanism with the classic sigma; see that its claim holds."""
liu = partial(calibrated, liu_ratio)
"""Makes the mechanism with Liu's sigma, which is (epsilon, delta)-pDP."""
two_sided = partial(calibrated, two_sided_ratio)
"""Makes the mechanism that is exactly (epsilon, delta)-pDP."""
one_sided = partial(calibrated, one_sided_ratio)
"""Makes the mechanism whose loss exceeds epsilon with probability delta."""
