"""Why a person is exposed, in plain words. CONFIDENTIAL."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpcore.data.bounds import Interval
from dpcore.relations import NeighboringRelation
from dpcore.statistics.kinds import StatisticKind

if TYPE_CHECKING:
    from dpcore.individual.exposure import Exposure
    from dpcore.individual.summaries import ExposedPerson
    from dpcore.statistics.question import Question


def explain(person: ExposedPerson, exposure: Exposure, query: Question) -> str:
    """Return why this person loses as much as they do, with the numbers that say so.

    Where the loss is that of being removed, the person is compared with the others;
    where it is that of being replaced, with the record that changes the answer most.
    """
    if query.kind.of_ranks:
        return _of_rank(person, exposure, query)
    if query.kind.of_cells:
        reason = _of_cell(person, exposure, query)
    elif exposure.values.ndim > 1:
        reason = _of_record(exposure, query)
    elif query.kind.of_members:
        reason = _of_member(person, exposure)
    else:
        reason = _of_number(person, exposure, query)
    return (
        f"{reason} moves the {query.kind.value} by {person.shift:.3g}: a loss of "
        f"epsilon {person.epsilon:.3g}, where the guarantee is at most "
        f"{exposure.worst_case:.3g}."
    )


def _of_rank(person: ExposedPerson, exposure: Exposure, query: Question) -> str:
    bounds = query.column.bounds or Interval(lower=-np.inf, upper=np.inf)
    value = float(bounds.clip(person.value))
    below = np.count_nonzero(exposure.values < person.value)
    change = "moving it to the other side" if _replaces(exposure) else "leaving it out"
    return (
        f"This person's {query.column.name} is {value:.6g}, with {below} of "
        f"{exposure.people} people below; {change} changes every rank between by 1 at "
        f"most: a loss of epsilon {person.epsilon:.3g}, where the guarantee is at most "
        f"{exposure.worst_case:.3g}. It hardly matters how far the value lies from the "
        "others."
    )


def _of_record(exposure: Exposure, query: Question) -> str:
    names = " and ".join(column.name for column in query.columns[:3])
    more = ", …," if len(query.columns) > 3 else ""  # noqa: PLR2004 - enough to tell
    change = "another record" if _replaces(exposure) else "leaving this record out"
    return f"By their {names}{more} this person stands apart most; {change}"


def _replaces(exposure: Exposure) -> bool:
    return exposure.relation is NeighboringRelation.SUBSTITUTION


def _of_cell(person: ExposedPerson, exposure: Exposure, query: Question) -> str:
    sharing = np.count_nonzero(exposure.values == person.value)
    cell = query.statistic.labels[int(person.value)]
    change = (
        "taking them to another cell" if _replaces(exposure) else "leaving them out"
    )
    return f"This person is one of {sharing} in the cell {cell}; {change}"


def _of_member(person: ExposedPerson, exposure: Exposure) -> str:
    alike = np.count_nonzero(exposure.values == person.value)
    group = "are counted" if person.value == 1 else "are not counted"
    change = "another record" if _replaces(exposure) else "leaving them out"
    return f"This person is one of {alike} of {exposure.people} who {group}; {change}"


def _of_number(person: ExposedPerson, exposure: Exposure, query: Question) -> str:
    name = query.column.name
    bounds = query.column.bounds or Interval(lower=-np.inf, upper=np.inf)
    value = float(bounds.clip(person.value))
    shown = f"{person.value:.6g}"
    if value != person.value:
        shown += f" (counted as {value:.6g})"
    if _replaces(exposure):
        return (
            f"This person's {name} is {shown} and could be anything from "
            f"{bounds.lower:.6g} to {bounds.upper:.6g}; the farthest of these"
        )
    if query.kind is StatisticKind.SUM or exposure.people == 1:
        return f"This person's {name} is {shown}; leaving it out"
    rest = float(bounds.clip(exposure.values).sum()) - value
    others = rest / (exposure.people - 1)
    side = "above" if value >= others else "below"
    return (
        f"This person's {name} is {shown}, which is {abs(value - others):.3g} {side} "
        f"the mean of the others, {others:.6g}; leaving it out"
    )
