"""The full report, in German, with the parts of the English one in the same order."""

from __future__ import annotations

import math
from datetime import date
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from dpcore import __version__
from dpcore.budget_filter import plain
from dpcore.data.quantities import quantity_of
from dpcore.documents import missing
from dpcore.documents.german import consequences, nouns, questions, sentences
from dpcore.documents.german.columns import meaning, titled
from dpcore.documents.german.methods import german_methods
from dpcore.documents.german.notice import mark, sizes, typed
from dpcore.documents.german.numbers import day, days, german, listed
from dpcore.documents.notice import MOST_NUMBERS
from dpcore.documents.numerals import Exact
from dpcore.documents.page import Facts, Items, Page, Paragraph, Section, Table
from dpcore.documents.subject import left_of, own, spelled
from dpcore.releases.hash_chain import EntryKind
from dpcore.wording import capital, delta_text, epsilon_text, significant

if TYPE_CHECKING:
    from dpcore.data.columns import Column
    from dpcore.documents.page import Piece
    from dpcore.documents.question import Question
    from dpcore.documents.subject import Head, Subject

_FEW: Final = 9
_MOST_LABELS: Final = 1_000
_COUNTS: Final = (
    "Warum hier steht, wie groß die Gruppen sind: Was je Gruppe gefragt ist, ist eine "
    "Summe, geteilt durch die Größe der Gruppe, und beides musste mit Rauschen "
    "veröffentlicht werden. Die Größen sind im Preis enthalten und dürfen gezeigt "
    "werden; nichts wird dadurch zusätzlich verraten. Jede ist durch Zufall verändert: "
    "0 heißt nicht, dass niemand da ist, sondern dass es so viele sein können, wie das "
    "Intervall sagt."
)
_ENTRIES: Final = {
    EntryKind.ACCOUNT: ("Eröffnung", "Eröffnungen"),
    EntryKind.BUDGET: ("Änderung des Budgets", "Änderungen des Budgets"),
    EntryKind.RELATION: ("Wechsel der Nachbarschaft", "Wechsel der Nachbarschaft"),
    EntryKind.DEBIT: ("Abbuchung", "Abbuchungen"),
    EntryKind.RELEASE: ("Antwort", "Antworten"),
    EntryKind.ANEW: ("Neubeginn", "Neubeginne"),
    EntryKind.TABLE: ("Tabelle", "Tabellen"),
    EntryKind.PERIOD: ("Zeitraum", "Zeiträume"),
    EntryKind.CLOSED: ("Schließung", "Schließungen"),
}
_UNTOLD: Final = (
    "Wie viele Werte fehlen, ist geschützt wie die Werte selbst. Keine Zahl verrät es, "
    "nach der nicht gefragt wurde; wo Größen von Gruppen mit Wert veröffentlicht "
    "wurden, folgt es daraus so genau, wie ihr Rauschen erlaubt."
)


def german_report(subject: Subject) -> Page:
    """Return the report; what was typed, and what came with the table, stays as is."""
    made = f", am {day(date.fromisoformat(subject.today))}" if subject.today else ""
    told = tuple(
        _question(number, question)
        for number, question in enumerate(subject.questions, 1)
    )
    return Page(
        title="Bericht über einen Plan"
        if subject.planned
        else "Bericht über die Veröffentlichungen",
        pieces=(
            Facts(_summary(subject), blank=sentences.BLANK),
            Section(
                title="Was es für eine einzelne "
                f"{nouns.feminine(subject.facts.unit)} bedeutet",
                pieces=_meaning(subject),
            ),
            Section(title="Die Fragen im Überblick", pieces=_overview(subject)),
            Section(
                title="Frage für Frage",
                pieces=told or (Paragraph("Keine."),),
                fresh=True,
            ),
            Section(title="Die Spalten, wie festgelegt", pieces=_columns(subject)),
            Section(title="Alles zusammen", pieces=_together(subject)),
            Section(title="Verzeichnis", pieces=_ledger(subject)),
            Section(
                title="Bekannte Lücken",
                pieces=(
                    Items((*consequences.beyond(subject.facts), *consequences.GAPS)),
                ),
            ),
            Section(
                title="Methoden, für eine Veröffentlichung",
                pieces=(Paragraph(Exact(german_methods(subject))),),
            ),
        ),
        mark=mark(subject),
        foot=f"Erstellt mit Epsilon Studio, Version {__version__}{made}.",
        language="de",
    )


