"""What a budget lets an attacker learn, and what it does not cover, in German.

The same consequences as ``dpcore.figures.meaning.label`` tells in English.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dpcore.documents.german import sentences
from dpcore.documents.german.nouns import feminine
from dpcore.documents.german.numbers import german
from dpcore.wording import delta_text

if TYPE_CHECKING:
    from dpcore.documents.subject import Subject
    from dpcore.figures.meaning.label import Facts
    from dpcore.relations import PrivacyUnit

GAPS: Final = (
    (
        "Wem eine Zeile gehört, wurde festgelegt: jede einer Person, so viele wie "
        "angegeben, oder wem eine Spalte sie zuschreibt. Das Programm kann es nicht "
        "prüfen."
    ),
    (
        "Grenzen, Kategorien und Mindestgrößen müssen ohne die Tabelle bekannt sein. "
        "Wer sie nach einem Blick in die Tabelle gewählt hat, hat etwas verraten, das "
        "kein Budget zählt."
    ),
    (
        "Nur Veröffentlichungen dieses Kontos werden gezählt. Ob eine Tabelle von "
        "denselben Menschen handelt wie eine andere und beide sich ein Konto teilen, "
        "muss sagen, wer sie benutzt."
    ),
    (
        "Intervalle gelten für die Zahl, die berechnet wurde: Was Grenzen, ersetzte "
        "Werte und Mindestgrößen an ihr ändern, steht in keinem."
    ),
    "Wer Zeit oder Speicher des Servers messen kann, wird nicht abgewehrt.",
    (
        "Wo die Tabelle selbst das Rauschen formt (Ziehungen aus einer "
        "A-posteriori-Verteilung, verrauschte Zielfunktion), werden exakte Ziehungen "
        "umgeformt und auf ein öffentliches Raster gerundet. Das schließt die "
        "bekannten Lücken von Gleitkommazahlen und ist kein Beweis."
    ),
    (
        "Wer das Verzeichnis samt Schlüssel löschen oder durch ältere Kopien ersetzen "
        "kann, kann es vergessen lassen, was verbraucht ist."
    ),
)
"""What is known not to be covered, beside what ``beyond`` says."""


AGAIN: Final = (
    "Dieselbe Frage hat dieselbe Antwort und kostet nichts mehr. Eine neue Antwort "
    "kostet noch einmal."
)


def not_learned(unit: PrivacyUnit) -> tuple[str, ...]:
    """Return what an attacker cannot learn, and what is not protected."""
    return (
        (
            "Mehr als das ist aus diesen Zahlen über eine einzelne "
            f"{feminine(unit)} nicht zu erfahren."
        ),
        "Die Grenze gilt für alle, auch für die, die am meisten auffallen.",
        (
            "Sie hängt weder davon ab, wie gut jemand rechnet, noch davon, welche "
            "Daten später öffentlich werden."
        ),
        (
            "Was für die Gruppe gilt, gilt auch für ihre Mitglieder, ob in der Tabelle "
            "oder nicht. Davor schützt die Grenze niemanden."
        ),
        (
            "Niemand ist geschützt vor dem, der die Tabelle hat oder stiehlt, oder vor "
            "anderswo veröffentlichten Zahlen über dieselben Menschen."
        ),
    )


def if_all_is_used(subject: Subject) -> tuple[str, ...]:
    """Return what an attacker can learn if the whole limit is used."""
    epsilon, delta = subject.facts.total
    total = sentences.belief(epsilon, delta, about="bei Ihnen ")
    whole = (
        "Die ganze Grenze ist ausgeschöpft: Mehr lässt sie nicht zu, solange sie "
        "nicht angehoben wird."
        if subject.used_up
        else f"Wird einmal die ganze Grenze ausgeschöpft: {total}."
    )
    told = sentences.caps(delta_text(delta)) if delta else ""
    included = (f"δ = {told} ist darin enthalten.",) * (delta > 0)
    known = "Was jemand schon aus anderer Quelle wusste, weiß er weiter."
    return whole, *included, known


def beyond(facts: Facts) -> tuple[str, ...]:
    """Return what the limit does not cover."""
    return (
        "Die Tabelle selbst, wenn sie gestohlen, verloren oder weitergegeben wird.",
        (
            "Andere Veröffentlichungen über dieselben Menschen, anderswo oder auf ein "
            "anderes Konto: Ihre Kosten kommen hinzu, und hier werden sie nicht "
            "gezählt."
        ),
        (
            "Grenzen, Kategorien oder Fragen, die nach einem Blick in die Tabelle "
            "gewählt wurden."
        ),
        f"Schlüsse über eine Gruppe, zu der eine {feminine(facts.unit)} gehört.",
        _several(facts.unit),
    )


def _several(unit: PrivacyUnit) -> str:
    """Return whom the limit protects less, having more rows than was declared."""
    one = feminine(unit)
    if unit.cap is not None:
        return (
            f"Eine {one}, deren Zeilen unter mehreren Namen oder Nummern stehen: Die "
            "Grenze gilt für jede davon."
        )
    if unit.rows == 1:
        return (
            f"Eine {one}, die doch mehrere Zeilen hat: Die Grenze gilt je Zeile, und "
            "alle zusammen verraten mehr."
        )
    return f"Eine {one}, die doch mehr als {german(f'{unit.rows:,}')} Zeilen hat."
