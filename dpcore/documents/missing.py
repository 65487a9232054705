"""What becomes of missing values, question by question, in the same words everywhere.

It follows from what is declared. How many values are missing is protected like the
values themselves, and is told only where it was released.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from dpcore.analyses.base import Question
from dpcore.analyses.differences import DifferenceQuery
from dpcore.analyses.number import Query
from dpcore.data.columns import Column, MissingPolicy
from dpcore.models.question import ModelQuestion
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