def _summary(subject: Subject) -> tuple[tuple[str, str], ...]:
    facts = subject.facts
    left = facts.budget.remaining(facts.spent)
    planned = (
        ("Dieser Plan kostet", sentences.caps(spelled(subject.cost))),
    ) * subject.planned
    decided = typed(subject, sentences.decided)
    return (
        ("Wer veröffentlicht", own(subject.typed.publisher)),
        ("Wozu", typed(subject, attrgetter("purpose"))),
        ("Über wen, und wann", typed(subject, attrgetter("period"))),
        *((("Wie es beschlossen wurde", decided),) if decided else ()),
        ("Wer geschützt ist", sentences.whom(facts.unit)),
        (
            "Benachbarte Tabellen",
            f"Unterscheiden sich darin, {sentences.apart(facts.relation, facts.unit)}",
        ),
        (f"Wie viele {nouns.noun(facts.unit).many}", sizes(subject)),
        ("Die Menschen und die Tabelle", _about(subject)),
        ("Budget", sentences.budget(facts.budget)),
        ("Bisher verbraucht", sentences.caps(spelled(facts.spent))),
        ("Davon übrig", sentences.caps(left_of(facts.budget, left))),
        *planned,
        ("Fragen", str(len(subject.questions))),
        ("Rauschen gezogen mit", Exact(subject.sampler) or "bisher niemand"),
        ("Kontakt", own(subject.typed.contact)),
    )


def _about(subject: Subject) -> str:
    if subject.everybody:
        return "Alle, von denen die Zahlen handeln, stehen in der Tabelle"
    return "Die Tabelle ist eine Stichprobe aus einer größeren Gruppe"


def _meaning(subject: Subject) -> tuple[Piece, ...]:
    said = sentences.accuracy(*subject.guarantee, subject.facts.relation)
    if not said and subject.questions:
        return (Paragraph("Es gibt keine Grenze: Diese Zahlen schützen niemanden."),)
    return (
        *((Paragraph(" ".join(said)),) if said else ()),
        Items(
            (
                *consequences.if_all_is_used(subject),
                *consequences.not_learned(subject.facts.unit),
                consequences.AGAIN,
            )
        ),
    )


def _overview(subject: Subject) -> tuple[Piece, ...]:
    if not subject.questions:
        return (Paragraph("Keine."),)
    answer = "Fehler (95 %)" if subject.planned else "Antwort"
    return (
        Table(
            title="Jede Frage, mit dem, was sie für sich allein kostet",
            head=("Frage", answer, "Verfahren", "ε", "δ", "ρ"),
            rows=tuple(
                (
                    f"{number}. {questions.known_as(one)}",
                    _answer(one),
                    questions.mechanism(one.mechanism),
                    german(epsilon_text(float(one.cost.epsilon))),
                    german(significant(float(one.cost.delta), up=True)),
                    german(significant(float(one.cost.rho), up=True)),
                )
                for number, one in enumerate(subject.questions, 1)
            ),
            numbers=frozenset({3, 4, 5}),
        ),
        Paragraph(
            "Preise sind auf drei Stellen aufgerundet; ihre Summe kann darum größer "
            "sein als das, was angerechnet wurde.",
            kind="note",
        ),
    )


def _answer(question: Question) -> str:
    if not question.numbers:
        return questions.error(question)
    if len(question.numbers) == 1:
        return questions.value(question.numbers[0])
    return f"{len(question.numbers)} Zahlen"


def _question(place: int, question: Question) -> Section:
    pieces: list[Piece] = [Facts(_facts(question))]
    if question.less is not None:
        claim = german(epsilon_text(question.less))
        real = german(epsilon_text(float(question.cost.epsilon)))
        pieces.append(
            Paragraph(
                f"Wo das Verfahren veröffentlicht ist, wird ε {claim} dafür behauptet; "
                f"wirklich kostet es ε {real}, und das wird gezählt."
            )
        )
    if question.numbers:
        pieces.append(_numbers(place, question))
        if any(number.beside for number in question.numbers):
            pieces.append(Paragraph(_COUNTS, kind="note"))
        over = len(question.numbers) - MOST_NUMBERS
        if over > 0:
            pieces.append(
                Paragraph(
                    f"Und {over} weitere, in den Dateien der Veröffentlichung.",
                    kind="note",
                )
            )
    return Section(
        title=f"{place}. {capital(questions.known_as(question))}",
        pieces=tuple(pieces),
        whole=len(question.numbers) < _FEW,
    )


