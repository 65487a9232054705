"""In which encoding a text file is written, as a proposal to be edited."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from typing import Final

NAMES: Final = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with BOM",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16 LE",
    "utf-16-be": "UTF-16 BE",
    "cp1252": "Windows-1252 (Western European)",
    "cp1250": "Windows-1250 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "latin-1": "Latin-1",
    "iso8859-2": "Latin-2",
    "iso8859-15": "Latin-9",
    "mac-roman": "Mac Roman",
    "cp932": "Shift-JIS",
    "gb18030": "GB18030",
}
"""Encodings by their names in Python, with those that people know them by."""
ENCODINGS: Final = tuple(NAMES)

UTF16_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
SAMPLE_BYTES: Final = 64 * 1024
"""How much of the lines beyond ASCII is looked at for UTF-8."""
_LETTER_BYTES: Final = 8 * 1024
"""How much of them is looked at for other encodings, which takes longer."""

_SINGLE: Final = tuple(one for one in NAMES if not one.startswith("utf-"))
"""Encodings without a mark of their own, in the order in which they are preferred."""
_MOST_DISORDER: Final = 0.6
"""Of 1: what has more is no text."""
_FEWEST_ZEROS: Final = 0.3
"""Share of zero bytes in every other place from which text is UTF-16."""
_EAST_ASIAN: Final = frozenset(map(chr, (*range(0x3000, 0xA000), *range(0xFF00, 0xFFF0))))
_LATIN_ALPHABETS: Final = tuple(
    frozenset(letters + letters.upper())
    for letters in (
        "äöüß", "àâæçéèêëîïôœùûüÿ", "áéíóúüñ", "ãâáàçéêíóôõú", "àèéìòù", "åäöæøé",
        "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ąćęłńóśźż", "áéíóöőúüű", "ăâîșțşţ",
        "čćđšž", "çğıöşüâîİ",
    )
)  # fmt: skip
"""Letters beyond ASCII, each of one language."""
_ALPHABETS: Final = (
    *_LATIN_ALPHABETS,
    frozenset("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΆΈΉΊΌΎΏ"),
    frozenset(map(chr, range(0x400, 0x4A0))),
    _EAST_ASIAN,
)
"""Beside them other scripts: Greek, Cyrillic, and those of East Asia."""
_ANYWHERE: Final = frozenset("€–—“”„’‘…«»°§²³µ·¿¡\u00a0")
"""Signs of any language."""
_LATIN: Final = frozenset[str]().union(*_LATIN_ALPHABETS)
_WORD: Final = re.compile(r"[^\W\d_]*[^\x00-\x7f](?:[^\W\d_]|[^\x00-\x7f])*")
_LINE_END: Final = re.compile(rb"[\r\n]")
_BEYOND_ASCII: Final = re.compile(rb"[\x80-\xff]")


def proposed_encoding(data: bytes) -> str:
    r"""Return the most plausible encoding of a text file.

    All of the file is looked at for bytes beyond ASCII, and the lines that have some
    decide: a file may begin with many that have none. UTF-8 and UTF-16 are recognized
    by their form. Among other encodings charset-normalizer finds those that give no
    disorder; the one is proposed whose letters beyond ASCII belong to one language.

    >>> proposed_encoding("naam\n" .encode() * 99_999 + "Zoë\n".encode("cp1252"))
    'cp1252'
    """
    if data.startswith(UTF16_MARKS):
        return "utf-16"
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8-sig"
    zeros = _order_of_zeros(data[:SAMPLE_BYTES])
    if zeros:
        return zeros
    if data.isascii():
        return "utf-8"
    sample = _beyond_ascii(data)
    if decodes(sample, "utf-8"):
        return "utf-8"
    if len(sample) > _LETTER_BYTES:
        end = sample.rfind(b"\n", 0, _LETTER_BYTES)
        sample = sample[: end if end > 0 else _LETTER_BYTES]
    return _by_letters(sample)


def _order_of_zeros(prefix: bytes) -> str:
    """Return which UTF-16 a file without a mark is in; empty if in none."""
    half = max(len(prefix) // 2, 1)
    even, odd = (prefix[start::2].count(0) / half for start in (0, 1))
    if odd > _FEWEST_ZEROS and even < _FEWEST_ZEROS / 10:
        return "utf-16-le"
    if even > _FEWEST_ZEROS and odd < _FEWEST_ZEROS / 10:
        return "utf-16-be"
    return ""


def _beyond_ascii(data: bytes) -> bytes:
    """Return the first lines that have bytes beyond ASCII."""
    lines, size, end = [], 0, 0
    while size < SAMPLE_BYTES and (at := _next_beyond(data, end)) >= 0:
        start = max(data.rfind(mark, end, at) for mark in (b"\n", b"\r")) + 1 or end
        line_end = _LINE_END.search(data, at)
        end = len(data) if line_end is None else line_end.start()
        lines.append(data[start:end])
        size += end - start
    return b"\n".join(lines)


def _next_beyond(data: bytes, start: int) -> int:
    """Return where the next byte beyond ASCII is; -1 where there is none."""
    for place in range(start, len(data), SAMPLE_BYTES):
        # Whole blocks of ASCII are passed over faster than any pattern.
        if not data[place : place + SAMPLE_BYTES].isascii():
            found = _BEYOND_ASCII.search(data, place)
            assert found is not None, "the block has one"  # noqa: S101
            return found.start()
    return -1


def decodes(sample: bytes, encoding: str) -> bool:
    """Return whether bytes are written in an encoding."""
    try:
        sample.decode(encoding)
    except UnicodeError:
        return False
    return True


def _by_letters(sample: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - slow to import

    names = {codecs.lookup(one).name: one for one in _SINGLE}
    found = {
        names[codecs.lookup(other).name]: match.chaos
        for match in from_bytes(
            sample, cp_isolation=[*_SINGLE], threshold=_MOST_DISORDER, enable_fallback=False
        )
        for other in match.could_be_from_charset
        if codecs.lookup(other).name in names
    }
    if not found:
        # Every byte is a character of Latin-1.
        return next(one for one in _SINGLE if decodes(sample, one))
    # The first of those that are equally plausible.
    return max(
        (one for one in _SINGLE if one in found),
        key=lambda one: _of_one_language(sample.decode(one, errors="replace")) - found[one] / 2,
    )


def _of_one_language(text: str) -> float:
    """Return the largest share of characters beyond ASCII that one alphabet has.

    Signs that are no letters do not occur within a word, nor do letters of
    another script beside Latin ones.
    """
    words = Counter(_WORD.findall(text))
    signs = sum(sum(not sign.isascii() for sign in word) * many for word, many in words.items())
    return max(
        sum(_fitting(word, letters) * many for word, many in words.items()) / max(signs, 1)
        for letters in _ALPHABETS
    )


def _fitting(word: str, letters: frozenset[str]) -> int:
    """Return how many characters of a word beyond ASCII an alphabet explains."""
    beyond = {sign for sign in word if not sign.isascii()}
    latin = any(sign.isascii() and sign.isalpha() for sign in word)
    if latin and not letters & _LATIN:
        return 0
    inner = {sign for sign in word.strip("".join(_ANYWHERE)) if sign in beyond}
    fitting = (letters & inner) | (_ANYWHERE & (beyond - inner))
    return sum(sign in fitting for sign in word)
