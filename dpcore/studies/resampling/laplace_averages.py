"""Averages of Laplace answers: their budget, their Gaussian rival, their normality.

Brawner and Honaker 2018, section 4 and remark 1: under basic composition averaging
multiplies the variance by ``k``, under zCDP it changes nothing. Their share under
advanced composition, ``epsilon / sqrt(k log(1/delta))``, lacks a factor ``sqrt(2)`` and
spends more than ``epsilon``; the share here that is best for any pure mechanism is
solved for (Kairouz, Oh and Viswanath 2015), and so is the one for Laplace noise, by its
privacy loss distribution.

An average of ``k`` Laplace answers that share one epsilon has ``k`` times the variance
of a single one. Brawner and Honaker 2018 (remark 2) compare it with the classic
Gaussian mechanism and find it smaller for ``k < log(1.25/delta)``. Three corrections:
at the same pure epsilon the single draw always has the least; the Gaussian may be
calibrated exactly, which moves the limit down; and the average has a smaller epsilon at
that delta too, so that it may be calibrated to it as well.

Figure 3 of Brawner and Honaker 2018: samples of averages of ``k`` Laplace draws are
tested for normality, and compared with truly normal samples. Both test statistics are
computed here for all samples at once; ``scipy.stats`` tests one sample at a time and
takes a second to import.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr, ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms import symmetric
from dpcore.mechanisms.gaussian import classic_ratio
from dpcore.mechanisms.laplace import LaplaceSum
from dpcore.mechanisms.mechanism import require_budget
from dpcore.mechanisms.search import ROUND_UP
from dpcore.privacy import composition, gaussian
from dpcore.privacy.composition import compose
from dpcore.privacy.events import LaplaceEvent
from dpcore.privacy.halving import halved

_MOST_TIMES = 100_000
_STEPS = 18


class BudgetSharing(StrEnum):
    """How a budget is shared among equal answers."""

    ONE = "one answer"
    BASIC = "basic composition"
    PUBLISHED = "advanced composition, as published"
    ADVANCED = "advanced composition, corrected"
    OPTIMAL = "optimal composition"
    LAPLACE = "exact composition of Laplace noise"
    ZCDP = "zCDP (Gaussian noise)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Equipartition:
    """A budget for ``k`` equal answers to a question with sensitivity 1.

    Raises:
        ParameterError: One of these is outside its domain.

    """

    epsilon: float = 1.0
    """What all answers may cost together, in (0, inf)."""
    delta: float = 1e-6
    """In (0, 1)."""
    times: int = 50
    """Number of answers ``k``, from 1."""

    def __post_init__(self) -> None:
        require_budget(self.epsilon, self.delta)
        if not 0 < self.delta < 1:
            raise ParameterError(f"delta must be in (0, 1), got {self.delta}.")
        if self.times != int(self.times) or not 1 <= self.times <= _MOST_TIMES:
            raise ParameterError(
                f"the number of answers must be a whole number from 1 to "
                f"{_MOST_TIMES:,}, got {self.times}."
            )

    def part(self, sharing: BudgetSharing) -> float:
        """Return the epsilon of one of the ``k`` answers.

        Raises:
            ParameterError: Gaussian answers have no epsilon of their own.

        >>> round(Equipartition().part(BudgetSharing.PUBLISHED), 11)
        0.03804797331

        """
        log_odds = -math.log(self.delta)
        basic = self.epsilon / self.times
        if sharing is BudgetSharing.ONE:
            return self.epsilon
        if sharing is BudgetSharing.BASIC:
            return basic
        if sharing is BudgetSharing.PUBLISHED:
            return self.epsilon / math.sqrt(self.times * log_odds)
        if sharing is BudgetSharing.ADVANCED:
            return max(basic, self._advanced(log_odds))
        if sharing is BudgetSharing.OPTIMAL:
            return composition.optimal_part(self.epsilon, self.times, self.delta)
        if sharing is BudgetSharing.LAPLACE:
            low = composition.optimal_part(self.epsilon, self.times, self.delta)
            low, _ = halved(
                lambda part: laplace_epsilon(part, self.times, self.delta) > self.epsilon,
                low,
                1.2 * low,
                times=_STEPS,
            )
            return low
        raise ParameterError("Gaussian answers under zCDP have no epsilon of their own.")

    def variance(self, sharing: BudgetSharing) -> float:
        """Return the variance of the average of the ``k`` answers.

        Under zCDP ``1 / (2 rho)`` with the ``rho`` of Gaussian noise that is exactly
        ``(epsilon, delta)``-DP, for any ``k``.
        """
        if sharing is BudgetSharing.ZCDP:
            return 1 / (2 * self.rho)
        answers = 1 if sharing is BudgetSharing.ONE else self.times
        return 2 / (answers * self.part(sharing) ** 2)

    def spent(self, sharing: BudgetSharing) -> float:
        """Return the epsilon at ``delta`` that the answers together really cost.

        For parts of a pure budget this is what any pure mechanism may cost; only
        ``Sharing.LAPLACE`` relies on the noise being Laplace noise.
        """
        if sharing in {BudgetSharing.ZCDP, BudgetSharing.LAPLACE, BudgetSharing.ONE}:
            return self.epsilon
        return composition.optimal_epsilon(self.part(sharing), self.times, self.delta)

    @property
    def rho(self) -> float:
        """Return the zCDP level of Gaussian noise that is (epsilon, delta)-DP."""
        return gaussian.mu_for(self.epsilon, self.delta) ** 2 / 2

    def _advanced(self, log_odds: float) -> float:
        """Return ``e`` with ``sqrt(2 k log(1/delta)) e + k e tanh(e/2) = epsilon``.

        The closed form of Kairouz, Oh and Viswanath 2015 (theorem 3.4); the left side
        increases in ``e``.
        """
        k, root = self.times, math.sqrt(2 * self.times * log_odds)
        low, _ = halved(
            lambda e: root * e + k * e * math.tanh(e / 2) > self.epsilon, 0.0, self.epsilon / root
        )
        return low


def laplace_epsilon(part: float, times: int, delta: float) -> float:
    """Return what ``times`` Laplace answers of ``part`` cost together at ``delta``.

    By privacy loss distributions; the discretization errs upwards.
    """
    return compose([LaplaceEvent.from_ratio(part)] * times, delta=delta).pld


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
        return float(symmetric.epsilon_of(noise, np.array([self.epsilon]), self.delta)[0])

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


LEVEL = 0.05
"""Significance of both tests."""
_CRITICAL = 0.752
_FEWEST, _MOST = 12, 5_000
_PART = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Normality:
    """How often samples of averages of ``k`` draws pass for normal."""

    draws: int
    """Number ``k`` of Laplace draws averaged."""
    samples: int
    """How many samples were tested."""
    anderson: float
    """Share not rejected by Anderson and Darling's test."""
    shapiro: float
    """Share not rejected by Shapiro and Wilk's test."""
    anderson_picks: float
    """Share of pairs in which the truly normal sample has the smaller Anderson-Darling
    statistic; 0.5 is guessing.
    """
    shapiro_picks: float
    """Share of pairs in which it has the larger Shapiro-Wilk statistic."""

    def error(self, share: float) -> float:
        """Return the standard error of one of the shares."""
        return float(np.sqrt(share * (1 - share) / self.samples))


