"""Numbers as they may be written in a text, in a message or in an address."""

from __future__ import annotations

import base64
import re
import struct
from dataclasses import dataclass

_DIGITS = 6
_ALMOST = 1e-12
_TOKEN = re.compile(rb"-?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e-?\d+)?")
_NAME = re.compile(rb"[0-9A-Za-z-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A number in text, known by its first digits, and there if the rest is its own.

    Six digits alone are met by chance: names are random, and a released number may
    begin like the true one. So all digits that follow count, up to a unit of the last:
    the number may have been rounded, or cut off. A whole number below a million is what
    a page shows of a release, and may be the true one as well: it needs a fraction.
    """

    head: str
    number: float

    def within(self, text: bytes) -> bool:
        """Tell whether the number stands in the text."""
        head = self.head.encode()
        place = text.find(head)
        while place >= 0:
            if self._stands_at(text, place):
                return True
            place = text.find(head, place + 1)
        return False

    def _stands_at(self, text: bytes, place: int) -> bool:
        token = _TOKEN.match(text, place)
        before = text[max(place - 1, 0) : place]
        if token is None or before.isdigit():
            return False
        whole, _, fraction = token[0].partition(b"e")[0].partition(b".")
        if not fraction:
            named = _NAME.match(before) or _NAME.match(text, token.end())
            if named or len(whole.replace(b",", b"").strip(b"-")) <= _DIGITS:
                return False
        power = int(token[0].partition(b"e")[2] or 0)
        off = abs(float(token[0].replace(b",", b"")) - self.number)
        return off <= max(10.0 ** (power - len(fraction)), _ALMOST * abs(self.number))


Needle = Written | str | bytes


def within(needle: Needle, text: bytes) -> bool:
    """Tell whether a number, a text or some bytes stand in the text."""
    if isinstance(needle, Written):
        return needle.within(text)
    return (needle.encode() if isinstance(needle, str) else needle) in text


def spellings(number: float) -> tuple[Written | bytes, ...]:
    """Return how a number may be written with six digits or more.

    As text, with and without separators, cut off and rounded; and as the eight bytes
    of the float, plain and in base64 at each of its three alignments.
    """
    exact = f"{number:.15g}"
    rounded = {f"{number:.6g}", f"{number:,.6g}", f"{number:,.2f}"}
    texts = {_head(exact), _head(f"{number:,.9f}"), *rounded}
    raw = struct.pack("<d", number)
    heads = (Written(head=text, number=number) for text in texts if _long(text))
    return (*heads, raw, *_in_base64(raw))


def _long(text: str) -> bool:
    """Tell whether a spelling has the digits that chance does not."""
    digits = "".join(filter(str.isdigit, text)).lstrip("0")
    return "e" not in text and len(digits) >= _DIGITS


def _head(text: str, digits: int = _DIGITS) -> str:
    """Return the beginning of a number up to its sixth significant digit."""
    seen = 0
    for position, letter in enumerate(text):
        seen += letter.isdigit() and (seen > 0 or letter != "0")
        if seen == digits:
            return text[: position + 1]
    return text


def _in_base64(raw: bytes) -> tuple[bytes, ...]:
    """Return the letters that depend on nothing but ``raw``, at each alignment."""
    whole = []
    for before in range(3):
        after = -(before + len(raw)) % 3
        encoded = base64.b64encode(bytes(before) + raw + bytes(after))
        first = (before * 8 + 5) // 6
        last = ((before + len(raw)) * 8) // 6
        whole.append(encoded[first:last])
    return tuple(whole)


def alone(number: str, text: str) -> bool:
    """Tell whether a rounded number stands in the text, and not within another one."""
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d)", text) is not None
