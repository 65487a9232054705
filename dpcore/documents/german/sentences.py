"""What German papers say of people, costs and guarantees, each in one place."""

from __future__ import annotations

import math
from datetime import date
from typing import TYPE_CHECKING, Final

from dpcore.data.columns import MissingPolicy
from dpcore.data.quantities import bounds_text, replacement_text
from dpcore.documents import claims, missing
from dpcore.documents.german.columns import meaning, titled
from dpcore.documents.german.nouns import feminine, noun
from dpcore.documents.german.numbers import day, german, listed
from dpcore.documents.german.questions import of_what
from dpcore.documents.subject import guarantee_text, limit_of
from dpcore.figures.attackers import surest
from dpcore.planning.assumed import hangs
from dpcore.planning.group_sizes import too_few
from dpcore.relations import NeighboringRelation
from dpcore.releases.amounts import NOTHING
from dpcore.wording import (
    brief,
    capital,
    percent,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dpcore.budget_filter import PrivacyBudget
    from dpcore.data.columns import Column
    from dpcore.documents.question import Question
    from dpcore.documents.subject import Change
    from dpcore.documents.typed import Typed
    from dpcore.figures.meaning.label import Facts
    from dpcore.planning.group_sizes import Smallest
    from dpcore.planning.item import Item
    from dpcore.relations import PrivacyUnit, TableSize

BLANK: Final = "bitte ausfüllen"
OF_A_DIFFERENCE: Final = (
    "Die Differenz zweier Gruppen zeigt, was erkennbar sein muss, wenn ein Abstand "
    "dieser Größe nicht bloß Rauschen sein könnte: wenn ihr eigenes ± höchstens so "
    "groß ist."
)
_MOST_LABELS: Final = 12
_LONGEST: Final = 120
_LARGEST: Final = 700.0


def number_of(count: int, unit: PrivacyUnit) -> str:
    """Return how many there are, in words.

    >>> from dpcore.relations import PrivacyUnit
    >>> number_of(1, PrivacyUnit()), number_of(20190, PrivacyUnit())
    ('1 Person', '20.190 Personen')
    """
    told = noun(unit)
    return f"{german(f'{count:,}')} {told.one if count == 1 else told.many}"


def price(epsilon: float, delta: float) -> str:
    """Return a cost in symbols, rounded up."""
    return caps(guarantee_text(epsilon, delta))


def budget(known: PrivacyBudget) -> str:
    """Return the caps of a budget."""
    return caps(limit_of(known))


def changed(changes: Sequence[Change]) -> str:
    """Say how often a budget was changed, and the last change; nothing where never."""
    known = [one for one in changes if one.before != one.after]
    if not known:
        return ""
    times = f"{len(known)}-mal" if len(known) > 1 else "einmal"
    last = known[-1]
    return (
        f"; bisher {times} geändert, zuletzt am {day(last.day)} von "
        f"{caps(last.before)} auf {caps(last.after)}: „{brief(last.why, _LONGEST)}“"
    )


def caps(told: str) -> str:
    """Return a budget, or parts of one, that is told in symbols.

    >>> caps("ε = 1.5, δ = 0.00001 (1 in 100,000)"), caps("nothing")
    ('ε = 1,5, δ = 0,00001 (1 von 100.000)', 'nichts')
    """
    return german("nichts" if told == NOTHING else told.replace("(1 in ", "(1 von "))


def whom(unit: PrivacyUnit) -> str:
    """Return who is protected, and as what."""
    return f"{capital(noun(unit).every)} mit {owned(unit)}"


def owned(unit: PrivacyUnit) -> str:
    """Return what one unit owns of the table, in the dative."""
    if unit.cap is not None:
        counts = (
            "eine zählt"
            if unit.cap == 1
            else f"höchstens {german(f'{unit.cap:,}')} zählen"
        )
        return f"allen Zeilen, von denen {counts}"
    if unit.rows == 1:
        return "einer Zeile in der Tabelle"
    return f"bis zu {german(f'{unit.rows:,}')} Zeilen der Tabelle"


_SIGNED: Final = {
    "the page was signed": "das Blatt wurde unterschrieben",
    "nobody had to sign": "niemand musste unterschreiben",
}


def decided(typed: Typed) -> str:
    """Return who decided, why, and what was signed; empty where nobody said so."""
    by = f"Beschlossen von {', '.join(typed.deciders)}" if typed.deciders else ""
    reason = typed.reason.rstrip(". ")
    why = ": ".join(part for part in (by, reason) if part)
    told, colon, when = typed.signed.partition(":")
    signed = f"{_SIGNED.get(told, told)}{colon}{when}"
    return "; ".join(part for part in (why, signed) if part)


def size(facts: Facts) -> str:
    """Return what is public about how many there are."""
    if facts.number is None:
        return "Nicht veröffentlicht: Auch das ist geschützt"
    count = number_of(facts.number, facts.unit)
    return f"{count}; diese Zahl ist ohne Rauschen veröffentlicht"


def apart(relation: NeighboringRelation, unit: PrivacyUnit) -> str:
    """Return in what neighboring tables differ; a clause."""
    if relation is NeighboringRelation.ADD_REMOVE:
        return f"dass die Angaben einer {feminine(unit)} hinzukommen oder fehlen"
    return f"dass die Angaben einer {feminine(unit)} durch andere ersetzt sind"


def belief(epsilon: float, delta: float, *, about: str = "bei einer Person ") -> str:
    """Return what an attacker may believe afterwards, at most; a main clause."""
    if not epsilon <= _LARGEST:
        return "es gibt keine Grenze für das, was ein Angreifer erfahren kann"
    most = german(surest(epsilon, delta=delta))
    before = f"ein Angreifer, der sich {about}zu 50 % sicher war, "
    if delta > 0:
        return f"{before}liegt danach in höchstens {most} der Fälle richtig (mit δ)"
    return f"{before}ist sich danach höchstens zu {most} sicher"


def accuracy(
    epsilon: float, delta: float, relation: NeighboringRelation
) -> tuple[str, ...]:
    """Return how often an attacker names the right one of two possibilities.

    By ``dpcore.documents.claims.cases``. Nothing where there is no cost yet, or no
    limit.
    """
    if not claims.is_limited(epsilon, delta):
        return ()
    own, other = _SIDES[relation]
    most = german(claims.cases(epsilon, delta))
    for english, spoken in _CASES.items():
        most = most.replace(english, spoken)
    share = german(surest(epsilon, delta=delta))
    return (
        (
            f"Zwei Möglichkeiten: {own}, oder {other}. Ein Angreifer kennt alles "
            "andere und sieht alle Zahlen."
        ),
        (
            f"Sind beide vorher gleich wahrscheinlich, nennt er in {most} die "
            f"richtige (genauer: {share}). Ohne die Zahlen wären es 50 von 100."
        ),
    )


_CASES: Final = {
    "at most ": "höchstens ",
    " of ": " von ",
    "practically all cases": "praktisch allen Fällen",
    " cases": " Fällen",
}
_SIDES: Final = {
    NeighboringRelation.ADD_REMOVE: (
        "Ihre Angaben stehen in der Tabelle",
        "sie stehen nicht darin",
    ),
    NeighboringRelation.SUBSTITUTION: (
        "Ihre Angaben stehen in der Tabelle",
        "andere stehen an ihrer Stelle",
    ),
}


def column(known: Column, done: Mapping[str, Sequence[int]]) -> str:
    """Return what is declared about a column, with what is done where a value lacks.

    Each treatment comes with the numbers of the questions that do it, if not all do.
    """
    about = "; ".join(part for part in (known.unit, meaning(known)) if part)
    name = f"{titled(known)} ({about})" if about else titled(known)
    told = answers(known, most=_MOST_LABELS)
    treated = "; ".join(
        f"Nr. {listed([*map(str, at)])}: {treatment(text, known)}"
        if at
        else treatment(text, known)
        for text, at in done.items()
    )
    return f"{name}: {told} ({treated})"


def answers(known: Column, *, most: int) -> str:
    """Return the bounds of a column, or so many of its answers."""
    if not known.kind.is_numeric:
        more = len(known.labels) - most
        told = ", ".join(known.labels[:most])
        return f"{told} und {more} weitere" if more > 0 else told
    bounds = bounds_text(known)
    return german(bounds.replace(" to ", " bis ")) if bounds else "ohne Grenzen"


_TREATMENTS: Final = {
    missing.OTHERS: "wer keinen oder keinen gelisteten Wert hat, ist in der Gruppe "
    "aller übrigen",
    missing.NEITHER: "wer keinen Wert hat oder in keiner der beiden Gruppen ist, ist "
    "nicht gezählt",
    missing.EVERYBODY: "alle gezählt, ob mit Wert oder ohne",
    missing.OUTSIDE: "wer in keiner der beiden Gruppen ist, ist nicht gezählt",
    missing.COMPLETE: "alle haben einen Wert, so ist es festgelegt",
}


def treatment(text: str, known: Column) -> str:
    """Return what is done with people without a value of a column.

    ``text`` is what ``dpcore.documents.missing`` says of it.
    """
    if text in _TREATMENTS:
        return _TREATMENTS[text]
    if known.missing is MissingPolicy.DROP:
        return "wer keinen Wert hat, ist nicht gezählt"
    return f"fehlende Werte zählen als {stand_in(known)}"


def stand_in(known: Column) -> str:
    """Return the public value that a missing one of a column counts as."""
    said = replacement_text(known)
    return said if isinstance(known.replacement, str) else german(said)


def without(question: Question) -> str:
    """Return what a question does with people without a value of its columns."""
    return "; ".join(
        f"{titled(column)}: {treatment(text, column)}"
        for column, text in question.treated
    )


def condition(item: Item) -> str:
    """Return on which size of groups it hangs whether it shows what must be seen."""
    known = hangs(item)
    if known is None:
        return ""
    if known.fewest is None:
        return "Für das ✓ reicht keine Gruppengröße: ε ist zu klein."
    fewest = german(f"{known.fewest:,}")
    if item.seen:
        whose = "beide Gruppen" if known.of_two else "die Gruppe"
        verb = "haben" if known.of_two else "hat"
        return f"Das ✓ stimmt nur, wenn {whose} mindestens {fewest} Mitglieder {verb}."
    each = "in jeder der beiden Gruppen" if known.of_two else "in einer Gruppe"
    return f"Für das ✓ wären {fewest} Mitglieder {each} nötig oder ein größeres ε."


_TOO_FEW: Final = ("", ": deshalb (✓)", ": deshalb ✗")


def note(
    place: int,
    item: Item,
    judged: Item | None,
    *,
    size: TableSize,
    told: Mapping[str, Smallest],
) -> str:
    """Return of what the error of a numbered question is one, and what it takes.

    ``told`` has the smallest of its groups, where an answer has told its size.
    """
    width = item.width
    said = f"Nr. {place}: ± gilt für {of_what(width)}."
    if not width.assumed:
        share = ""
        if width.unit == "ranks" and size.public and math.isfinite(width.half):
            part = german(percent(min(width.half / size.people, 1.0)))
            share = f": {part} von {german(f'{size.people:,}')}"
        said = f"Nr. {place}, zu ±: {of_what(width)}{share}."
    more = "" if judged is None else condition(judged)
    known = None if judged is None else told.get(judged.key)
    if more and judged is not None and known is not None:
        when = day(date.fromisoformat(known.day))
        hence = _TOO_FEW[too_few(judged, told) if judged.seen else 0]
        more += (
            f" Nach der Antwort vom {when} hat die kleinste, {known.label}, "
            f"{german(f'{known.least:,}')} bis {german(f'{known.most:,}')}{hence}."
        )
    return f"{said} {more}".rstrip()
