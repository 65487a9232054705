"""The paragraph on methods, in German."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Final

from dpcore import __version__
from dpcore.documents.german import questions, sentences
from dpcore.documents.german.numbers import german
from dpcore.documents.subject import spelled
from dpcore.releases.secure import sampler
from dpcore.wording import significant

if TYPE_CHECKING:
    from dpcore.documents.subject import Subject

_CITED: Final = {
    "gaussian": "Gauß-Rauschen wird nach seinem exakten Privacy Profile bemessen "
    "(Balle und Wang 2018).",
    "exponential": "Quantile wählt der Exponentialmechanismus (McSherry und Talwar "
    "2007).",
    "laplace": "Laplace-Rauschen hat die Skala Sensitivität durch ε (Dwork, McSherry, "
    "Nissim und Smith 2006).",
}


def german_methods(subject: Subject) -> str:
    """Return what was done, in sentences for a paper, with sources."""
    return " ".join(_sentences(subject))


def _sentences(subject: Subject) -> list[str]:
    facts, count = subject.facts, len(subject.questions)
    answers = "Eine Antwort" if count == 1 else f"{count} Antworten"
    verb = "wird" if count == 1 else "werden"
    if not subject.planned:
        verb = "wurde" if count == 1 else "wurden"
    used = [question.key for question in subject.questions]
    said = [
        (
            f"{answers} {verb} mit Differential Privacy (Dwork und Roth 2014) im "
            "zentralen Modell veröffentlicht. Geschützt: "
            f"{sentences.whom(facts.unit)}; benachbarte Tabellen unterscheiden sich "
            f"darin, {sentences.apart(facts.relation, facts.unit)}."
        ),
        (
            "Werte jenseits der Grenzen zählen als die Grenze; fehlende werden ersetzt "
            "oder nicht gezählt, wie öffentlich festgelegt."
        ),
        f"Verfahren: {_mechanisms(subject)}.",
        *(
            text
            for key, text in _CITED.items()
            if any(one.startswith(key) for one in used)
        ),
        (
            f"Das Rauschen zieht {subject.sampler or sampler()}, exakt und aus einer "
            "sicheren Quelle."
        ),
        (
            f"Alles zusammen kostet {sentences.caps(spelled(subject.cost))}"
            f"{_counted(subject)}"
        ),
    ]
    pld = subject.totals.pld
    if math.isfinite(pld) and count:
        epsilon, delta = significant(pld, up=True), significant(subject.delta)
        said.append(
            "Als feste Menge über die Verteilungen des Verlusts (PLD) zusammengesetzt "
            f"(dp_accounting), erfüllt dies (ε {german(epsilon)}, δ {german(delta)})-"
            "Differential Privacy."
        )
    return [
        *said,
        (
            "Intervalle halten in 95 von 100 Fällen, für alle Zahlen einer Antwort "
            "zugleich, und sind nur aus öffentlichen Zahlen berechnet. Was Grenzen "
            "abschneiden, steht in keinem."
        ),
        f"Berechnet mit Epsilon Studio, Version {__version__}.",
    ]


def _counted(subject: Subject) -> str:
    if subject.planned:
        return (
            ", die kleinste gültige Summe eines Plans, der vor der ersten Antwort "
            "feststeht."
        )
    return (
        ", gezählt durch einen Filter, der Kosten addiert, denn jede Veröffentlichung "
        "darf von früheren abhängen."
    )


def _mechanisms(subject: Subject) -> str:
    known = Counter(question.mechanism for question in subject.questions)
    told = (f"{questions.mechanism(name)} ({count})" for name, count in known.items())
    return ", ".join(told) or "keines"
