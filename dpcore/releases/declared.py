"""What the parameters of a stored analysis declare, for people who read its file.

PUBLIC. Records of every age hold these parameters; what one does not hold is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isnan
from typing import Final, TypeVar

from dpcore.analyses.base import Releasable
from dpcore.analyses.reading import is_model, model_request_from, request_from
from dpcore.data.cells import TEXT_CODES, number
from dpcore.data.columns import ColumnKind
from dpcore.data.dataset import DescribedTable
from dpcore.data.quantities import DATES, MOMENTS, Quantity
from dpcore.errors import DPCoreError
from dpcore.relations import PrivacyUnit
from dpcore.releases.record import Release
from dpcore.statistics.kinds import ON_DATA, StatisticKind
from dpcore.statistics.parameters import COLUMN

_OF_ANY_SIZE: Final = (StatisticKind.COUNT, StatisticKind.SUM)
"""What is asked of groups of any size, though their records name one."""


def bounds_text(request: Mapping[str, object]) -> str:
    """Return the public bounds of every column of numbers, in words.

    >>> bounds_text({"query": {"column": {"name": "age", "bounds": [0.0, 100.0]}}})
    'age: 0 to 100'
    """
    return "; ".join(each_bounds(request))


def each_bounds(
    request: Mapping[str, object], found: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Return the same, column by column, with how bounds were ``found``, by column."""
    return tuple(
        f"{name}: {_end(column, bounds[0])} to {_end(column, bounds[1])}"
        f"{(found or {}).get(name, '')}"
        for column in _columns(_question(request))
        if isinstance(bounds := column.get("bounds"), list)
        for name in [str(column["name"])]
    )


def people_text(request: Mapping[str, object]) -> str:
    """Return what is public about the number of people.

    >>> people_text({"query": {"size": {"people": 812, "public": True}}})
    'exactly 812'
    >>> people_text({"query": {"size": {"people": 300, "public": False}}})
    'at least 300'
    >>> people_text({"question": {"most_people": 1000}})
    'at most 1,000'
    """
    question = _question(request)
    kind = question.get("kind")
    if kind in ON_DATA or ("group" in question and kind in _OF_ANY_SIZE):
        return ""
    size, most = question.get("size"), question.get("most_people")
    if isinstance(size, dict) and isinstance(size.get("people"), int):
        word = "exactly" if size.get("public") is True else "at least"
        return f"{word} {size['people']:,}"
    return f"at most {most:,}" if isinstance(most, int) else ""


def minimum_of(request: Mapping[str, object]) -> int | None:
    """Return the public minimum of people that an answer is divided by, if by any.

    >>> minimum_of({"query": {"kind": "mean", "size": {"people": 9, "public": False}}})
    9
    >>> minimum_of({"query": {"kind": "sum", "size": {"people": 9, "public": False}}})
    >>> minimum_of({"query": {"kind": "mean", "size": {"people": 9, "public": True}}})
    """
    question = _question(request)
    size = question.get("size")
    if not isinstance(size, dict) or size.get("public") is not False:
        return None
    divided = any(kind.divided for kind in StatisticKind if kind == question.get("kind"))
    return int(size["people"]) if divided else None


def read_by_column(request: Mapping[str, object]) -> bool:
    """Return whether labels of an analysis were compared by the type of a whole column.

    So it was before that was declared: labels that are numbers, or that usually stand
    for missing values, may have been met by other cells. Asked again, it is another
    analysis.

    >>> region = {"kind": "category", "labels": ["1", "2"]}
    >>> read_by_column({"query": {"column": region}})
    True
    >>> read_by_column({"query": {"column": region | {"equality": "as written"}}})
    False
    """
    return any(
        column.get("kind") == ColumnKind.CATEGORY
        and "equality" not in column
        and any(label in TEXT_CODES or not isnan(number(str(label))) for label in _labels(column))
        for column in (*_columns(_question(request)), *_groups(_question(request)))
    )


def types_of(request: Mapping[str, object]) -> dict[str, str]:
    """Return the declared type of each column of an analysis, by name.

    >>> types_of({"query": {"column": {"name": "age", "kind": "number"}}})
    {'age': 'number'}
    """
    question = _question(request)
    columns = (*_columns(question), *_groups(question))
    return {str(column.get("name")): str(column.get("kind")) for column in columns}


