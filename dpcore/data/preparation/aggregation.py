"""One row a person, made of several by public recipes: whose they are, and how.

A recipe is public: names of columns and of functions, and nothing that was computed from
a table.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.bounds import Interval
from dpcore.data.cells import canonical_cells, has_any, is_number, text_of
from dpcore.data.columns import (
    MOST_FREQUENT,
    TIES,
    Column,
    ColumnKind,
    LabelEquality,
    MissingPolicy,
    check_display_name,
    yes_no,
)
from dpcore.data.dataset import Dataset, DerivedDataset
from dpcore.data.fingerprints import fingerprint_as_read
from dpcore.data.preparation.conditions import Condition
from dpcore.errors import DataError, ParameterError

if TYPE_CHECKING:
    import pandas as pd


_ANSWERS: Final = ("no", "yes")


class Recipe(StrEnum):
    """How the values of all rows of one person become one. Missing ones do not count.

    Each looks at the rows of that person alone. So who is replaced, joins or leaves
    changes one row of what is made, and no other.
    """

    MEAN = "mean of"
    SUM = "sum of"
    MAXIMUM = "maximum of"
    MINIMUM = "minimum of"
    EARLIEST = "earliest"
    LATEST = "latest"
    FIRST = "first"
    LAST = "last"
    MOST_FREQUENT = MOST_FREQUENT
    """Of values that are as frequent, the least: the first one in the alphabet."""
    ANY = "any"
    """Whether some row meets a condition: "ever positive"."""
    DISTINCT = "distinct values of"
    """How many different values there are; 0 where all are missing."""

    @property
    def calculates(self) -> bool:
        """Return whether it makes a number that none of the rows may have."""
        return self in {Recipe.MEAN, Recipe.SUM}

    @property
    def picks(self) -> bool:
        """Return whether it takes the value of one of the rows."""
        return not self.calculates and self not in {Recipe.ANY, Recipe.DISTINCT}

    @property
    def follows_order(self) -> bool:
        """Return whether the order of the rows of the table matters."""
        return self in {Recipe.FIRST, Recipe.LAST}

    def suits(self, kind: ColumnKind) -> bool:
        """Return whether it can be made of columns of a kind.

        >>> Recipe.MEAN.suits(ColumnKind.YES_NO), Recipe.SUM.suits(ColumnKind.DATE)
        (True, False)
        """
        numbers = {ColumnKind.NUMBER, ColumnKind.WHOLE}
        match self:
            case Recipe.MEAN | Recipe.SUM:
                return kind in numbers | {ColumnKind.YES_NO}
            case Recipe.MAXIMUM | Recipe.MINIMUM:
                return kind in numbers
            case Recipe.EARLIEST | Recipe.LATEST:
                return kind is ColumnKind.DATE
            case Recipe.ANY:
                return kind.is_numeric or kind.has_labels
            case _:
                return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """A column of what is made: a recipe, and the name of the column it is of.

    Attributes:
        recipe: How the values of a person become one.
        column: Of which column they are.
        condition: What some row has to meet, of ``Recipe.ANY`` only: one about the same
            column.

    Raises:
        ParameterError: The condition is missing, not needed, or about another column.

    """

    recipe: Recipe
    column: str
    condition: Condition | None = None

    def __post_init__(self) -> None:
        if (self.condition is not None) is not (self.recipe is Recipe.ANY):
            raise ParameterError(
                "“any” needs a condition on the rows, and no other recipe has one."
            )
        if self.condition is not None and self.condition.column != self.column:
            raise ParameterError("the condition must be about the column that “any” is made of.")

    @property
    def text(self) -> str:
        """Return the recipe in words, different from those of any other.

        >>> Derived(recipe=Recipe.MEAN, column="stay").text
        'mean of stay'
        """
        what = self.column if self.condition is None else self.condition.text
        return f"{self.recipe} {what}"

    @property
    def display_name(self) -> str:
        """Return what questions call the column at first; empty where they use its name.

        >>> Derived(recipe=Recipe.MEAN, column="stay").display_name
        'average stay'
        """
        text = self.text
        if self.condition is not None:
            text = f"{self.condition.text} in any row"
        elif self.recipe.calculates:
            text = f"{'average' if self.recipe is Recipe.MEAN else 'total'} {self.column}"
        try:
            check_display_name(text)
        except ParameterError:
            return ""
        return text


NOBODY: Final = -1
"""The unit of a row that does not say whose it is."""


class Ownerless(StrEnum):
    """What happens to a row that does not say whose it is."""

    DROP = "left out"
    ALONE = "each a person of its own"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOwners:
    """Whose rows are, where one person has several. PUBLIC.

    Attributes:
        owners: Names of the columns that together say whose row it is, at least one.
        ownerless: What happens to rows in which one of the owners is missing.

    """

    owners: tuple[str, ...]
    ownerless: Ownerless = Ownerless.DROP

    @property
    def per_owner(self) -> str:
        """Return the end of names of values that are made or counted per owner."""
        other = " or row without one" * (self.ownerless is Ownerless.ALONE)
        return f" per {' and '.join(self.owners)}{other}"

    def described(self, of_each: str) -> str:
        """Return what is done with the rows of each owner, and with the others."""
        left = "left out" if self.ownerless is Ownerless.DROP else "people of their own"
        return f"{of_each.format(' and '.join(self.owners))}; rows without one are {left}"


def identities(dataset: Dataset, name: str) -> NDArray[np.intp]:
    """Return a number for each identifier of a column, shape ``(n,)``.

    Two cells are the same identifier if they are written alike, or if they are the same
    number where the column is declared to hold numeric codes. That is so for each two
    of them alone, whatever the type of the column and its other cells. A row without an
    identifier has the number ``NOBODY``.

    Raises:
        ParameterError: There is no such column.

    """
    from pandas import factorize  # noqa: PLC0415 - slow to import

    column, cells = dataset.column(name), dataset.frame[name]
    numeric = column.equality is not LabelEquality.AS_WRITTEN
    alone = cells.isna().to_numpy() | has_any(cells, column.missing_codes, numeric=numeric)
    # Equal numbers are written alike in a column that is held as numbers.
    compared = canonical_cells(cells) if numeric and not is_number(cells) else cells
    return np.where(alone, NOBODY, factorize(compared)[0]).astype(np.intp)


def unit_codes(dataset: Dataset, name: str, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return everybody's unit, from 0 in the order of the table, shape ``(m,)``.

    A row without an identifier is a unit of its own.

    ``rows`` are the rows, from 0, of the people in question, shape ``(m,)``.

    Raises:
        ParameterError: There is no such column.

    """
    from pandas import factorize  # noqa: PLC0415 - slow to import

    codes = identities(dataset, name)[rows]
    alone = codes == NOBODY
    codes[alone] = codes.max(initial=0) + 1 + np.arange(int(alone.sum()))
    return factorize(codes)[0].astype(np.intp)


