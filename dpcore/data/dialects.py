"""How a file with a table is read: encoding, delimiter, header and numbers, as proposed."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from dpcore.data.cells import DECIMALS, Notation
from dpcore.data.columns import MAX_CODES
from dpcore.data.encodings import ENCODINGS, NAMES, proposed_encoding
from dpcore.errors import ParameterError

PREFIX_BYTES: Final = 64 * 1024
"""How much of a file is looked at."""
WHITE_SPACE: Final = " "
"""Any run of blanks and tabs; those at the ends of a line separate nothing."""
DELIMITERS: Final = (",", ";", "\t", "|")
"""Characters that usually separate fields."""
SEPARATOR_NAMES: Final = {
    ",": "comma",
    ";": "semicolon",
    "\t": "tab",
    "|": "pipe",
    WHITE_SPACE: "white space",
}
_MARK_NAMES: Final = {".": "point", ",": "comma", " ": "space", "'": "apostrophe"}
_MOST_ROWS: Final = 10_000_000

_GROUP_DIGITS = 3
_NUMBER = re.compile("[+-]?([09]+(?:[.,' ][09]+)+)")
# Spellings of the same mark, and digits that say the same.
_SPELLINGS = str.maketrans("’\u00a0\u202f" + "123456789", "'  " + "9" * 9)
_PLAIN_NUMBER = re.compile("[+-]?[0-9][0-9.,' ]*")
_COMMENT = "#"
_SEPARATOR_LINE = re.compile('"?sep=(.)"?', re.IGNORECASE)


def is_separator(mark: str) -> bool:
    """Return whether a text can separate fields: a character, no quote or line end."""
    return len(mark) == 1 and mark not in {'"', "\r", "\n", "\0"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a CSV file is written.

    Attributes:
        encoding: One of ``ENCODINGS``.
        delimiter: What separates fields: one character, but for quotation marks and
            line ends. ``WHITE_SPACE`` stands for any run of blanks and tabs.
        decimal: The decimal mark, one of ``DECIMALS``.
        thousands: What groups the digits of large numbers, one of ``THOUSANDS``; empty
            if nothing does. A space also stands for the no-break spaces, and ``'`` for
            the typographic apostrophe.
        skipped: Number of lines before the header that are left out, at least 0.

    """

    encoding: str = "utf-8"
    delimiter: str = ","
    decimal: str = "."
    thousands: str = ""
    skipped: int = 0

    def __post_init__(self) -> None:
        if self.encoding not in ENCODINGS:
            raise ParameterError(f"encoding must be one of {', '.join(ENCODINGS)}.")
        if not is_separator(self.delimiter):
            raise ParameterError("delimiter must be one character, and no quotation mark.")
        _ = self.notation
        if self.skipped < 0:
            raise ParameterError("the number of lines left out must not be negative.")

    @property
    def notation(self) -> Notation:
        """Return how numbers are written.

        Raises:
            ParameterError: The marks are unknown or the same.

        """
        return Notation(decimal=self.decimal, thousands=self.thousands)


DECIMAL_POINT = Dialect()
"""What most programs read."""
DECIMAL_COMMA = Dialect(encoding="utf-8-sig", delimiter=";", decimal=",")
"""What spreadsheets read where the comma is the decimal mark, as in Germany."""


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
        parts = []
        if self.dialect is not None:
            mark, grouping = self.dialect.delimiter, self.dialect.thousands
            parts = [
                f"encoding {NAMES[self.dialect.encoding]}",
                f"separator {SEPARATOR_NAMES.get(mark, f'“{mark}”')}",
                f"decimal mark {_MARK_NAMES[self.dialect.decimal]}",
                f"thousands mark {_MARK_NAMES.get(grouping, 'none')}",
                _before_header(self.dialect.skipped, "line"),
            ]
        if self.sheet:
            parts += [f"sheet “{self.sheet}”", _before_header(self.title_rows, "row")]
        codes = ", ".join(self.missing_codes) or "none"
        return (*parts, f"missing codes: {codes}")


def _before_header(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)} before the header left out"


