"""At most so many rows of each person, chosen by a key and by that person's rows alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import FloatArray
from dpcore.data.cells import is_number, number, text_of
from dpcore.data.columns import Column
from dpcore.data.dataset import Dataset
from dpcore.data.fingerprints import check_key
from dpcore.data.preparation.aggregation import NOBODY, RowOwners, fingerprint_of_people, persons
from dpcore.data.preparation.conditions import (
    Condition,
    RowSubset,
    check_names,
    ending_of,
    met_by,
    renamed,
)
from dpcore.errors import DataError, ParameterError

if TYPE_CHECKING:
    import pandas as pd


_PURPOSE: Final = b"rows that stay"
_WIDTH: Final = 16
_EXACT: Final = 2.0**53
"""From here on floats do not tell all integers apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCap(RowOwners):
    """How many rows of each person count. PUBLIC, and chosen without the table.

    Attributes:
        most: How many rows of each person count at most.

    Raises:
        ParameterError: No owner or one named twice, or fewer rows than one.

    """

    most: int

    def __post_init__(self) -> None:
        if not self.owners or len(set(self.owners)) < len(self.owners):
            raise ParameterError("choose the ID columns, each once.")
        if self.most < 1:
            raise ParameterError(f"at least one row of each has to count, got {self.most}.")

    @property
    def suffix(self) -> str:
        """Return what the names of columns end with.

        >>> RowCap(owners=("patient",), most=5).suffix
        ', at most 5 rows per patient'
        """
        return f", at most {self._rows}{self.per_owner}"

    def describe(self) -> str:
        """Return whose rows count, how many, and what becomes of the others.

        >>> RowCap(owners=("patient",), most=5).describe()
        'at most 5 rows of each patient count; rows without one are left out'
        """
        verb = "counts" if self.most == 1 else "count"
        return self.described(f"at most {self._rows} of each {{}} {verb}")

    @property
    def _rows(self) -> str:
        return "1 row" if self.most == 1 else f"{self.most} rows"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CappedDataset(RowSubset):
    """The rows that count of a table with several rows a person. CONFIDENTIAL.

    A person is all rows that say they are of the same one, and is protected with all of
    them. Which rows count is chosen by a key, for each person from their own rows alone
    (``chosen``), after rows that do not meet the conditions are gone. So whoever
    joins, leaves or is replaced changes at most ``cap.most`` rows, or takes as many and
    brings as many, and nobody else's.

    The names of its columns say all of that. So a question about one, the record of its
    answer and every paper about it do.

    Attributes:
        rule: Whose rows they are, and how many count.
        conditions: What all of them meet.
        person: Whose each row is, from 0 in the order in which people occur here, shape
            ``(n,)``. CONFIDENTIAL.
        key: Chooses the rows. CONFIDENTIAL.

    """

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

    @property
    def _kept(self) -> tuple[Column, ...]:
        owners = self.rule.owners
        return tuple(column for column in self.source.columns if column.name not in owners)

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
        raise DataError("no row is left. Check the ID column and the conditions.")
    kept = [column for column in source.columns if column.name not in rule.owners]
    if not kept:
        raise ParameterError("there is no column besides the ID columns.")
    columns = renamed(kept, ending_of(conditions) + rule.suffix)
    frame = source.frame.iloc[rows][[column.name for column in kept]]
    from pandas import factorize  # noqa: PLC0415 - slow to import

    return CappedDataset(
        name=source.name,
        frame=frame.set_axis([column.name for column in columns], axis=1),
        columns=columns,
        source=source,
        rule=rule,
        conditions=conditions,
        person=factorize(person[rows])[0].astype(np.intp),
        key=key,
    )


