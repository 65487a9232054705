"""The frame of every document that is read on a screen and printed on A4.

A ``Page`` is a title and pieces; ``html`` makes one file of it that needs nothing else:
no script, no font and no picture from anywhere, which its own content security policy
holds. It prints black on white, with the number of each sheet, and cuts neither a row
of a table nor a heading from what follows it. Headings are nested by construction,
cells at the head of a row or column are marked as such, and every text is escaped.

>>> page = Page(title="Notice", pieces=(Section(title="Budget", pieces=(
...     Paragraph("At most 1.5 for all."),)),), numerals=Numerals.COMMA)
>>> "<h2>Budget</h2>" in page.html() and "At most 1,5 for all." in page.html()
True
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from html import escape
from typing import Final

from dpcore.documents.rendering import Exact, Numerals

__all__ = [
    "Blanks",
    "Code",
    "Exact",
    "Facts",
    "Items",
    "Numerals",
    "Page",
    "PageTable",
    "Paragraph",
    "Piece",
    "Section",
]

_TOP: Final = 2
"""Level of the headings below the title."""


class Piece(ABC):
    """A part of a page."""

    __slots__ = ()

    @abstractmethod
    def html(self, numerals: Numerals, level: int = _TOP) -> str:
        """Return it as HTML; headings in it begin at ``level``."""


@dataclass(frozen=True, slots=True)
class Paragraph(Piece):
    """Words in a row.

    Attributes:
        text: The words, on several lines where it has some.
        kind: ``"lead"`` for what is to be read first, ``"note"`` for small print.

    """

    text: str
    kind: str = ""

    def html(self, numerals: Numerals, level: int = _TOP) -> str:  # noqa: ARG002
        """Return it as a paragraph."""
        kind = f' class="{self.kind}"' if self.kind else ""
        return f"<p{kind}>{_lines(self.text, numerals)}</p>"


@dataclass(frozen=True, slots=True)
class Items(Piece):
    """A list of sentences.

    Attributes:
        texts: One for each, at least one.
        ticked: Whether each has a box to tick before it.

    """

    texts: tuple[str, ...]
    ticked: bool = False

    def html(self, numerals: Numerals, level: int = _TOP) -> str:  # noqa: ARG002
        """Return it as a list."""
        kind = ' class="ticked"' if self.ticked else ""
        lines = "".join(f"<li>{_told(text, numerals)}</li>" for text in self.texts)
        return f"<ul{kind}>{lines}</ul>"


@dataclass(frozen=True, slots=True)
class Facts(Piece):
    """What is what: names, and what is said of each. An empty one is left to fill in.

    Attributes:
        pairs: Name and text, on several lines where it has some; an empty text is a
            line to write on.

    """

    pairs: tuple[tuple[str, str], ...]

    def html(self, numerals: Numerals, level: int = _TOP) -> str:  # noqa: ARG002
        """Return it as a list of descriptions."""
        lines = "".join(
            f"<div><dt>{_told(name, numerals)}</dt>"
            f"<dd>{_lines(text, numerals) if text else _BLANK}</dd></div>"
            for name, text in self.pairs
        )
        return f"<dl>{lines}</dl>"


@dataclass(frozen=True, slots=True)
class Blanks(Piece):
    """Lines to write on, such as for signatures, side by side.

    Attributes:
        names: What is to be written on each.

    """

    names: tuple[str, ...]

    def html(self, numerals: Numerals, level: int = _TOP) -> str:
        """Return it as lines with their names below."""
        del level
        lines = "".join(
            f'<div><span class="line"></span>{_told(name, numerals)}</div>' for name in self.names
        )
        return f'<div class="blanks">{lines}</div>'


@dataclass(frozen=True, slots=True)
class Code(Piece):
    """Text of which every character counts, broken only where it must be."""

    text: str

    def html(self, numerals: Numerals, level: int = _TOP) -> str:  # noqa: ARG002
        """Return it as preformatted text."""
        return f"<pre>{escape(self.text)}</pre>"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTable(Piece):
    """A table; the first cell of each row names the row.

    Attributes:
        title: What it shows, above it.
        head: Names of the columns, with their units.
        rows: Cells in the order of ``head``.
        numbers: Columns from 1 whose cells are set to the right.

    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int] = frozenset()

    def html(self, numerals: Numerals, level: int = _TOP) -> str:  # noqa: ARG002
        """Return it as a table that scrolls where the screen is narrow."""
        head = "".join(
            f'<th scope="col"{self._side(place)}>{_told(name, numerals)}</th>'
            for place, name in enumerate(self.head)
        )
        rows = "".join(f"<tr>{self._row(row, numerals)}</tr>" for row in self.rows)
        name = _told(self.title, numerals)
        return (
            f'<div class="wide" role="region" tabindex="0" aria-label="{name}">'
            f"<table><caption>{name}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{rows}</tbody></table></div>"
        )

    def _row(self, row: tuple[str, ...], numerals: Numerals) -> str:
        first = f'<th scope="row">{_told(row[0], numerals)}</th>'
        return first + "".join(
            f"<td{self._side(place)}>{_told(cell, numerals)}</td>"
            for place, cell in enumerate(row[1:], start=1)
        )

    def _side(self, place: int) -> str:
        return ' class="number"' if place in self.numbers else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section(Piece):
    """A heading and what stands below it, other sections included.

    Attributes:
        title: The heading.
        pieces: What follows, in order.
        fresh: Whether it begins on a new sheet of paper.
        whole: Whether it is kept on one sheet, if it fits on one.

    """

    title: str
    pieces: tuple[Piece, ...]
    fresh: bool = False
    whole: bool = False

    def html(self, numerals: Numerals, level: int = _TOP) -> str:
        """Return it with its heading at ``level``."""
        kinds = " ".join(("fresh",) * self.fresh + ("whole",) * self.whole)
        kind = f' class="{kinds}"' if kinds else ""
        inside = "\n".join(piece.html(numerals, level + 1) for piece in self.pieces)
        title = _told(self.title, numerals)
        return f"<section{kind}><h{level}>{title}</h{level}>\n{inside}</section>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A document.

    Attributes:
        title: What it is, and about what.
        pieces: Its content.
        further: What stands on further sheets, where the rest is meant to fit on one.
        numerals: How its numbers are written.
        mark: What must not be overlooked, such as that it is only planned; or empty.
        foot: A line at the end: what made it, and when.
        sheet: Whether its content is meant to fit on one sheet of A4.

    """

    title: str
    pieces: tuple[Piece, ...]
    further: tuple[Section, ...] = ()
    numerals: Numerals = Numerals.POINT
    mark: str = ""
    foot: str = ""
    sheet: bool = False

    def html(self) -> str:
        """Return the whole file as text."""
        title = _told(self.title, self.numerals)
        mark = f'<p class="mark">{_told(self.mark, self.numerals)}</p>'
        inside = "\n".join(piece.html(self.numerals) for piece in self.pieces)
        foot = ""
        if self.foot:
            foot = f"<footer><p>{_told(self.foot, self.numerals)}</p></footer>"
        letters = len(_TAG.sub("", inside))
        full = "".join(f" {kind}" for most, kind in _KINDS.items() if letters > most)
        more = "\n".join(piece.html(self.numerals) for piece in self.further)
        kind = f' class="sheet{full}"' if self.sheet else ""
        return (
            f'<!doctype html>\n<html lang="en"{kind}>\n<head>\n'
            '<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{title}</title>\n<style>{_CSS}</style>\n</head>\n<body>\n"
            f"<header>{mark if self.mark else ''}<h1>{title}</h1></header>\n"
            f"<main>\n{inside}\n{more}</main>\n{foot}\n</body>\n</html>\n"
        )


def _lines(text: str, numerals: Numerals) -> str:
    return _told(text, numerals).replace("\n", "<br>")


def _told(text: str, numerals: Numerals) -> str:
    return escape(numerals.written(text))


_BLANK: Final = '<span class="blank">to be filled in</span>'
_TAG: Final = re.compile(r"<[^>]*>")
_KINDS: Final = {2_400: "full", 3_000: "fullest", 4_200: "densest"}
"""From so many letters on, a sheet is written ever smaller, so that it stays one.

