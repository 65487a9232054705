"""Rows before the header of a table: titles, sources and dates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence


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
