"""Standard errors from several noisy bootstraps of one statistic.

``k`` times a table is resampled, the statistic computed, and Gaussian noise of variance
``k V`` added. Their average has noise of variance ``V``, as one answer with the whole
budget would have; their sample variance ``s2`` estimates ``a + k V``, where ``a`` is
the variance of the statistic over resamples. Subtracting the known ``k V`` estimates
``a``, the sampling variance, at no further privacy cost. Since ``(k - 1) s2 / (a + k
V)`` is about chi-squared with ``k - 1`` degrees of freedom, ``k V c / (k - 1)``, with
``c`` its lower quantile at ``tail``, is what the noise alone exceeds with probability
``1 - tail``. Subtracting only that is conservative. It underestimates ``a`` with
probability ``P(chi^2 < [a (k - 1) + k V c] / (a + k V))``: ``tail`` where there is
noise alone, and more often the less noise there is.

Brawner and Honaker 2018, section 6.5, with the misprints of eqs. 28 to 35 corrected:
the divisor is ``k - 1``, the noise ``D^2 k / (2 rho)``, and a larger ``tail`` subtracts
more and makes narrower intervals.

Confidence intervals around the average of several noisy bootstraps.

Three rules. *As published*: the average and a normal quantile times the estimated
standard error. *Corrected*: the same with what resampling adds, and a t quantile, since
the error is estimated from ``k`` numbers. *Rigorous*: an upper confidence limit for the
error, and the rest of the tail for the average (union bound): the level holds whatever
the share of the noise, as far as averages are normal.

The honest rival of a free standard error: pay for the variance, directly.

A part of ``rho`` buys the mean, the rest the variance, each with Gaussian noise. No
resampling, no subtraction of large noise, and the zCDP cost holds as it stands. The
sensitivity of the variance ``sum (x - mean)^2 / n`` of values ``R`` apart at most is
``R^2 (n - 1) / n^2`` when one person is replaced by another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv, ndtri, stdtrit

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError

FEWEST = 2
"""One bootstrap alone has no spread."""
CONSERVATIVE: Final = 0.05
"""The tail of conservative estimates, unless said otherwise."""
MOST_CONSERVATIVE: Final = 0.0
"""Subtract nothing: the estimate counts all of the noise as sampling."""


class Clipping(StrEnum):
    """What is raised to 0 where subtracting the noise leaves less than nothing."""

    WHOLE = "the whole variance"
    """As published: an interval may have no length."""
    SAMPLING = "the sampling variance"
    """What is left is at least the variance of the noise, which is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstraps:
    """How many noisy bootstraps there are, and how noisy their average is.

    Attributes:
        times: Their number ``k``, at least 2.
        noise: Variance ``V`` of the noise of their average; each has ``k`` times that.
        people: Public number of people ``n``, at least 2: resamples vary by ``(n - 1) /
            n`` of what tables do, which the corrected variances make up for. ``None``
            if it is not known, or too large to matter.

    Raises:
        ParameterError: ``times`` is not a whole number from 2, ``noise`` is not in
            [0, inf), or ``people`` is not a whole number from 2.

    """

    times: int
    noise: float
    people: int | None = None

    def __post_init__(self) -> None:
        if self.times != int(self.times) or self.times < FEWEST:
            raise ParameterError(
                f"a standard error needs a whole number of at least {FEWEST} "
                f"bootstraps, got {self.times}."
            )
        if not 0 <= self.noise < math.inf:
            raise ParameterError(f"the variance of the noise must be in [0, inf), got {self.noise}")
        people = self.people
        if people is not None and (people != int(people) or people < FEWEST):
            raise ParameterError(
                "a standard error needs at least 2 people, and a whole number of them, "
                f"got {people}."
            )

    @classmethod
    def from_cost(
        cls,
        *,
        times: int,
        rho: float,
        sensitivity: float,
        factor: float = 1.0,
        people: int | None = None,
    ) -> Self:
        """Return bootstraps with ``V = c D^2 / (2 rho)``.

        All cost ``rho`` together, one person changes the statistic by ``D`` at most;
        the ``factor`` is ``c``, 1 as published, more where the noise is corrected.

        Raises:
            ParameterError: One of these is out of range; a ``rho`` of 0 would need
                infinite noise.

        """
        if not 0 < rho < math.inf:
            raise ParameterError(f"rho must be in (0, inf), got {rho}.")
        if not (0 <= sensitivity < math.inf and 0 < factor < math.inf):
            raise ParameterError("sensitivity must be in [0, inf), and the factor in (0, inf).")
        noise = factor * sensitivity**2 / (2 * rho)
        return cls(times=times, noise=noise, people=people)

    def subtracted(self, tail: float | None) -> float:
        """Return ``c / (k - 1)``: which share of the noise is subtracted.

        Args:
            tail: How likely noise alone has less spread than what is subtracted, in
                [0, 1): 0 subtracts nothing. ``None`` is for the unbiased estimate,
                which subtracts all.

        >>> round(49 * Bootstraps(times=50, noise=0.04).subtracted(0.05), 10)
        33.9303056185

        """
        if tail is None:
            return 1.0
        if not 0 <= tail < 1:
            raise ParameterError(f"the tail must be at least 0 and below 1, got {tail}.")
        half = (self.times - 1) / 2
        return float(gammaincinv(half, tail)) / half

    def sampling_variance(self, spread: ArrayLike, *, tail: float | None = None) -> FloatArray:
        """Return estimates ``s2 - k V c / (k - 1)`` of ``a``; they may be negative.

        Args:
            spread: Sample variances ``s2`` of the bootstraps (divisor ``k - 1``).
            tail: As ``subtracted``.

        """
        noise = self.times * self.noise * self.subtracted(tail)
        return np.asarray(np.asarray(spread, dtype=np.float64) - noise)

    def variance(
        self, spread: ArrayLike, *, tail: float | None = None, clipping: Clipping = Clipping.WHOLE
    ) -> FloatArray:
        """Return the published variance of the average, sampling and noise together.

        It leaves out ``a / k``, what resampling adds to an average of ``k``.
        """
        sampling = self.sampling_variance(spread, tail=tail)
        if clipping is Clipping.SAMPLING:
            return np.asarray(np.maximum(sampling, 0.0) + self.noise)
        return np.asarray(np.maximum(sampling + self.noise, 0.0))

    def corrected_variance(
        self, spread: ArrayLike, *, tail: float | None = CONSERVATIVE
    ) -> FloatArray:
        """Return ``(n/(n-1) + 1/k) max(0, a_hat) + V``: resampling included."""
        sampling = np.maximum(self.sampling_variance(spread, tail=tail), 0.0)
        return np.asarray(self._of_table * sampling + self.noise)

    def upper_variance(self, spread: ArrayLike, *, tail: float = CONSERVATIVE) -> FloatArray:
        """Return an upper confidence limit of the variance of the average.

        ``(k - 1) s2 / c`` is one for ``a + k V``; the noise is subtracted afterwards.
        Infinite at ``tail`` 0.
        """
        share = self.subtracted(tail)
        spread = np.asarray(spread, dtype=np.float64)
        most = spread / share if share > 0 else np.where(spread > 0, np.inf, 0.0)
        sampling = np.maximum(most - self.times * self.noise, 0.0)
        return np.asarray(self._of_table * sampling + self.noise)

    def best_times(self, resampling: float) -> float:
        """Return ``2 + a / V``, the number that estimates ``a`` best.

        The standard deviation of the unbiased estimate is proportional to ``(a + k V)
        / sqrt(k - 1)``. Infinite without noise.
        """
        return 2 + resampling / self.noise if self.noise > 0 else math.inf

    @property
    def _of_table(self) -> float:
        """Return by what the variance over resamples counts: of tables, and of both."""
        tables = 1.0 if self.people is None else self.people / (self.people - 1)
        return tables + 1 / self.times