A decision about five questions, of six people, has some 3,500; one that tells reasons
and sizes of its groups 5,000.
"""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_CSS: Final = """
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem; max-width: 52rem; background: #fff;
  color: #111; font: 1rem/1.5 "Source Sans 3", "Segoe UI", Helvetica, Arial, sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 1.25rem; line-height: 1.25; margin: 1.8rem 0 .5rem;
  border-bottom: 1px solid #767676; }
h3 { font-size: 1.05rem; margin: 1.3rem 0 .4rem; }
h4 { font-size: 1rem; margin: 1rem 0 .3rem; }
p, ul, dl, pre { margin: 0 0 .7rem; }
ul { padding-left: 1.3rem; }
ul.ticked { list-style: "\\2610\\00a0\\00a0"; }
li { margin: .15rem 0; }
.sheet body { max-width: 64rem; }
.lead { font-size: 1.15rem; }
.note, footer { font-size: .85rem; color: #444; }
.mark { border: 2px solid #111; padding: .4rem .7rem; font-weight: 700; }
dl > div { display: grid; grid-template-columns: 13rem 1fr; gap: 0 1rem;
  padding: .2rem 0; border-bottom: 1px solid #d0d0d0; }
dt { font-weight: 600; }
dd { margin: 0; }
.blank { display: inline-block; min-width: 14rem; border-bottom: 1px solid #111;
  color: #595959; font-style: italic; }
.blanks { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr));
  gap: 0 1.5rem; font-size: .85rem; }
.blanks .line { display: block; height: 2.6rem; border-bottom: 1px solid #111; }
pre { white-space: pre-wrap; background: #f4f4f4; padding: .6rem; font-size: .85rem; }
.wide { overflow-x: auto; margin: 0 0 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem;
  overflow-wrap: normal; }
caption { text-align: left; font-weight: 600; padding: .2rem 0; }
th, td { border-bottom: 1px solid #b0b0b0; padding: .25rem .5rem .25rem 0;
  text-align: left; vertical-align: top; }
thead th { border-bottom: 2px solid #111; }
tbody th { font-weight: 400; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
footer { margin-top: 2rem; border-top: 1px solid #767676; padding-top: .4rem; }
@media (max-width: 40rem) { dl > div { grid-template-columns: 1fr; } }
@page { size: A4; margin: 17mm 18mm;
  @bottom-right { content: counter(page) " / " counter(pages); font: 8pt sans-serif; } }
@page sheet { margin: 13mm 16mm; }
@page dense { margin: 9mm 13mm 11mm; }
@media print {
  html.sheet { page: sheet; }
  html.sheet.densest { page: dense; }
  body { padding: 0; max-width: none; color: #000; font-size: 10.5pt;
    line-height: 1.38; }
  .sheet body { font-size: 10pt; line-height: 1.3; }
  .sheet h1 { font-size: 15pt; margin-bottom: .4rem; }
  .sheet h2 { font-size: 11.5pt; margin: .6rem 0 .25rem; }
  .sheet table, .sheet .blanks, .sheet .note, .sheet footer { font-size: 8.5pt; }
  .sheet th, .sheet td { padding-top: .1rem; padding-bottom: .1rem; }
  .sheet p, .sheet dl, .sheet .wide { margin-bottom: .35rem; }
  .sheet dl > div { grid-template-columns: 9rem 1fr; padding: .1rem 0; }
  .sheet .blanks .line { height: 2rem; }
  .sheet footer { margin-top: .6rem; }
  .sheet .lead { font-size: 11pt; }
  .sheet.full body { font-size: 8.8pt; line-height: 1.18; }
  .sheet.full table, .sheet.full .blanks, .sheet.full .note,
  .sheet.full footer { font-size: 8pt; }
  .sheet.full .blanks .line { height: 1.6rem; }
  .sheet.full footer { margin-top: .3rem; }
  .sheet.full .whole:has(.blanks) { display: grid;
    grid-template-columns: 1fr 1fr; gap: 0 1.2rem; }
  .sheet.full .whole:has(.blanks) > :not(.blanks) { grid-column: 1 / -1; }
  .sheet.full .blanks { grid-template-columns: 2fr 3fr; gap: 0 .8rem; }
  .sheet.fullest body { font-size: 8pt; line-height: 1.14; }
  .sheet.fullest h1 { font-size: 13pt; }
  .sheet.fullest h2 { font-size: 10pt; margin: .35rem 0 .15rem; }
  .sheet.fullest table, .sheet.fullest .blanks, .sheet.fullest .note,
  .sheet.fullest footer { font-size: 7.6pt; }
  .sheet.fullest dl > div { padding: .05rem 0; }
  .sheet.fullest .blanks .line { height: 1.25rem; }
  .sheet.densest body { font-size: 7.6pt; }
  .sheet.densest table, .sheet.densest .blanks, .sheet.densest .note,
  .sheet.densest footer { font-size: 7.3pt; }
  .note, footer, .blank { color: #000; }
  pre { background: none; border: 1px solid #767676; }
  .wide { overflow: visible; }
  thead { display: table-header-group; }
  tr, dl > div, li, .whole, .blanks, .mark { break-inside: avoid; }
  h1, h2, h3, h4, caption { break-after: avoid; }
  p { orphans: 3; widows: 3; }
  .fresh { break-before: page; }
}
"""