def anderson_darling(samples: FloatArray) -> FloatArray:
    """Return the Anderson-Darling statistics of samples, one a row.

    ``-n - sum (2i - 1) [log Phi(y_i) + log(1 - Phi(y_(n+1-i)))] / n`` of the sorted
    standardized sample, with mean and standard deviation estimated, times ``1 + 0.75/n
    + 2.25/n^2`` (Stephens 1986, case 3). Above 0.752 normality is rejected at 5%.

    Raises:
        ParameterError: As ``shapiro_wilk``.

    """
    x, n = _sorted(samples), samples.shape[-1]
    y = (x - x.mean(axis=-1, keepdims=True)) / x.std(axis=-1, ddof=1, keepdims=True)
    weights = 2 * np.arange(1, n + 1) - 1.0
    logs = log_ndtr(y) + log_ndtr(-y[..., ::-1])
    raw = -n - logs @ weights / n
    return np.asarray(raw * (1 + 0.75 / n + 2.25 / n**2))


def shapiro_wilk(samples: FloatArray) -> FloatArray:
    """Return the Shapiro-Wilk statistics ``W`` of samples, one a row.

    ``(sum a_i x_(i))^2 / sum (x_i - mean)^2`` with the weights that Royston 1992 gives
    for samples of 12 to 5000.

    Raises:
        ParameterError: A sample has fewer than 12 or more than 5000 values, or they all
            are equal.

    """
    x = _sorted(samples)
    centered = x - x.mean(axis=-1, keepdims=True)
    squares = np.sum(centered**2, axis=-1)
    return np.asarray((centered @ _weights(x.shape[-1])) ** 2 / squares)


