"""Public bounds: the interval that values are clamped to, and some that anybody knows."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpcore.arrays import FloatArray
from dpcore.errors import ParameterError
from dpcore.formatting import in_full


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A closed interval of the real line; either end may be infinite."""

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if np.isnan(self.lower) or np.isnan(self.upper) or self.lower > self.upper:
            raise ParameterError(
                "an interval needs lower <= upper, got "
                f"{in_full(self.lower)} and {in_full(self.upper)}."
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


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsTemplate:
    """Public bounds for a common kind of number.

    Attributes:
        title: What is measured, in plain words.
        bounds: The closed interval, in ``unit``.
        unit: Unit of measurement; empty where there is none.
        names: Words of which the name of such a column contains one, where they leave no doubt
            about the scale. A share may be 0 to 1 or 0 to 100, and a weight may be in pounds.

    """

    title: str
    bounds: Interval
    unit: str = ""
    names: tuple[str, ...] = ()


_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# They say that something else is measured than the other words of a name do.
_OTHERWISE = {"sum", "total", "count", "number", "months", "weeks", "days", "group", "code", "log"}


def template_of(name: str) -> BoundsTemplate | None:
    """Return the bounds that are usual for a column of this name, if some are.

    >>> template_of("patientAge").bounds, template_of("wage"), template_of("age_months")
    (Interval(lower=0, upper=100), None, None)
    """
    words = {word.lower() for word in _WORD.findall(name)}
    if words & _OTHERWISE:
        return None
    return next((one for one in TEMPLATES if words & {*one.names}), None)


TEMPLATES: tuple[BoundsTemplate, ...] = tuple(
    BoundsTemplate(
        title=title,
        bounds=Interval(lower=lower, upper=upper),
        unit=unit,
        names=tuple(names[0].split()) if names else (),
    )
    for title, lower, upper, unit, *names in (
        ("Age", 0, 100, "years", "age alter alder"),
        ("Age of adults", 18, 100, "years"),
        ("Percentage", 0, 100, "%", "percent percentage"),
        ("Share", 0, 1, ""),
        ("Yes or no (1 or 0)", 0, 1, ""),
        ("Likert scale 1 to 5", 1, 5, "points"),
        ("Likert scale 1 to 7", 1, 7, "points"),
        ("Rating 0 to 10", 0, 10, "points"),
        ("Years of schooling", 0, 25, "years", "schooling"),
        ("People in a household", 1, 20, "people", "hhsize famsize"),
        ("Days a week", 0, 7, "days"),
        ("Hours a day", 0, 24, "hours"),
        ("Hours a week", 0, 168, "hours"),
        ("Body temperature", 34, 43, "°C"),
        ("Height of adults", 120, 220, "cm"),
        ("Weight of adults", 30, 250, "kg"),
        ("Systolic blood pressure", 60, 260, "mmHg", "systolic sbp"),
        ("Resting heart rate", 30, 220, "beats a minute", "pulse heartrate"),
    )
)
