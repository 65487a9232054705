"""All that is done to a table before it is asked about, to be done to the next one."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.codec import (
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    Pair,
    Schema,
    choice,
    if_any,
    object_in,
    optional,
    several,
)
from dpcore.data.cells import text_of
from dpcore.data.columns import LabelEquality
from dpcore.data.dataset import Dataset
from dpcore.data.partitions.table import Table
from dpcore.data.preparation.aggregation import (
    Derived,
    Ownerless,
    PeopleDataset,
    Preparation,
    Recipe,
    one_row_each,
)
from dpcore.data.preparation.conditions import (
    Comparison,
    Condition,
    DateCondition,
    FilteredDataset,
    LabelCondition,
    NumberCondition,
    RowSubset,
    meeting,
)
from dpcore.data.preparation.contribution_bounds import CappedDataset, RowCap, at_most
from dpcore.data.preparation.date_columns import Age, DatePart, PartOfDate
from dpcore.data.preparation.derived_columns import (
    Bins,
    Calculated,
    Calculation,
    Flag,
    NewColumn,
    Recode,
    Recoded,
    WidenedDataset,
    Without,
    with_new_columns,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparationSteps:
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

        >>> PreparationSteps(whose=RowCap(owners=("patient",), most=5)).describe()
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


def steps_of(dataset: Table) -> PreparationSteps:
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
    return PreparationSteps(made=made, whose=whose, conditions=conditions)


def is_joined(dataset: Table) -> bool:
    """Return whether each row was made of all rows of one privacy unit."""
    return isinstance(steps_of(dataset).whose, Preparation)


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


def prepared(source: Dataset, steps: PreparationSteps, *, key: bytes) -> Dataset:
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
    if steps == PreparationSteps():
        return dataset
    declared = {column.name: column for column in dataset.columns}
    whole = dataset
    if isinstance(dataset, RowSubset):
        whole = dataset.undone()
    made = prepared(as_read(whole), steps, key=key)
    kept = (
        declared[column.name]
        for column in made.columns
        if column.name in declared and declared[column.name].kind is column.kind
    )
    return made.with_columns(*kept)


def names_of(dataset: Dataset, people: NDArray[np.intp]) -> dict[str, list[str]]:
    """Return what some people are called, by the columns that say it. CONFIDENTIAL.

    ``people`` are their places from 0, as a question counts them: rows of the table, or
    persons where several rows of one count. Empty where no column says whose rows
    belong together.
    """
    if isinstance(dataset, CappedDataset):
        return dataset.names(people)
    made = dataset
    while isinstance(made, FilteredDataset):
        made = made.source
    if not isinstance(made, PeopleDataset):
        return {}
    # Whoever was made of several rows stands on the line of the first of them.
    lines = dataset.frame.index[people]
    said = made.source.frame.loc[lines, list(made.preparation.owners)]
    return {name: [*map(str, text_of(said[name]))] for name in said.columns}


def _one_of(kinds: Mapping[str, Schema[Any]]) -> Pair[Any]:
    """Return how one of several kinds of things stands in JSON: with its kind."""

    def write(value: object) -> dict[str, Any]:
        name = names[type(value)]
        return {"kind": name, **kinds[name].write(value)}

    def read(content: object) -> object:
        held = object_in(content)
        return kinds[TEXT.read(held["kind"])].read(held)

    names = {schema.build: name for name, schema in kinds.items()}
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
STEPS: Final = Schema(
    PreparationSteps,
    made=several(
        _one_of(
            {
                "bins": Schema(Bins, column=TEXT, edges=several(NUMBER)),
                "calculated": Schema(
                    Calculated, calculation=choice(Calculation), first=TEXT, second=TEXT
                ),
                "flag": Schema(Flag, condition=_OF_NUMBER),
                "without": Schema(Without, column=TEXT, codes=_NAMES),
                "part of date": Schema(PartOfDate, part=choice(DatePart), column=TEXT),
                "age": Schema(
                    Age,
                    born=TEXT,
                    day=replace(
                        if_any(_DAY, of=lambda one: None if isinstance(one.at, str) else one.at),
                        argument="at",
                    ),
                    column=replace(
                        if_any(TEXT, of=lambda one: one.at if isinstance(one.at, str) else None),
                        argument="at",
                    ),
                ),
                "recoded": Schema(
                    Recoded, column=TEXT, recodes=several(Schema(Recode, labels=_NAMES, into=TEXT))
                ),
            }
        )
    ),
    whose=optional(
        _one_of(
            {
                "one row": Schema(
                    Preparation,
                    owners=_NAMES,
                    derived=several(
                        Schema(
                            Derived,
                            recipe=choice(Recipe),
                            column=TEXT,
                            condition=if_any(_CONDITION),
                        )
                    ),
                    count=TRUTH,
                    ownerless=choice(Ownerless),
                ),
                "some rows": Schema(RowCap, owners=_NAMES, most=WHOLE, ownerless=choice(Ownerless)),
            }
        )
    ),
    conditions=several(_CONDITION),
)
"""How a table was prepared, in JSON."""
