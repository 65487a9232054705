"""The settings of Study 1.

Liu 2016, section 4.1: one and the same matrix is sanitized many times, for several
correlations and numbers of people. The numbers of the original design were lost with
its formulas; the defaults here are reconstructed.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from scipy.special import ndtr, ndtri

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.mechanisms.covariances import CovarianceRelease, largest_variance

LABELS: Final = {
    "v1": "first variance",
    "v2": "second variance",
    "cov": "covariance",
    "r": "correlation",
}
STATISTICS: Final = tuple(LABELS)
"""The two variances, their covariance, and the correlation computed from them."""
COMPARED: Final = ("truncated-published", "bit", "truncated")
"""Keys of the mechanisms that keep a covariance matrix within its bounds."""
_MOST_ENTRIES = 12
_FEWEST_REPETITIONS = 2
_MOST_REPETITIONS = 200_000


class Degenerate(StrEnum):
    """What a release counts as whose correlation is not defined (a variance is 0)."""

    ZERO = "count as 0"
    """Covariance and correlation are 0."""
    DROP = "leave out"
    """The release counts for the two variances only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Everything that Study 1 depends on.

    Raises:
        ParameterError: One of these lies outside its domain.

    """

    deviations: tuple[float, float] = (1.0, 2.0)
    """Standard deviations of the two variables."""
    half_widths: tuple[float, float] = (4.0, 8.0)
    """The public bounds are ``+-`` these."""
    correlations: tuple[float, ...] = (0.0, -0.5, 0.9)
    """Correlations of the confidential matrix."""
    people: tuple[int, ...] = (50, 100, 200, 400, 800)
    """Numbers of people."""
    epsilon: float = 1.0
    """Nominal budget of the whole matrix."""
    weights: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Its split over first variance, second variance and covariance."""
    repetitions: int = 500
    """How often each matrix is sanitized."""
    keys: tuple[str, ...] = COMPARED
    """The mechanisms compared, of ``COMPARED``."""
    degenerate: Degenerate = Degenerate.ZERO
    """What counts where the correlation is not defined."""

    def __post_init__(self) -> None:
        _require_list("correlations", self.correlations)
        _require_list("numbers of people", self.people)
        _require_list("mechanisms", self.keys)
        if not all(-1 <= rho <= 1 for rho in self.correlations):
            raise ParameterError("every correlation must be in [-1, 1].")
        if not set(self.keys) <= set(COMPARED):
            raise ParameterError(f"the mechanisms must be of {COMPARED}.")
        if not _FEWEST_REPETITIONS <= self.repetitions <= _MOST_REPETITIONS:
            raise ParameterError(f"repetitions must be in [2, {_MOST_REPETITIONS:,}].")
        for n in self.people:
            release = self.release(self.keys[0], n)
            for sd, width in zip(self.deviations, release.widths, strict=True):
                if not 0 < sd * sd <= largest_variance(width, n):
                    raise ParameterError(
                        "every standard deviation must be positive and possible within "
                        f"the bounds, got {sd:g} within {width:g}."
                    )

    def release(self, key: str, people: int) -> CovarianceRelease:
        """Return the release of one mechanism for one number of people."""
        first, second = self.half_widths
        return CovarianceRelease(
            widths=(2 * first, 2 * second),
            people=people,
            key=key,
            epsilon=self.epsilon,
            weights=self.weights,
        )

    def truth(self, correlation: float) -> FloatArray:
        """Return the confidential numbers, in the order of ``STATISTICS``."""
        first, second = self.deviations
        covariance = correlation * first * second
        return np.array([first * first, second * second, covariance, correlation])

    @property
    def shares(self) -> tuple[float, float]:
        """Return how much of a centered Gaussian the bounds of each variable hold."""
        pairs = zip(self.half_widths, self.deviations, strict=True)
        first, second = (float(1 - 2 * ndtr(-width / sd)) for width, sd in pairs)
        return first, second

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """Return all scenarios, in the order in which they are run."""
        return tuple(
            Scenario(key=key, correlation=correlation, people=people)
            for correlation, people, key in itertools.product(
                self.correlations, self.people, self.keys
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One mechanism at one correlation and number of people."""

    key: str
    correlation: float
    people: int


def half_widths_holding(share: float, deviations: tuple[float, float]) -> tuple[float, float]:
    """Return bounds ``+-`` which hold ``share`` of centered Gaussians.

    >>> half_widths_holding(0.95, (1.0, 2.0))
    (1.959963984540054, 3.919927969080108)

    Raises:
        ParameterError: ``share`` is not in (0, 1).

    """
    if not 0 < share < 1:
        raise ParameterError(f"the share within the bounds must be in (0, 1), got {share}.")
    z = float(-ndtri((1 - share) / 2))
    return z * deviations[0], z * deviations[1]


def _require_list(name: str, entries: tuple[object, ...]) -> None:
    if not 1 <= len(entries) <= _MOST_ENTRIES or len(set(entries)) < len(entries):
        raise ParameterError(f"give 1 to {_MOST_ENTRIES} different {name}.")
