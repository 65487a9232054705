"""What was publicly declared about tables, kept for when they come again.

One small file for each account, beside the ledger. It holds what a person typed or
confirmed, column names included, and nothing computed from the table.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from dpcore.codec import TEXT, TRUTH, WHOLE, Pair, Schema, several, since
from dpcore.data.columns import Column
from dpcore.errors import LedgerError, ParameterError
from dpcore.releases.identity import canonical
from dpcore.statistics.parameters import COLUMN, RELATION

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from dpcore.relations import NeighboringRelation

_LARGEST_FILE = 1 << 24
_LONGEST_TEXT = 10_000
_LARGEST_NUMBER = 10**12
_FEWEST_PEOPLE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What was declared when a table was taken into use. PUBLIC.

    Attributes:
        columns: Every column, in any order; their names differ.
        relation: Which tables count as neighbors.
        rows: How many rows one protected unit may own at most, at least 1.
        minimum_people: Stands in for a private number of people, at least 3.
        everybody: Whether the table holds everybody, and is no sample.
        day: When it was declared.

    Raises:
        ParameterError: A number is out of its range, or two columns have one name.

    """

    columns: tuple[Column, ...]
    relation: NeighboringRelation
    rows: int
    minimum_people: int
    everybody: bool = False
    day: date

    def __post_init__(self) -> None:
        if not 1 <= self.rows <= _LARGEST_NUMBER:
            message = f"rows of one unit must be 1 or more, got {self.rows}."
            raise ParameterError(message)
        if not _FEWEST_PEOPLE <= self.minimum_people <= _LARGEST_NUMBER:
            message = f"people must be 3 or more, got {self.minimum_people}."
            raise ParameterError(message)
        if len({column.name for column in self.columns}) < len(self.columns):
            message = "the names of columns must differ."
            raise ParameterError(message)


class Declarations:
    """The declarations in a folder, found by account and by the names of columns.

    Whoever comes last replaces what was declared about a table before. A file appears
    as a whole or not at all. One that is damaged, or was changed into what nobody could
    have declared, counts as none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, account: str, declaration: Declaration) -> None:
        """Keep what was declared about the table of an account.

        Raises:
            LedgerError: The folder cannot be written to.

        """
        names = [column.name for column in declaration.columns]
        draft = self._folder / f"draft-{secrets.token_hex(8)}"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(canonical(DECLARATION.write(declaration)).encode())
                    file.flush()
                    os.fsync(descriptor)
                draft.replace(self._folder / f"{_named(names)}-{account}.json")
            finally:
                draft.unlink(missing_ok=True)
        except OSError as error:
            message = f"what was declared cannot be kept: {error.strerror}."
            raise LedgerError(message) from None

    def knows(self, names: Iterable[str]) -> bool:
        """Return whether a table with columns of these names may have been declared."""
        return bool(self._files(names))

    def tables(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the accounts under which tables with these columns were declared."""
        known = [*names]
        start = f"{_named(known)}-"
        return tuple(
            path.stem.removeprefix(start)
            for path in self._files(known)
            if _read(path, known) is not None
        )

    def of_table(self, account: str, names: Iterable[str]) -> Declaration | None:
        """Return what was declared about this table, if anything was."""
        known = [*names]
        return _read(self._folder / f"{_named(known)}-{account}.json", known)

    def of_columns(self, names: Iterable[str]) -> Declaration | None:
        """Return what was declared last about a table with columns of these names."""
        known = [*names]
        found = (_read(path, known) for path in self._files(known))
        return next((one for one in found if one is not None), None)

    def _files(self, names: Iterable[str]) -> list[Path]:
        """Return the files about tables with these columns, the latest first."""
        try:
            files = [
                (path.stat().st_mtime_ns, path)
                for path in self._folder.glob(f"{_named(names)}-*.json")
            ]
        except OSError:
            return []
        return [path for _, path in sorted(files, reverse=True)]


def _named(names: Iterable[str]) -> str:
    """Return a name for a set of column names, whatever their order."""
    text = json.dumps(sorted(names))
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _read(path: Path, names: Iterable[str]) -> Declaration | None:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            return None
        found = DECLARATION.read(json.loads(path.read_bytes()))
        _check_texts(found)
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        OverflowError,
        RecursionError,
        ParameterError,
    ):
        return None
    same = sorted(column.name for column in found.columns) == sorted(names)
    return found if same else None


def _check_texts(declaration: Declaration) -> None:
    """Refuse what no page can show: endless text, or half a character."""
    for column in declaration.columns:
        for text in (column.name, column.unit, column.description, *column.labels):
            if len(text.encode()) > _LONGEST_TEXT:
                raise ValueError


DECLARATION: Final = Schema(
    Declaration,
    columns=several(
        Schema(Column, **COLUMN.parts, unit=since(TEXT), description=since(TEXT))
    ),
    relation=RELATION,
    rows=WHOLE,
    minimum_people=WHOLE,
    everybody=since(TRUTH),
    day=Pair(date.isoformat, lambda content: date.fromisoformat(TEXT.read(content))),
)