def _labels(column: Mapping[str, object]) -> list[object]:
    labels = column.get("labels")
    return labels if isinstance(labels, list) else []


def _groups(question: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    group = question.get("group", [])
    columns = group if isinstance(group, list) else [group]
    yield from (column for column in columns if isinstance(column, dict))


def _question(request: Mapping[str, object]) -> Mapping[str, object]:
    asked = request.get("query", request.get("question"))
    return asked if isinstance(asked, dict) else {}


def _columns(question: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for name in ("column", "columns", "weight", "target", "features"):
        named = question.get(name, ())
        for column in named if isinstance(named, list) else (named,):
            if isinstance(column, dict):
                yield column
    crossed = question.get("crossed", question.get("axes"))
    for axis in crossed if isinstance(crossed, list) else ():
        yield from _columns(axis)


def _end(column: Mapping[str, object], end: object) -> str:
    """Return an end of public bounds of a column, as its parameters describe it.

    >>> _end({"kind": "date"}, 19_782.0), _end({"kind": "number"}, None)
    ('2024-02-29', 'no bound')
    """
    if not isinstance(end, float | int):
        return "no bound"
    quantity = Quantity()
    if column.get("kind") == ColumnKind.DATE:
        dates = column.get("dates")
        timed = isinstance(dates, dict) and dates.get("time_of_day") is True
        quantity = Quantity(unit=MOMENTS if timed else DATES)
    return quantity.exactly(end)


# Stored answers in the words of today: the rows of a table can be renamed.
#
# A record keeps the words of its day. Which question it answers does not change with
# them, so the same question says what its numbers are called now.

T = TypeVar("T")


def with_recorded(dataset: DescribedTable, release: Release) -> DescribedTable:
    """Return what is declared of columns: by a table, and of those it lacks by a record.

    A record does not hold their units, meanings and display names.

    Raises:
        ParameterError, LookupError, TypeError, ValueError: It describes no columns.

    """
    question, known = _question(release.request), {column.name for column in dataset.columns}
    recorded = map(COLUMN.read, (*_columns(question), *_groups(question)))
    lacking = {column.name: column for column in recorded if column.name not in known}
    return DescribedTable(name=dataset.name, columns=(*dataset.columns, *lacking.values()))


def request_of(release: Release, dataset: DescribedTable, called: PrivacyUnit) -> Releasable:
    """Return the question of a record, about rows with the name that ``called`` has.

    Raises:
        DataError: It is no question about columns of this table.

    """
    read = model_request_from if is_model(release.request) else request_from
    return read(release.request, dataset, draw=release.draw, called=called)


def renamed(release: Release, dataset: DescribedTable, called: PrivacyUnit) -> Release:
    """Return a record with its title, units and names of counts as of now.

    A record that has the name of now, or whose question is none about columns of this
    table, is returned as it is.
    """
    try:
        then = release.privacy_unit
        if then.nouns == called.nouns:
            return release
        before = request_of(release, dataset, then)
        now = request_of(release, dataset, called)
    except (DPCoreError, LookupError, TypeError):
        return release
    names = dict(zip(before.units, now.units, strict=True))
    changed = {
        old: now.units[new] for old, new in names.items() if before.units[old] != now.units[new]
    }
    units = {name: changed.get(name, unit) for name, unit in release.units.items()}
    around = release.intervals
    if around is not None:
        around = replace(
            around,
            noise=around.noise and _renamed(around.noise, names),
            total=around.total and _renamed(around.total, names),
        )
    return replace(
        release,
        title=now.title,
        statement=release.statement and now.statement,
        unit=release.unit if before.unit_text == now.unit_text else now.unit_text,
        units=_renamed(units, names),
        derived=_renamed(release.derived, names),
        unsaid=tuple(names.get(name, name) for name in release.unsaid),
        intervals=around,
        nouns=called.nouns,
    )


def _renamed(numbers: Mapping[str, T], names: Mapping[str, str]) -> dict[str, T]:
    return {names.get(name, name): value for name, value in numbers.items()}
