"""At most so many rows of each person, as a table of people. CONFIDENTIAL."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from dpcore.data.cells import text_of
from dpcore.data.dataset import Dataset
from dpcore.data.preparation.conditions import Condition
from dpcore.data.preparation.filtering import check_names, ending_of, met_by
from dpcore.data.preparation.keyed_choice import chosen
from dpcore.data.preparation.owners import fingerprint_of_people, persons
from dpcore.data.preparation.recipes import Ownerless
from dpcore.data.units import NOBODY
from dpcore.errors import DataError, ParameterError


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCap:
    """How many rows of each person count. PUBLIC, and chosen without the table.

    Attributes:
        owners: Names of the columns that together say whose row it is, at least one.
        most: How many rows of each person count at most.
        ownerless: What happens to rows in which one of the owners is missing.

    Raises:
        ParameterError: No owner or one named twice, or fewer rows than one.

    """

    owners: tuple[str, ...]
    most: int
    ownerless: Ownerless = Ownerless.DROP

    def __post_init__(self) -> None:
        if not self.owners or len(set(self.owners)) < len(self.owners):
            raise ParameterError("choose the columns that say whose row it is, each once.")
        if self.most < 1:
            raise ParameterError(f"at least one row of each has to count, got {self.most}.")

    @property
    def suffix(self) -> str:
        """Return what the names of columns end with.

        >>> RowCap(owners=("patient",), most=5).suffix
        ', at most 5 rows per patient'
        """
        rows = "1 row" if self.most == 1 else f"{self.most} rows"
        alone = self.ownerless is Ownerless.ALONE
        other = " or row without one" * alone
        return f", at most {rows} per {' and '.join(self.owners)}{other}"

    def describe(self) -> str:
        """Return whose rows count, how many, and what becomes of the others.

        >>> RowCap(owners=("patient",), most=5).describe()
        'at most 5 rows of each patient count; rows without one are left out'
        """
        owners = " and ".join(self.owners)
        rows = "1 row" if self.most == 1 else f"{self.most} rows"
        left = "left out" if self.ownerless is Ownerless.DROP else "people of their own"
        counts = "counts" if self.most == 1 else "count"
        return f"at most {rows} of each {owners} {counts}; rows without one are {left}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CappedDataset(Dataset):
    """The rows that count of a table with several rows a person. CONFIDENTIAL.

    A person is all rows that say they are of the same one, and is protected with all of
    them. Which rows count is chosen by a key, for each person from their own rows alone
    (``keyed_choice``), after rows that do not meet the conditions are gone. So whoever
    joins, leaves or is replaced changes at most ``cap.most`` rows, or takes as many and
    brings as many, and nobody else's.

    The names of its columns say all of that. So a question about one, the record of its
    answer and every paper about it do.

    Attributes:
        source: The table that the rows are of.
        rule: Whose rows they are, and how many count.
        conditions: What all of them meet.
        person: Whose each row is, from 0 in the order in which people occur here, shape
            ``(n,)``. CONFIDENTIAL.
        key: Chooses the rows. CONFIDENTIAL.

    """

    source: Dataset
    rule: RowCap
    conditions: tuple[Condition, ...] = ()
    person: NDArray[np.intp] = field(repr=False)
    key: bytes = field(repr=False)

    @property
    def people(self) -> int:
        """Return the number of people with a row here."""
        return int(self.person.max(initial=NOBODY)) + 1

    @property
    def cap(self) -> int | None:
        """Return how many rows of one person count at most."""
        return self.rule.most

    @property
    def persons(self) -> NDArray[np.intp]:
        """Return whose each row is, shape ``(n,)``."""
        return self.person

    @property
    def ending(self) -> str:
        """Return conditions and limit, which all names end with."""
        return ending_of(self.conditions) + self.rule.suffix

    def names(self, people: NDArray[np.intp]) -> dict[str, list[str]]:
        """Return what the table calls some people, by the columns that say it."""
        first = np.full(self.people, len(self.person), dtype=np.intp)
        np.minimum.at(first, self.person, np.arange(len(self.person)))
        lines = self.frame.index[first[people]]
        said = self.source.frame.loc[lines, list(self.rule.owners)]
        return {name: [*map(str, text_of(said[name]))] for name in self.rule.owners}

    def undone(self) -> Dataset:
        """Return the table that the rows are of, with what was declared of them."""
        whose = self.rule.owners
        kept = [one for one in self.source.columns if one.name not in whose]
        return self.source.with_columns(
            *(
                replace(declared, name=before.name, display_name=before.display_name)
                for declared, before in zip(self.columns, kept, strict=True)
            )
        )

    @property
    def header(self) -> tuple[str, ...]:
        """Return the names of the columns of the file."""
        return self.source.header

    def fingerprint(self, key: bytes) -> str:
        """Return that of the people of the table, however many of their rows count.

        It is that of the table with one row made of each person, too: all of them are
        paid by the same account.

        Raises:
            ParameterError: The key has less than 16 or more than 64 bytes.

        """
        return fingerprint_of_people(self.source, self.rule.owners, self.rule.ownerless, key=key)


def at_most(
    source: Dataset, rule: RowCap, conditions: tuple[Condition, ...] = (), *, key: bytes
) -> CappedDataset:
    """Return the table in which at most so many rows of each person count.

    What is declared of the columns stays: a cell says what it said.

    Raises:
        DataError: No row is left, or cells that are compared are not numbers.
        ParameterError: The table lacks a column, has none but those that say whose row
            it is, or one whose name could be taken for one of a condition.

    """
    check_names(source)
    person = persons(source, rule.owners, rule.ownerless)
    if conditions:
        person = np.where(met_by(source, conditions), person, NOBODY)
    said = source.frame[list(source.header)]
    rows = chosen(said, person, rule.most, key=key)
    if not len(rows):
        raise DataError("no row is left. Check whose the rows are, and how conditions are written.")
    kept = [column for column in source.columns if column.name not in rule.owners]
    if not kept:
        raise ParameterError("there is no column but those that say whose row it is.")
    ending = ending_of(conditions) + rule.suffix
    names = {column.name: f"{column.name}{ending}" for column in kept}
    from pandas import factorize  # noqa: PLC0415 - slow to import

    return CappedDataset(
        name=source.name,
        frame=source.frame.iloc[rows][list(names)].rename(columns=names),
        columns=tuple(
            # Another column, which nobody has named yet.
            replace(column, name=names[column.name], display_name="")
            for column in kept
        ),
        source=source,
        rule=rule,
        conditions=conditions,
        person=factorize(person[rows])[0].astype(np.intp),
        key=key,
    )
