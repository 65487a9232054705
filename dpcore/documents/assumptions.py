"""What answers rest on beside the noise, question by question. PUBLIC.

No ± covers any of it: a public minimum in a divisor, imputed values, and groups that a
comparison leaves out. It follows from what is declared. How many values are missing is
protected like the values themselves, and is stated only where it was released.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from dpcore.analyses.base import Question
from dpcore.analyses.differences import DifferenceQuery
from dpcore.data.columns import Column, MissingPolicy
from dpcore.models.question import ModelQuestion
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.relations import TableSize
from dpcore.releases.declared import minimum_of
from dpcore.statistics.conditions import (
    ALL_COUNTED,
    COMPLETE,
    LEFT_OUT,
    OTHER_GROUPS_LEFT_OUT,
    OTHERS,
    PAIR_ONLY,
    missing_values,
)
from dpcore.statistics.kinds import StatisticKind

Asked = Question | ModelQuestion
Treatments = Mapping[str, tuple[str, ...]]
"""What questions do with missing values of each column, by its name, each way once."""


def treatments(questions: Iterable[Asked]) -> dict[str, tuple[str, ...]]:
    """Return what questions do with missing values of each of their columns."""
    found: dict[str, dict[str, None]] = {}
    for asked in questions:
        for column in asked.columns:
            found.setdefault(column.name, {})[asked.missing_values(column)] = None
    return {name: tuple(ways) for name, ways in found.items()}


def treatment(way: str) -> str:
    """Return what is done with missing values, below a heading that says "missing values".

    >>> treatment("missing values imputed as 50")
    'imputed as 50'
    """
    return way.removeprefix("missing values ")


def of_column(column: Column, known: Treatments) -> tuple[str, ...]:
    """Return what is done for a column as it is declared.

    Columns of one name may have been declared in several ways.
    """
    own = {OTHERS, PAIR_ONLY, OTHER_GROUPS_LEFT_OUT, ALL_COUNTED, missing_values(column)}
    return tuple(way for way in known.get(column.name, ()) if way in own)


def imputed(columns: Iterable[Column], known: Treatments) -> tuple[Column, ...]:
    """Return the columns of which missing values are replaced by a public value."""
    return tuple(
        column
        for column in columns
        if column.missing is MissingPolicy.REPLACE
        and not column.complete
        and missing_values(column) in known.get(column.name, ())
    )


def is_complete(known: Treatments) -> bool:
    """Tell whether no value is missing, as was declared of every column."""
    ways = {way for each in known.values() for way in each}
    return bool(ways) and ways <= {COMPLETE, OTHER_GROUPS_LEFT_OUT}


def only_left_out(columns: Iterable[Column], known: Treatments) -> bool:
    """Tell whether missing values are left out wherever they matter."""
    unused = {PAIR_ONLY, OTHER_GROUPS_LEFT_OUT, COMPLETE, LEFT_OUT}
    return all(unused.issuperset(known.get(column.name, ())) for column in columns)


class ComparedGroups(NamedTuple):
    """A difference of two groups: its number, both labels, and those in neither."""

    place: int
    column: Column
    pair: tuple[str, str]
    others: tuple[str, ...]


def minimums(items: Sequence[PlannedQuery], size: TableSize) -> dict[int, tuple[int, ...]]:
    """Return every public minimum in a divisor, with the numbers of questions.

    Not the one that replaces a private number of people anyway.
    """
    found: dict[int, tuple[int, ...]] = {}
    for place, item in enumerate(items, 1):
        least = minimum_of(item.request.parameters())
        if least is not None and (size.public or least != size.people):
            found[least] = (*found.get(least, ()), place)
    return found


def imputed_in(items: Sequence[PlannedQuery]) -> tuple[Column, ...]:
    """Return the columns of a plan of which missing values are imputed."""
    asked = [item.request.asked for item in items]
    columns = dict.fromkeys(column for one in asked for column in one.columns)
    return imputed(columns, treatments(asked))


def compared(items: Sequence[PlannedQuery]) -> tuple[ComparedGroups, ...]:
    """Return the differences of two groups, with the groups that they leave out."""
    return tuple(
        ComparedGroups(
            place,
            asked.group.column,
            asked.pair,
            tuple(label for label in asked.group.labels if label not in asked.pair),
        )
        for place, item in enumerate(items, 1)
        if isinstance(asked := item.request.asked, DifferenceQuery)
    )


def assumed_groups(items: Sequence[PlannedQuery]) -> dict[int, tuple[int, ...]]:
    """Return every size that was assumed of groups, with the numbers of questions."""
    found: dict[int, tuple[int, ...]] = {}
    for place, item in enumerate(items, 1):
        if item.width.assumed:
            found[item.group] = (*found.get(item.group, ()), place)
    return found


def crossed(items: Sequence[PlannedQuery]) -> tuple[int, ...]:
    """Return the numbers of the questions whose totals are less exact than their ±."""
    return tuple(
        place
        for place, item in enumerate(items, 1)
        if getattr(item.request.asked, "kind", None) is StatisticKind.CROSS_TABLE
    )


def treated(items: Sequence[PlannedQuery]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return what is done with missing values, by column, with the numbers of questions.

    There are no numbers where all questions about a column do the same.
    """
    found: dict[str, dict[str, tuple[int, ...]]] = {}
    for place, item in enumerate(items, 1):
        for column in item.request.asked.columns:
            ways = found.setdefault(column.name, {})
            way = item.request.asked.missing_values(column)
            ways[way] = (*ways.get(way, ()), place)
    return {
        name: ways if len(ways) > 1 else dict.fromkeys(ways, ()) for name, ways in found.items()
    }
