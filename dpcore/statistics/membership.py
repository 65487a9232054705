"""Which people a count or a proportion counts."""

from __future__ import annotations

from dataclasses import dataclass

from dpcore.data.bounds import Interval
from dpcore.data.columns import Column
from dpcore.data.quantities import quantity_of
from dpcore.errors import ParameterError


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
            raise ParameterError("a membership is a label or an interval, not both.")

    @property
    def everyone(self) -> bool:
        """Tell whether everybody is a member."""
        return self.label is None and self.interval is None

    def phrase(self, column: Column) -> str:
        """Return the condition in words.

        >>> from dpcore.data.bounds import Interval
        >>> from dpcore.data.columns import Column, ColumnKind
        >>> age = Column(name="age", kind=ColumnKind.NUMBER)
        >>> Membership(interval=Interval(lower=18, upper=30)).phrase(age)
        'age from 18 to 30'
        >>> Membership(interval=Interval(lower=65, upper=float("inf"))).phrase(age)
        'age at least 65'
        >>> born = Column(name="born", kind=ColumnKind.DATE)
        >>> Membership(interval=Interval(lower=0, upper=364)).phrase(born)
        'born from 1970-01-01 to 1970-12-31'
        """
        name, quantity = column.title, quantity_of(column)
        if self.label is not None:
            return f"{name} = {self.label}"
        if self.interval is None:
            return "everybody"
        low, high = self.interval.lower, self.interval.upper
        lower, upper = (
            quantity.exactly(end) if quantity.is_date else f"{end:.12g}" for end in (low, high)
        )
        if high == float("inf"):
            return f"{name} at least {lower}"
        if low == -float("inf"):
            return f"{name} at most {upper}"
        return f"{name} from {lower} to {upper}"
