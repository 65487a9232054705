"""Bounds that anybody could write down without having seen a table."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.data.bounds import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsTemplate:
    """Public bounds for a common kind of number.

    Attributes:
        title: What is measured, in plain words.
        bounds: The closed interval, in ``unit``.
        unit: Unit of measurement; empty where there is none.

    """

    title: str
    bounds: Interval
    unit: str = ""


def _template(title: str, lower: float, upper: float, unit: str = "") -> BoundsTemplate:
    bounds = Interval(lower=lower, upper=upper)
    return BoundsTemplate(title=title, bounds=bounds, unit=unit)


TEMPLATES: tuple[BoundsTemplate, ...] = (
    _template("Age", 0, 100, "years"),
    _template("Age of adults", 18, 100, "years"),
    _template("Percentage", 0, 100, "%"),
    _template("Share", 0, 1),
    _template("Yes or no (1 or 0)", 0, 1),
    _template("Likert scale 1 to 5", 1, 5, "points"),
    _template("Likert scale 1 to 7", 1, 7, "points"),
    _template("Rating 0 to 10", 0, 10, "points"),
    _template("Years of schooling", 0, 25, "years"),
    _template("People in a household", 1, 20, "people"),
    _template("Days a week", 0, 7, "days"),
    _template("Hours a day", 0, 24, "hours"),
    _template("Hours a week", 0, 168, "hours"),
    _template("Body temperature", 34, 43, "°C"),
    _template("Height of adults", 120, 220, "cm"),
    _template("Weight of adults", 30, 250, "kg"),
    _template("Systolic blood pressure", 60, 260, "mmHg"),
    _template("Resting heart rate", 30, 220, "beats a minute"),
)
