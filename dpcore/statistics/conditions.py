"""Of what an answer is an answer: what becomes of values before they are counted.

All of it is PUBLIC: it follows from what is declared, never from the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.quantities import quantity_of, replacement_text
from dpcore.relations import PrivacyUnit, TableSize
from dpcore.statistics.kinds import StatisticKind

_ADDED: Final = re.compile(r"(?: where |, at most \d+ rows? per ).*$")
"""What conditions and limits of rows add to the name of a column."""
_AVERAGES: Final = {
    StatisticKind.MEAN,
    StatisticKind.MEAN_AND_SPREAD,
    StatisticKind.PROPORTION,
    StatisticKind.PROPORTIONS,
}


def statement(title: str, conditions: tuple[str, ...], columns: Iterable[Column] = ()) -> str:
    """Return of what an answer is an answer, in one sentence without its full stop.

    What steps have added to the names of all columns is said once, with the title. So
    is the name, and with it the recipe, of each of the ``columns`` that has a display
    name, and how ties of most frequent values are resolved.

    >>> statement("mean of pay", ("missing values imputed as 150,000",))
    'mean of pay, missing values imputed as 150,000'
    >>> from dpcore.data.columns import Column
    >>> stay = Column(
    ...     name="sum of stay per patient",
    ...     kind=ColumnKind.NUMBER,
    ...     display_name="days in hospital",
    ... )
    >>> statement("mean of days in hospital", (), (stay,))
    'mean of days in hospital, “days in hospital” is sum of stay per patient'
    """
    ending = _ADDED.search(title)
    if ending is not None:
        conditions = tuple(said.replace(ending[0], "") for said in conditions)
    columns = [*columns]
    named = [f"“{one.title}” is {one.name}" for one in columns if one.display_name]
    rules = dict.fromkeys(one.tie_rule for one in columns if one.tie_rule)
    conditions = (*named, *rules, *conditions)
    return f"{title}, {'; '.join(conditions)}" if conditions else title


def said_once(*names: str) -> tuple[str, ...]:
    """Return names of columns, with what steps have added to all of them in the last.

    >>> said_once("stay where age at least 60", "ward where age at least 60")
    ('stay', 'ward where age at least 60')
    >>> said_once("stay, at most 5 rows per who", "ward")
    ('stay, at most 5 rows per who', 'ward')
    """
    ending = _ADDED.search(names[-1])
    if ending is None or not all(name.endswith(ending[0]) for name in names):
        return names
    *others, last = names
    return (*(name.removesuffix(ending[0]) for name in others), last)


def clamped(column: Column, *, named: bool = False) -> tuple[str, ...]:
    """Return what becomes of numbers outside the bounds; nothing for other columns.

    >>> from dpcore.data.bounds import Interval
    >>> from dpcore.data.columns import Column
    >>> pay = Column(
    ...     name="pay",
    ...     kind=ColumnKind.NUMBER,
    ...     bounds=Interval(lower=15_000, upper=150_000),
    ... )
    >>> clamped(pay)
    ('values clamped between 15,000 and 150,000',)
    """
    if not column.kind.is_numeric or column.bounds is None:
        return ()
    quantity, bounds = quantity_of(column), column.bounds
    low, high = quantity.exactly(bounds.lower), quantity.exactly(bounds.upper)
    whose = f" of {column.title}" if named else ""
    return (f"values{whose} clamped between {low} and {high}",)


def binned(column: Column, edges: tuple[float, ...]) -> tuple[str, ...]:
    """Return what becomes of numbers beyond the edges of bins.

    The last edge is in the last bin, but for whole numbers and dates.
    """
    quantity, last = quantity_of(column), edges[-1]
    if column.kind is ColumnKind.WHOLE and last == int(last):
        last -= 1
    low, high = quantity.exactly(edges[0]), quantity.exactly(last)
    above = f"from {high} on" if quantity.is_date else f"above {high}"
    return (f"values below {low} counted in the first bin, {above} in the last",)


def filled(column: Column, unit: PrivacyUnit, *, named: bool = False) -> tuple[str, ...]:
    """Return what is done with missing values; nothing where no row lacks one."""
    if column.complete:
        return ()
    whose = f" of {column.title}" if named else ""
    if column.missing is MissingPolicy.DROP:
        return (f"{unit.counted} without a value{whose} left out",)
    return (imputed(column, whose),)


def imputed(column: Column, whose: str = "") -> str:
    """Return as what missing values are imputed."""
    return f"missing values{whose} imputed as {replacement_text(column)}"


COMPLETE: Final = "no missing values, as declared"
LEFT_OUT: Final = "missing values left out"
OTHERS: Final = "missing and unlisted values are in the group of all others"
PAIR_ONLY: Final = "missing values and other groups are left out"
OTHER_GROUPS_LEFT_OUT: Final = "other groups are left out"
ALL_COUNTED: Final = "all rows are counted, with or without a value"


def missing_values(column: Column, *, grouped: bool = False) -> str:
    """Return how missing values of a column of a question are treated.

    What is declared of a column does not count where it is ``grouped`` by.
    """
    if column.complete:
        return COMPLETE
    if grouped:
        return OTHERS
    return LEFT_OUT if column.missing is MissingPolicy.DROP else imputed(column)


def others(column: Column, name: str) -> tuple[str, ...]:
    """Return what becomes of labels that are on no public list."""
    if column.kind is not ColumnKind.CATEGORY:
        return ()
    return (f"unlisted values counted as {name}",)


def ungrouped(*groups: Column) -> tuple[str, ...]:
    """Return what becomes of people who are in none of the listed groups.

    What is declared about missing values is for questions about the column itself.
    """
    if not groups:
        return ()
    titles = " or ".join(one.title for one in groups)
    return (f"missing and unlisted values of {titles} in a group of their own",)


def divided(kind: StatisticKind, size: TableSize, unit: PrivacyUnit) -> tuple[str, ...]:
    """Return what stands in for a private number of people, where one divides.

    >>> from dpcore.relations import PrivacyUnit, TableSize
    >>> few = TableSize(people=300, public=False)
    >>> divided(StatisticKind.MEAN, few, PrivacyUnit())
    ('divided by at least 300 people',)
    """
    if size.public or not kind.divided:
        return ()
    verb = "divided by" if kind in _AVERAGES else "divided as for"
    return (f"{verb} at least {size.people:,} {unit.counted}",)
