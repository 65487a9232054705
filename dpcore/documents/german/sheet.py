"""The page to sign, in German."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from dpcore.documents import rests
from dpcore.documents.decision import locks, marks, sizes_told
from dpcore.documents.german import nouns, questions, sentences
from dpcore.documents.german.columns import titled
from dpcore.documents.german.numbers import day, german, listed
from dpcore.documents.page import Blanks, Facts, Page, Paragraph, Section, Table
from dpcore.documents.subject import left_of, own
from dpcore.planning.aims import says_nothing
from dpcore.planning.assumed import is_difference
from dpcore.planning.counting import numbers_of
from dpcore.planning.group_sizes import seen, sign
from dpcore.planning.needs import smallest_total
from dpcore.planning.options import rows_of
from dpcore.wording import capital, significant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpcore.documents.decision import Decision
    from dpcore.documents.page import Piece
    from dpcore.planning.group_sizes import Smallest
    from dpcore.planning.item import Item
    from dpcore.planning.options import Option, Row

_BEYOND: Final = (
    "Werte jenseits der Grenzen einer Spalte zählen als die Grenze: Was das bewegt, "
    "steckt in keinem ±."
)
_FEWEST_SIGNATURES: Final = 2
_NUMBERS: Final = frozenset({3, 4, 5, 6, 7})


def german_decision_page(about: Decision) -> Page:
    """Return the page; what was typed, and what came with the table, stays as it is."""
    return Page(
        title="Entscheidung über eine Veröffentlichung mit Differential Privacy "
        "(Schutz durch Zufall)",
        pieces=(
            _facts(about),
            Section(title="Was veröffentlicht wird", pieces=_questions(about)),
            Section(title="Womit verglichen wurde", pieces=_other(about)),
            Section(title="Entschieden von", pieces=_signatures(about), whole=True),
        ),
        mark="Unterricht: eine Übung, keine Entscheidung über echte Daten."
        if about.lesson
        else "",
        foot=f"Erstellt am {day(about.prepared)} mit Epsilon Studio aus Festlegungen "
        "und Eingaben. Außer einer Zahl der Personen, die als öffentlich bezeichnet "
        "ist, und früheren Antworten ist nichts auf dieser Seite aus der Tabelle "
        f"berechnet. {_effect(about)}",
        sheet=True,
        language="de",
    )


def _facts(about: Decision) -> Facts:
    typed = about.typed
    cost = sentences.price(*about.plan.guarantee)
    odds = sentences.belief(*about.plan.guarantee, about=_sure(about))
    return Facts(
        (
            ("Zweck", own(typed.purpose)),
            ("Tabelle", own(about.table)),
            ("Spalten", "\n".join(_columns(about))),
            ("Geschützt", _protected(about)),
            ("Größen", _sizes(about)),
            ("Privatsphärenbudget", _budget(about)),
            ("Dieser Plan kostet", f"{cost}: {odds}{_released(about)}"),
            *_together(about),
            *_smallest(about),
            ("Über wen, und wann", own(typed.period)),
        ),
        blank=sentences.BLANK,
    )


def _columns(about: Decision) -> list[str]:
    done = rests.treated(about.plan.basket.items)
    return [sentences.column(column, done[column.name]) for column in about.columns]


def _sure(about: Decision) -> str:
    return f"bei einem Ja oder Nein über eine {nouns.feminine(about.unit)} "


def _protected(about: Decision) -> str:
    unit = about.unit
    rows = f" mit {sentences.owned(unit)}" if unit.several else ""
    return (
        f"{nouns.noun(unit).a}{rows}; benachbarte Tabellen unterscheiden sich "
        f"darin, {sentences.apart(about.relation, unit)}"
    )


def _sizes(about: Decision) -> str:
    many = nouns.counted(about.unit)
    known = f"{german(f'{about.size.people:,}')} {many}"
    whole = (
        f"wie viele {many} es sind, ist öffentlich: {known}"
        if about.size.public
        else f"wie viele {many} es sind, ist vertraulich; gerechnet wird mit "
        f"mindestens {known}"
    )
    items = about.plan.basket.items
    whole += "".join(
        f". Nr. {_numbers(places)} wird durch mindestens {german(f'{least:,}')} "
        f"{nouns.counted(about.unit)} geteilt, eine öffentliche Mindestzahl, "
        "denn wer keinen Wert hat, ist nicht gezählt"
        for least, places in rests.minimums(items, about.size).items()
    )
    groups = rests.assumed_groups(items)
    if not groups:
        return whole
    sizes = "; ".join(
        f"Nr. {_numbers(places)} von {german(f'{size:,}')}"
        for size, places in groups.items()
    )
    return (
        f"{whole}. ± ist für Gruppen von angenommener Größe berechnet: {sizes}; bei "
        "kleineren ist es größer"
    )


def _budget(about: Decision) -> str:
    spent = float(about.spent.epsilon)
    before = (
        f"davon bisher verbraucht: {sentences.price(spent, 0.0)}"
        if spent
        else "noch nichts davon verbraucht"
    )
    left = sentences.caps(left_of(about.budget, about.left))
    short = (
        f"; nach diesem Plan übrig: {left}"
        if about.fits
        else "; zu wenig für diesen Plan: vor der Veröffentlichung anzuheben"
    )
    limit = float(about.budget.epsilon or 0), float(about.budget.delta or 0)
    odds = sentences.belief(*limit, about=_sure(about))
    whole = f"; ist alles verbraucht: {odds}" if about.budget.epsilon else ""
    told = f"{sentences.budget(about.budget)}{whole}; {before}{short}"
    return f"{told}{sentences.changed(about.changes)}"


def _released(about: Decision) -> str:
    """Return what of the plan has been answered, which is then paid for."""
    plan = about.plan
    if not plan.released:
        return ""
    days = listed([day(one) for one in plan.days])
    if plan.done:
        return (
            f". Er wurde am {days} veröffentlicht; was er gekostet hat, ist im "
            "Verbrauchten enthalten"
        )
    due = plan.due.cost
    rest = sentences.price(float(due.epsilon), float(due.delta))
    return (
        f". {len(plan.released)} von {len(plan.basket.items)} Fragen sind am {days} "
        f"veröffentlicht; was sie gekostet haben, ist im Verbrauchten enthalten; die "
        f"übrigen kosten noch {rest}"
    )


def _effect(about: Decision) -> str:
    if about.plan.done:
        return "Der Plan ist veröffentlicht."
    return "Sie wird erst wirksam, wenn der Plan veröffentlicht wird."


def _smallest(about: Decision) -> tuple[tuple[str, str], ...]:
    """Return the smallest total that meets every target, where it can be chosen."""
    items = about.plan.basket.items
    total, targets = smallest_total(items), about.plan.wanted
    if math.isnan(total):
        return ()
    every = {1: "das Ziel", 2: "beide Ziele"}.get(targets, f"alle {targets} Ziele")
    if math.isinf(total):
        return (("Kleinste Summe", f"Keine Summe erfüllt {every}."),)
    others = len(items) - targets
    beside = ""
    if others:
        beside = f"; {others} Frage{'n' if others > 1 else ''} ohne Ziel nicht gezählt"
    told = f"{sentences.price(total, 0.0)} erfüllt {every} (beste Aufteilung{beside})"
    return (("Kleinste Summe", told),)


def _together(about: Decision) -> tuple[tuple[str, str], ...]:
    """Return what the plan comes to with what was spent before it, where it does."""
    if about.together is None:
        return ()
    cost = sentences.price(*about.together)
    name = "Insgesamt verbraucht" if about.plan.done else "Mit dem Verbrauchten"
    odds = sentences.belief(*about.together, about=_sure(about))
    return ((name, f"{cost}: {odds}"),)


def _questions(about: Decision) -> tuple[Piece, ...]:
    rows = rows_of(about.plan.basket.items, about.other.basket.items)
    table = Table(
        title=f"{_counts(about)}± ist die halbe Breite des Rauschens (95 %); ✓ zeigt, "
        "was erkennbar sein muss, (✓) vielleicht, ✗ nicht",
        head=("Nr.", "Frage", "Verfahren", "ε", "±", "muss zeigen",
              "anderer Plan: ε", "anderer Plan: ±"),
        rows=tuple(
            (str(at), *_question(row, about.told)) for at, row in enumerate(rows, 1)
        ),
        numbers=_NUMBERS,
    )  # fmt: skip
    notes = [
        sentences.note(
            at,
            row.item,
            row.first,
            size=about.size,
            told=about.told,
        )
        for at, row in enumerate(rows, 1)
        if row.item.width.of
    ]
    if any(row.wanted is not None and is_difference(row.item) for row in rows):
        notes.append(sentences.OF_A_DIFFERENCE)
    locked = locks(rows)
    if locked:
        notes.append(
            f"Das ε von Nr. {_numbers(locked)} war festgesetzt, also nicht verteilt."
        )
    notes.extend(_rests(about))
    counts = sizes_told(rows)
    if counts:
        notes.append(
            f"Die Antwort auf Nr. {_numbers(counts)} verrät mit Rauschen auch, wie "
            "viele in jeder ihrer Gruppen sind: Das ist im Preis enthalten."
        )
    if not notes:
        return (table,)
    return table, Paragraph("\n".join(notes), kind="note")


def _counts(about: Decision) -> str:
    """Return how many numbers the answers to the questions have, if that is known."""
    each = numbers_of(about.plan.basket.items)
    if not each:
        return ""
    many = sum(each)
    verb = "wird" if many == 1 else "werden"
    noun = "Zahl" if many == 1 else "Zahlen"
    parts = f" ({' + '.join(map(str, each))})" if len(each) > 1 else ""
    return f"Insgesamt {verb} {german(f'{many:,}')} {noun} veröffentlicht{parts}. "


def _rests(about: Decision) -> list[str]:
    """Say what no ± covers: who is left out, and what stands in for missing values."""
    items = about.plan.basket.items
    told = [
        f"Nr. {one.place} sagt auch den Mittelwert von {one.pair[0]} und von "
        f"{one.pair[1]}.{_left_out(one)}"
        for one in rests.compared(items)
    ]
    pairs = rests.crossed(items)
    if pairs:
        told.append(
            f"Nr. {_numbers(pairs)}: ± und ✓ gelten für eine Kombination zweier "
            "Antworten, nicht für die Summen, die dabei gesagt werden: Sie sind "
            "ungenauer."
        )
    if any(column.bounds is not None for column in about.columns):
        told.append(_BEYOND)
    stand_in = rests.filled(items)
    if stand_in:
        values = "; ".join(
            f"{titled(column)}: {sentences.stand_in(column)}" for column in stand_in
        )
        told.append(
            "In keinem ± steckt, was die für fehlende Werte eingesetzten Werte bewegen "
            f"({values})."
        )
    return told


def _left_out(one: rests.Compared) -> str:
    """Say who is in neither of two groups that are compared, if anybody may be."""
    known = [f"{' oder '.join(one.others)} ist"] if one.others else []
    if not one.column.complete:
        known.append(f"keinen Wert von {titled(one.column)} hat")
    return f" Nicht dabei ist, wer {' oder '.join(known)}." if known else ""


def _numbers(places: Sequence[int]) -> str:
    return listed([*map(str, places)])


def _question(row: Row, told: Mapping[str, Smallest]) -> tuple[str, ...]:
    item = row.item
    wanted = ""
    if row.wanted is not None:
        known = german(significant(row.wanted, 6))
        wanted = f"{known} {questions.unit(item.width.unit)}".rstrip()
    first, second = (_answer(row, one, told) for one in (row.first, row.second))
    noise = questions.mechanism(item.request.mechanism_label)
    return capital(questions.named(item)), noise, *first, wanted, *second


def _answer(
    row: Row, item: Item | None, told: Mapping[str, Smallest]
) -> tuple[str, str]:
    if item is None:
        return "", "nicht gefragt"
    signed = sign(item, told, shown=row.shown(item))
    epsilon = german(significant(item.epsilon, 6))
    void = ": sagt nichts" * says_nothing(item)
    return epsilon, f"{signed}{questions.half(item.width)}{void}"


def _other(about: Decision) -> tuple[Piece, ...]:
    told = f"Ein anderer Plan, der {_cost(about.other, about)}."
    if about.plan.wanted:
        told += (
            f" Der Plan zeigt {seen(about.plan.basket.items, about.told)} von "
            f"{about.plan.wanted} Antworten so genau wie nötig, der andere "
            f"{seen(about.other.basket.items, about.told)} von {about.other.wanted}."
        )
    if not about.other_fits:
        told += " Er kostet mehr, als vom Budget übrig ist."
    reason = ("Warum so beschlossen", own(about.typed.reason))
    return Paragraph(told), Facts((reason,), blank=sentences.BLANK)


def _cost(option: Option, about: Decision) -> str:
    cost = sentences.price(*option.guarantee)
    return f"{cost} kostet: {sentences.belief(*option.guarantee, about=_sure(about))}"


def _signatures(about: Decision) -> tuple[Piece, ...]:
    typed = about.typed
    lines = max(0, _FEWEST_SIGNATURES - len(typed.deciders))
    place = f"{own(typed.place)}, Datum" if typed.place.strip() else "Ort, Datum"
    signed = (
        f"Unterschrieben für {own(about.table)}, "
        f"{sentences.price(*about.plan.guarantee)}, und die Fragen mit diesen "
        f"Kennungen, die auch Mitteilung und Bericht tragen: {marks(about.plan)}."
    )
    blanks = (
        Blanks((place, f"Unterschrift: {own(name)}"))
        if name
        else Blanks(("Name", "Ort, Datum", "Unterschrift"))
        for name in (*typed.deciders, *[""] * lines)
    )
    return Paragraph(signed, kind="note"), *blanks
