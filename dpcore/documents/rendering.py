"""How documents are written: Jinja2 templates, filled with public facts.

``templates/page.html.j2`` is the frame of every page that is read on a screen and printed
on A4. A page is one file that needs nothing else: no script, no font and no picture, which
its own content security policy enforces. Every text is escaped, and every number is
written with the marks of the reader, unless the text is ``Exact``.

>>> template = "<p>{{ text }} {{ typed | exact }}</p>"
>>> made = environment(Numerals.COMMA).from_string(template)
>>> made.render(text="At most 1.5 for all.", typed="v1.5")
'<p>At most 1,5 for all. v1.5</p>'
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from enum import StrEnum
from functools import cache
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from dpcore.formatting import capital, delta_text, epsilon_text, significant
from dpcore.privacy_filter import plain
from dpcore.version import VERSION

_NUMBER: Final = re.compile(
    r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e-?\d+)?(?!\w|[.,]\d)"
)
"""A number as `dpcore.formatting` writes it, with commas between thousands. A version, a
date or a part of a name only begins like a number."""
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
        if self is Numerals.POINT or isinstance(text, Exact | Markup):
            return text
        return _NUMBER.sub(lambda found: found[0].translate(_SWAPPED), text)


class Exact(str):
    """A text of which every character stays: a version, a name, a digest, code."""

    __slots__ = ()


def render(template: str, numerals: Numerals, **facts: object) -> str:
    """Return a document: a template, by the start of its name, filled with facts."""
    return environment(numerals).get_template(f"{template}.j2").render(facts)


@cache
def environment(numerals: Numerals) -> Environment:
    """Return the templates, with the numbers in them in the marks of the reader."""
    templates = Environment(
        loader=PackageLoader("dpcore.documents"),
        autoescape=select_autoescape(("html.j2",), default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=lambda text: numerals.written(text if isinstance(text, str) else str(text)),
    )
    templates.filters |= {
        "capital": capital,
        "count": "{:,}".format,
        "delta": delta_text,
        "epsilon": epsilon_text,
        "exact": _typed,
        "plain": plain,
        "quoted": _quoted,
        "significant": significant,
    }
    templates.globals["version"] = VERSION
    return templates


def _typed(text: object) -> Exact:
    """Return what somebody wrote, or a name, with every character of it."""
    return Exact(" ".join(str(text).split()))


def _quoted(value: str | int | Decimal) -> Exact:
    """Return a value for YAML: what JSON quotes, YAML 1.2 reads as the same text.

    Numbers are written without an exponent, which some readers take for a text.

    >>> _quoted("no"), _quoted(Decimal("1E-7")), _quoted(Decimal(2)), _quoted(3)
    ('"no"', '0.0000001', '2.0', '3')
    """
    if not isinstance(value, Decimal):
        return Exact(json.dumps(value, ensure_ascii=False))
    text = f"{value:f}"
    return Exact(text if "." in text else f"{text}.0")