def sniff(data: bytes) -> Dialect:
    r"""Return the most plausible dialect of a file, as a proposal to be edited.

    The encoding is that of all of the file (``proposed_encoding``); all else follows
    from the first ``PREFIX_BYTES``. Without any evidence it is a comma and a decimal
    point. A number like 1,000 or 1.000 may be read in two ways; then the rest of the
    file decides, and failing that the delimiter: files with semicolons come from where
    the comma is the decimal mark.

    Lines at the beginning that start with "#" are left out, unless the last of them is
    the header. So are Excel's "sep=;", which names the delimiter, and titles
    (``header_place``).

    >>> dialect = sniff("Größe;Preis\n1,85;1.299,00\n".encode("latin-1"))
    >>> dialect.encoding, dialect.delimiter, dialect.decimal, dialect.thousands
    ('cp1252', ';', ',', '.')
    >>> sniff(b"# exported in May\nage,visits\n30,2\n").skipped
    1
    >>> sniff(b"Visits in May\n\nage|visits\n30|2\n").skipped
    2
    """
    encoding = proposed_encoding(data)
    # Only carriage return and line feed end a line of a file; ``str.splitlines`` knows
    # more, which may occur in a name.
    prefix = data[:PREFIX_BYTES]
    text = codecs.getincrementaldecoder(encoding)(errors="replace").decode(prefix)
    if len(prefix) < len(data):
        text = text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text
    lines = [*io.StringIO(text, newline="")]
    first = lines[0].rstrip("\r\n") if lines else ""
    named = _SEPARATOR_LINE.fullmatch(first)
    start = 1 if named else 0
    end = _end_of_comments(lines, start)
    if named and is_separator(named[1]):
        delimiter = named[1]
        rows = _rows(lines[end:], delimiter)
    else:
        delimiter, rows = _delimited(lines[end:])
    records = rows[1:]
    if end > start and _is_header(lines[end - 1], rows, delimiter):
        end, records = end - 1, rows
    elif end == start == 0 and _has_title(rows):
        end = _header_line(lines, delimiter)
        records = _rows(lines[end:], delimiter)[1:]
    decimal, thousands = _marks(records, delimiter)
    return Dialect(
        encoding=encoding, delimiter=delimiter, decimal=decimal, thousands=thousands, skipped=end
    )


def _end_of_comments(lines: list[str], start: int) -> int:
    """Return the place after the last of the leading comments, or ``start``."""
    end = start
    for place, line in enumerate(lines[start:], start=start):
        if line.startswith(_COMMENT):
            end = place + 1
        elif line.strip():
            return end
    # Nothing but comments: then they are the table.
    return start


def _is_header(comment: str, following: list[list[str]], delimiter: str) -> bool:
    """Return whether a line that begins with "#" is the header of what follows.

    It is if it has as many fields, and what follows is no header, having numbers; or if
    it has several, and the first of them begins at once.
    """
    names = _rows([comment], delimiter)[0]
    record = next(iter(following), [])
    if len(record) != len(names):
        return False
    numbers = any(re.fullmatch("[+-]?[0-9][0-9.,]*", cell.strip()) for cell in record)
    return numbers or (len(names) > 1 and not names[0][1:2].isspace())


def _rows(lines: list[str], delimiter: str) -> list[list[str]]:
    if delimiter == WHITE_SPACE:
        return [line.split() for line in lines if line.strip()]
    # Lines with their ends leave quoted line ends to the reader.
    rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    return [row for row in rows if row]


def _delimited(lines: list[str]) -> tuple[str, list[list[str]]]:
    """Return the separator that explains the lines best, and the rows it makes of them."""
    text = "".join(lines)
    # Those that do not occur all fit alike: every line is one field.
    marks = sorted(DELIMITERS, key=lambda mark: mark not in text)
    rows = {mark: _rows(lines, mark) for mark in marks if mark in text}
    fits = {mark: _fit(rows[mark]) if mark in rows else _ONE_FIELD for mark in marks}
    best = max(fits, key=lambda mark: fits[mark])
    if not fits[best][0] and _is_white_space(lines):
        best = WHITE_SPACE
    return best, rows[best] if best in rows else _rows(lines, best)


_ONE_FIELD = (False, True, 1.0, 1)


def _fit(rows: list[list[str]]) -> tuple[bool, bool, float, int]:
    """Return how well the rows explain a delimiter, the best being the largest."""
    if not rows:
        return False, False, 0.0, 0
    widths = [*map(len, rows)]
    header = header_place(widths, map(_is_named, rows))
    usual = usual_width(widths)
    same = widths[header:].count(usual) / len(widths[header:])
    return widths[header] > 1, widths[header] == usual, same, usual


