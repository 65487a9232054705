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
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv

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
    def of(
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
