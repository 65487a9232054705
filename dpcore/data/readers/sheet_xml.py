"""What the XML of a workbook says of its size, seen in pieces before it is read.

The library that reads cells cannot be stopped, and makes a table of all places between
the far corners of a sheet. So the size of that table, and of the text in it, is known
before. A sheet may say of its own size what it likes: every cell is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.data import limits
from dpcore.data.limits import Proceed

_PIECE: Final = 4 << 20
_LONGEST_CELL: Final = 1 << 18
"""Bytes within which a cell ends: Excel keeps 32,767 characters of text."""
_NO_VALUE: Final = "#N/A"
"""An error that says that there is no value."""
_LONGEST_PLACE: Final = 10
"""Characters of the last place that a sheet can have, XFD1048576."""
_QUOTE, _EQUALS, _ZERO, _NINE, _BEFORE_A, _R, _T, _E, _S, _BLANK = b'"=09@rtes '
# Possessive, and within one tag or one cell: no sheet makes them go back and forth.
_NAME: Final = rb"<(?:\w++:)?+"
_CELL: Final = re.compile(_NAME + rb"c(?=[\s/>])")
_PREFIXED: Final = re.compile(rb":c[\s/>]")
TEXT_START: Final = re.compile(_NAME + rb"si(?=[\s/>])")
_TAG: Final = re.compile(_NAME + rb"""(row|c)(?=[\s/>])((?:[^<>"']|"[^"]*+"|'[^']*+')*+)>""")
_ROW_PLACE: Final = re.compile(rb"""\sr\s*+=\s*+["']\s*+([0-9]++)""")
_PLACE: Final = re.compile(rb"""\sr\s*+=\s*+["']([A-Za-z]++)([0-9]++)["']""")
_ANY_PLACE: Final = re.compile(rb"\sr\s*+=")
_FAILED: Final = re.compile(
    _NAME + rb"""c(?=\s[^<>]*?\bt\s*+=\s*+["']e["'])\s[^<>]*?\br\s*+="""
    rb"""\s*+["']([A-Z]{1,3})([0-9]{1,7})["'][^<>]*+>"""
    rb"(?:(?!<(?:\w++:)?+(?:v>|/?c[\s/>])).)*+<(?:\w++:)?+v>([^<]*+)<",
    re.DOTALL,
)
_FORMULA: Final = re.compile(
    _NAME + rb"c\b(?:[^<>/]|/(?!>))*+>\s*+<(?:\w++:)?+f\b"
    rb"(?:(?:[^<>/]|/(?!>))*+/>|[^<>]*+>[^<]*+</(?:\w++:)?+f>)\s*+"
    rb"(?:<(?:\w++:)?+v\s*+/>\s*+|<(?:\w++:)?+v></(?:\w++:)?+v>\s*+)?+</(?:\w++:)?+c>"
)
"""A cell with a formula whose value is not stored."""
_SHARED: Final = re.compile(
    _NAME + rb"""c(?=\s)[^<>]*?\st\s*+=\s*+["']s["'][^<>]*+>\s*+<(?:\w++:)?+v>"""
    rb"([0-9]++)<"
)
"""A cell with one of the texts that all sheets share."""


def pieces(file: IO[bytes], proceed: Proceed, starts: re.Pattern[bytes] = _CELL) -> Iterator[bytes]:
    """Yield XML in pieces that end before a cell starts, and not within one.

    ``proceed`` is called between them.
    """
    rest = b""
    while block := file.read(_PIECE):
        proceed()
        text = rest + block
        last = max(0, len(text) - _LONGEST_CELL)
        cut = max((found.start() for found in starts.finditer(text, last)), default=0)
        if not cut and len(text) >= _LONGEST_CELL:
            cut = max(text.rfind(b"<"), 0) or len(text)
        rest = text[cut:]
        yield text[:cut]
    yield rest


@dataclass(slots=True, kw_only=True)
class SheetSize:
    """How large a sheet is, as far as it was seen, and what else it holds.

    Attributes:
        cells: How many cells are written.
        rows: The largest number of a row with a cell.
        columns: The largest number of a column with a cell.
        shared: How many cells have a text that all sheets share.
        merged: How many ranges of cells are merged.
        unstored: How many formulas have no stored value.
        failed: The error of each formula that has failed, by row and column from 1.

    """

    cells: int = 0
    rows: int = 0
    columns: int = 0
    shared: int = 0
    merged: int = 0
    unstored: int = 0
    failed: dict[tuple[int, int], str] = field(default_factory=dict)
    _row: int = 0
    _column: int = 0

    def add(self, xml: bytes) -> None:
        """See the next piece.

        Raises:
            DataError: There are too many cells so far.
            ValueError: It is not text, or a cell says in no known way where it stands.

        """
        if b"\0" in xml:
            raise ValueError
        self.merged += xml.count(b"mergeCell ")
        if not self._add_usual(xml):
            self._add_each(xml)
        limits.check(self.cells, limits.SHEET_CELLS, _CELLS, advice=limits.AS_CSV)

    def check(self) -> None:
        """Refuse too many places between the far corners of a sheet.

        Raises:
            DataError: There are too many, most of which have no cell.

        """
        most = max(10 * self.cells, limits.SHEET_CELLS)
        places = self.rows * self.columns
        if places > most:
            limits.check(places, limits.SHEET_CELLS, _CELLS, advice=limits.AS_CSV)

    def _add_usual(self, xml: bytes) -> bool:
        """See a piece as Excel writes it, in a few passes; return whether it is."""
        # Behind the end is nothing that could be a part of a place.
        text = np.frombuffer(xml + bytes(_LONGEST_PLACE), np.uint8)
        quotes = np.flatnonzero(text[3:] == _QUOTE) + 3
        ends = np.append(quotes[1:], len(xml))
        named = (text[quotes - 1] == _EQUALS) & (text[quotes - 3] == _BLANK)
        names = text[quotes - 2]
        placed = np.flatnonzero(named & (names == _R))
        at, lengths = quotes[placed] + 1, ends[placed] - quotes[placed] - 1
        letters = [(text[at + place] > _NINE) & (lengths > place) for place in range(4)]
        cells = int(np.count_nonzero(letters[0]))
        starts = {cells, xml.count(b"<c"), xml.count(b'<c r="')}
        if not cells or len(starts) > 1 or letters[3].any() or _PREFIXED.search(xml):
            return False
        wide: NDArray[np.int64] = np.stack(letters[:3]).astype(np.int64).sum(axis=0)
        row = _largest(text, at + wide, lengths - wide, _ZERO, 10)
        column = _largest(text, at, wide, _BEFORE_A, 27)
        if row is None or column is None:
            return False
        self._row, self._column = row, column
        kinds = quotes[named & (names == _T)] + 1
        kinds = kinds[text[np.minimum(kinds + 1, len(text) - 1)] == _QUOTE]
        self.cells += cells
        self.shared += int((text[kinds] == _S).sum())
        self._see_place()
        if xml.find(b"<f>") >= 0 or xml.find(b"<f ") >= 0 or xml.find(b"<f/") >= 0:
            self.unstored += len(_FORMULA.findall(xml))
        if bool((text[kinds] == _E).any()):
            self._add_failed(xml)
        return True

    def _add_each(self, xml: bytes) -> None:
        """See a piece tag by tag: cells without a place follow one another."""
        before = self.cells
        for kind, said in _TAG.findall(xml):
            place = (_ROW_PLACE if kind == b"row" else _PLACE).search(said)
            if place is None and _ANY_PLACE.search(said):
                raise ValueError
            if kind == b"row":
                self._row = self._row + 1 if place is None else int(place[1])
                self._column = 0
                continue
            self.cells += 1
            self._column += 1
            if place is not None:
                self._row, self._column = int(place[2]), number(place[1])
            self._see_place()
        cells = len(_CELL.findall(xml))
        if self.cells - before != cells:
            raise ValueError
        self.shared += cells
        self.unstored += len(_FORMULA.findall(xml))
        self._add_failed(xml)

    def _see_place(self) -> None:
        self.rows = max(self.rows, self._row)
        self.columns = max(self.columns, self._column)

    def _add_failed(self, xml: bytes) -> None:
        for column, row, error in _FAILED.findall(xml):
            text = error.decode("ascii", errors="replace")
            if text != _NO_VALUE:
                self.failed[int(row), number(column)] = text


_CELLS: Final = "the sheet has more than {} cells"
_TEXTS: Final = "the workbook has more than {} different texts"
_SIZE: Final = "the text in the cells of the sheet has more than {} MB"


@dataclass(slots=True, kw_only=True)
class SharedTexts:
    """How long the texts are that cells of all sheets share, in bytes of XML."""

    lengths: list[int] = field(default_factory=list)

    def add(self, xml: bytes) -> None:
        """See the next piece of their XML; it ends before a text starts.

        Raises:
            DataError: There are too many so far.

        """
        starts = [found.start() for found in TEXT_START.finditer(xml)]
        ends = [*starts, len(xml)]
        if self.lengths:
            # A text that does not end with its piece.
            self.lengths[-1] += ends[0]
        self.lengths += np.diff(ends).tolist()
        texts = len(self.lengths)
        limits.check(texts, limits.SHEET_CELLS, _TEXTS, advice=limits.AS_CSV)

    def check(self, sheet: Iterator[bytes], cells: int) -> None:
        """Refuse a sheet whose cells hold too much text, one text for many of them.

        Args:
            sheet: The pieces of the sheet, of which none is asked for where it is sure
                that there is not too much.
            cells: How many cells have one of the texts.

        Raises:
            DataError: They hold too much.

        """
        longest = max(self.lengths, default=0)
        if longest * cells <= limits.SHEET_BYTES:
            return
        lengths = np.array(self.lengths, np.int64)
        size = 0
        for xml in sheet:
            named = [int(place) for place in _SHARED.findall(xml)]
            known = [place for place in named if place < len(lengths)]
            cells -= len(named)
            size += int(lengths[known].sum())
            limits.check_bytes(size, limits.SHEET_BYTES, _SIZE, advice=limits.AS_CSV)
        size += longest * max(cells, 0)
        limits.check_bytes(size, limits.SHEET_BYTES, _SIZE, advice=limits.AS_CSV)


def number(letters: bytes) -> int:
    """Return the number of a column, from 1.

    >>> number(b"A"), number(b"AB")
    (1, 28)
    """
    found = 0
    for letter in letters.upper():
        found = min(26 * found + letter - ord("A") + 1, limits.SHEET_CELLS + 1)
    return found


def _largest(
    text: NDArray[np.uint8], at: NDArray[np.intp], lengths: NDArray[np.intp], zero: int, signs: int
) -> int | None:
    """Return the largest number that is written at some places; None if not as usual.

    Rows are written in ten digits, columns in 26 letters, of which none stands for 0.
    Neither begins with 0, so that the longest are the largest.
    """
    longest = int(lengths.max(initial=0))
    if longest > _LONGEST_PLACE:
        return None
    at = at[lengths == longest]
    numbers = np.zeros(len(at), np.int64)
    base = min(signs, 26)
    for place in range(longest):
        digits = text[at + place].astype(np.int64) - zero
        least = 1 if place == 0 or signs > base else 0
        if ((digits < least) | (digits >= signs)).any():
            return None
        numbers = base * numbers + digits
    return int(numbers.max(initial=0))
