"""One page to sign: what was decided about a plan, on which grounds, and by whom.

A self-contained HTML page for A4 that opens without a network. It holds what people
typed and what is public: the name of the table, declared columns, the plan and the one
that it was held against. Nothing in it is computed from the table; how many people
there are is said only where that number is public.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from typing import TYPE_CHECKING, Final

from dpcore.data.columns import ColumnKind, MissingPolicy
from dpcore.planning.options import rows_of
from dpcore.privacy.interpretation import best_guess
from dpcore.wording import at_most, epsilon_text, in_full, people, significant

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from dpcore.budget_filter import PrivacyBudget, PrivacyCost
    from dpcore.data.columns import Column
    from dpcore.planning.item import Item
    from dpcore.planning.options import Option, Row
    from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize

_NUMBER: Final = re.compile(r"\d[\d,]*(?:\.\d+)?")
_LARGEST: Final = 700.0
_MOST_LABELS: Final = 12
_BLANK: Final = '<span class="blank"></span>'


class Numbers(StrEnum):
    """How numbers are written."""

    ENGLISH = "1,234.5"
    GERMAN = "1.234,5"

    def write(self, text: str) -> str:
        """Return a text of this program with its numbers written so.

        >>> Numbers.GERMAN.write("1,234.5 €, 95 %"), Numbers.ENGLISH.write("0.5")
        ('1.234,5 €, 95 %', '0.5')
        """
        if self is Numbers.ENGLISH:
            return text
        swapped = str.maketrans(",.", ".,")
        return _NUMBER.sub(lambda found: _swap(found.group(), swapped), text)


def _swap(number: str, table: dict[int, int]) -> str:
    # A comma that ends a clause is none of the number.
    core = number.rstrip(",")
    return core.translate(table) + number[len(core) :]


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """What only people know; empty where a line to write on shall stand."""

    purpose: str = ""
    period: str = ""
    reason: str = ""
    deciders: tuple[str, ...] = ()
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is decided. PUBLIC.

    Attributes:
        table: What the table is called.
        plan: What shall be released.
        other: What it was held against.
        relation: Which tables count as neighbors.
        unit: Whom the guarantee protects.
        size: What is public about the number of people.
        budget: What all releases about the table together may cost.
        spent: What they cost so far.
        typed: What people have typed.
        lesson: Whether this is a lesson that nobody agreed to.
        prepared: The day on which the page was made.

    """

    table: str
    plan: Option
    other: Option
    relation: NeighboringRelation
    unit: PrivacyUnit
    size: TableSize
    budget: PrivacyBudget
    spent: PrivacyCost
    typed: Typed
    lesson: bool
    prepared: date

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return every column that the plan reads, once."""
        asked = [item.request.asked for item in self.plan.basket.items]
        known = {column.name: column for one in asked for column in one.columns}
        return tuple(known.values())


def decision_sheet(about: Decision, numbers: Numbers = Numbers.ENGLISH) -> str:
    """Return the page as HTML.

    Whatever was typed or came with the table is escaped.
    """
    written = _Writer(numbers=numbers)
    head = "Decision on a release with differential privacy"
    warning = (
        '<p class="lesson">Classroom: a lesson, not a decision about real data.</p>'
        if about.lesson
        else ""
    )
    parts = [
        f"<h1>{head}</h1>",
        warning,
        written.facts(about),
        _section("What is released", written.questions(about)),
        _section("What it was held against", written.alternative(about)),
        _section("Decided by", _signatures(about.typed)),
        _footer(about),
    ]
    return _page(head, "\n".join(parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Writer:
    """Writes the parts that have numbers."""

    numbers: Numbers

    def say(self, text: str) -> str:
        return escape(self.numbers.write(text))

    def facts(self, about: Decision) -> str:
        """Return the table of who, what and how much."""
        typed = about.typed
        rows = [
            ("Purpose", _typed(typed.purpose)),
            ("Table", escape(about.table)),
            ("Columns", "<br>".join(self._column(c) for c in about.columns)),
            ("Protected", self.say(_protected(about))),
            ("Least numbers", self.say(_sizes(about))),
            ("Budget of the table", self.say(_budget(about))),
            ("This plan costs", self.say(f"{_price(about.plan)}; {_odds(about.plan)}")),
            ("Period", _typed(typed.period)),
        ]
        cells = "\n".join(
            f'<tr><th scope="row">{name}</th><td>{text}</td></tr>'
            for name, text in rows
        )
        return f'<table class="facts">{cells}</table>'

    def _column(self, column: Column) -> str:
        """Return what is declared about a column; its own words stay as they are."""
        unit = f" ({escape(column.unit)})" if column.unit else ""
        name = f"<b>{escape(column.name)}</b>{unit}"
        if column.kind is ColumnKind.NUMBER:
            bounds = column.bounds
            known = "" if bounds is None else self.say(
                f"bounds {in_full(bounds.lower)} to {in_full(bounds.upper)}"
            )  # fmt: skip
        else:
            shown = ", ".join(column.labels[:_MOST_LABELS])
            more = len(column.labels) - _MOST_LABELS
            known = escape(shown) + (f" and {more} more" if more > 0 else "")
        return f"{name}: {known}; {self._missing(column)}"

    def _missing(self, column: Column) -> str:
        if column.missing is MissingPolicy.DROP:
            return "who has no value is left out"
        value = column.replacement
        said = (
            escape(value)
            if isinstance(value, str)
            else self.say(in_full(float(value or 0.0)))
        )
        return f"who has no value counts as {said}"

    def questions(self, about: Decision) -> str:
        """Return every question with its mechanism, epsilon and error in two plans."""
        rows = rows_of(about.plan.basket.items, about.other.basket.items)
        head = (
            "no.", "question", "mechanism", "ε", "±", "must show", "other: ε",
            "other: ±",
        )  # fmt: skip
        body = "\n".join(
            f"<tr><td>{at}</td>{self._question(row)}</tr>"
            for at, row in enumerate(rows, 1)
        )
        names = "".join(f'<th scope="col">{name}</th>' for name in head)
        notes = dict.fromkeys(
            f"No. {at}: ± is of {row.item.width.of}."
            for at, row in enumerate(rows, 1)
            if row.item.width.of
        )
        said = self.say(" ".join(notes))
        small = f'<p class="note">{said}</p>' if said else ""
        table = f"<thead><tr>{names}</tr></thead><tbody>{body}</tbody>"
        return f'<table class="questions">{table}</table>{small}'

    def _question(self, row: Row) -> str:
        item, wanted = row.item, row.wanted
        unit = f" {escape(item.width.unit)}" if item.width.unit else ""
        must = "" if wanted is None else self.say(significant(wanted, 6)) + unit
        named = escape(item.name)
        if item.request.title != item.name:
            named += f'<br><span class="note">{escape(item.request.title)}</span>'
        cells = (
            named,
            escape(item.request.mechanism_label),
            *self._answer(row, row.first, unit),
            must,
            *self._answer(row, row.second, unit),
        )
        return "".join(f"<td>{cell}</td>" for cell in cells)

    def _answer(self, row: Row, item: Item | None, unit: str) -> tuple[str, str]:
        if item is None:
            return "", "not asked"
        half, shown = item.width.half, row.shown(item)
        sign = "" if shown is None else " ✓" if shown else " ✗"
        known = (
            self.say(significant(half)) + unit if math.isfinite(half) else "not said"
        )
        return self.say(significant(item.epsilon, 6)), known + sign

    def alternative(self, about: Decision) -> str:
        """Return the other plan in one line, and why it was not chosen."""
        told = f"Another plan that costs {_price(about.other)}: {_odds(about.other)}"
        seen = ""
        if about.plan.wanted:
            seen = (
                f" The plan shows {about.plan.seen} of {about.plan.wanted} answers as "
                "well as they must be seen, the other "
                f"{about.other.seen} of {about.other.wanted}."
            )
        why = _typed(about.typed.reason)
        return f"<p>{self.say(told + '.' + seen)}</p><p><b>Why not:</b> {why}</p>"


def _protected(about: Decision) -> str:
    unit = about.unit
    rows = "" if unit.rows == 1 else f" with up to {unit.rows:,} rows"
    return f"one {unit.noun}{rows}; neighbors differ by {about.relation.phrase}"


def _sizes(about: Decision) -> str:
    counted = people(about.size.people, about.unit.noun)
    whole = (
        f"the number of people is public: {counted}"
        if about.size.public
        else f"the number of people is private; at least {counted} stand in for it"
    )
    groups = sorted(
        {
            item.group
            for item in about.plan.basket.items
            if item.width.of.startswith("a group")
        }
    )
    if not groups:
        return whole
    sizes = " and ".join(f"{size:,}" for size in groups)
    return f"{whole}; errors by group are for groups of at least {sizes}"


def _budget(about: Decision) -> str:
    spent = float(about.spent.epsilon)
    before = f"ε {epsilon_text(spent)} of it is spent so far" if spent else "unspent"
    return f"{about.budget.describe()}; {before}"


def _price(option: Option) -> str:
    epsilon, delta = option.guarantee
    text = f"ε {epsilon_text(epsilon)}"
    return f"{text}, δ {significant(delta, up=True)}" if delta else text


def _odds(option: Option) -> str:
    """Return the attacker's number, the one of all pages."""
    epsilon, delta = option.guarantee
    if not epsilon <= _LARGEST:
        return "it limits nothing that an attacker may learn"
    right = float(best_guess(epsilon, delta=delta, prior=0.5))
    return (
        "an attacker who was 50 % sure about one person becomes at most "
        f"{at_most(right)} sure"
    )


