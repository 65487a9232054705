"""Public bounds: the interval that every value is clamped to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A closed interval of the real line; either end may be infinite."""

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if np.isnan(self.lower) or np.isnan(self.upper) or self.lower > self.upper:
            raise ParameterError(
                f"an interval needs lower <= upper, got {self.lower}, {self.upper}."
            )

    @property
    def width(self) -> float:
        """Return ``upper - lower``."""
        return self.upper - self.lower

    def clip(self, values: ArrayLike) -> FloatArray:
        """Return ``values`` moved to the nearest point of the interval."""
        return np.clip(np.asarray(values, dtype=np.float64), self.lower, self.upper)

    def cut(self, reach: float) -> Interval:
        """Return the interval with an infinite side cut at ``reach`` from the other.

        >>> Interval(lower=3.0, upper=float("inf")).cut(10.0)
        Interval(lower=3.0, upper=13.0)
        """
        lower, upper = self.lower, self.upper
        if not np.isfinite(lower):
            lower = upper - reach if np.isfinite(upper) else -reach
        if not np.isfinite(upper):
            upper = lower + reach if np.isfinite(self.lower) else reach
        return Interval(lower=lower, upper=upper)
