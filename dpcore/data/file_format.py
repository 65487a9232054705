"""How a file with a table is read, which is declared with the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from dpcore.data.columns import MAX_CODES
from dpcore.data.dialects import Dialect
from dpcore.data.encodings import NAMES
from dpcore.data.separators import WHITE_SPACE
from dpcore.errors import ParameterError

_MOST_ROWS: Final = 10_000_000
SEPARATOR_NAMES: Final = {
    ",": "comma",
    ";": "semicolon",
    "\t": "tab",
    "|": "pipe",
    WHITE_SPACE: "white space",
}
_MARK_NAMES: Final = {".": "point", ",": "comma", " ": "space", "'": "apostrophe"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFormat:
    """How a file with a table is read. PUBLIC.

    Attributes:
        dialect: Of a text file; None of any other.
        sheet: Of a workbook; empty of any other file.
        title_rows: Number of rows before the header of a sheet that are left out.
        missing_codes: Cells that stand for missing values in every column.
        header: Names of the columns of the file, as they were read in this format.

    Raises:
        ParameterError: A number is out of its range, or a code is blank or there twice.

    """

    dialect: Dialect | None = None
    sheet: str = ""
    title_rows: int = 0
    missing_codes: tuple[str, ...] = ()
    header: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.title_rows <= _MOST_ROWS:
            raise ParameterError(
                f"rows before the header must be 0 or more, got {self.title_rows}."
            )
        codes = self.missing_codes
        if any(not code or code != code.strip() for code in codes):
            raise ParameterError("a missing code must not be blank nor begin or end with a space.")
        if len(set(codes)) < len(codes) or len(codes) > MAX_CODES:
            raise ParameterError(f"missing codes must differ, and be {MAX_CODES} at most.")

    def differences(self, other: FileFormat) -> tuple[str, ...]:
        """Return the parts of this format that another one lacks, in words."""
        return tuple(part for part in self.parts if part not in other.parts)

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the format in words, a phrase for each part."""
        parts = [] if self.dialect is None else _parts_of(self.dialect)
        if self.sheet:
            parts += [f"sheet “{self.sheet}”", _before_header(self.title_rows, "row")]
        codes = ", ".join(self.missing_codes) or "none"
        return (*parts, f"missing codes: {codes}")


def _parts_of(dialect: Dialect) -> list[str]:
    separator = SEPARATOR_NAMES.get(dialect.delimiter, f"“{dialect.delimiter}”")
    thousands = _MARK_NAMES.get(dialect.thousands, "none")
    return [
        f"encoding {NAMES[dialect.encoding]}",
        f"separator {separator}",
        f"decimal mark {_MARK_NAMES[dialect.decimal]}",
        f"thousands mark {thousands}",
        _before_header(dialect.skipped, "line"),
    ]


def _before_header(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)} before the header left out"