def _facts(question: Question) -> tuple[tuple[str, str], ...]:
    scale = german(significant(question.noise, 4))
    error = "" if question.off is None else questions.error(question)
    told = [
        ("Was es heißt", capital(questions.meaning(question))),
        ("Einheit", questions.unit(question.unit) or "keine, oder die jeder Zahl"),
        ("Grenzen", questions.bounds(question)),
        ("Fehlende Werte", sentences.without(question)),
        ("Gezählt wird mit", questions.people(question)),
        ("Verfahren", questions.how(question)),
        ("Sensitivität", _of(german(question.largest), question)),
        ("Skala des Rauschens", _of(scale, question)),
        ("Kennung", Exact(question.mark)),
        ("Kosten für sich allein", _cost(question)),
        ("Fehler (95 %)", error),
        ("Intervall", _interval(question)),
        ("Gezogen", _drawn(question) if question.when else ""),
    ]
    return tuple((name, text) for name, text in told if text)


def _of(number: str, question: Question) -> str:
    name = questions.of_so_many(number, questions.noise_unit(question.of_noise))
    return f"{number} {name}".rstrip() * bool(number)


def _cost(question: Question) -> str:
    cost, rho = question.cost, float(question.cost.rho)
    delta = sentences.caps(delta_text(float(cost.delta))) if cost.delta else "0"
    told = "ohne Grenze in ρ"
    if not math.isinf(rho):
        told = f"ρ = {german(significant(rho, 6, up=True))}"
    return f"ε = {german(plain(cost.epsilon))}, δ = {delta}, {told}"


def _interval(question: Question) -> str:
    if question.level is None:
        if question.off is not None:
            return ""
        if question.by_places:
            return (
                "Keines in der Einheit der Spalte: Wie weit der Wert daneben liegt, "
                "ist nur in Plätzen der sortierten Tabelle bekannt (in 95 von 100 "
                "Antworten)"
            )
        return "keines bekannt"
    several = ", für alle Zahlen der Antwort zugleich"
    sampled = any(number.total for number in question.numbers)
    ends = " Seine Enden sind zwei weitere veröffentlichte Quantile."
    ends *= bool(question.enclosed_by)
    more = ", „mit Stichprobe“ für alle, aus denen sie eine Stichprobe ist" * sampled
    return (
        f"In {german(f'{100 * question.level:g}')} von 100 Antworten"
        f"{several * (len(question.numbers) > 1)}. „Nur Rauschen“ gilt für die Zahl "
        f"dieser Tabelle{more}.{ends}"
    )


def _drawn(question: Question) -> str:
    when = day(date.fromisoformat(question.when[:10]))
    time = question.when[11:].removesuffix(" UTC")
    charged = (
        f"; angerechnet als eine von {question.together} Antworten eines Plans"
        if question.together
        else ""
    )
    return Exact(f"{when}, {time} Uhr UTC, {question.draw}. Ziehung{charged}")


def _numbers(place: int, question: Question) -> Table:
    shown = question.numbers[:MOST_NUMBERS]
    sampled = any(number.total for number in shown)
    last = "wie weit daneben" if question.by_places else "nur Rauschen"
    head = ("Zahl", "veröffentlicht", "Einheit", last)
    return Table(
        title=f"Zu Frage {place} veröffentlicht, mit den Stellen, die das Rauschen "
        "übrig lässt",
        head=(*head, "mit Stichprobe") if sampled else head,
        rows=tuple(
            (
                questions.label(question, number)
                if len(question.numbers) > 1
                else questions.name_of(question),
                questions.told(number),
                questions.unit(number.unit),
                questions.around(number),
                *((questions.ends(number.total),) if sampled else ()),
            )
            for number in shown
        ),
        numbers=frozenset({1}),
    )