def resampling_variance(sd: float, people: int) -> float:
    """Return what a mean varies by over resamples: ``(n - 1) / n * sd^2 / n``.

    It is what is expected of a table of ``n`` people from a population with that ``sd``
    (the paper prints ``sd / sqrt(n)``, below eq. 30).

    Raises:
        ParameterError: ``people`` is not a whole number from 1, or ``sd`` is not in
            [0, inf).

    """
    if people != int(people) or people < 1:
        raise ParameterError(f"people must be a whole number from 1, got {people}.")
    if not 0 <= sd < math.inf:
        raise ParameterError(f"the standard deviation must be in [0, inf), got {sd}.")
    return (people - 1) / people * sd * sd / people


LEVEL = 0.95
FEWEST_PEOPLE = 30
"""Of fewer people averages are not normal, and an interval may hold far less often.

Simulated, with hardly any noise: of 2 people an interval of 95% holds the truth in
60%, of 30 in 91% and more, unless a share is rare (``too_rare``).
"""
FEWEST_EXPECTED = 10
"""Of fewer expected ones a share is too rare: intervals of 95% hold in 64 to 90%."""
_ROOM = 1 - 1e-9


class Rule(StrEnum):
    """How an interval is made of ``k`` noisy bootstraps."""

    PUBLISHED = "as published"
    CORRECTED = "corrected"
    RIGOROUS = "rigorous"


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A rule with everything that it depends on besides the bootstraps.

    Attributes:
        rule: Which one.
        tail: Of ``Bootstraps.subtracted``, in [0, 1); ``None`` for the unbiased
            estimate. For the rigorous rule it is how often the limit of the variance
            may be too small, which is taken from the tail of the interval: there it
            must lie in (0, 1 - level).
        clipping: What is raised to 0, for the published rule.
        level: Confidence, in (0, 1).

    Raises:
        ParameterError: One of these is outside its domain.

    """

    rule: Rule = Rule.CORRECTED
    tail: float | None = CONSERVATIVE
    clipping: Clipping = Clipping.WHOLE
    level: float = LEVEL

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ParameterError(f"the confidence level must be in (0, 1), got {self.level}.")
        if self.tail is not None and not 0 <= self.tail < 1:
            raise ParameterError(f"the tail must be at least 0 and below 1, got {self.tail}.")
        rigorous = self.rule is Rule.RIGOROUS
        if rigorous and not (self.tail and 0 < self.tail < (1 - self.level) * _ROOM):
            raise ParameterError(
                "the rigorous interval needs a tail above 0 and below one minus the "
                f"confidence level, got {self.tail}."
            )

    def variance(self, bootstraps: Bootstraps, spread: ArrayLike) -> FloatArray:
        """Return the variances that the rule assumes for sample variances ``spread``.

        Raises:
            ParameterError: A sample variance is negative or NaN.

        """
        spread = np.asarray(spread, dtype=np.float64)
        if not np.all(spread >= 0):
            raise ParameterError("a sample variance must be at least 0.")
        if self.rule is Rule.PUBLISHED:
            return bootstraps.variance(spread, tail=self.tail, clipping=self.clipping)
        if self.rule is Rule.CORRECTED or self.tail is None:
            return bootstraps.corrected_variance(spread, tail=self.tail)
        return bootstraps.upper_variance(spread, tail=self.tail)

    def quantile(self, bootstraps: Bootstraps) -> float:
        """Return how many standard errors the interval reaches to either side."""
        outside = 1 - self.level
        if self.rule is Rule.CORRECTED:
            return -float(stdtrit(bootstraps.times - 1, outside / 2))
        if self.rule is Rule.RIGOROUS and self.tail is not None:
            outside -= self.tail
        return -float(ndtri(outside / 2))

    def half_width(self, bootstraps: Bootstraps, spread: ArrayLike) -> FloatArray:
        """Return the half-widths of intervals for sample variances ``spread``."""
        errors = np.sqrt(self.variance(bootstraps, spread))
        return np.asarray(self.quantile(bootstraps) * errors)

    def around(self, numbers: ArrayLike, *, noise: float, people: int | None = None) -> Estimate:
        """Return the estimate and its interval from the noisy bootstraps.

        Args:
            numbers: The ``k`` released bootstraps.
            noise: Variance of the noise of each of them.
            people: Public number of people, if it is known.

        Raises:
            ParameterError: There are fewer than 2 numbers or people, a number is not
                finite, or the noise is not in [0, inf).

        >>> found = Method().around([43.0, 45.0, 44.0], noise=0.6)
        >>> round(found.center, 2), round(found.lower, 2) < 44 < round(found.upper, 2)
        (44.0, True)

        """
        drawn = np.asarray(numbers, dtype=np.float64).ravel()
        if not np.isfinite(drawn).all():
            raise ParameterError("the bootstraps must be finite numbers.")
        if not 0 <= noise < np.inf:
            raise ParameterError(f"the variance of the noise must be in [0, inf), got {noise}.")
        bootstraps = Bootstraps(times=drawn.size, noise=noise / max(drawn.size, 1), people=people)
        center, spread = float(drawn.mean()), float(drawn.var(ddof=1))
        reach = float(self.half_width(bootstraps, spread))
        return Estimate(
            center=center,
            standard_error=float(np.sqrt(self.variance(bootstraps, spread))),
            lower=center - reach,
            upper=center + reach,
        )


def too_rare(share: float, *, people: int, noise: float) -> bool:
    """Tell whether a share is too rare for its average to be normal.

    That is where fewer than ``FEWEST_EXPECTED`` people are expected to have it, or not
    to have it, and the noise does not hide that.

    Args:
        share: An estimate of the share.
        people: Of how many people.
        noise: Standard deviation of the noise in the estimate. That of one person or
            more makes up for a rare share.

    >>> too_rare(0.01, people=500, noise=1e-4), too_rare(0.1, people=500, noise=1e-4)
    (True, False)

    """
    return people * min(share, 1 - share) < FEWEST_EXPECTED and people * noise < 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An average of noisy bootstraps with its standard error and interval.

    Attributes:
        center: The average.
        standard_error: Its estimated standard error, sampling and noise together.
        lower: Lower end of the interval.
        upper: Upper end.

    """

    center: float
    standard_error: float
    lower: float
    upper: float


