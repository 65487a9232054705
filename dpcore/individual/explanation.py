"""Why a person is exposed, in plain words. CONFIDENTIAL.

Who somebody is, without a value: "the person with the highest pay". CONFIDENTIAL.

A picture or a list that is shown to others should not say a value that names a person.
A rank says why somebody stands out; it is confidential all the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.analyses.base import Question
from dpcore.arrays import FloatArray, in_blocks
from dpcore.data.bounds import Interval
from dpcore.data.columns import Column
from dpcore.data.quantities import DAYS, quantity_of
from dpcore.formatting import capital, epsilon_text, significant
from dpcore.individual.losses import ExposedPerson
from dpcore.individual.per_instance_loss import StatisticLosses
from dpcore.relations import NeighboringRelation
from dpcore.statistics.kinds import StatisticKind
from dpcore.statistics.user_level import unpacked

_SHOWN = 2
"""How many columns of a record a sentence can hold."""
_GROUPS = 10
"""How many groups one can hold."""


def explain(person: ExposedPerson, exposure: StatisticLosses, query: Question) -> str:
    """Return why this person loses as much as they do, with the numbers that say so.

    Where the loss is that of being removed, the person is compared with the others;
    where it is that of being replaced, with the record that changes the answer most.
    """
    if query.unit.cap is not None:
        reason = _of_rows(person, exposure, query)
    elif query.kind.of_places:
        reason = _of_rank(person, exposure, query)
    elif query.kind.of_cells:
        reason = _of_cell(person, exposure, query)
    elif exposure.values.ndim > 1:
        reason = _of_record(person, exposure, query)
    elif query.kind.of_members:
        reason = _of_member(person, exposure, query, np.ones(exposure.people, dtype=bool))
    else:
        reason = _of_number(person, exposure, query)
    return _with_loss(f"{reason} {_change(person, query)}", person, upper=exposure.upper)


def explain_alone(person: ExposedPerson, query: Question, *, replaced: bool) -> str:
    """Return why a person loses as much, where nobody else's values are at hand.

    ``replaced`` tells whether the loss is that of another record in their place.
    """
    kind = query.kind
    what = "another record within the bounds" if replaced else "leaving this record out"
    reason = capital(what)
    if len(person.values) == 1 and not (kind.of_members or kind.of_cells):
        column = query.column
        reason = f"{_own(_named(person.value, column), query)}. {reason}"
    return _with_loss(f"{reason} {_change(person, query)}", person)


def tied_text(exposure: StatisticLosses, query: Question, *, listed: int) -> str:
    """Return how many lose as much as the first of a list, and of which groups.

    The groups are left out where all of them are among those ``listed``; empty where
    nobody else does.
    """
    tied = exposure.at_the_top()
    if len(tied) < 2:  # noqa: PLR2004 - alone
        return ""
    if len(tied) <= listed:
        return f"The first {len(tied)} are tied at rank 1."
    group, among = query.grouping, ""
    if group and query.unit.cap is None:
        codes = exposure.values[tied, -1].astype(np.intp)
        names = group.groups
        counts = np.bincount(codes, minlength=len(names))
        parts = [f"“{name}” {count:,}" for name, count in zip(names, counts, strict=True) if count]
        more = len(parts) - _GROUPS
        rest = f" and {more} more" if more > 0 else ""
        among = f" ({group.name}: {', '.join(parts[:_GROUPS])}{rest})"
    return f"{query.unit.number(len(tied))} are tied at rank 1{among}."


def _with_loss(reason: str, person: ExposedPerson, *, upper: bool = False) -> str:
    """Return a reason with the loss that it leads to."""
    most = "at most " if upper else ""
    return f"{reason}: a loss of {most}ε = {epsilon_text(person.epsilon)}."


def _own(value: str, query: Question) -> str:
    return f"This {query.unit.noun} has {value}"


def _change(person: ExposedPerson, query: Question) -> str:
    """Return what happens to the answer."""
    if query.kind.of_places:
        return "changes every rank by at most 1"
    if query.kind.of_matrix:
        # Variances and covariances of several units have no sum to tell.
        return "changes the variances and covariances that are released"
    of_ratios = query.kind.of_ratios or query.kind.of_known_sums
    if query.kind.weighted:
        # Each weight counts as a part of the cap.
        return f"changes the weighted sums by {significant(person.shift)} of the cap in total"
    if of_ratios and query.grouping:
        return f"changes the counts and sums of the groups by {significant(person.shift)} in total"
    if query.follows or query.kind is StatisticKind.PROPORTIONS:
        numbers = "released numbers" if query.follows else "shares"
        return f"changes the {numbers} by {significant(person.shift)} in total"
    parts = " of the groups" if query.kind.by_group and query.grouping else ""
    days = f" {DAYS}" * query.quantity.is_date
    return f"changes the {query.kind.value}{parts} by {significant(person.shift)}{days}"


def _replaces(exposure: StatisticLosses) -> bool:
    return exposure.relation is NeighboringRelation.SUBSTITUTION


def _bounds(column: Column) -> Interval:
    return column.bounds or Interval(lower=-np.inf, upper=np.inf)


def _total(values: FloatArray, bounds: Interval) -> float:
    """Return the sum of values, clamped."""
    return math.fsum(bounds.clip(block).sum() for block in in_blocks(values))


def _named(value: float, column: Column) -> str:
    """Return the value of a column, and what it counts as where that is another one."""
    counted = float(_bounds(column).clip(value))
    text = f"{column.title} = {_written(value, column)}"
    return text if counted == value else f"{text} (clamped to {_written(counted, column)})"


def _written(value: float, column: Column) -> str:
    quantity = quantity_of(column)
    return quantity.about(value) if quantity.is_date else significant(value, 6)


def _distance(size: float, column: Column) -> str:
    """Return how far two values are apart."""
    days = f" {DAYS}" * quantity_of(column).is_date
    return f"{significant(abs(size))}{days}"


def _of_rank(person: ExposedPerson, exposure: StatisticLosses, query: Question) -> str:
    bounds = _bounds(query.column)
    counted = float(bounds.clip(person.value))
    below = np.count_nonzero(bounds.clip(exposure.values) < counted)
    change = "Replacing it" if _replaces(exposure) else "Leaving it out"
    return (
        f"{_own(_named(person.value, query.column), query)}, with "
        f"{below:,} of {exposure.people:,} {query.unit.with_losses} below. {change}"
    )


def _of_rows(person: ExposedPerson, exposure: StatisticLosses, query: Question) -> str:
    """Return what all rows of a person say together, beside those of the others."""
    rows, line = unpacked(exposure.values, query.unit.cap or 1)
    mine = line == person.entry
    owned, others = int(mine.sum()), int((~mine).sum())
    text = f"This {query.unit.noun} has {owned:,} of the {len(rows):,} rows that count"
    numbers = not query.kind.of_members and not query.kind.of_cells
    if numbers and others:
        values = _bounds(query.column).clip(rows[:, 0])
        own, rest = float(values[mine].mean()), float(values[~mine].mean())
        side = "above" if own >= rest else "below"
        text += (
            f". The mean of {query.column.title} is {_written(own, query.column)}, "
            f"{_distance(own - rest, query.column)} {side} the mean of the others "
            f"({_written(rest, query.column)})"
        )
    change = "Replacing" if _replaces(exposure) else "Leaving out"
    return f"{text}. {change} these rows"


def _of_cell(person: ExposedPerson, exposure: StatisticLosses, query: Question) -> str:
    cells = exposure.values.reshape(exposure.people, -1)
    sharing = np.count_nonzero((cells == cells[person.entry]).all(axis=1))
    this, several = f"This {query.unit.noun} is one of {sharing:,}", exposure.values.ndim > 1
    to = "another cell of each table" if several else "another cell"
    change = f"Moving it to {to}" if _replaces(exposure) else "Leaving it out"
    if several:
        return f"{this} in the same cell of each table. {change}"
    return f"{this} in the cell {query.statistic.labels[int(person.value)]}. {change}"


def _of_record(person: ExposedPerson, exposure: StatisticLosses, query: Question) -> str:
    group, among = query.grouping, np.ones(exposure.people, dtype=bool)
    columns, where, others = query.columns, "", "the others"
    if group is not None:
        code = int(exposure.values[person.entry, -1])
        among = exposure.values[:, -1] == code
        listed = code < len(group.labels)
        label = (
            f"{group.name} = {group.labels[code]}"
            if listed
            else f"all other {query.unit.with_losses}"
        )
        columns = query.measured
        if group:
            where, others = f"Group {label}: ", "the others there"
        if query.kind.of_members:
            return where + _of_member(person, exposure, query, among)
    parts = _apart(person.entry, exposure.values, columns, among)
    if among.sum() > 1:
        parts = [f"{part} the mean of {others}" for part in parts]
    change = (
        "Another record within the bounds" if _replaces(exposure) else "Leaving this record out"
    )
    return f"{where}{_own(' and '.join(parts), query)}. {change}"


def _apart(
    entry: int, values: FloatArray, columns: tuple[Column, ...], among: NDArray[np.bool_]
) -> list[str]:
    """Return where a person lies farthest from the mean of the others ``among`` them.

    Far is meant in widths of the bounds; of the person alone there is only the value.
    """
    told = []
    for place, column in enumerate(columns):
        bounds, value = _bounds(column), float(values[entry, place])
        text, rest = _named(value, column), int(among.sum()) - 1
        counted = float(bounds.clip(value))
        gap = 0.0
        if rest > 0:
            total = float(bounds.clip(values[among, place]).sum())
            gap = counted - (total - counted) / rest
            text += f", {_distance(gap, column)} {'above' if gap >= 0 else 'below'}"
        told.append((abs(gap) / bounds.width, text))
    farthest = sorted(told, key=lambda part: -part[0])[:_SHOWN]
    return [text for _, text in farthest]


def _of_member(
    person: ExposedPerson, exposure: StatisticLosses, query: Question, among: NDArray[np.bool_]
) -> str:
    members = exposure.values if exposure.values.ndim == 1 else exposure.values[:, 0]
    alike = np.count_nonzero(members[among] == person.value)
    group = "counted" if person.value == 1 else "not counted"
    change = "Another record" if _replaces(exposure) else "Leaving it out"
    return (
        f"This {query.unit.noun} is one of the {alike:,} of {np.count_nonzero(among):,} that are "
        f"{group}. {change}"
    )


def _of_number(person: ExposedPerson, exposure: StatisticLosses, query: Question) -> str:
    bounds, own = _bounds(query.column), _own(_named(person.value, query.column), query)
    value = float(bounds.clip(person.value))
    if _replaces(exposure):
        return (
            f"{own}. The farthest value from "
            f"{_written(bounds.lower, query.column)} to {_written(bounds.upper, query.column)}"
        )
    if query.kind is StatisticKind.SUM or exposure.people == 1:
        return f"{own}. Leaving it out"
    rest = _total(exposure.values, bounds) - value
    others = rest / (exposure.people - 1)
    side = "above" if value >= others else "below"
    return (
        f"{own}, {_distance(value - others, query.column)} {side} the "
        f"mean of the others ({_written(others, query.column)}). Leaving it out"
    )


_NEAR_THE_END: Final = 10
_SHARE: Final = 0.1
_FROM_THE_TOP: Final = "highest"
_FROM_BELOW: Final = "lowest"


def role(columns: Mapping[str, FloatArray], row: int) -> str:
    """Return who somebody is by their rank in the column where they stand out most.

    ``columns`` has everybody's numbers by name, NaN where there is none.

    >>> pay = np.array([3.0, 9.0, 5.0, 9.0, 4.0])
    >>> role({"pay": pay}, 0), role({"pay": pay}, 1)
    ('the person with the lowest pay', 'one of those with the highest pay')
    >>> role({}, 0)
    'someone without extreme values'
    """
    found: tuple[int, str] | None = None
    for name, values in columns.items():
        rank = _rank(values, row, name)
        if rank is not None and (found is None or rank[0] < found[0]):
            found = rank
    return "someone without extreme values" if found is None else found[1]


def _rank(values: FloatArray, row: int, name: str) -> tuple[int, str] | None:
    """Return how many lie farther out, and that in words."""
    own = values[row]
    if np.isnan(own):
        return None
    above = int(np.count_nonzero(values > own))
    below = int(np.count_nonzero(values < own))
    alike = int(np.count_nonzero(values == own))
    beyond, end = min((above, _FROM_THE_TOP), (below, _FROM_BELOW))
    if above + below == 0:
        return None
    if beyond < _NEAR_THE_END:
        who = "the person" if alike == 1 else "one of those"
        return beyond, f"{who} with the {_ordinal(beyond + 1)}{end} {name}"
    if beyond < _SHARE * (above + below + alike):
        return beyond, (
            f"someone in the {'top' if end == _FROM_THE_TOP else 'bottom'} 10% by {name}"
        )
    return beyond, f"someone with a typical {name}"


def _ordinal(place: int) -> str:
    if place == 1:
        return ""
    return {2: "2nd ", 3: "3rd "}.get(place, f"{place}th ")
