"""Records of a text file in which every cell is a number that Python would write so.

Such numbers are parsed at once. Text made of every cell, to be compared with the number
it gives, would take longer than to read the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.data.column_storage import EXACT_DIGITS, needs_exponent

if TYPE_CHECKING:
    import pyarrow as pa

_NOTHING, _DIGIT, _ZERO, _POINT, _MINUS, _END = range(6)
_KINDS: Final = 6
_UNUSUAL, _TRAILING = b"\1\2"
_SLICE: Final = 1 << 16
"""Bytes that are looked at together, so that they stay in the processor's cache."""
_FIRST: Final = 50
"""Records by which a column is taken for one of floats."""


def plain_numbers(
    text: bytes, *, delimiter: str, parse: Callable[[NDArray[np.bool_]], pa.Table]
) -> list[pa.Array] | None:
    """Return the columns of some records; ``None`` where a cell is no such number.

    ``parse`` returns the records as floats in columns where it is given true, and as
    integers in all others; it raises ``pyarrow.ArrowInvalid`` where they are not.
    Integers have no leading zero; floats have a digit before the point and after it, no
    zeros to spare, and at most 15 digits, so that the text follows from the number.
    """
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    mark = delimiter.encode()
    points, trailing = 0, False
    for kinds in _kinds(text, mark):
        triples = (kinds[:-2] * _KINDS + kinds[1:-1]) * _KINDS + kinds[2:]
        found = triples.tobytes().translate(_FOUND)
        if _UNUSUAL in found or _is_long(kinds == _END):
            return None
        points += int(np.count_nonzero(kinds[1:-1] == _POINT))
        trailing = trailing or _TRAILING in found
    first = [line.split(mark) for line in text.split(b"\n", _FIRST)[:_FIRST] if line]
    try:
        pointed = np.array([[b"." in cell for cell in cells] for cells in first])
        floats = np.logical_or.reduce(pointed, axis=0)
        columns = [column.combine_chunks() for column in parse(floats).columns]
    except (ValueError, pa.ArrowInvalid):
        return None
    kept = [column for column, is_float in zip(columns, floats, strict=True) if is_float]
    # A float has one point at most, an integer none: here each float has one.
    if points != sum(len(column) - column.null_count for column in kept):
        return None
    if trailing and any(_ends_in_zero(text, mark, floats)):
        return None
    if any(needs_exponent(column.drop_null()) for column in kept):
        return None
    nothing = pa.nulls(len(columns[0]))
    return [nothing if column.null_count == len(column) else column for column in columns]


def _kinds(text: bytes, delimiter: bytes) -> Iterator[NDArray[np.uint8]]:
    """Yield the kinds of characters, a slice with its two neighbors at a time."""
    kinds = bytearray(256)
    for digit in b"123456789":
        kinds[digit] = _DIGIT
    for mark, kind in zip(b"0.-\n", (_ZERO, _POINT, _MINUS, _END), strict=True):
        kinds[mark] = kind
    kinds[ord(delimiter)] = _END
    whole = b"\n" + text + (b"" if text.endswith(b"\n") else b"\n")
    for start in range(0, len(whole) - 2, _SLICE):
        piece = whole[start : start + _SLICE + 2]
        yield np.frombuffer(piece.translate(kinds), np.uint8)


def _found(before: int, here: int, after: int) -> int:
    """Return whether three characters in a row are in no number as Python writes it.

    ``_TRAILING`` is for a zero that no float ends in, though an integer may.
    """
    digits = {_DIGIT, _ZERO}
    unusual = here == _NOTHING
    if here == _ZERO:
        leading = before in {_END, _MINUS} and after in digits
        unusual = leading or (before == _MINUS and after == _END)
        if before in digits and after == _END:
            return _TRAILING
    elif here == _MINUS:
        unusual = before != _END
    elif here == _POINT:
        unusual = not {before, after} <= digits
    return _UNUSUAL if unusual else 0


_FOUND: Final = bytes(_found(*kinds) for kinds in product(range(_KINDS), repeat=3)).ljust(
    256, b"\0"
)


def _is_long(ends: NDArray[np.bool_]) -> bool:
    """Return whether a cell has more characters than 15 digits and a point."""
    near = ends
    reach = 1
    while reach < EXACT_DIGITS + 2:
        step = min(reach, EXACT_DIGITS + 2 - reach)
        near = near[:-step] | near[step:]
        reach += step
    return not near.all()


def _ends_in_zero(text: bytes, delimiter: bytes, floats: NDArray[np.bool_]) -> Iterator[bool]:
    """Yield of each column of floats whether a zero follows its last digit."""
    cells = np.frombuffer(text + b"\n", np.uint8)
    ends = np.flatnonzero((cells == ord("\n")) | (cells == ord(delimiter)))
    rows = len(ends) // len(floats)
    for column in np.flatnonzero(floats):
        end = ends[column : rows * len(floats) : len(floats)]
        blank = np.isin(cells[end - 1], (ord("\n"), ord(delimiter)))
        zero = (cells[end - 1] == ord("0")) & (cells[end - 2] != ord("."))
        yield bool((zero & ~blank).any())