def chosen(
    frame: pd.DataFrame, person: NDArray[np.intp], most: int, *, key: bytes
) -> NDArray[np.intp]:
    """Return the places of the rows that stay, ascending: at most so many a person.

    The rows of a person are put in the order of a keyed hash of what they say, and the
    first ``most`` stay. Of equal rows each is hashed with its number among them, so
    that every row has the same chance. The choice

    * looks at the rows of that person alone: whoever else joins, leaves or changes,
      this person's rows that stay are the same;
    * does not depend on the order of the table, nor on the day: the same rows have the
      same choice next quarter;
    * cannot be foreseen without the key, so that nobody can write rows that stay.

    ``frame`` says what the rows say; ``person`` is whose each row is, shape ``(n,)``,
    negative for a row that is left out.

    Raises:
        ParameterError: Fewer rows than one are to stay, or the key has less than 16 or
            more than 64 bytes.

    """
    if most < 1:
        raise ParameterError(f"at least one row of each person has to stay, got {most}.")
    check_key(key)
    owned = np.bincount(person[person >= 0])
    stays = person >= 0
    # Only who owns more is chosen from: the others keep all.
    many = np.flatnonzero(stays)
    many = many[owned[person[many]] > most]
    if len(many):
        order = many[np.lexsort((_lots(frame.iloc[many], key), person[many]))]
        stays[order[_places_among_equals(person[order]) >= most]] = False
    return np.flatnonzero(stays)


def _lots(rows: pd.DataFrame, key: bytes) -> NDArray[np.uint64]:
    """Return the lot of each row: a keyed hash of it and its number among its equals.

    Rows of two people differ, because the columns that say whose they are do.
    """
    said = np.hstack([_bytes(rows[name]) for name in rows])
    own = blake2b(_PURPOSE, key=key, digest_size=32).digest()
    number = np.zeros(len(said), dtype="<i8")
    lots = _hashed(said, number, own)
    # Equal rows have equal hashes: those after the first get their number.
    order = np.argsort(lots, kind="stable")
    number[order] = _places_among_equals(lots[order])
    again = np.flatnonzero(number)
    lots[again] = _hashed(said[again], number[again], own)
    return lots


def _places_among_equals(ordered: NDArray[Any]) -> NDArray[np.int64]:
    """Return the place of each value, from 0, in its run of equal ones."""
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    lengths = np.diff(np.append(starts, len(ordered)))
    return np.arange(len(ordered)) - np.repeat(starts, lengths)


def _hashed(said: NDArray[np.uint8], number: NDArray[np.int64], key: bytes) -> NDArray[np.uint64]:
    lines = np.hstack([said, number[:, np.newaxis].view(np.uint8)])
    width, content = lines.shape[1], lines.tobytes()
    start = blake2b(key=key, digest_size=8)
    drawn = bytearray()
    for place in range(0, len(content), width):
        state = start.copy()
        state.update(content[place : place + width])
        drawn += state.digest()
    return np.frombuffer(drawn, dtype="<u8")


def _bytes(cells: pd.Series) -> NDArray[np.uint8]:
    """Return what each cell says, shape ``(n, 16)``, whatever other cells there are.

    A cell that is written as its number is that number, held in a column of numbers or
    not; all others are a hash of their text.
    """
    if not is_number(cells):
        import pandas as pd  # noqa: PLC0415 - slow to import

        codes, distinct = pd.factorize(cells)
        # The last one is what a missing value, -1, picks.
        table = [*map(_of_text, map(str, distinct)), bytes(_WIDTH)]
        return np.frombuffer(b"".join(table), dtype=np.uint8).reshape(-1, _WIDTH)[codes]
    numbers = cells.to_numpy(dtype=np.float64, na_value=np.nan)
    found = _of_numbers(numbers)
    large = np.flatnonzero(np.abs(numbers) >= _EXACT)
    for place, text in zip(large, text_of(cells.iloc[large]), strict=True):
        found[place] = np.frombuffer(_of_text(text), dtype=np.uint8)
    found[np.isnan(numbers)] = 0
    return found


def _of_numbers(numbers: FloatArray) -> NDArray[np.uint8]:
    # Adding zero turns -0.0 into 0.0; the second half tells a number from no cell.
    halves = np.stack([numbers + 0.0, np.ones_like(numbers)], axis=1)
    return halves.astype("<f8").view(np.uint8).reshape(-1, _WIDTH)


def _of_text(text: str) -> bytes:
    """Return what text says: a number where it is written as that number would be."""
    value = number(text)
    if abs(value) < _EXACT and text in {f"{value:.0f}", repr(value)}:
        return _of_numbers(np.array([value])).tobytes()
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_WIDTH).digest()
