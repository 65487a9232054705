"""One row a person, as a table like any other. CONFIDENTIAL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.data.cells import text_of
from dpcore.data.columns import Column, ColumnKind, MissingPolicy
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.owners import fingerprint_of_people, persons
from dpcore.data.preparation.recipes import Preparation, Recipe
from dpcore.data.units import NOBODY
from dpcore.errors import DataError

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from dpcore.arrays import FloatArray
    from dpcore.data.preparation.recipes import Derived


_TIES: Final = " Of values that are as frequent: the least, or first in the alphabet."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PeopleDataset(Dataset):
    """A table whose rows were made of several, one a person. CONFIDENTIAL.

    People are in the order in which they first occur, each on the line of the first
    row, so that nobody's rows change the order of others.

    Attributes:
        source: The table as it was read.
        preparation: How its rows were put together.

    """

    source: Dataset
    preparation: Preparation

    @property
    def ending(self) -> str:
        """Return whose rows were put together, which all names end with."""
        return self.preparation.ending

    @property
    def header(self) -> tuple[str, ...]:
        """Return the names of the columns of the file."""
        return self.source.header

    def fingerprint(self, key: bytes) -> str:
        """Return the keyed hash of the table that was read, and of whose rows they are.

        Not of the recipes: whatever is asked about these people is paid by the same
        account. Rows put together otherwise are other people, and pay on another.

        Raises:
            ParameterError: The key has less than 16 or more than 64 bytes.

        """
        whose = self.preparation.owners, self.preparation.ownerless
        return fingerprint_of_people(self.source, *whose, key=key)


def one_row_each(source: Dataset, preparation: Preparation) -> PeopleDataset:
    """Return a table of one row a person, made by public recipes.

    Bounds and lists are still to be declared: those of a column are not those of what
    is made of it.

    Raises:
        DataError: A recipe needs numbers and some cells are none, or no row says whose
            it is.
        ParameterError: The table lacks a column.

    """
    from pandas import DataFrame, Series  # noqa: PLC0415 - slow to import

    person = persons(source, preparation.owners, preparation.ownerless)
    people = int(person.max(initial=NOBODY)) + 1
    if not people:
        message = (
            "no row says whose it is. Choose another column, or count every row "
            "without one as a person."
        )
        raise DataError(message)
    made = [_made(source, one, person, people) for one in preparation.derived]
    if preparation.count:
        made.append(Series(np.bincount(person[person >= 0], minlength=people)))
    columns = _described(source, preparation)
    first = _first(person, people)
    frame = DataFrame(
        {column.name: values for column, values in zip(columns, made, strict=True)}
    )
    frame.index = source.frame.index[first].rename("line")
    return PeopleDataset(
        name=source.name,
        frame=frame,
        columns=columns,
        source=source,
        preparation=preparation,
    )


def _described(source: Dataset, preparation: Preparation) -> tuple[Column, ...]:
    """Return the first descriptions of the columns made, without bounds."""
    whose = preparation.describe()
    columns = []
    names = iter(preparation.names)
    tied = set()
    for one in preparation.derived:
        of, name = source.column(one.column), next(names)
        if one.recipe is Recipe.MOST_FREQUENT:
            tied.add(name)
        if one.recipe.calculates:
            unit = "" if of.kind is ColumnKind.YES_NO else of.unit
            described = Column(name=name, kind=ColumnKind.NUMBER, unit=unit)
        elif of.kind.is_numeric:
            described = _without_bounds(of, name)
        else:
            described = replace(of, name=name, complete=False)
        columns.append(described)
    if preparation.count:
        columns.append(Column(name=next(names), kind=ColumnKind.NUMBER, unit="rows"))
    meaning = whose[0].upper() + whose[1:] + "."
    return tuple(
        replace(column, description=meaning + _TIES * (column.name in tied))
        for column in columns
    )


def _without_bounds(column: Column, name: str) -> Column:
    return replace(
        column,
        name=name,
        bounds=None,
        missing=MissingPolicy.DROP,
        replacement=None,
        complete=False,
    )


def _made(
    source: Dataset, one: Derived, person: NDArray[np.intp], people: int
) -> pd.Series:
    from pandas import Series  # noqa: PLC0415 - slow to import

    rows = np.flatnonzero((person >= 0) & ~source.missing(one.column))
    if one.recipe.calculates:
        values = source.numbers(one.column)[rows]
        return Series(_calculated(one.recipe, values, person[rows], people))
    cells: pd.Series = source.frame[one.column]
    if one.recipe is Recipe.MOST_FREQUENT:
        places = _most_frequent(
            _sorted_by(source, one.column, rows), person[rows], people
        )
    else:
        places = np.full(people, NOBODY, dtype=np.intp)
        step = -1 if one.recipe is Recipe.FIRST else 1
        # Of several, the one that is written last stays.
        places[person[rows][::step]] = np.arange(len(rows))[::step]
    picked = np.append(rows, NOBODY)[places]
    return cells.reset_index(drop=True).reindex(picked).reset_index(drop=True)


def _sorted_by(source: Dataset, name: str, rows: NDArray[np.intp]) -> pd.Series:
    """Return what the values of a column are told apart and sorted by."""
    from pandas import Series  # noqa: PLC0415 - slow to import

    if source.column(name).kind.is_numeric:
        return Series(source.numbers(name)[rows])
    return text_of(source.frame[name].iloc[rows])


def _calculated(
    recipe: Recipe, values: FloatArray, person: NDArray[np.intp], people: int
) -> FloatArray:
    # Added up from the least to the largest, so that the order of rows does not matter.
    order = np.lexsort((values, person))
    total = np.bincount(person[order], weights=values[order], minlength=people)
    count = np.bincount(person, minlength=people)
    divisor = count if recipe is Recipe.MEAN else np.ones(people)
    return np.where(count, total / np.where(count, divisor, 1), np.nan)


def _most_frequent(
    values: pd.Series, person: NDArray[np.intp], people: int
) -> NDArray[np.intp]:
    """Return the place in ``values`` of everybody's most frequent, -1 for none.

    ``values`` are numbers, or text that is sorted by the alphabet: it is for the type
    of the column to say which, and never for its cells.
    """
    from pandas import factorize  # noqa: PLC0415 - slow to import

    codes, distinct = factorize(values, sort=True)
    width = max(len(distinct), 1)
    pairs, first, times = np.unique(
        person * width + codes, return_index=True, return_counts=True
    )
    # From the worst to the best: the one that is written last stays.
    order = np.lexsort((-(pairs % width), times))
    places = np.full(people, NOBODY, dtype=np.intp)
    places[pairs[order] // width] = first[order]
    return places


def _first(person: NDArray[np.intp], people: int) -> NDArray[np.intp]:
    """Return the row in which each person first occurs."""
    rows = np.flatnonzero(person >= 0)[::-1]
    first = np.zeros(people, dtype=np.intp)
    first[person[rows]] = rows
    return first
