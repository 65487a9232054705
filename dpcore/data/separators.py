"""What separates the fields of a text file, brought to a character that parsers take.

Parsers take one character of ASCII. White space, of which any run separates, and any
other character are replaced by one that the file does not have; within quotation marks
nothing is.
"""

from __future__ import annotations

import re
from typing import Final

from dpcore.errors import DataError

WHITE_SPACE: Final = " "
"""Any run of blanks and tabs; those at the ends of a line separate nothing."""
DELIMITERS: Final = (",", ";", "\t", "|")
"""Characters that usually separate fields."""

_FREE: Final = (*range(0x01, 0x09), *range(0x0E, 0x20))
"""Control characters that no text needs."""
_QUOTED: Final = rb'"(?:[^"]|"")*+(?:"|\Z)'


def is_separator(mark: str) -> bool:
    """Return whether a text can separate fields: a character, no quote or line end."""
    return len(mark) == 1 and mark not in {'"', "\r", "\n", "\0"}


def separated(text: bytes, separator: str) -> tuple[bytes, str]:
    r"""Return UTF-8 text whose fields one character of ASCII separates, and which.

    Raises:
        DataError: The text has all characters that could stand for the separator.

    >>> separated(b' a  "x y"\t7 \n', WHITE_SPACE)
    (b'a\x01"x y"\x017\n', '\x01')

    """
    if separator.isascii() and separator != WHITE_SPACE:
        return text, separator
    mark = next((bytes([one]) for one in _FREE if bytes([one]) not in text), None)
    if mark is None:
        raise DataError(
            "the file has too many control characters for this separator. Choose another one."
        )
    if separator == WHITE_SPACE:
        return _from_white_space(text, mark), mark.decode()
    written = separator.encode()
    before = rb"(?:(?<=[\r\n])|\A|(?<=%s)) *" % re.escape(written)
    return _replaced(text, before, re.escape(written), mark), mark.decode()


def _from_white_space(text: bytes, mark: bytes) -> bytes:
    text = _replaced(text, rb"(?<![^ \t\r\n])", rb"[ \t]+", mark)
    ends = rb"(?:(?<=[\r\n])|\A)%s|%s(?=[\r\n]|\Z)" % (mark, mark)
    return re.sub(ends, b"", text)


def _replaced(text: bytes, before: bytes, pattern: bytes, mark: bytes) -> bytes:
    """Replace a pattern outside of quoted fields, which begin after ``before``."""
    if b'"' not in text:
        return re.sub(pattern, mark, text)
    either = b"(%s%s)|%s" % (before, _QUOTED, pattern)
    return re.sub(either, lambda found: found[1] or mark, text)
