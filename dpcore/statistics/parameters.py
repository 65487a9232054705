"""How the public values that questions are made of stand in JSON.

Every number of a bound becomes a float, so that 0 and 0.0 describe the same analysis.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import isnan
from typing import Any, Final

from dpcore import codec
from dpcore.data.bounds import Interval
from dpcore.data.cells import TEXT_CODES, number
from dpcore.data.columns import Column, ColumnKind, LabelEquality, MissingPolicy
from dpcore.data.dates import DateFormat, DateOrder
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize
from dpcore.statistics.entries import Membership
from dpcore.statistics.grouping import Grouping
from dpcore.statistics.kinds import StatisticKind


def _interval(content: object) -> Interval:
    lower, upper = codec.ENDS.read(content)
    return Interval(lower=lower, upper=upper)


# Adding 0.0 turns -0.0 into 0.0.
PLACE: Final[codec.Pair[float]] = codec.Pair(lambda number: float(number) + 0.0, codec.NUMBER.read)
INTERVAL: Final[codec.Pair[Interval]] = codec.Pair(
    lambda interval: codec.ENDS.write((interval.lower + 0.0, interval.upper + 0.0)), _interval
)
REPLACEMENT: Final[codec.Pair[float | str]] = codec.Pair(
    lambda value: value if isinstance(value, str) else PLACE.write(value),
    lambda content: content if isinstance(content, str) else PLACE.read(content),
)
DATES: Final = codec.Schema(
    DateFormat, order=codec.choice(DateOrder), time_of_day=codec.TRUTH, time_zone=codec.TEXT
)
EQUALITY: Final = codec.choice(LabelEquality)


def column_with(
    *,
    since: LabelEquality = LabelEquality.UNSTATED,
    **parts: Any,  # noqa: ANN401 - as they were read
) -> Column:
    """Return a column of its parts, as it was meant where some were not known yet.

    Labels that are numbers used to be met by value where all cells of a column were
    numbers. Those of yes/no were so in every table that has an answer; for those of a
    category ``since`` stands in.
    """
    if "equality" not in parts and _depends(parts["kind"], parts["labels"]):
        yes_no = parts["kind"] is ColumnKind.YES_NO
        parts["equality"] = LabelEquality.AS_NUMBERS if yes_no else since
    return Column(**parts)


def _depends(kind: ColumnKind, labels: tuple[str, ...]) -> bool:
    """Return whether it matters, for old questions too, how labels are compared."""
    return kind.has_labels and any(
        not isnan(number(label)) or label in TEXT_CODES for label in labels
    )


def _equality(column: Column) -> LabelEquality | None:
    """Return what a question does not mean already without it."""
    before = LabelEquality.UNSTATED
    if column.kind is ColumnKind.YES_NO:
        before = LabelEquality.AS_NUMBERS
    same = column.equality is before or not _depends(column.kind, column.labels)
    return None if same else column.equality


def _missing_codes(column: Column) -> list[str] | None:
    codes = _codes_that_count(column)
    usual = _codes_that_count(replace(column, missing_codes=TEXT_CODES))
    return None if codes == usual else [*codes]


@lru_cache(maxsize=4_096)
def _codes_that_count(column: Column) -> tuple[str, ...]:
    return column.codes_that_count


def _dates(column: Column) -> DateFormat | None:
    return column.dates if column.kind is ColumnKind.DATE else None


COLUMN: Final = codec.Schema(
    column_with,
    name=codec.TEXT,
    kind=codec.choice(ColumnKind),
    bounds=codec.optional(INTERVAL),
    labels=codec.several(codec.TEXT),
    missing=codec.choice(MissingPolicy),
    replacement=codec.optional(REPLACEMENT),
    equality=codec.if_any(EQUALITY, of=_equality),
    missing_codes=codec.if_any(codec.several(codec.TEXT), of=_missing_codes),
    dates=codec.if_any(DATES, of=_dates),
)
"""What an analysis depends on: not the unit or the description.

How labels, codes and dates are read is left out where it is as it was before that could
be declared, so that old questions keep their identity.
"""


def _grouping(group: Grouping) -> dict[str, Any] | list[dict[str, Any]]:
    columns = [COLUMN.write(column) for column in group.columns]
    return columns[0] if len(columns) == 1 else columns


GROUPING: Final[codec.Pair[Grouping]] = codec.Pair(
    _grouping,
    lambda content: Grouping.of(
        *map(COLUMN.read, content if isinstance(content, list) else [content])
    ),
)
"""One column is written as it was when groups were made by one alone."""
MEMBERSHIP: Final = codec.Schema(
    Membership, label=codec.if_any(codec.TEXT), interval=codec.if_any(INTERVAL)
)
RELATION: Final = codec.choice(NeighboringRelation)
UNIT: Final = codec.Schema(
    PrivacyUnit,
    # Its key, and no name: a question is the same whatever rows are called.
    noun=codec.Part(codec=codec.TEXT, argument="key"),
    rows=codec.WHOLE,
    cap=codec.if_any(codec.WHOLE),
)
NAMES: Final = codec.Schema(PrivacyUnit, noun=codec.TEXT, plural=codec.TEXT)
"""What a unit is called: kept beside questions, and no part of what they are."""
SIZE: Final = codec.Schema(TableSize, people=codec.WHOLE, public=codec.TRUTH)
SHARED: Final = codec.Schema(
    dict, kind=codec.choice(StatisticKind), relation=RELATION, unit=UNIT, size=SIZE
).parts
"""What defines every analysis: statistic, relation, unit and size."""