def persons(source: Dataset, owners: tuple[str, ...], ownerless: Ownerless) -> NDArray[np.intp]:
    """Return each row's person, from 0 in the order of the table; -1 for nobody.

    Raises:
        ParameterError: The table lacks a column.

    """
    from pandas import factorize  # noqa: PLC0415 - slow to import

    codes = np.zeros(len(source.frame), dtype=np.intp)
    alone = np.zeros(len(codes), dtype=np.bool_)
    for name in owners:
        part = identities(source, name)
        alone |= part == NOBODY
        # Numbered anew each time, so that products stay small.
        codes = factorize(codes * (part.max(initial=0) + 2) + part)[0].astype(np.intp)
    if ownerless is Ownerless.ALONE:
        codes[alone] = len(codes) + np.arange(int(alone.sum()))
        return factorize(codes)[0].astype(np.intp)
    people = np.full(len(codes), NOBODY, dtype=np.intp)
    people[~alone] = factorize(codes[~alone])[0]
    return people


def fingerprint_of_people(
    source: Dataset, owners: tuple[str, ...], ownerless: Ownerless, *, key: bytes
) -> str:
    """Return the keyed hash of a table, and of whose rows its rows are.

    Not of what is made of the rows: whatever is asked about these people is paid by the
    same account. Rows put together otherwise are other people, and pay on another.

    Raises:
        ParameterError: The key has less than 16 or more than 64 bytes.

    """
    whose = [*owners], ownerless.name
    of = fingerprint_as_read(source.fingerprint(key), source.columns, key=key)
    text = json.dumps([of, *whose])
    return blake2b(text.encode(), key=key, digest_size=32).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation(RowOwners):
    """How one row a person is made. PUBLIC, and chosen without a look at the table.

    Attributes:
        derived: The columns that are made, in this order.
        count: Whether the last column is the number of rows of the person.

    Raises:
        ParameterError: No owner, nothing to make, or something named twice.

    """

    derived: tuple[Derived, ...] = ()
    count: bool = True

    def __post_init__(self) -> None:
        if not self.owners:
            raise ParameterError("choose the person ID column.")
        if not self.derived and not self.count:
            raise ParameterError("choose at least one column to compute for each person.")
        for chosen in (self.owners, self.derived):
            if len(set(chosen)) < len(chosen):
                raise ParameterError("a column can be named once for each recipe.")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns made.

        They say the whole recipe, and no two recipes with the same owners have a name
        in common. So a question about such a column, the record of its answer and every
        paper about it state how the column was made.

        >>> stay = Derived(recipe=Recipe.MEAN, column="stay")
        >>> Preparation(owners=("patient",), derived=(stay,)).names
        ('mean of stay per patient', 'rows per patient')
        """
        made = [one.text for one in self.derived]
        return tuple(f"{what}{self.per_owner}" for what in [*made, *(["rows"] * self.count)])

    def describe(self) -> str:
        """Return whose rows are put together, and what becomes of the others.

        >>> Preparation(owners=("patient",)).describe()
        'one row for each patient; rows without one are left out'
        """
        return self.described("one row for each {}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PeopleDataset(DerivedDataset):
    """A table whose rows were made of several, one a person. CONFIDENTIAL.

    People are in the order in which they first occur, each on the line of the first
    row, so that nobody's rows change the order of others.

    Attributes:
        preparation: How its rows were put together.

    """

    preparation: Preparation

    @property
    def ending(self) -> str:
        """Return whose rows were put together, which all names end with."""
        return self.preparation.per_owner

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

    What everybody has depends on the rows of that person alone, as their cells are
    declared. The order of the rows matters for the first and the last value alone.

    Raises:
        DataError: No row says whose it is.
        ParameterError: The table lacks a column, or a recipe needs one of another kind.

    """
    from pandas import DataFrame, Series  # noqa: PLC0415 - slow to import

    person = persons(source, preparation.owners, preparation.ownerless)
    people = int(person.max(initial=NOBODY)) + 1
    if not people:
        raise DataError(
            "no row has a person ID. Choose another column, or treat rows without an ID as persons."
        )
    columns = _described(source, preparation)
    made = [_made(source, one, person, people) for one in preparation.derived]
    if preparation.count:
        made.append(Series(np.bincount(person[person >= 0], minlength=people)))
    # The row in which each person first occurs: the one that is written last stays.
    rows = np.flatnonzero(person >= 0)[::-1]
    first = np.zeros(people, dtype=np.intp)
    first[person[rows]] = rows
    frame = DataFrame({column.name: values for column, values in zip(columns, made, strict=True)})
    frame.index = source.frame.index[first].rename("line")
    return PeopleDataset(
        name=source.name, frame=frame, columns=columns, source=source, preparation=preparation
    )


