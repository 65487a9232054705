"""What answers rest on beside the noise, question by question. PUBLIC.

No ± covers any of it: a minimum that is divided by, values that replace missing ones,
and who is left out of a comparison. It follows from what is declared. How many values
are missing is protected like the values themselves, and is told only where it was
released.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from dpcore.analyses.base import Question
from dpcore.analyses.cross_table import CrossedQuery
from dpcore.analyses.differences import DifferenceQuery
from dpcore.analyses.number import Query
from dpcore.data.columns import Column, MissingPolicy
from dpcore.models.question import ModelQuestion
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.relations import TableSize
from dpcore.releases.declared import minimum_of
from dpcore.statistics.conditions import counted_as_value

Asked = Question | ModelQuestion

UNTOLD: Final = (
    "The number of missing values is protected like the values themselves. Released "
    "counts of known values disclose it only up to their noise."
)
"""Missing values are part of a record: neighbors differ in them, and no figure is
computed of them but released ones."""
OTHERS: Final = "missing and unlisted values are in the group of all others"
NEITHER: Final = "missing values and other groups are left out"
COMPLETE: Final = "no missing values, as declared"
LEFT_OUT: Final = "missing values left out"
OUTSIDE: Final = "other groups are left out"
EVERYBODY: Final = "all rows are counted, with or without a value"


def treatment(asked: Asked, column: Column) -> str:
    """Return what a question does with people without a value of one of its columns.

    What is declared of a column does not count where it makes the groups.
    """
    if isinstance(asked, DifferenceQuery) and column == asked.group:
        if not column.complete:
            return NEITHER
        return OUTSIDE if set(column.labels) - set(asked.pair) else COMPLETE
    if column.complete:
        return COMPLETE
    if column == getattr(asked, "group", None):
        return OTHERS
    member = asked.membership if isinstance(asked, Query) else None
    if member is not None and member.everyone:
        return EVERYBODY
    return _alone(column)


def _alone(column: Column) -> str:
    """Return what a question about a column does with people without a value of it."""
    if column.missing is MissingPolicy.DROP:
        return LEFT_OUT
    return COMPLETE if column.complete else counted_as_value(column)


def of_question(asked: Asked) -> tuple[tuple[Column, str], ...]:
    """Return what a question does with missing values of each of its columns."""
    return tuple((column, treatment(asked, column)) for column in asked.columns)


def of_columns(questions: Iterable[Asked]) -> dict[str, str]:
    """Return what becomes of missing values of each column, by its name.

    Where questions differ in it, all that is done stands there, each once.
    """
    return {name: "; ".join(told) for name, told in each_of_columns(questions).items()}


def counted_as(columns: Iterable[Column], done: Mapping[str, str]) -> tuple[Column, ...]:
    """Return the columns where somebody without a value counts as a public one.

    ``done`` is what ``of_columns`` says of them.
    """
    return tuple(
        column
        for column in columns
        if column.missing is MissingPolicy.REPLACE
        and not column.complete
        and _alone(column) in done.get(column.name, "").split("; ")
    )


def of_column(column: Column, done: Mapping[str, str]) -> tuple[str, ...]:
    """Return what is done for a column as it is declared.

    ``done`` is what ``of_columns`` says, of every way in which a column of that name
    was declared.
    """
    own = {OTHERS, NEITHER, OUTSIDE, EVERYBODY, _alone(column)}
    told = done.get(column.name, "").split("; ")
    return tuple(text for text in told if text in own)


def nobody(done: Mapping[str, str]) -> bool:
    """Tell whether nobody lacks a value, as was declared of every column.

    ``done`` is what ``of_columns`` says of them.
    """
    ways = {text for told in done.values() for text in told.split("; ")}
    return bool(ways) and ways <= {COMPLETE, OUTSIDE}


def only_left_out(columns: Iterable[Column], done: Mapping[str, str]) -> bool:
    """Tell whether whoever has no value is left out wherever that matters.

    ``done`` is what ``of_columns`` says of the columns.
    """
    return all(
        treated in {NEITHER, OUTSIDE, COMPLETE}
        or (column.missing is MissingPolicy.DROP and treated == _alone(column))
        for column in columns
        for treated in done.get(column.name, "").split("; ")
    )


def each_of_columns(questions: Iterable[Asked]) -> dict[str, tuple[str, ...]]:
    """Return the same, each treatment by itself."""
    found: dict[str, dict[str, None]] = {}
    for asked in questions:
        for column in asked.columns:
            found.setdefault(column.name, {})[treatment(asked, column)] = None
    return {name: tuple(told) for name, told in found.items()}


class ComparedGroups(NamedTuple):
    """A difference of two groups: its number, both labels, and those in neither."""

    place: int
    column: Column
    pair: tuple[str, str]
    others: tuple[str, ...]


def minimums(items: Sequence[PlannedQuery], size: TableSize) -> dict[int, tuple[int, ...]]:
    """Return every public minimum that is divided by, with the numbers of questions.

    Not the one that stands in for a private number of people anyway.
    """
    found: dict[int, list[int]] = {}
    for place, item in enumerate(items, 1):
        least = minimum_of(item.request.parameters())
        if least is not None and (size.public or least != size.people):
            found.setdefault(least, []).append(place)
    return {least: tuple(places) for least, places in found.items()}


def filled(items: Sequence[PlannedQuery]) -> tuple[Column, ...]:
    """Return the columns where somebody without a value counts as a public one."""
    asked = [item.request.asked for item in items]
    columns = dict.fromkeys(column for one in asked for column in one.columns)
    return counted_as(columns, of_columns(asked))


def compared(items: Sequence[PlannedQuery]) -> tuple[ComparedGroups, ...]:
    """Return the differences of two groups, with the groups that they leave out."""
    found = []
    for place, item in enumerate(items, 1):
        asked = item.request.asked
        if isinstance(asked, DifferenceQuery):
            others = tuple(x for x in asked.group.labels if x not in asked.pair)
            found.append(ComparedGroups(place, asked.group, asked.pair, others))
    return tuple(found)


def assumed_groups(items: Sequence[PlannedQuery]) -> dict[int, tuple[int, ...]]:
    """Return every size that was assumed of groups, with the numbers of questions."""
    found: dict[int, tuple[int, ...]] = {}
    for place, item in enumerate(items, 1):
        if item.width.assumed:
            found[item.group] = (*found.get(item.group, ()), place)
    return found


def crossed(items: Sequence[PlannedQuery]) -> tuple[int, ...]:
    """Return the numbers of the questions whose sums are less exact than their ±."""
    return tuple(
        place for place, item in enumerate(items, 1) if isinstance(item.request.asked, CrossedQuery)
    )


def treated(items: Sequence[PlannedQuery]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return what is done with people without a value, by column and question.

    Each treatment comes with the numbers of the questions that do it; with none where
    all of a column do the same.
    """
    found: dict[str, dict[str, list[int]]] = {}
    for place, item in enumerate(items, 1):
        for column, told in of_question(item.request.asked):
            found.setdefault(column.name, {}).setdefault(told, []).append(place)
    return {
        name: {text: tuple(at) if len(told) > 1 else () for text, at in told.items()}
        for name, told in found.items()
    }
