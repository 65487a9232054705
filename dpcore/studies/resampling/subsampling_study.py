"""Subsampling: claims of the source, measured and exact, and whether a sample pays.

A. Smith, *Differential privacy and the secrecy of the sample*, 2009: lemma 3 and its
notes. The measurement is a test of one event on simulated releases, where the answer is
a total with Laplace noise: the worst case of every pure mechanism.

The mean of ``n`` values in an interval of width ``R``, at the final epsilon ``e``: pure
DP by Laplace noise. On a share ``q`` of rows the level may be ``log(1 + (e^e - 1)/q)``,
so that the noise is as if ``f(q) = q log(1 + (e^e - 1)/q)`` were spent on the whole
table. That increases with ``q`` up to ``f(1) = e``: less noise on more rows, and no
sampling error on all of them. For a mean a sample never helps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.privacy import gaussian, subsampling_amplification
from dpcore.privacy.subsampling_amplification import (
    SOURCE_EPSILON,
    amplify,
    amplify_one_sided,
    base_epsilon,
    retention_rate,
    source_bound,
    source_rate,
)
from dpcore.studies.teaching.laboratory import log_ratio

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
    """The log ratio of an event's frequencies in the two worlds, with 95% limits."""

    rate: FloatArray
    """Share of rows in the sample, shape ``(m,)``."""
    estimate: FloatArray
    """Log ratio of the frequencies; ``-inf`` or ``inf`` where one is 0."""
    low: FloatArray
    """Lower limit of the log ratio, at 95% confidence."""
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
    slopes = [
        subsampling_amplification.subsampled_divergence(mu, rate, order) / order for order in ORDERS
    ]
    return RenyiCurve(
        mu=mu,
        rate=rate,
        order=np.array(ORDERS, dtype=np.float64),
        slope=np.array(slopes),
        delta=delta,
        claimed_epsilon=float(gaussian.epsilon_of(rate * mu, delta)),
        exact_epsilon=float(
            subsampling_amplification.subsampled_epsilon("gaussian", mu, rate, delta)
        ),
    )


