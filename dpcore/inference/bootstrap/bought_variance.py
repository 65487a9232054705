"""The honest rival of a free standard error: pay for the variance, directly.

A part of ``rho`` buys the mean, the rest the variance, each with Gaussian noise. No
resampling, no subtraction of large noise, and the zCDP cost holds as it stands. The
sensitivity of the variance ``sum (x - mean)^2 / n`` of values ``R`` apart at most is
``R^2 (n - 1) / n^2`` when one person is replaced by another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.inference.bootstrap.intervals import LEVEL

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
