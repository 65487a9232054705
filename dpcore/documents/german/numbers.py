"""Numbers and days as they are written in German."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Final

from dpcore.documents.numerals import Numerals

_SMALL: Final = re.compile(r"(?:(\d+(?:\.\d+)?) × )?10⁻([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_DIGITS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LARGE: Final = re.compile(r"(-?[\d.,]+) (million|billion|trillion)\b")
_NAMES: Final = {
    "million": ("Million", "Millionen"),
    "billion": ("Milliarde", "Milliarden"),
    "trillion": ("Billion", "Billionen"),
}


def german(text: str) -> str:
    """Return numbers of the program as they are read in German, without exponents.

    >>> german("53,500"), german("0.25"), german("1 million"), german("2.5 billion")
    ('53.500', '0,25', '1 Million', '2,5 Milliarden')
    >>> german("2.5 × 10⁻⁷"), german("73.2 %"), german("∞")
    ('0,00000025', '73,2 %', '∞')
    """
    text = _SMALL.sub(_written_out, text)
    text = Numerals.COMMA.written(text)
    return _LARGE.sub(_named, text)


def _written_out(found: re.Match[str]) -> str:
    mantissa = Decimal(found[1] or 1)
    return f"{mantissa.scaleb(-int(found[2].translate(_DIGITS))):f}"


def _named(found: re.Match[str]) -> str:
    one, many = _NAMES[found[2]]
    return f"{found[1]} {one if found[1].lstrip('-') == '1' else many}"


def day(when: date) -> str:
    """Return a day.

    >>> day(date(2027, 1, 31))
    '31.01.2027'
    """
    return f"{when:%d.%m.%Y}"


def days(ends: str) -> str:
    """Return the first and the last day of a period.

    >>> days("2026-10-01 to 2026-12-31")
    '01.10.2026 bis 31.12.2026'
    """
    return " bis ".join(day(date.fromisoformat(end)) for end in ends.split(" to "))


def listed(parts: list[str]) -> str:
    """Return parts of a sentence in a row.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b und c')
    """
    *first, last = parts
    return f"{', '.join(first)} und {last}" if first else last