MOST_SIMULATED = 5_000
"""The largest table of which samples are simulated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorParts:
    """The mean squared error of a release from a sample, in its two parts."""

    rate: FloatArray
    """Share of the rows in the sample, shape ``(m,)``."""
    sampling: FloatArray
    """Variance from who is in the sample, shape ``(m,)``."""
    noise: FloatArray
    """Variance of the noise, shape ``(m,)``."""

    @property
    def total(self) -> FloatArray:
        """Return the mean squared error; there is no bias."""
        return self.sampling + self.noise


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledMean:
    """The mean of a table, released from a sample of it.

    What comes from values of a real table is CONFIDENTIAL.

    Raises:
        ParameterError: A parameter is outside its domain.

    """

    people: int
    """Number of rows ``n``, public, at least 1."""
    width: float
    """Width ``R`` of the public bounds, positive and finite."""
    epsilon: float
    """Final privacy parameter, positive and finite."""
    variance: float
    """Variance of the values, divisor ``n - 1`` (0 for one row)."""
    mean_square: float
    """Mean of the squared distances from the point that totals are counted from (0 in
    the source; the middle of the bounds is better).
    """

    def __post_init__(self) -> None:
        if self.people < 1:
            raise ParameterError(f"a table needs at least one row, got {self.people}.")
        for name, number in (("width", self.width), ("epsilon", self.epsilon)):
            if not 0 < number < np.inf:
                raise ParameterError(f"{name} must be positive and finite, got {number}.")
        if not (0 <= self.variance < np.inf and 0 <= self.mean_square < np.inf):
            raise ParameterError("the values must have a finite variance and mean square.")

    @classmethod
    def of(cls, values: ArrayLike, *, width: float, epsilon: float) -> SampledMean:
        """Return the study of these values, squared distances counted from 0.

        Raises:
            ParameterError: There is no value, or one is not finite.

        """
        entries = np.asarray(values, dtype=np.float64)
        if entries.size == 0 or not np.isfinite(entries).all():
            raise ParameterError("there must be values, and all of them finite.")
        return cls(
            people=entries.size,
            width=width,
            epsilon=epsilon,
            variance=float(entries.var(ddof=1)) if entries.size > 1 else 0.0,
            mean_square=float(np.mean(entries * entries)),
        )

    @classmethod
    def at_worst(cls, *, people: int, width: float, epsilon: float) -> SampledMean:
        """Return the study of the table that is hardest to sample: half at each end.

        Everything about it is public.
        """
        half = width * width / 4
        share = people / (people - 1) if people > 1 else 0.0
        return cls(
            people=people, width=width, epsilon=epsilon, variance=half * share, mean_square=half
        )

    def effective_epsilon(self, rate: ArrayLike) -> FloatArray:
        """Return ``f(q)``: what the noise would cost on the whole table."""
        rate = np.asarray(rate, dtype=np.float64)
        return np.asarray(rate * base_epsilon(self.epsilon, rate))

    @property
    def full_error(self) -> float:
        """Return ``2 (R/(n e))^2``: the error of releasing from the whole table."""
        return 2 * (self.width / (self.people * self.epsilon)) ** 2

    def fixed_size(self, rate: ArrayLike) -> ErrorParts:
        """Return the error of samples without replacement, a record replaced.

        ``S^2 (1/m - 1/n) + 2 (R/(n f(q)))^2`` with ``m = q n``.

        Raises:
            ParameterError: A rate is not in (0, 1].

        """
        return self._parts(rate, self.variance)

    def poisson(self, rate: ArrayLike) -> ErrorParts:
        """Return the error of taking everybody with chance ``q``, a row more or less.

        The total of the sample over ``q n``, with ``n`` known: ``(1 - q)/(q n)`` times
        the mean square, and the same noise.

        Raises:
            ParameterError: A rate is not in (0, 1].

        """
        return self._parts(rate, self.mean_square)

    def _parts(self, rate: ArrayLike, square: float) -> ErrorParts:
        q = _rates(rate)
        noise = 2 * (self.width / (self.people * self.effective_epsilon(q))) ** 2
        return ErrorParts(rate=q, sampling=(square / self.people * (1 / q - 1)), noise=noise)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedErrors:
    """Root mean squared errors that were simulated, with two standard errors."""

    rate: FloatArray
    rmse: FloatArray
    error: FloatArray


def simulate(
    values: ArrayLike,
    *,
    width: float,
    epsilon: float,
    rates: ArrayLike,
    draws: int,
    rng: np.random.Generator,
) -> SimulatedErrors:
    """Draw samples of fixed size and noise, and return how far off the releases are.

    Args:
        values: At most ``MOST_SIMULATED`` values within their bounds, shape ``(n,)``.
        width: Width of the bounds.
        epsilon: Final privacy parameter.
        rates: Shares of rows; each sample has ``round(q n)`` of them, at least one.
        draws: Releases simulated for each rate, at least 2.
        rng: Source of the simulation.

    Raises:
        ParameterError: There are too many values, or too few draws.

    """
    entries = np.asarray(values, dtype=np.float64)
    study = SampledMean.of(entries, width=width, epsilon=epsilon)
    if study.people > MOST_SIMULATED or draws < 2:  # noqa: PLR2004 - an error needs two
        raise ParameterError(
            f"at most {MOST_SIMULATED:,} values are simulated, by at least 2 draws, "
            f"got {study.people} and {draws}."
        )
    sizes = np.maximum(np.round(_rates(rates) * study.people), 1).astype(int)
    shuffled = rng.permuted(np.tile(entries, (draws, 1)), axis=1)
    so_far = np.cumsum(shuffled, axis=1)
    truth = entries.mean()
    squares = np.empty((len(sizes), draws))
    for row, size in enumerate(sizes):
        level = float(base_epsilon(epsilon, size / study.people))
        noise = rng.laplace(scale=width / (size * level), size=draws)
        squares[row] = (so_far[:, size - 1] / size + noise - truth) ** 2
    rmse = np.sqrt(squares.mean(axis=1))
    return SimulatedErrors(
        rate=sizes / study.people,
        rmse=rmse,
        error=squares.std(axis=1) / np.sqrt(draws) / np.maximum(rmse, 1e-300),
    )


def _rates(rate: ArrayLike) -> FloatArray:
    q = np.atleast_1d(np.asarray(rate, dtype=np.float64))
    if not ((q > 0) & (q <= 1)).all():
        raise ParameterError("the share of rows in a sample must be above 0 and at most 1.")
    return q