_FEWEST = 2
_LEAST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class BoughtVariance:
    """A noisy mean and a noisy variance, bought with one ``rho``.

    Attributes:
        width: Distance ``R`` of the public bounds, positive.
        people: Public number of people ``n``, at least 2.
        rho: What both cost together, in zCDP, positive.
        share: Part of ``rho`` that buys the variance, in (0, 1).
        tail: The variance is raised so that its noise makes it too small with
            probability ``tail`` only, in (0, 0.5], which then is taken from the tail
            of the interval (union bound). ``None`` leaves both as they are.

    Raises:
        ParameterError: One of these is outside its domain.

    """

    width: float
    people: int
    rho: float
    share: float = 0.1
    tail: float | None = None

    def __post_init__(self) -> None:
        if not (0 < self.width < math.inf and 0 < self.rho < math.inf):
            raise ParameterError("the width of the bounds and rho must be in (0, inf).")
        if self.people != int(self.people) or self.people < _FEWEST:
            raise ParameterError(f"a variance needs at least {_FEWEST} people, got {self.people}.")
        if not 0 < self.share < 1:
            raise ParameterError(f"the share of the variance must be in (0, 1), got {self.share}.")
        if self.tail is not None and not 0 < self.tail <= 0.5:  # noqa: PLR2004 - half
            raise ParameterError(f"the tail must be above 0 and at most 0.5, got {self.tail}.")

    @property
    def mean_noise(self) -> float:
        """Return the standard deviation of the noise of the mean."""
        part = self.rho * (1 - self.share)
        return self.width / self.people / math.sqrt(2 * part)

    @property
    def variance_noise(self) -> float:
        """Return the standard deviation of the noise of the variance."""
        most = self.width**2 * (self.people - 1) / self.people**2
        return most / math.sqrt(2 * self.rho * self.share)

    def variance(self, released: ArrayLike) -> FloatArray:
        """Return the variance of the noisy mean, from released variances.

        ``max(0, v + z sigma) / (n - 1)`` for sampling, and the noise of the mean.
        """
        margin = 0.0 if self.tail is None else -float(ndtri(self.tail))
        raised = np.asarray(released, dtype=np.float64) + margin * self.variance_noise
        sampling = np.maximum(raised, 0.0) / (self.people - 1)
        return np.asarray(sampling + self.mean_noise**2)

    def half_width(self, released: ArrayLike, *, level: float = LEVEL) -> FloatArray:
        """Return the half-widths of intervals around the noisy mean.

        Raises:
            ParameterError: ``level`` is not in (0, 1 - tail).

        """
        outside = 1 - level - (self.tail or 0.0)
        if not (0 < level < 1 and outside > _LEAST):
            raise ParameterError(
                "the confidence level must be in (0, 1), and below one minus the tail "
                f"of the variance, got {level}."
            )
        z = -float(ndtri(outside / 2))
        return np.asarray(z * np.sqrt(self.variance(released)))

    def simulate(
        self, means: FloatArray, variances: FloatArray, *, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Draw simulated noisy means and variances (divisor ``n``) of tables.

        Not for real releases: floating-point noise leaks.
        """
        shape = np.shape(means)
        return (
            np.asarray(means + self.mean_noise * rng.standard_normal(shape)),
            np.asarray(variances + self.variance_noise * rng.standard_normal(shape)),
        )
