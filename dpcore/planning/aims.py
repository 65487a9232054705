"""What an answer is taken to have to show, for the best split, where nobody said it.

A tenth of what it can be by public bounds: of the width of the bounds for a mean, of
the people for a count, of the places in the sorted table for a median. It is no
judgment, and no answer is held against it; it only lets questions of different units be
compared.
"""

from __future__ import annotations

import math
from typing import Final

from dpcore.planning.item import Item
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.question import Question

PART: Final = 0.1
_OF_BOUNDS: Final = {
    StatisticKind.MEAN: (1.0, 1),
    StatisticKind.DIFFERENCE: (1.0, 1),
    StatisticKind.STANDARD_DEVIATION: (0.5, 1),
    StatisticKind.POPULATION_STANDARD_DEVIATION: (0.5, 1),
    StatisticKind.VARIANCE: (0.5, 2),
    StatisticKind.POPULATION_VARIANCE: (0.5, 2),
}
"""How far a statistic can go: a part of the width of the bounds, to this power."""
_SHARES: Final = {StatisticKind.PROPORTION, StatisticKind.PROPORTIONS}


def aim(item: Item) -> float | None:
    """Return the half-width that an answer shall have, said or assumed.

    ``None`` where nobody said it and nothing can be assumed: of a model, say.
    """
    return assumed_aim(item) if item.wanted is None else item.wanted


def assumed_aim(item: Item) -> float | None:
    """Return a tenth of what the answer can be, in the unit of its half-width."""
    asked, width = item.request.asked, item.width
    if not isinstance(asked, Question) or (not math.isfinite(width.half) and not width.of):
        return None
    span = _span(asked, item)
    return PART * span if span is not None and 0 < span < math.inf else None


def says_nothing(item: Item) -> bool:
    """Tell whether the error is as wide as all that the answer can be.

    Where that hangs on a number of people, only if that number is public.
    """
    half = item.width.half
    return math.isfinite(half) and half >= nothing_beyond(item)


def nothing_beyond(item: Item) -> float:
    """Return from which error on an answer says nothing; NaN where that is not known.

    Where it hangs on a number of people, it is known only if that number is public.
    """
    asked = item.request.asked
    if not isinstance(asked, Question):
        return math.nan
    of_people = item.width.unit == "ranks" or _counts(asked.kind)
    if of_people or asked.kind is StatisticKind.SUM:
        return _span(asked, item) if asked.size.public else math.nan
    known = asked.kind in {*_OF_BOUNDS, *_SHARES}
    return _span(asked, item) if known else math.nan


def _span(asked: Question, item: Item) -> float:
    """Return how far the answer can go, in the unit of its half-width."""
    width, bounds = item.width, asked.column.bounds
    people = float(asked.size.people)
    if "part of" in width.of or asked.kind in _SHARES:
        return 1.0
    if width.unit == "ranks" or _counts(asked.kind):
        return people
    if bounds is not None and asked.kind in _OF_BOUNDS:
        part, power = _OF_BOUNDS[asked.kind]
        return (part * bounds.width) ** power
    if bounds is not None and asked.kind is StatisticKind.SUM:
        return bounds.width * people
    return asked.bounds.width


def _counts(kind: StatisticKind) -> bool:
    return kind is StatisticKind.COUNT or kind.of_cells