def _described(source: Dataset, preparation: Preparation) -> tuple[Column, ...]:
    """Return the first descriptions of the columns made.

    Raises:
        ParameterError: There is no such column, or a recipe needs another kind.

    """
    names = preparation.names
    columns = [
        replace(
            _column(source.column(one.column), one, name),
            description=TIES * (one.recipe is Recipe.MOST_FREQUENT),
            display_name=one.display_name,
        )
        for one, name in zip(preparation.derived, names, strict=False)
    ]
    if preparation.count:
        shown = "number of rows"
        columns.append(
            Column(name=names[-1], kind=ColumnKind.WHOLE, unit="rows", display_name=shown)
        )
    return tuple(columns)


def _column(of: Column, derived: Derived, name: str) -> Column:
    """Return what follows about a column made of another from what is declared of it.

    A value that is taken from one of the rows lies within the bounds of all, and is on
    their list. So does a mean of numbers. Sums have their bounds still to be declared.
    """
    recipe = derived.recipe
    if not recipe.suits(of.kind):
        raise ParameterError(
            f"“{recipe} {of.name}” cannot be made of a column declared as “{of.kind}”."
        )
    if recipe.picks:
        return replace(of, name=name, display_name="", complete=False)
    if recipe is Recipe.ANY:
        answer = yes_no(name, _ANSWERS)
        return replace(answer, missing=MissingPolicy.DROP, replacement=None)
    if recipe is Recipe.DISTINCT:
        bounds = _most_distinct(of)
        return Column(name=name, kind=ColumnKind.WHOLE, bounds=bounds, unit="values")
    share = of.kind is ColumnKind.YES_NO
    bounds = Interval(lower=0.0, upper=1.0) if share else of.bounds
    return Column(
        name=name,
        kind=ColumnKind.NUMBER,
        unit="" if share else of.unit,
        bounds=bounds if recipe is Recipe.MEAN else None,
    )