def shapiro_p_values(w: FloatArray, n: int) -> FloatArray:
    """Return the p-values of Shapiro-Wilk statistics of samples of ``n``.

    ``log(1 - W)`` is about normal, with the moments of Royston 1992.
    """
    size = np.log(n)
    mean = np.polyval([0.0038915, -0.083751, -0.31082, -1.5861], size)
    sd = np.exp(np.polyval([0.0030302, -0.082676, -0.4803], size))
    return np.asarray(ndtr(-(np.log1p(-w) - mean) / sd))


def normality(draws: int, samples: int, rng: np.random.Generator, *, size: int = 100) -> Normality:
    """Test ``samples`` samples of ``size`` averages of ``draws`` Laplace draws.

    Raises:
        ParameterError: ``draws`` or ``samples`` is not a whole number from 1, or the
            size is not one that the tests know.

    """
    for name, number in (("draws", draws), ("samples", samples)):
        if number != int(number) or number < 1:
            raise ParameterError(f"the number of {name} must be a whole number from 1.")
    counts = np.zeros(4)
    for start in range(0, samples, _PART):
        shape = (min(_PART, samples - start), size)
        # A sum of k Laplace variables is a difference of two Gamma variables.
        averages = rng.gamma(draws, size=shape) - rng.gamma(draws, size=shape)
        normal = rng.standard_normal(shape)
        a, w = anderson_darling(averages), shapiro_wilk(averages)
        passed = shapiro_p_values(w, size) > LEVEL
        counts += [
            np.count_nonzero(a <= _CRITICAL),
            np.count_nonzero(passed),
            np.count_nonzero(anderson_darling(normal) < a),
            np.count_nonzero(shapiro_wilk(normal) > w),
        ]
    shares = counts / samples
    return Normality(
        draws=draws,
        samples=samples,
        anderson=float(shares[0]),
        shapiro=float(shares[1]),
        anderson_picks=float(shares[2]),
        shapiro_picks=float(shares[3]),
    )


def run(
    draws: Sequence[int], samples: int, rng: np.random.Generator, *, size: int = 100
) -> Iterator[Normality]:
    """Yield the answer for each number of draws, each with a generator of its own."""
    for k, own in zip(draws, rng.spawn(len(draws)), strict=True):
        yield normality(k, samples, own, size=size)


def _sorted(samples: FloatArray) -> FloatArray:
    n = samples.shape[-1]
    if not _FEWEST <= n <= _MOST:
        raise ParameterError(f"a sample must have {_FEWEST} to {_MOST:,} values, got {n}.")
    x = np.sort(samples, axis=-1)
    if not np.isfinite(x).all() or np.any(x[..., 0] == x[..., -1]):
        raise ParameterError("the values of a sample must be finite, and not all equal.")
    return np.asarray(x)


def _weights(n: int) -> FloatArray:
    """Return the antisymmetric weights: normal scores, the two largest adjusted."""
    scores = ndtri((np.arange(1, n + 1) - 0.375) / (n + 0.25))
    squares = float(scores @ scores)
    unit = scores / np.sqrt(squares)
    u = 1 / np.sqrt(n)
    last = unit[-1] + np.polyval([-2.706056, 4.434685, -2.07119, -0.147981, 0.221157, 0.0], u)
    second = unit[-2] + np.polyval([-3.582633, 5.682633, -1.752461, -0.293762, 0.042981, 0.0], u)
    rest = (squares - 2 * scores[-1] ** 2 - 2 * scores[-2] ** 2) / (1 - 2 * last**2 - 2 * second**2)
    weights = scores / np.sqrt(rest)
    weights[[0, 1, -2, -1]] = -last, -second, second, last
    return np.asarray(weights)
