"""Where the records of a file lie, and that all have as many fields as the header.

Every record is counted before its cells are kept: none is padded or cut in silence.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dpcore.data import limits
from dpcore.errors import DataError

Lines = range | np.ndarray
"""Line of the file at which each record begins, the header being left out."""

_BLOCK = 1 << 20
_NEWLINE, _QUOTE = b'\n"'
_DELIMITER, _LINE_END, _QUOTED_LINE_END = 0, 1, 2
_FIELD_LIMIT = csv.field_size_limit()
_HEADER_LIMIT = 8 * limits.MAX_COLUMNS * limits.MAX_NAME
"""Bytes of the longest header: four for each character, with room for blanks."""


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


def too_wide(line: int | None) -> DataError:
    """Return the error of a header of too many columns."""
    message = (
        f"the header has more than {limits.MAX_COLUMNS:,} columns, which is the most "
        "that can be read. Keep the columns that you need, or choose another "
        "delimiter."
    )
    return DataError(message, line=line)


def unquoted_lines(text: bytes, *, fields: int, first: int = 1) -> range | None:
    """Return the lines of a file where every line is a record, if all are alike.

    For a file of several columns without quotation marks; ``None`` of any other. The
    parser has to make sure that each line has as many fields, and that none is blank.
    """
    if fields == 1 or b'"' in text:
        return None
    if b"\r" in text and text.count(b"\r") != text.count(b"\r\n"):
        return None
    tail = text[-_BLOCK:]
    end = len(text) - len(tail) + len(tail.rstrip(b"\r\n"))
    return range(first + 1, first + 1 + text.count(b"\n", 0, end))


def regular_lines(text: bytes, *, delimiter: str, fields: int, first: int = 1) -> Lines | None:
    """Return the line at which each record begins; ``text`` begins in line ``first``.

    Counts delimiters and line ends outside quotes. ``None`` where anything is unusual
    (a lone carriage return, a quote within a field, a blank line, a record of another
    length): ``records`` reads that.
    """
    mark = ord(delimiter)
    tail = text[-_BLOCK:]
    end = len(text) - len(tail) + len(tail.rstrip(b"\r\n"))
    if (text.find(b"\r") >= 0 and text.count(b"\r") != text.count(b"\r\n")) or (
        fields == 1 and _maybe_blank_lines(text, end)
    ):
        return None
    found = _separators(text, end, mark)
    if found is None:
        return None
    quoted = found == _QUOTED_LINE_END
    several = bool(quoted.any())
    records = _count(found[~quoted] if several else found, fields)
    if records is None:
        return None
    if not several:
        return range(first + 1, first + records)
    line_ends = found[found != _DELIMITER]
    return np.flatnonzero(line_ends == _LINE_END)[:-1] + first + 1


def _count(found: NDArray[np.uint8], fields: int) -> int | None:
    """Return how many records there are if all have that many fields, otherwise None.

    Every so many separators one ends a line, and no other does.
    """
    records, over = divmod(len(found), fields)
    last = found[fields - 1 :: fields]
    if over or not last.all() or np.count_nonzero(found) != records:
        return None
    return records


def _maybe_blank_lines(text: bytes, end: int) -> bool:
    starts = (b"\n\n", b"\n\r\n", b"\n ", b"\n\t")
    return text[:1].isspace() or any(text.find(s, 0, end) >= 0 for s in starts)


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
            raise _ragged(line, found=len(record), expected=fields)
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
                raise _never_closed(line)
            if record:
                yield line, record
            between = True
            line = reader.line_num + first
    except csv.Error:
        raise _unclosed(line) from None


def _blank(delimiter: str) -> str:
    """Return the characters of which a line without a record consists."""
    return " \r\n" if delimiter == "\t" else " \t\r\n"


def _ragged(line: int, *, found: int, expected: int) -> DataError:
    fields = "field" if found == 1 else "fields"
    message = (
        f"line {line} has {found} {fields} where the header has {expected}. Correct or "
        "delete that line, put quotes around text that contains the delimiter, or "
        "choose another delimiter."
    )
    return DataError(message, line=line)


def _never_closed(line: int) -> DataError:
    message = (
        f"the record that begins in line {line} never ends: a quotation mark is opened "
        "and not closed. Close it or delete it."
    )
    return DataError(message, line=line)


def _unclosed(line: int) -> DataError:
    message = (
        f"the record that begins in line {line} has a field of more than "
        f"{_FIELD_LIMIT} characters, probably because a quotation mark is opened and "
        "never closed. Close it or delete it."
    )
    return DataError(message, line=line)
