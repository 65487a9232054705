"""Intervals around a release as the record keeps them: by label."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpcore.errors import ParameterError
from dpcore.releases.reading import list_in, number_in, object_in

Ends = dict[str, tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledIntervals:
    """Intervals around a release, computed from public numbers only.

    Attributes:
        level: Confidence of all coordinates together, such as 0.95.
        noise: Lower and upper end for each label: where the statistic of the table
            lies. ``None`` if not computed.
        total: The same for the population that the table is a sample of.

    """

    level: float
    noise: Ends | None = None
    total: Ends | None = None

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            message = f"the level must lie between 0 and 1, got {self.level}."
            raise ParameterError(message)

    def to_json(self) -> dict[str, object]:
        """Return the intervals for JSON, which has no infinity: such ends are null."""
        return {
            "level": self.level,
            "noise": _ends_to_json(self.noise),
            "total": _ends_to_json(self.total),
        }

    @classmethod
    def from_json(cls, content: object) -> LabelledIntervals:
        """Return what ``to_json`` wrote; KeyError, TypeError, ValueError if not."""
        parts = object_in(content)
        return cls(
            level=number_in(parts["level"]),
            noise=_ends_in(parts["noise"]),
            total=_ends_in(parts["total"]),
        )


def _ends_to_json(ends: Ends | None) -> dict[str, list[float | None]] | None:
    if ends is None:
        return None
    return {
        label: [end if math.isfinite(end) else None for end in pair]
        for label, pair in ends.items()
    }


def _ends_in(content: object) -> Ends | None:
    if content is None:
        return None
    ends = {}
    for label, pair in object_in(content).items():
        lower, upper = list_in(pair)
        ends[label] = (
            -math.inf if lower is None else number_in(lower),
            math.inf if upper is None else number_in(upper),
        )
    return ends
