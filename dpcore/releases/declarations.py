"""What was publicly declared about tables, kept for when they come again.

One small file for each account, beside the ledger. It holds what a person typed or
confirmed, column names included, and nothing computed from the table but bounds that a
release found.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Final

from dpcore.analyses.identity import canonical
from dpcore.codec import (
    NUMBER,
    TEXT,
    TRUTH,
    WHOLE,
    Pair,
    Part,
    Schema,
    if_any,
    parsed,
    several,
    since,
)
from dpcore.data.cells import Notation
from dpcore.data.columns import FEWEST_PEOPLE, LARGEST_NUMBER, Column, LabelEquality, check_titles
from dpcore.data.dialects import Dialect, FileFormat
from dpcore.data.preparation.steps import STEPS, PreparationSteps
from dpcore.errors import LedgerError, ParameterError
from dpcore.relations import NeighboringRelation, PrivacyUnit
from dpcore.statistics.parameters import COLUMN, DATES, EQUALITY, RELATION, column_with

_STEPS = "steps-"
_LARGEST_FILE = 1 << 24
_LONGEST_TEXT = 10_000
_MOST_FORMATS = 100
"""Declarations that are looked at for the format of a file."""


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
        steps: What was done to the file before: the columns are those after it.
        noun: What one protected unit is called.
        plural: What several are called; the usual plural if empty.
        file: Every column of the file that the steps begin with, as it was declared
            then; empty where there are no steps, or this was not kept yet.
        file_format: How the file was read; None where the table is of no file.

    Raises:
        ParameterError: A number is out of its range, or two columns have one name,
            their own or the one to show.

    """

    columns: tuple[Column, ...]
    relation: NeighboringRelation
    rows: int
    minimum_people: int
    everybody: bool = False
    day: date
    steps: PreparationSteps = field(default_factory=PreparationSteps)
    noun: str = "person"
    plural: str = ""
    file: tuple[Column, ...] = ()
    file_format: FileFormat | None = None

    @property
    def unit(self) -> PrivacyUnit:
        """Return who is protected, where no column says whose the rows are."""
        return PrivacyUnit(noun=self.noun, plural=self.plural, rows=self.rows)

    def __post_init__(self) -> None:
        if not 1 <= self.rows <= LARGEST_NUMBER:
            raise ParameterError(f"rows of one unit must be 1 or more, got {self.rows}.")
        _ = self.unit  # refuses what is no name
        if not FEWEST_PEOPLE <= self.minimum_people <= LARGEST_NUMBER:
            raise ParameterError(f"people must be 3 or more, got {self.minimum_people}.")
        if len({column.name for column in self.columns}) < len(self.columns):
            raise ParameterError("the names of columns must differ.")
        check_titles(self.columns)


class Declarations:
    """The declarations in a folder, found by account and by the names of columns.

    Whoever comes last replaces what was declared about a table before. A file appears
    as a whole or not at all. One that is damaged, or was changed into what nobody could
    have declared, counts as none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, account: str, declaration: Declaration, header: Iterable[str] = ()) -> None:
        """Keep what was declared about the table of an account.

        ``header`` are the names of the columns of the file, where steps were taken
        before: a file with the same ones finds them again (``of_file``).

        Raises:
            LedgerError: The folder cannot be written to.

        """
        names = [column.name for column in declaration.columns]
        self._write(f"{_named(names)}-{account}.json", declaration)
        file = f"{_STEPS}{_named(header)}-{account}.json"
        if declaration.steps != PreparationSteps():
            self._write(file, declaration)
        else:
            with contextlib.suppress(OSError):
                (self._folder / file).unlink(missing_ok=True)

    def of_file(self, header: Iterable[str]) -> Declaration | None:
        """Return what was declared last after steps with a file of these columns."""
        found = (_content(path) for path in self._files(f"{_STEPS}{_named(header)}-*.json"))
        return next((one for one in found if one is not None), None)

    def file_formats(self) -> tuple[FileFormat, ...]:
        """Return the formats of the files that were declared last, the latest first."""
        found = map(_content, self._files("*.json")[:_MOST_FORMATS])
        formats = (one.file_format for one in found if one is not None)
        return tuple(dict.fromkeys(one for one in formats if one is not None))

    def _write(self, name: str, declaration: Declaration) -> None:
        draft = self._folder / f"draft-{secrets.token_hex(8)}"
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(written(declaration).encode())
                    file.flush()
                    os.fsync(descriptor)
                draft.replace(self._folder / name)
            finally:
                draft.unlink(missing_ok=True)
        except OSError as error:
            raise LedgerError(f"what was declared cannot be kept: {error.strerror}.") from None

    def knows(self, names: Iterable[str]) -> bool:
        """Return whether a table with columns of these names may have been declared."""
        return bool(self._files(f"{_named(names)}-*.json"))

    def tables(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the accounts under which tables with these columns were declared."""
        known = [*names]
        start = f"{_named(known)}-"
        return tuple(
            path.stem.removeprefix(start)
            for path in self._files(f"{start}*.json")
            if _read(path, known) is not None
        )

    def of_table(self, account: str, names: Iterable[str]) -> Declaration | None:
        """Return what was declared about this table, if anything was."""
        known = [*names]
        return _read(self._folder / f"{_named(known)}-{account}.json", known)

    def of_columns(self, names: Iterable[str]) -> Declaration | None:
        """Return what was declared last about a table with columns of these names."""
        known = [*names]
        files = self._files(f"{_named(known)}-*.json")
        found = (_read(path, known) for path in files)
        return next((one for one in found if one is not None), None)

    def _files(self, pattern: str) -> list[Path]:
        """Return the files of such names, the latest first."""
        try:
            files = [(path.stat().st_mtime_ns, path) for path in self._folder.glob(pattern)]
        except OSError:
            return []
        return [path for _, path in sorted(files, reverse=True)]


