"""Which rows belong to one person or unit, by columns that identify them. CONFIDENTIAL."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.data.cells import canonical_cells, has_any, is_number
from dpcore.data.columns import LabelEquality
from dpcore.data.dataset import Dataset
from dpcore.data.fingerprints import fingerprint_as_read

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
        """Return what names end with: per whom something is made or counted."""
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