def _is_white_space(lines: list[str]) -> bool:
    """Return whether all lines have as many words, and some column is numbers."""
    header, *records = _rows(lines, WHITE_SPACE) or [[]]
    alike = len(header) > 1 and all(len(row) == len(header) for row in records)
    columns = zip(*records, strict=True) if alike else ()
    return any(all(map(_PLAIN_NUMBER.fullmatch, column)) for column in columns)


def _is_named(row: list[str]) -> bool:
    """Return whether all cells of a row hold text that is no number."""
    first = next((at for at, cell in enumerate(row) if cell.strip()), len(row))
    names = [cell.strip() for cell in row[first:]]
    return bool(names) and all(name and not _PLAIN_NUMBER.fullmatch(name) for name in names)


def _has_title(rows: list[list[str]]) -> bool:
    """Return whether the first line is so much shorter than others that it may be a title."""
    first = next((row for row in rows if any(map(str.strip, row))), [])
    return 2 * len(first) <= max(map(len, rows), default=0)


def _header_line(lines: list[str], delimiter: str) -> int:
    """Return how many lines before the header hold titles."""
    if delimiter == WHITE_SPACE:
        # All lines have as many words (``_is_white_space``): none is a title.
        return 0
    places, rows, place = [], [], 0
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
    for row in reader:
        if any(map(str.strip, row)):
            places.append(place)
            rows.append(row)
        place = reader.line_num
    at = header_place([*map(len, rows)], map(_is_named, rows))
    return places[at] if at else 0


def _marks(records: list[list[str]], delimiter: str) -> tuple[str, str]:
    """Return the decimal mark and the thousands separator."""
    decimals: Counter[str] = Counter()
    groups: Counter[str] = Counter()
    either: Counter[str] = Counter()
    # Long tables have few shapes of numbers: which digits stand there says nothing, but
    # for a single 0 in front.
    shapes: Counter[str] = Counter()
    for cell, times in Counter(chain.from_iterable(records)).items():
        shapes[cell.strip().translate(_SPELLINGS)] += times
    for shape, cells in shapes.items():
        number = _NUMBER.fullmatch(shape)
        if number:
            _vote(number[1], cells, decimals, groups, either)
    point, comma = (decimals[m] - decimals[o] for m, o in (".,", ",."))
    if point == comma:
        point, comma = groups[","], groups["."]
    if point == comma and delimiter == ";":
        comma += sum(either.values())
    decimal = "," if comma > point else "."
    candidates = groups + either
    del candidates[decimal]
    thousands = max(candidates, key=lambda mark: candidates[mark], default="")
    return decimal, thousands


def _vote(
    number: str, cells: int, decimals: Counter[str], groups: Counter[str], either: Counter[str]
) -> None:
    """Count what the marks of one number, in so many cells, can only be, or may be.

    The last mark is the decimal one where it differs from those before it, and where
    what follows cannot be a group of three digits. A mark that repeats groups digits.
    """
    *marks, last = re.findall("[^0-9]", number)
    parts = re.split("[^0-9]", number)
    grouped = len(parts[0]) <= _GROUP_DIGITS and all(
        len(part) == _GROUP_DIGITS for part in parts[1:-1]
    )
    triple = len(parts[-1]) == _GROUP_DIGITS and grouped
    if last in DECIMALS and last not in marks and len(set(marks)) == 1 and grouped:
        decimals[last] += cells
        groups[marks[0]] += cells
    elif set(marks) <= {last} and triple and (marks or last not in DECIMALS):
        groups[last] += cells
    elif last in DECIMALS and not marks and triple and parts[0] != "0":
        either[last] += cells
    elif last in DECIMALS and not marks:
        decimals[last] += cells


def usual_width(widths: Sequence[int]) -> int:
    """Return the width of rows that has the most cells; 0 without rows."""
    counts = Counter(widths)
    return max(counts, key=lambda width: (width * counts[width], width), default=0)


def header_place(widths: Sequence[int], named: Iterable[bool]) -> int:
    """Return which row is most likely the header, from 0; the first if none is.

    Titles have at most half as many cells as the rows of the table. The header is the
    first row as wide as they are in which every cell is a name.

    Args:
        widths: How many cells each of the first rows has, blank ones behind left out.
        named: Whether all cells of a row hold text that is no number, but for blank
            ones before. No more are asked for than decide.

    >>> header_place([1, 1, 3, 3, 3], [True, True, True, False, False])
    2

    """
    usual = usual_width(widths)
    if not widths or 2 * widths[0] > usual:
        return 0
    rows = enumerate(zip(widths, named, strict=True))
    return next((at for at, (wide, names) in rows if wide >= usual and names), 0)