def _most_distinct(of: Column) -> Interval | None:
    """Return between which numbers the number of distinct values must lie.

    All values on no list of a category count as one; other answers to yes or no are
    missing.
    """
    if not of.labels:
        return None
    others = of.kind is ColumnKind.CATEGORY
    return Interval(lower=0.0, upper=float(len(of.labels) + others))


def _made(source: Dataset, derived: Derived, person: NDArray[np.intp], people: int) -> pd.Series:
    """Return the cell of every person in a column made. CONFIDENTIAL."""
    from pandas import Categorical, Index, Series  # noqa: PLC0415 - slow to import

    recipe, name = derived.recipe, derived.column
    rows = np.flatnonzero((person >= 0) & ~source.missing(name))
    whose = person[rows]
    if derived.condition is not None:
        met = derived.condition.met(source)[rows]
        answers = np.full(people, NOBODY, dtype=np.intp)
        answers[whose] = 0
        answers[whose[met]] = 1
        known = Categorical.from_codes(answers.tolist(), Index(_ANSWERS))
        return Series(known).astype("str")
    if recipe.calculates:
        values = source.numbers(name)[rows]
        return Series(_calculated(recipe, values, whose, people))
    if recipe is Recipe.DISTINCT:
        return Series(_distinct(_values(source, name, rows, listed=True), whose, people))
    return _cells(source.frame[name], _picked(source, derived, rows, whose, people))


def _picked(
    source: Dataset, derived: Derived, rows: NDArray[np.intp], whose: NDArray[np.intp], people: int
) -> NDArray[np.intp]:
    """Return the row whose value everybody has, -1 for nobody's."""
    recipe = derived.recipe
    if recipe is Recipe.MOST_FREQUENT:
        places = _most_frequent(_values(source, derived.column, rows), whose, people)
        return np.append(rows, NOBODY)[places]
    order = np.arange(len(rows))
    if not recipe.follows_order:
        order = np.argsort(source.numbers(derived.column)[rows], kind="stable")
    if recipe in {Recipe.FIRST, Recipe.MINIMUM, Recipe.EARLIEST}:
        order = order[::-1]
    found = np.full(people, NOBODY, dtype=np.intp)
    # Of several, the one that is written last stays.
    found[whose[order]] = rows[order]
    return found


