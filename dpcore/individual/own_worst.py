"""The most that a person of a given value can lose, whoever else is in the table.

It depends on the person's own record and public numbers alone, so that it may be told
to the person: the personalized worst case, between the own loss and the guarantee.
"""

from __future__ import annotations

from dpcore.data.bounds import Interval
from dpcore.errors import ParameterError
from dpcore.relations import NeighboringRelation, TableSize
from dpcore.statistics.kinds import StatisticKind


def own_worst_shift(
    kind: StatisticKind,
    value: float,
    *,
    bounds: Interval,
    size: TableSize,
    relation: NeighboringRelation,
) -> float | None:
    """Return how far a person of that value can move a sum or a mean, at most.

    ``|x|`` for a sum that the person leaves, ``max(x - c0, c1 - x)`` where the record
    becomes another one; a mean of a public number of people moves by the ``n``-th part.
    ``None`` for other statistics, and for a mean of a private number of people, for
    which there is no more to say than the guarantee.

    Raises:
        ParameterError: The value lies outside the bounds.

    >>> from dpcore.data.bounds import Interval
    >>> from dpcore.relations import TableSize
    >>> own_worst_shift(
    ...     StatisticKind.MEAN,
    ...     20.0,
    ...     bounds=Interval(lower=0.0, upper=100.0),
    ...     size=TableSize(people=10, public=True),
    ...     relation=NeighboringRelation.SUBSTITUTION,
    ... )
    8.0

    """
    if not bounds.lower <= value <= bounds.upper:
        raise ParameterError(
            f"the value must lie within {bounds.lower} and {bounds.upper}, got {value}."
        )
    replaced = max(value - bounds.lower, bounds.upper - value)
    if kind is StatisticKind.SUM:
        if relation is NeighboringRelation.ADD_REMOVE:
            return abs(value)
        # Where people may be left out, the record can also become one without a value.
        return replaced if size.public else max(replaced, abs(value))
    swapped = relation is NeighboringRelation.SUBSTITUTION
    if kind is StatisticKind.MEAN and swapped and size.public:
        return replaced / size.people
    return None
