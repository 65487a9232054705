"""Populations that tables are drawn from: ages, a normal variable, anybody's column.

Their values are clamped to public bounds, and drawn independently.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

import numpy as np
from scipy.special import ndtr

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError

_AGE_GROUPS: Final = (
    (15, 19, 2_450_888),
    (20, 24, 2_381_288),
    (25, 34, 5_229_062),
    (35, 44, 5_485_341),
    (45, 54, 4_331_635),
    (55, 59, 1_467_252),
    (60, 64, 1_146_841),
    (65, 74, 1_887_823),
    (75, 84, 1_282_178),
    (85, 93, 425_657),
)
"""First and last age of each group, and how many Californians of the census of 2000."""
_ADULT = 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Ages:
    """Adults of California in 2000: whole years from 18 to 93, within 0 and 100.

    The public counts of age groups of that census, spread evenly over the years of a
    group (the last one ends at 93): a stand-in for the sample of the source, which is
    not shipped.
    """

    name: str = "ages of adults"
    unit: str = "years"

    @property
    def bounds(self) -> Interval:
        """Return 0 to 100 years."""
        return Interval(lower=0.0, upper=100.0)

    @property
    def mean(self) -> float:
        """Return the mean age.

        >>> round(Ages().mean, 5), round(Ages().sd, 5)
        (43.93744, 17.59333)
        """
        years, shares = _ages()
        return float(years @ shares)

    @property
    def sd(self) -> float:
        """Return the standard deviation of the ages."""
        years, shares = _ages()
        return math.sqrt(float((years - self.mean) ** 2 @ shares))

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw ages, each with its share in the population."""
        years, shares = _ages()
        place = np.searchsorted(np.cumsum(shares), rng.random(size), side="right")
        return np.asarray(years[np.minimum(place, len(years) - 1)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Normal:
    """A standard normal variable, clamped to ``+-half_width``.

    Raises:
        ParameterError: ``half_width`` is not in (0, inf).

    """

    half_width: float = 3.0
    """The public bounds, in standard deviations; positive and finite."""
    name: str = "a normal variable"
    unit: str = ""

    def __post_init__(self) -> None:
        if not 0 < self.half_width < math.inf:
            raise ParameterError(f"the half-width must be in (0, inf), got {self.half_width}.")

    @property
    def bounds(self) -> Interval:
        """Return the bounds around 0."""
        return Interval(lower=-self.half_width, upper=self.half_width)

    @property
    def mean(self) -> float:
        """Return 0: the bounds are symmetric."""
        return 0.0

    @property
    def sd(self) -> float:
        """Return the standard deviation after clamping.

        ``E min(x^2, w^2) = (1 - 2 Q) - 2 w phi(w) + 2 w^2 Q``, ``Q`` the tail beyond
        ``w``.
        """
        w = self.half_width
        tail = float(ndtr(-w))
        density = math.exp(-w * w / 2) / math.sqrt(2 * math.pi)
        return math.sqrt(1 - 2 * tail - 2 * w * density + 2 * w * w * tail)

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw clamped normal values."""
        return self.bounds.clip(rng.standard_normal(size))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class People:
    """The people of a table, taken as the whole population. CONFIDENTIAL."""

    values: FloatArray
    """Their values, clamped."""
    bounds: Interval
    """The public bounds of the values."""
    name: str
    unit: str
    mean: float
    sd: float
    """Their standard deviation, with divisor ``N``."""

    @classmethod
    def of(cls, values: FloatArray, *, bounds: Interval, name: str, unit: str = "") -> Self:
        """Return the population of these people.

        Raises:
            ParameterError: There are no values, or some are not within the bounds.

        """
        if values.size == 0:
            raise ParameterError("a population needs at least one person.")
        if not np.all((values >= bounds.lower) & (values <= bounds.upper)):
            raise ParameterError("clamp the values of a population to its bounds first.")
        return cls(
            values=values,
            bounds=bounds,
            name=name,
            unit=unit,
            mean=float(values.mean()),
            sd=float(values.std()),
        )

    def draw(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Draw people with replacement."""
        return np.asarray(self.values[rng.integers(self.values.size, size=size)])


Population = Ages | Normal | People
"""Where the people of simulated tables come from."""


@lru_cache(maxsize=1)
def _ages() -> tuple[FloatArray, FloatArray]:
    """Return the years from 18 on, and the share of each."""
    oldest = _AGE_GROUPS[-1][1]
    people = np.zeros(oldest + 1)
    for first, last, count in _AGE_GROUPS:
        people[first : last + 1] = count / (last - first + 1)
    adults = people[_ADULT:]
    return np.arange(_ADULT, oldest + 1, dtype=np.float64), adults / adults.sum()