def _columns(subject: Subject) -> tuple[Piece, ...]:
    if not subject.columns:
        return (Paragraph("Keine ist in Gebrauch."),)
    head = (
        "Spalte",
        "Bedeutung",
        "Einheit",
        "Grenzen oder Antworten",
        "fehlende Werte",
    )
    return (
        Table(
            title="Was als öffentlich festgelegt ist",
            head=head,
            rows=tuple(
                _column(column, missing.of_column(column, subject.missing))
                for column in subject.columns
            ),
        ),
        Paragraph(_UNTOLD, kind="note"),
    )


def _column(column: Column, without: tuple[str, ...]) -> tuple[str, ...]:
    treated = "; ".join(sentences.treatment(text, column) for text in without)
    answers = sentences.answers(column, most=_MOST_LABELS)
    unit = questions.unit(quantity_of(column).name)
    return titled(column), meaning(column), unit, answers, treated


def _together(subject: Subject) -> tuple[Piece, ...]:
    known = subject.totals
    ways = (
        ("Addiert (einfache Komposition)", known.basic),
        ("Nach einer Formel (fortgeschrittene Komposition)", known.advanced),
        ("Als ρ addiert und umgerechnet (zCDP)", known.zcdp),
        ("Über alle Verluste (Verteilungen des Privatsphäreverlusts)", known.pld),
    )
    charged = (
        "Ein Plan steht vor seiner ersten Antwort fest, so dass alle vier gelten; die "
        "kleinste wird angerechnet."
        if subject.planned
        else "Die Grenze des Kontos addiert, was angerechnet wurde, denn jede "
        "Veröffentlichung darf im Blick auf frühere gewählt sein. Die engeren Summen "
        "gelten für Fragen, die vor der ersten Antwort feststehen."
    )
    cost = sentences.caps(spelled(subject.cost))
    return (
        Paragraph(f"Angerechnet für alles zusammen: {cost}. {charged}"),
        Table(
            title="Summe aller Fragen, auf vier Arten gezählt",
            head=("Art zu zählen", f"ε bei δ {german(significant(subject.delta))}"),
            rows=tuple((name, german(significant(x, 6, up=True))) for name, x in ways),
            numbers=frozenset({1}),
        ),
        *(
            Paragraph(
                "∞: Diese Art zu zählen hat für diese Fragen keine Grenze.", kind="note"
            )
            for _ in range(any(math.isinf(epsilon) for _, epsilon in ways))
        ),
    )


def _ledger(subject: Subject) -> tuple[Piece, ...]:
    head = subject.head
    if head is None:
        return (Paragraph("Im Verzeichnis steht noch nichts."),)
    pieces: list[Piece] = [
        Facts(
            (
                ("Einträge dieses Kontos", _entries(head)),
                ("Letzter Eintrag vom", Exact(_when(head.recorded))),
                ("Seine Prüfsumme (SHA-256)", Exact(head.digest)),
            )
        ),
        Paragraph(
            "Jeder Eintrag enthält die Prüfsumme des vorigen. Wer diese Prüfsumme "
            "aufbewahrt, kann später sehen, dass nichts davor geändert wurde."
        ),
    ]
    if subject.times:
        pieces.append(_times(subject))
    if head.changes:
        pieces.append(
            Table(
                title="Änderungen des Budgets",
                head=("wann", "von", "auf", "Grund"),
                rows=tuple(
                    (
                        day(one.day),
                        sentences.caps(one.before),
                        sentences.caps(one.after),
                        Exact(one.why),
                    )
                    for one in head.changes
                ),
            )
        )
    return tuple(pieces)


def _entries(head: Head) -> str:
    """Return how many entries there are, and of what."""
    told = listed(
        [
            f"{german(f'{many:,}')} {(_ENTRIES[kind][many > 1])}"
            for kind, many in head.kinds
        ]
    )
    return f"{german(f'{head.entries:,}')}: {told}"


def _when(recorded: str) -> str:
    """Return the moment of an entry, which is told in UTC."""
    return f"{day(date.fromisoformat(recorded[:10]))}, {recorded[11:19]} Uhr UTC"


def _times(subject: Subject) -> Table:
    return Table(
        title="Zeiträume mit eigenen Grenzen, innerhalb des Budgets",
        head=("Zeitraum", "erster und letzter Tag", "Grenze", "darin verbraucht"),
        rows=tuple(
            (
                Exact(time.name),
                Exact(days(time.days)),
                sentences.caps(time.limit),
                sentences.caps(time.spent),
            )
            for time in subject.times
        ),
    )