def _named(names: Iterable[str]) -> str:
    """Return a name for a set of column names, whatever their order."""
    text = json.dumps(sorted(names))
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _read(path: Path, names: Iterable[str]) -> Declaration | None:
    found = _content(path)
    if found is None:
        return None
    same = sorted(column.name for column in found.columns) == sorted(names)
    return found if same else None


def written(declaration: Declaration) -> str:
    """Return a declaration as JSON, which `declaration_in` reads."""
    return canonical(DECLARATION.write(declaration))


def declaration_in(text: str | bytes) -> Declaration:
    """Return the declaration in a JSON text.

    Raises:
        ParameterError: There is none, or it is one that nobody could have declared.

    """
    try:
        found = DECLARATION.read(parsed(text))
        _check_texts(found)
    except (ValueError, LookupError, TypeError, OverflowError, RecursionError, ParameterError):
        raise ParameterError("this is no declaration of a table in JSON.") from None
    return found


def _content(path: Path) -> Declaration | None:
    try:
        if path.stat().st_size > _LARGEST_FILE:
            return None
        return declaration_in(path.read_bytes())
    except (OSError, ParameterError):
        return None


def _check_texts(declaration: Declaration) -> None:
    """Refuse what no page can show: endless text, or half a character."""
    for column in (*declaration.columns, *declaration.file):
        for text in (column.name, column.unit, column.description, *column.labels):
            if len(text.encode()) > _LONGEST_TEXT:
                raise ValueError
    kept = declaration.file_format or FileFormat()
    texts = (*declaration.steps.describe(), *kept.parts, *kept.header)
    for text in texts:
        if len(text.encode()) > _LONGEST_TEXT:
            raise ValueError


def _taken(declaration: Declaration) -> PreparationSteps | None:
    return declaration.steps if declaration.steps != PreparationSteps() else None


_COLUMN: Final = Schema(
    partial(column_with, since=LabelEquality.AS_NUMBERS),
    **{
        **COLUMN.parts,
        "unit": since(TEXT),
        "description": since(TEXT),
        "display_name": if_any(TEXT, of=lambda column: column.display_name or None),
        "complete": if_any(TRUTH, of=lambda column: column.complete or None),
        "equality": since(EQUALITY),
        "missing_codes": since(several(TEXT)),
        "notation": since(Schema(Notation, decimal=TEXT, thousands=TEXT)),
        "dates": since(DATES),
        "bounds_epsilon": replace(if_any(NUMBER), argument="found_epsilon"),
        "at_least": if_any(WHOLE),
    },
)
FILE_FORMAT: Final = Schema(
    FileFormat,
    dialect=if_any(
        Schema(Dialect, encoding=TEXT, delimiter=TEXT, decimal=TEXT, thousands=TEXT, skipped=WHOLE)
    ),
    sheet=since(TEXT),
    title_rows=since(WHOLE),
    missing_codes=since(several(TEXT)),
    header=since(several(TEXT)),
)

DECLARATION: Final = Schema(
    Declaration,
    columns=several(_COLUMN),
    relation=RELATION,
    rows=WHOLE,
    minimum_people=WHOLE,
    everybody=since(TRUTH),
    steps=Part(codec=STEPS, of=_taken, needed=False, empty=False),
    file=Part(codec=several(_COLUMN), needed=False, empty=False),
    noun=if_any(TEXT, of=lambda d: d.noun if d.noun != "person" else None),
    plural=if_any(TEXT, of=lambda d: d.plural or None),
    file_format=if_any(FILE_FORMAT),
    day=Pair(date.isoformat, lambda content: date.fromisoformat(TEXT.read(content))),
)
