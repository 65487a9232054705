"""Intervals around a release as the record keeps them: by label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

from dpcore.arrays import FloatArray
from dpcore.codec import ENDS, NUMBER, Schema, by_name, optional
from dpcore.errors import ParameterError
from dpcore.inference.intervals import Intervals

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
            raise ParameterError(f"the level must lie between 0 and 1, got {self.level}.")

    @classmethod
    def of(cls, labels: tuple[str, ...], around: Intervals) -> Self:
        """Return intervals as the record keeps them."""

        def ends(rows: FloatArray) -> Ends:
            pairs = [(float(low), float(high)) for low, high in rows]
            return dict(zip(labels, pairs, strict=True))

        return cls(level=around.level, noise=ends(around.noise), total=ends(around.total))


_ENDS = optional(by_name(ENDS))
INTERVALS: Final = Schema(LabelledIntervals, level=NUMBER, noise=_ENDS, total=_ENDS)
