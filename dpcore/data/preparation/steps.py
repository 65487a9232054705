"""All that is done to a table before it is asked about, to be done to the next one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from dpcore.codec import (
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    Pair,
    Part,
    Schema,
    choice,
    if_any,
    object_in,
    optional,
    several,
)
from dpcore.data.columns import LabelEquality
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import Table
from dpcore.data.preparation.capping import CappedDataset, RowCap, at_most
from dpcore.data.preparation.conditions import (
    Comparison,
    Condition,
    DateCondition,
    LabelCondition,
    NumberCondition,
)
from dpcore.data.preparation.date_columns import Age, DatePart, PartOfDate
from dpcore.data.preparation.filtering import FilteredDataset, meeting
from dpcore.data.preparation.new_columns import (
    Bins,
    Calculated,
    Calculation,
    Flag,
    NewColumn,
    WidenedDataset,
    Without,
    with_new_columns,
)
from dpcore.data.preparation.people import PeopleDataset, one_row_each
from dpcore.data.preparation.recipes import Derived, Ownerless, Preparation, Recipe
from dpcore.data.preparation.recoding import Recode, Recoded


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """How a table is prepared, step by step. PUBLIC.

    Attributes:
        made: New columns, made first.
        whose: How several rows of a person become one, or how many of them count;
            ``None`` where every row is a person.
        conditions: What rows have to meet: those of the table if some rows of each
            person count, else those that are left.

    """

    made: tuple[NewColumn, ...] = ()
    whose: Preparation | RowCap | None = None
    conditions: tuple[Condition, ...] = ()

    def describe(self) -> tuple[str, ...]:
        """Return each step in words.

        >>> Steps(whose=RowCap(owners=("patient",), most=5)).describe()
        ('at most 5 rows of each patient count; rows without one are left out',)
        """
        told = []
        if self.made:
            told.append(f"new columns: {'; '.join(one.name for one in self.made)}")
        if self.whose is not None:
            told.append(self.whose.describe())
        if self.conditions:
            texts = " and ".join(one.text for one in self.conditions)
            told.append(f"only rows where {texts}")
        return tuple(told)


def steps_of(dataset: Table) -> Steps:
    """Return how a table was prepared; no steps where it was not."""
    conditions: tuple[Condition, ...] = ()
    whose: Preparation | RowCap | None = None
    if isinstance(dataset, FilteredDataset):
        conditions, dataset = dataset.conditions, dataset.source
    if isinstance(dataset, CappedDataset):
        conditions, whose, dataset = dataset.conditions, dataset.rule, dataset.source
    elif isinstance(dataset, PeopleDataset):
        whose, dataset = dataset.preparation, dataset.source
    made = dataset.made if isinstance(dataset, WidenedDataset) else ()
    return Steps(made=made, whose=whose, conditions=conditions)


def widened(dataset: Dataset) -> Dataset:
    """Return the table with its new columns, before rows are put together or chosen."""
    if isinstance(dataset, FilteredDataset):
        dataset = dataset.source
    if isinstance(dataset, CappedDataset):
        return dataset.undone()
    return dataset.source if isinstance(dataset, PeopleDataset) else dataset


def as_read(dataset: Dataset) -> Dataset:
    """Return the table that all steps begin with.

    What was declared of columns that some rows of each person, or new columns, came
    beside is declared of it, too.
    """
    dataset = widened(dataset)
    if isinstance(dataset, WidenedDataset):
        known = dataset.columns[: len(dataset.source.columns)]
        dataset = dataset.source.with_columns(*known)
    return dataset


def prepared(source: Dataset, steps: Steps, *, key: bytes) -> Dataset:
    """Return a table after all steps.

    ``key`` chooses which rows count.

    Raises:
        DataError: A step needs numbers and some cells are none, or no row is left.
        ParameterError: The table lacks a column, or has one too many.

    """
    table = with_new_columns(source, steps.made)
    if isinstance(steps.whose, RowCap):
        return at_most(table, steps.whose, steps.conditions, key=key)
    if steps.whose is not None:
        table = one_row_each(table, steps.whose)
    return meeting(table, steps.conditions) if steps.conditions else table


def prepared_anew(dataset: Dataset, *, key: bytes) -> Dataset:
    """Return a table after the same steps, which read the cells as now declared.

    Derived columns and conditions depend on how other columns are read. What is
    declared of a column stays where it is of the same type as before.

    Raises:
        DataError: No row is left.
        ParameterError: A step needs a column of another type.

    """
    steps = steps_of(dataset)
    if steps == Steps():
        return dataset
    declared = {column.name: column for column in dataset.columns}
    whole = dataset
    if isinstance(dataset, FilteredDataset | CappedDataset):
        whole = dataset.undone()
    made = prepared(as_read(whole), steps, key=key)
    kept = (
        declared[column.name]
        for column in made.columns
        if column.name in declared and declared[column.name].kind is column.kind
    )
    return made.with_columns(*kept)


_BUILT: Final[dict[str, type]] = {
    "number": NumberCondition,
    "labels": LabelCondition,
    "one row": Preparation,
    "some rows": RowCap,
    "bins": Bins,
    "calculated": Calculated,
    "flag": Flag,
    "without": Without,
    "dates": DateCondition,
    "part of date": PartOfDate,
    "age": Age,
    "recoded": Recoded,
}


def _one_of(kinds: Mapping[str, Schema[Any]]) -> Pair[Any]:
    """Return how one of several kinds of things stands in JSON: with its kind."""

    def write(value: object) -> dict[str, Any]:
        for name, (built, schema) in known.items():
            if isinstance(value, built):
                return {"kind": name, **schema.write(value)}
        raise TypeError

    def read(content: object) -> object:
        held = object_in(content)
        return kinds[TEXT.read(held["kind"])].read(held)

    known = {name: (_BUILT[name], schema) for name, schema in kinds.items()}
    return Pair(write, read)


_NAMES: Final = several(TEXT)
_OF_NUMBER: Final = Schema(
    NumberCondition, column=TEXT, comparison=choice(Comparison), number=NUMBER
)
_OF_LABELS: Final = Schema(
    LabelCondition,
    column=TEXT,
    labels=_NAMES,
    # Left out where it was not stated, as before it could be.
    equality=if_any(choice(LabelEquality), of=lambda one: one.stated_equality),
)
_DAY: Final[Pair[dt.date]] = Pair(
    dt.date.isoformat, lambda content: dt.date.fromisoformat(TEXT.read(content))
)
_OF_DATES: Final = Schema(DateCondition, column=TEXT, first=if_any(_DAY), last=if_any(_DAY))
_CONDITION: Final[Pair[Any]] = _one_of(
    {"number": _OF_NUMBER, "labels": _OF_LABELS, "dates": _OF_DATES}
)
_DERIVED: Final = Schema(Derived, recipe=choice(Recipe), column=TEXT, condition=if_any(_CONDITION))
_ONE_ROW: Final = Schema(
    Preparation, owners=_NAMES, derived=several(_DERIVED), count=TRUTH, ownerless=choice(Ownerless)
)
_CAP: Final = Schema(RowCap, owners=_NAMES, most=WHOLE, ownerless=choice(Ownerless))
_BINS: Final = Schema(Bins, column=TEXT, edges=several(NUMBER))
_CALCULATED: Final = Schema(Calculated, calculation=choice(Calculation), first=TEXT, second=TEXT)
_FLAG: Final = Schema(Flag, condition=_OF_NUMBER)
_WITHOUT: Final = Schema(Without, column=TEXT, codes=_NAMES)
_PART: Final = Schema(PartOfDate, part=choice(DatePart), column=TEXT)
_AGE: Final = Schema(
    Age,
    born=TEXT,
    day=Part(
        codec=optional(_DAY),
        argument="at",
        of=lambda one: None if isinstance(one.at, str) else one.at,
        needed=False,
        empty=False,
    ),
    column=Part(
        codec=optional(TEXT),
        argument="at",
        of=lambda one: one.at if isinstance(one.at, str) else None,
        needed=False,
        empty=False,
    ),
)
_RECODED: Final = Schema(
    Recoded, column=TEXT, recodes=several(Schema(Recode, labels=_NAMES, into=TEXT))
)
STEPS: Final = Schema(
    Steps,
    made=several(
        _one_of(
            {
                "bins": _BINS,
                "calculated": _CALCULATED,
                "flag": _FLAG,
                "without": _WITHOUT,
                "part of date": _PART,
                "age": _AGE,
                "recoded": _RECODED,
            }
        )
    ),
    whose=optional(_one_of({"one row": _ONE_ROW, "some rows": _CAP})),
    conditions=several(_CONDITION),
)
"""How a table was prepared, in JSON."""