def _typed(text: str) -> str:
    """Return what was typed, or a line to write it on."""
    told = " ".join(text.split())
    return escape(told) if told else _BLANK


def _signatures(typed: Typed) -> str:
    names: Sequence[str] = [*typed.deciders, *[""] * max(0, 2 - len(typed.deciders))]
    place = _typed(typed.place)
    rows = "\n".join(
        f"<tr><td>{_typed(name)}</td><td>{place}</td><td>{_BLANK}</td>"
        f"<td>{_BLANK}</td></tr>"
        for name in names
    )
    head = "".join(
        f'<th scope="col">{name}</th>'
        for name in ("name", "place", "date", "signature")
    )
    return (
        f'<table class="signatures"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def _footer(about: Decision) -> str:
    return (
        f"<footer>Prepared {about.prepared.isoformat()} with Epsilon Studio from what "
        "was declared and typed; nothing on this page is computed from the table. ± "
        "is the half-width of the noise at 95 %, all numbers of an answer at once. A "
        "plan has no effect before it is released.</footer>"
    )


def _section(heading: str, body: str) -> str:
    return f"<section><h2>{heading}</h2>{body}</section>"


_STYLE: Final = """
@page { size: A4; margin: 14mm 15mm; }
* { box-sizing: border-box; }
body { font: 9.5pt/1.35 system-ui, sans-serif; color: #111; background: #fff;
  max-width: 180mm; margin: 0 auto; padding: 4mm; }
@media print { body { padding: 0; max-width: none; } }
h1 { font-size: 15pt; margin: 0 0 3mm; }
h2 { font-size: 11pt; margin: 4mm 0 1.5mm; }
p { margin: 0 0 1.5mm; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.8mm 1.5mm;
  overflow-wrap: anywhere; }
.facts th { width: 32mm; }
.facts th, .facts td, .questions th, .questions td { border-bottom: 0.2mm solid #999; }
.questions { font-size: 8.5pt; }
.questions th { white-space: nowrap; }
.signatures td { height: 11mm; vertical-align: bottom; width: 25%; }
.blank { display: block; border-bottom: 0.3mm solid #111; min-height: 5mm; }
.note, footer { font-size: 7.5pt; color: #444; }
.lesson { border: 0.4mm solid #111; padding: 1mm 2mm; font-weight: bold; }
section, tr { break-inside: avoid; }
footer { margin-top: 4mm; }
"""


def _page(title: str, body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )
