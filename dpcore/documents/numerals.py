"""Numbers in texts, with the marks that a reader is used to."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final

_NUMBER: Final = re.compile(
    r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e-?\d+)?(?!\w|[.,]\d)"
)
"""A number as `dpcore.formatting` writes it, with commas between thousands. What only
begins like one is none: a version, a date, a part of a name."""
_SWAPPED: Final = str.maketrans(",.", ".,")


class Numerals(StrEnum):
    """How the numbers of a document are written."""

    POINT = "1,234.5"
    COMMA = "1.234,5"

    def written(self, text: str) -> str:
        """Return a text of the program with its numbers in these marks.

        >>> Numerals.COMMA.written("53,500 to 1.5 million, by version 0.15.1")
        '53.500 to 1,5 million, by version 0.15.1'
        """
        if self is Numerals.POINT or isinstance(text, Exact):
            return text
        return _NUMBER.sub(lambda found: found[0].translate(_SWAPPED), text)


class Exact(str):
    """A text of which every character stays: a version, a name, a digest, code."""

    __slots__ = ()
