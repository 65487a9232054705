"""What the source says of samples, what is measured, and what is exact.

A. Smith, *Differential privacy and the secrecy of the sample*, 2009: lemma 3 and its
notes. The measurement is a test of one event on simulated releases, where the answer is
a total with Laplace noise: the worst case of every pure mechanism.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.privacy import gaussian, subsampled
from dpcore.privacy.amplification import (
    SOURCE_EPSILON,
    amplify,
    amplify_one_sided,
    retention_rate,
    source_bound,
    source_rate,
)
from dpcore.studies.teaching.audit import log_ratio

ORDERS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256, 512, 1024, 4096)
"""Orders at which the Renyi curve is drawn."""
_FEWEST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class LemmaCurve:
    """The epsilon of a sample against the share of rows in it."""

    epsilon: float
    """The level on the sample."""
    rate: FloatArray
    """Shares of rows, shape ``(m,)``."""
    exact: FloatArray
    """The tight bound."""
    claimed: FloatArray
    """The source's: ``2 q`` for level 1 (lemma 3), ``q e^level`` else (what note c
    needs).
    """
    one_sided: FloatArray
    """The tight bound where only additions are limited (note b)."""


def lemma_curve(epsilon: float, rate: FloatArray) -> LemmaCurve:
    """Return the curves of lemma 3 for one level on the sample."""
    rate = np.asarray(rate, dtype=np.float64)
    return LemmaCurve(
        epsilon=epsilon,
        rate=rate,
        exact=amplify(epsilon, rate),
        claimed=claimed(epsilon, rate),
        one_sided=amplify_one_sided(epsilon, rate),
    )


def claimed(epsilon: float, rate: FloatArray) -> FloatArray:
    """Return the source's bound; ``inf`` where it overflows."""
    if epsilon == SOURCE_EPSILON:
        return source_bound(rate)
    with np.errstate(over="ignore"):
        return np.asarray(rate * np.exp(epsilon))


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The log ratio of an event's frequencies in the two worlds, with 95 % limits."""

    rate: FloatArray
    """Share of rows in the sample, shape ``(m,)``."""
    estimate: FloatArray
    """Log ratio of the frequencies; ``-inf`` or ``inf`` where one is 0."""
    low: FloatArray
    """Lower limit of the log ratio, at 95 % confidence."""
    high: FloatArray
    draws: int
    """Releases in each world."""


def measure(epsilon: float, rates: FloatArray, *, draws: int, rng: np.random.Generator) -> Measured:
    """Return what counting an event shows: releases at least one shift above the total.

    One person adds the shift ``1`` to a total with noise of scale ``1/epsilon``. No
    event has a larger ratio, so that a tight bound is reached and not exceeded.
    ``epsilon`` is the level on the sample.

    Raises:
        ParameterError: There are too few draws, or the level is outside its domain.

    """
    if draws < _FEWEST or not 0 < epsilon < np.inf:
        raise ParameterError(
            f"a measurement needs at least {_FEWEST:,} draws and a positive, finite "
            f"epsilon, got {draws} and {epsilon}."
        )
    rates = np.atleast_1d(np.asarray(rates, dtype=np.float64))
    counts = np.empty((2, len(rates)))
    for place, rate in enumerate(rates):
        without, noise = rng.laplace(scale=1 / epsilon, size=(2, draws))
        present = rng.random(draws) < rate
        counts[0, place] = np.count_nonzero(noise + present >= 1)
        counts[1, place] = np.count_nonzero(without >= 1)
    estimate, low, high = log_ratio(counts, draws)
    return Measured(rate=rates, estimate=estimate, low=low, high=high, draws=draws)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How many rows may be kept to bring a level down (note c)."""

    target: float
    """The epsilon that shall remain."""
    epsilon: float
    """The level on the sample."""
    claimed: float
    """The source's rate, which suffices."""
    exact: float
    """The largest rate that does."""
    reached: float
    """The epsilon at the source's rate."""

    @classmethod
    def of(cls, target: float, epsilon: float) -> Retention:
        """Return both rates.

        >>> round(Retention.of(0.1, 3.0).claimed, 12)
        0.004978706837
        """
        rate = float(np.minimum(source_rate(target, epsilon), 1.0))
        return cls(
            target=target,
            epsilon=epsilon,
            claimed=rate,
            exact=float(retention_rate(target, epsilon)),
            reached=float(amplify(epsilon, rate)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RenyiCurve:
    """Renyi divergences of Gaussian noise on a sample, over their orders."""

    mu: float
    """Shift over the standard deviation of the noise."""
    rate: float
    order: FloatArray
    """Shape ``(m,)``."""
    slope: FloatArray
    """Divergence over order: a zCDP level is at least each of them."""
    delta: float
    """At which the epsilons are compared."""
    claimed_epsilon: float
    """What a level of ``rate^2 mu^2/2`` would give, were it true."""
    exact_epsilon: float
    """What is given."""

    @property
    def level(self) -> float:
        """Return the zCDP level without a sample, which the curve grows to."""
        return self.mu * self.mu / 2

    @property
    def claimed_level(self) -> float:
        """Return the level that amplification of zCDP would give: ``rate^2`` times."""
        return self.rate * self.rate * self.level


def renyi_curve(mu: float, rate: float, delta: float) -> RenyiCurve:
    """Return why zCDP is not amplified by a sample.

    Raises:
        ParameterError: ``mu`` or ``rate`` is outside its domain.

    """
    slopes = [subsampled.gaussian_divergence(mu, rate, order) / order for order in ORDERS]
    return RenyiCurve(
        mu=mu,
        rate=rate,
        order=np.array(ORDERS, dtype=np.float64),
        slope=np.array(slopes),
        delta=delta,
        claimed_epsilon=float(gaussian.epsilon_of(rate * mu, delta)),
        exact_epsilon=float(subsampled.epsilon_of("gaussian", mu, rate, delta)),
    )