def _cells(cells: pd.Series, rows: NDArray[np.intp]) -> pd.Series:
    """Return the cells of some rows, without loss; a missing one for the row -1."""
    import pandas as pd  # noqa: PLC0415 - slow to import
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    if cells.dtype.kind in "iu" and isinstance(cells.dtype, np.dtype):
        # NumPy has no missing integers: they would become floats for everybody.
        cells = pd.Series(pd.arrays.ArrowExtensionArray(pa.array(cells.to_numpy())))
    return cells.reset_index(drop=True).reindex(rows).reset_index(drop=True)


def _values(
    source: Dataset, name: str, rows: NDArray[np.intp], *, listed: bool = False
) -> pd.Series:
    """Return what values of some rows are told apart and sorted by, as declared.

    Numbers, or text that is sorted by the alphabet. Where ``listed``, all values on no
    list that is declared are one.
    """
    from pandas import Series  # noqa: PLC0415 - slow to import

    column = source.column(name)
    if column.kind.is_numeric:
        return Series(source.numbers(name)[rows])
    if column.kind is ColumnKind.YES_NO or (listed and column.labels):
        names = np.array([*column.labels, ""], dtype=np.object_)
        return Series(names[source.codes(name)[rows]])
    cells = source.frame[name].iloc[rows]
    return canonical_cells(cells) if column.compares_numbers else text_of(cells)


def _distinct(values: pd.Series, person: NDArray[np.intp], people: int) -> NDArray[np.intp]:
    """Return how many different values everybody has."""
    from pandas import factorize  # noqa: PLC0415 - slow to import

    codes, distinct = factorize(values)
    width = max(len(distinct), 1)
    pairs = np.unique(person * width + codes)
    return np.bincount(pairs // width, minlength=people)


def _calculated(
    recipe: Recipe, values: FloatArray, person: NDArray[np.intp], people: int
) -> FloatArray:
    # Added up from the least to the largest, so that the order of rows does not matter.
    order = np.lexsort((values, person))
    total = np.bincount(person[order], weights=values[order], minlength=people)
    count = np.bincount(person, minlength=people)
    divisor = count if recipe is Recipe.MEAN else np.ones(people)
    return np.where(count, total / np.where(count, divisor, 1), np.nan)


def _most_frequent(values: pd.Series, person: NDArray[np.intp], people: int) -> NDArray[np.intp]:
    """Return the place in ``values`` of everybody's most frequent, -1 for none."""
    owner, code, first, times = _frequencies(values, person)
    # From the worst to the best: the one that is written last stays.
    order = np.lexsort((-code, times))
    places = np.full(people, NOBODY, dtype=np.intp)
    places[owner[order]] = first[order]
    return places


def _frequencies(values: pd.Series, person: NDArray[np.intp]) -> tuple[NDArray[np.intp], ...]:
    """Return each different value of each person: whose, its order, where first, how often.

    ``values`` are numbers, or text that is sorted by the alphabet: it is for the type
    of the column to say which, and never for its cells.
    """
    from pandas import factorize  # noqa: PLC0415 - slow to import

    codes, distinct = factorize(values, sort=True)
    width = max(len(distinct), 1)
    pairs, first, times = np.unique(person * width + codes, return_index=True, return_counts=True)
    return pairs // width, pairs % width, first, times


def ties(dataset: PeopleDataset, name: str) -> int:
    """Return how many people have several most frequent values. CONFIDENTIAL.

    0 where the column is none of most frequent values.

    Raises:
        ParameterError: The table was made of no column of that name any more.

    """
    made = dict(zip(dataset.preparation.names, dataset.preparation.derived, strict=False))
    if name not in made or made[name].recipe is not Recipe.MOST_FREQUENT:
        return 0
    source, column = dataset.source, made[name].column
    person = persons(source, dataset.preparation.owners, dataset.preparation.ownerless)
    rows = np.flatnonzero((person >= 0) & ~source.missing(column))
    owner, _, _, times = _frequencies(_values(source, column, rows), person[rows])
    most = np.zeros(dataset.rows, dtype=np.intp)
    np.maximum.at(most, owner, times)
    return int(np.count_nonzero(np.bincount(owner[times == most[owner]]) > 1))
