"""Which people a count or a proportion counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpcore.errors import ParameterError

if TYPE_CHECKING:
    from dpcore.data.bounds import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """A public condition on one column; without one, everybody is a member.

    Attributes:
        label: Members have this label of a category or yes/no column.
        interval: Members have a number in this closed interval, as it stands in the
            table (not clamped).

    """

    label: str | None = None
    interval: Interval | None = None

    def __post_init__(self) -> None:
        if self.label is not None and self.interval is not None:
            message = "a membership is a label or an interval, not both."
            raise ParameterError(message)

    @property
    def everyone(self) -> bool:
        """Tell whether everybody is a member."""
        return self.label is None and self.interval is None

    def phrase(self, column: str) -> str:
        """Return the condition in words.

        >>> from dpcore.data.bounds import Interval
        >>> Membership(label="yes").phrase("smoker")
        'smoker = yes'
        >>> Membership(interval=Interval(lower=18, upper=30)).phrase("age")
        'age from 18 to 30'
        >>> Membership(interval=Interval(lower=65, upper=float("inf"))).phrase("age")
        'age at least 65'
        """
        if self.label is not None:
            return f"{column} = {self.label}"
        if self.interval is None:
            return "everybody"
        lower, upper = self.interval.lower, self.interval.upper
        if upper == float("inf"):
            return f"{column} at least {lower:.12g}"
        if lower == -float("inf"):
            return f"{column} at most {upper:.12g}"
        return f"{column} from {lower:.12g} to {upper:.12g}"
