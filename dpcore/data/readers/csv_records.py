"""Where the records of a file lie, and that all have as many fields as the header.

Every record is counted before its cells are kept: none is padded or cut in silence.
Parsers take one character of ASCII between fields. White space, of which any run
separates, and any other character are replaced by one that the file does not have;
within quotation marks nothing is.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.arrays import in_blocks
from dpcore.data import limits
from dpcore.data.dialects import WHITE_SPACE
from dpcore.data.readers.file_table import too_wide
from dpcore.errors import DataError

Lines = range | np.ndarray
"""Line of the file at which each record begins, the header being left out."""

_BLOCK = 1 << 20
_NEWLINE, _QUOTE = b'\n"'
_DELIMITER, _LINE_END, _QUOTED_LINE_END = 0, 1, 2
_FIELD_LIMIT = csv.field_size_limit()
_HEADER_LIMIT = 8 * limits.MAX_COLUMNS * limits.MAX_NAME
"""Bytes of the longest header: four for each character, with room for blanks."""

_FREE: Final = (*range(0x01, 0x09), *range(0x0E, 0x20))
"""Control characters that no text needs."""
_QUOTED: Final = rb'"(?:[^"]|"")*+(?:"|\Z)'


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
        text = _replaced(text, rb"(?<![^ \t\r\n])", rb"[ \t]+", mark)
        ends = rb"(?:(?<=[\r\n])|\A)%s|%s(?=[\r\n]|\Z)" % (mark, mark)
        return re.sub(ends, b"", text), mark.decode()
    written = separator.encode()
    before = rb"(?:(?<=[\r\n])|\A|(?<=%s)) *" % re.escape(written)
    return _replaced(text, before, re.escape(written), mark), mark.decode()


def _replaced(text: bytes, before: bytes, pattern: bytes, mark: bytes) -> bytes:
    """Replace a pattern outside of quoted fields, which begin after ``before``."""
    if b'"' not in text:
        return re.sub(pattern, mark, text)
    either = b"(%s%s)|%s" % (before, _QUOTED, pattern)
    return re.sub(either, lambda found: found[1] or mark, text)


def header_start(text: bytes, *, delimiter: str, skipped: int) -> tuple[int, int]:
    """Return the offset of the header, and its line; the first line is line 1.

    Lines that are to be skipped, and blank ones, come before it. ``text`` is in an
    encoding that contains ASCII.

    Raises:
        DataError: There are too few lines.

    """
    # In native code: a file may begin with millions of blank lines.
    lines = rb"(?:[^\r\n]*+(?:\r\n?+|\n)){0,%d}+" % min(skipped, len(text))
    offset = _end(lines, text)
    blank = _end(rb"[%s]*+" % _blank(delimiter).encode(), text, offset)
    start = max(text.rfind(mark, offset, blank) for mark in (b"\n", b"\r")) + 1
    if _breaks(text, offset) < skipped or (skipped and blank == len(text)):
        raise DataError(
            f"no line is left after the {skipped} that are left out before the header. "
            "Leave out fewer."
        )
    offset = len(text) if blank == len(text) else start or offset
    return offset, 1 + _breaks(text, offset)


def _end(pattern: bytes, text: bytes, start: int = 0) -> int:
    """Return where the match of a pattern ends that matches nothing, too."""
    found = re.compile(pattern).match(text, start)
    assert found is not None, "nothing is matched as well"  # noqa: S101
    return found.end()


def _breaks(text: bytes, end: int) -> int:
    """Return how many line breaks a text has before some place."""
    single = text.count(b"\n", 0, end) + text.count(b"\r", 0, end)
    return single - text.count(b"\r\n", 0, end)


def header_fields(text: bytes, *, delimiter: str, line: int = 1) -> list[str]:
    """Return the fields of the first record, which begins in that line of the file.

    Raises:
        DataError: There is none.

    """
    if len(text) > _HEADER_LIMIT:
        # Of a longer line no field is made: there may be millions.
        text = text[:_HEADER_LIMIT]
        end = max(text.rfind(b"\n"), text.rfind(b"\r"))
        if end < 0:
            raise too_wide(line)
        text = text[: end + 1]
    first = next(_records_of(text, delimiter, line), None)
    if first is None:
        raise DataError("the file is empty. Upload a CSV file with a header and records.")
    return first[1]


def unquoted_lines(text: bytes, *, fields: int, first: int = 1) -> range | None:
    """Return the lines of a file where every line is a record, if all are alike.

    For a file of several columns without quotation marks; ``None`` of any other. The
    parser has to make sure that each line has as many fields, and that none is blank.
    """
    if fields == 1 or b'"' in text:
        return None
    if b"\r" in text and text.count(b"\r") != text.count(b"\r\n"):
        return None
    cells = np.frombuffer(text, np.uint8, _content_end(text))
    # Faster than bytes.count, which goes from one to the next.
    count = sum(np.count_nonzero(block == _NEWLINE) for block in in_blocks(cells))
    return range(first + 1, first + 1 + count)


def regular_lines(text: bytes, *, delimiter: str, fields: int, first: int = 1) -> Lines | None:
    """Return the line at which each record begins; ``text`` begins in line ``first``.

    Counts delimiters and line ends outside quotes. ``None`` where anything is unusual
    (a lone carriage return, a quote within a field, a blank line, a record of another
    length): ``records`` reads that.
    """
    end = _content_end(text)
    if b"\r" in text and text.count(b"\r") != text.count(b"\r\n"):
        return None
    blank = (b"\n\n", b"\n\r\n", b"\n ", b"\n\t")
    if fields == 1 and (text[:1].isspace() or any(text.find(each, 0, end) >= 0 for each in blank)):
        return None
    found = _separators(text, end, ord(delimiter))
    if found is None:
        return None
    quoted = found == _QUOTED_LINE_END
    several = bool(quoted.any())
    kept = found[~quoted] if several else found
    records, over = divmod(len(kept), fields)
    # Every so many separators one ends a line, and no other does.
    if over or not kept[fields - 1 :: fields].all() or np.count_nonzero(kept) != records:
        return None
    if not several:
        return range(first + 1, first + records)
    line_ends = found[found != _DELIMITER]
    return np.flatnonzero(line_ends == _LINE_END)[:-1] + first + 1


def _content_end(text: bytes) -> int:
    """Return where a text ends but for line ends behind."""
    tail = text[-_BLOCK:]
    return len(text) - len(tail) + len(tail.rstrip(b"\r\n"))


def _separators(text: bytes, end: int, delimiter: int) -> NDArray[np.uint8] | None:
    """Return each delimiter and line end in turn, delimiters within quotes left out.

    A quote toggles between inside and outside; an escaped one ("") toggles twice.
    This holds as long as every opening quote begins a field. Returns None if one does
    not, or if the last is never closed.
    """
    others = bytes(set(range(256)) - {delimiter, _NEWLINE})
    quoted = text.find(b'"') >= 0
    found = []
    inside = np.uint8(0)
    for start in range(0, end, _BLOCK):
        stop = min(start + _BLOCK, end)
        if not quoted:
            separators = text[start:stop].translate(None, others)
            found.append((np.frombuffer(separators, np.uint8) == _NEWLINE).view("u1"))
            continue
        block = np.frombuffer(text, np.uint8, stop - start, start)
        newline = block == _NEWLINE
        quote = block == _QUOTE
        within = np.bitwise_xor.accumulate(quote.view(np.uint8)) ^ inside
        inside = within[-1]
        opening = start + np.flatnonzero(quote & (within == 1))
        before = np.frombuffer(text, np.uint8)[opening[opening > 0] - 1]
        if not np.isin(before, (delimiter, _NEWLINE, _QUOTE)).all():
            return None
        separator = newline | ((block == delimiter) & (within == 0))
        found.append(newline[separator] * (1 + within[separator]))
    if inside:
        return None
    return np.concatenate([*found, np.ones(1, np.uint8)])


def records(
    text: bytes, *, delimiter: str, fields: int, first: int = 1
) -> Iterator[tuple[int, list[str]]]:
    """Yield the records after the header, each with the line in which it begins.

    Blank lines are no records.

    Raises:
        DataError: A record has more or fewer fields than the header.

    """
    every = _records_of(text, delimiter, first)
    next(every, None)
    for line, record in every:
        if len(record) != fields:
            noun = "field" if len(record) == 1 else "fields"
            raise DataError(
                f"line {line} has {len(record)} {noun} where the header has {fields}. Correct or "
                "delete that line, put quotes around text that contains the delimiter, or "
                "choose another delimiter.",
                line=line,
            )
        yield line, record


def _records_of(text: bytes, delimiter: str, first: int) -> Iterator[tuple[int, list[str]]]:
    """Yield each record, the header included, with the line in which it begins."""
    stream = io.TextIOWrapper(io.BytesIO(text), "utf-8", newline="")
    blank, between, unclosed = _blank(delimiter), True, False

    def lines() -> Iterator[str]:
        # The csv module takes a line of spaces for a record with one field. Within
        # quotation marks it is part of a cell.
        nonlocal between, unclosed
        for line in stream:
            is_blank = between and not line.strip(blank)
            between = is_blank
            yield "\n" if is_blank else line
        unclosed = not between

    reader = csv.reader(lines(), delimiter=delimiter, skipinitialspace=True)
    line = first
    try:
        for record in reader:
            if unclosed:
                raise DataError(
                    f"the record that begins in line {line} never ends: a quotation mark is "
                    "opened and not closed. Close it or delete it.",
                    line=line,
                )
            if record:
                yield line, record
            between = True
            line = reader.line_num + first
    except csv.Error:
        raise DataError(
            f"the record that begins in line {line} has a field of more than "
            f"{_FIELD_LIMIT} characters, probably because a quotation mark is opened and "
            "never closed. Close it or delete it.",
            line=line,
        ) from None


def _blank(delimiter: str) -> str:
    """Return the characters of which a line without a record consists."""
    return " \r\n" if delimiter == "\t" else " \t\r\n"
