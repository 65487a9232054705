"""The public notice, in German."""

from __future__ import annotations

from datetime import date
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from dpcore import __version__
from dpcore.documents import missing
from dpcore.documents.german import consequences, nouns, questions, sentences
from dpcore.documents.german.columns import called, titled
from dpcore.documents.german.numbers import day, days, german
from dpcore.documents.notice import (
    MOST_COLUMNS,
    MOST_NUMBERS,
    counted,
    fairly,
    has_totals,
    meanings,
    minimums,
    newest,
    numbered,
    ordered,
    otherwise,
    shortened,
)
from dpcore.documents.page import Facts, Items, Page, Paragraph, Section, Table
from dpcore.documents.subject import of_each, own
from dpcore.releases.declared import minimum_of
from dpcore.wording import brief, capital

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpcore.documents.page import Piece
    from dpcore.documents.question import Question
    from dpcore.documents.subject import Subject, Time
    from dpcore.documents.typed import Typed

_MOST_TIMES: Final = 4
_LONGEST: Final = 100
_BELOW_ZERO: Final = (
    "eine Anzahl unter 0 ist Zufall: niemand, oder so viele, wie das Intervall sagt"
)
_NOT_PUBLISHED: Final = "nicht veröffentlicht"
_NOISE: Final = "ohne Rauschen läge sie zwischen (in 95 von 100 Fällen)"
_TOTAL: Final = "für die Grundgesamtheit (in 95 von 100 Fällen)"
_SAMPLE: Final = (
    "Die Spannen für die Grundgesamtheit setzen voraus, dass die Tabelle eine einfache "
    "Zufallsstichprobe ist."
)
_APART: Final = (
    "Jede Antwort hat ihren eigenen Zufall: Was zwei von ihnen über dieselbe Gruppe "
    "oder über zwei Zeiten sagen, kann allein dadurch verschieden sein."
)
_TOGETHER: Final = "alle Spannen dieser Tabelle zugleich stimmen in 95 von 100 Fällen"
_SUMS: Final = (
    "jede Anzahl ist durch Zufall verändert und so gerundet, wie ihr Rauschen es "
    "erlaubt: Summen können von dem abweichen, was ihre Teile ergeben, und von der "
    "Zahl der Personen"
)
_UNKNOWN: Final = "steht in den Papieren von damals"


def german_notice(subject: Subject) -> Page:
    """Return the notice, to be hung up or sent out once its blanks are filled in."""
    verb = (
        "sollen veröffentlicht werden" if subject.planned else "wurden veröffentlicht"
    )
    return Page(
        title="Was über Sie veröffentlicht werden soll"
        if subject.planned
        else "Was über Sie veröffentlicht wurde, und was es verraten kann",
        pieces=(
            Paragraph(
                f"Stehen Angaben zu Ihnen in {_where(subject)}, ist dieses Blatt für "
                "Sie. Die Zahlen unten über Sie alle, oder über Gruppen von Ihnen, "
                f"{verb}, jede absichtlich durch Zufall verändert. So ist begrenzt, "
                "was jemand daraus über Sie persönlich erfahren kann: siehe unten.",
                kind="lead",
            ),
            Facts(_facts(subject), blank=sentences.BLANK),
            Section(
                title="Was veröffentlicht werden soll"
                if subject.planned
                else "Was veröffentlicht wurde",
                pieces=_published(subject),
            ),
            Section(
                title="Was über Sie persönlich zu erfahren ist", pieces=_can(subject)
            ),
            Section(
                title="Was nicht zu erfahren ist, und wovor dies nicht schützt",
                pieces=(Items(consequences.not_learned(subject.facts.unit)),),
            ),
            Section(
                title="An wen Sie sich wenden können",
                pieces=(
                    Facts(
                        (
                            (
                                "Kontakt, Datenschutz",
                                own(subject.typed.contact),
                            ),
                        ),
                        blank=sentences.BLANK,
                    ),
                ),
                whole=True,
            ),
        ),
        further=_further(subject),
        mark=mark(subject),
        foot=f"Erstellt mit Epsilon Studio, Version {__version__}{_on(subject.today)}.",
        sheet=True,
        language="de",
    )


def _on(today: str) -> str:
    return f", am {day(date.fromisoformat(today))}" if today else ""


def mark(subject: Subject) -> str:
    """Return what must not be overlooked; or nothing."""
    marks = ("Nur geplant: Nichts davon ist veröffentlicht.",) * subject.planned
    marks += (
        "Unterricht: keine vertrauliche Veröffentlichung.",
    ) * subject.facts.lesson
    return " ".join(marks)


def _where(subject: Subject) -> str:
    if not subject.tables:
        return "dieser Tabelle"
    named = ", ".join(f"„{name}“" for name in subject.tables)
    return f"einer dieser Tabellen ({named})"


def _facts(subject: Subject) -> tuple[tuple[str, str], ...]:
    facts = subject.facts
    cost = sentences.price(float(subject.cost.epsilon), float(subject.cost.delta))
    return (
        ("Wer veröffentlicht", own(subject.typed.publisher)),
        ("Wozu", typed(subject, attrgetter("purpose"))),
        ("Über wen, und wann", typed(subject, attrgetter("period"))),
        *_meanings(subject),
        *((("Zeiträume", _times(subject.times)),) if subject.times else ()),
        (f"Wie viele {nouns.noun(facts.unit).many}", sizes(subject)),
        ("Wer geschützt ist", sentences.whom(facts.unit)),
        ("Grenze für alles zusammen", _limit(subject)),
        (
            "Davon brauchen diese Zahlen" if subject.planned else "Davon verbraucht",
            cost,
        ),
    )


def _meanings(subject: Subject) -> tuple[tuple[str, str], ...]:
    told = [f"{called(name)}: {meant}" for name, meant in meanings(subject).items()]
    if not told:
        return ()
    more = "; weitere: Bericht" * (len(told) > MOST_COLUMNS)
    return (("Was gemeint ist", "; ".join(told[:MOST_COLUMNS]) + more),)


def _times(times: tuple[Time, ...]) -> str:
    return "; ".join(f"{time.name} ({days(time.days)})" for time in times[:_MOST_TIMES])


def sizes(subject: Subject) -> str:
    """Return what is public about how many there are, of each table."""
    known = subject.sizes
    if not known:
        return sentences.size(subject.facts)
    told = "; ".join(
        f"„{name}“: {german(f'{known[name]:,}') if name in known else _NOT_PUBLISHED}"
        for name in subject.tables
    )
    return f"{told}; ohne Rauschen veröffentlicht"


def typed(subject: Subject, say: Callable[[Typed], str]) -> str:
    """Return what people typed, of each table where that differs."""
    return of_each(subject.each(say), unknown=_UNKNOWN, quoted="„{}“")


def _limit(subject: Subject) -> str:
    changes = subject.head.changes if subject.head is not None else ()
    limit = sentences.budget(subject.facts.budget)
    told = (
        f"{limit}; ist das verbraucht, wird nichts mehr veröffentlicht, es sei denn, "
        "die Grenze wird angehoben"
    )
    return f"{told}{sentences.changed(changes)}"


def _published(subject: Subject) -> tuple[Piece, ...]:
    rows = _rows(subject)
    if not rows:
        return (Paragraph("Bisher nichts."),)
    head: tuple[str, ...] = ("worüber", "erwarteter Fehler")
    one, many = "Frage", "Fragen"
    if not subject.planned:
        head = _head(subject)
        one, many = "Zahl", "Zahlen"
    shown = fairly([question for question, _ in rows], first=newest(subject))
    count = counted(subject)
    table = Table(
        title=f"{count} {one if count == 1 else many}",
        head=head,
        rows=tuple(
            rows[one.place][1]
            if one.itself
            else _elsewhere(subject, rows[one.place][0])
            for one in shown
        ),
    )
    said = _said(subject, count - sum(one.itself for one in shown))
    return (table, Paragraph(said, kind="note")) if said else (table,)


def _elsewhere(subject: Subject, question: int) -> tuple[str, ...]:
    """Return the row that stands for a question whose numbers have no room here."""
    asked = ordered(subject)[question]
    name = shortened(questions.known_as(asked))
    empty = ("",) * (len(_head(subject)) - 2)
    return name, f"{len(asked.numbers)} Zahlen: nächstes Blatt", *empty


def _head(subject: Subject) -> tuple[str, ...]:
    """Return the heads of the columns of a table of figures."""
    total = (_TOTAL,) * has_totals(subject)
    return "worüber", "veröffentlicht", _NOISE, *total


def _said(subject: Subject, left: int) -> str:
    said = []
    if left:
        verb = "fehlt" if left == 1 else "fehlen"
        where = (
            "aus Platzgründen; der vollständige Bericht nennt alle."
            if subject.planned
            else "; alle stehen auf dem nächsten Blatt."
        )
        said.append(f"{left} weitere {verb} hier {where}".replace(" ;", ";"))
    if any(number.beside for one in subject.questions for number in one.numbers):
        said.append(
            "Wie groß jede Gruppe ist, wurde mit Rauschen veröffentlicht, denn die "
            "Antwort folgt daraus; auch das steht auf dem nächsten Blatt."
        )
    said.extend(_bounds(subject))
    said.extend(_minimums(subject))
    said.append(_missing(subject))
    if has_totals(subject):
        said.append(_SAMPLE)
    if not subject.planned and len(subject.questions) > 1:
        said.append(_APART)
    return " ".join(said)


def _bounds(subject: Subject) -> tuple[str, ...]:
    """Say what values beyond public bounds count as, and where these lie."""
    each = (questions.each_bounds(question) for question in subject.questions)
    told = [*dict.fromkeys(chain.from_iterable(each))]
    if not told:
        return ()
    shown = "; ".join(brief(part, _LONGEST) for part in told[:MOST_COLUMNS])
    where = "Bericht" if subject.planned else "nächstes Blatt"
    more = f"; weitere: {where}" * (len(told) > MOST_COLUMNS)
    return (
        (
            f"Werte jenseits öffentlicher Grenzen zählen als die Grenze ({shown}"
            f"{more}); was das verschiebt, steckt in {_in_none(subject)}."
        ),
    )


def _minimums(subject: Subject) -> tuple[str, ...]:
    """Say by which public minimums answers are divided, and which answers."""
    many = nouns.counted(subject.facts.unit)
    return tuple(
        f"Angenommen sind mindestens {german(f'{least:,}')} {many}, eine öffentliche "
        f"Mindestzahl: {brief('; '.join(names), _LONGEST)}."
        for least, names in minimums(subject, questions.asks).items()
    )


def _further(subject: Subject) -> tuple[Section, ...]:
    """Return every number that was published, question by question, on sheets after."""
    if subject.planned or not subject.questions:
        return ()
    return (
        Section(
            title="Alle veröffentlichten Zahlen",
            pieces=tuple(
                piece
                for one in ordered(subject)
                for piece in _in_full(one, _head(subject))
            ),
            fresh=True,
        ),
    )


def _title(question: Question) -> str:
    """Return what a question is called, with what it asks where people named it."""
    asks = f" ({questions.asks(question)})" if question.called else ""
    return f"{questions.known_as(question)}{asks}"


def _in_full(question: Question, head: tuple[str, ...]) -> tuple[Piece, ...]:
    shown = question.numbers[:MOST_NUMBERS]
    left = len(question.numbers) - len(shown)
    bounds, without = questions.bounds(question), sentences.without(question)
    least = minimum_of(question.parameters)
    told = (
        f"Veröffentlicht am {day(date.fromisoformat(question.when[:10]))}",
        f"Werte jenseits dieser Grenzen zählen als die Grenze ({bounds})"
        * bool(bounds),
        without,
        ""
        if least is None
        else f"angenommen sind mindestens {german(f'{least:,}')}, eine öffentliche "
        "Mindestzahl",
        f"{left} weitere Zahlen stehen im vollständigen Bericht" * bool(left),
        _TOGETHER * (len(question.numbers) > 1 and question.level is not None),
        _BELOW_ZERO * question.below_zero,
        _SUMS * question.crossed,
        _with_value(question),
        f"Kennung {question.mark}",
    )
    said = "; ".join(part for part in told if part)
    return (
        Table(
            title=capital(_title(question)),
            head=head,
            rows=tuple(
                (
                    questions.label(question, number)
                    if len(question.numbers) > 1
                    else questions.name_of(question),
                    questions.value(number),
                    questions.around(number),
                    *((questions.ends(number.total),) if _TOTAL in head else ()),
                )
                for number in shown
            ),
        ),
        Paragraph(f"{said}.", kind="note"),
    )


def _with_value(question: Question) -> str:
    """Say whom sizes of groups leave out that follow from an answer, if anybody."""
    known = called(question.only_with_value)
    return f"gezählt ist in den Gruppen nur, wer einen Wert von {known} hat" * bool(
        known
    )


def _missing(subject: Subject) -> str:
    known = missing.counted_as(subject.columns, subject.missing)
    if missing.nobody(subject.missing):
        everybody = "Alle haben einen Wert, so ist es festgelegt."
        return f"{everybody}{_in_groups(subject)}"
    if not known and missing.only_left_out(subject.columns, subject.missing):
        many = "wie viele, wird nicht verraten."
        if any(question.only_with_value for question in subject.questions):
            many = "wie viele etwa, folgt aus den Größen der Gruppen."
        return f"Wer keinen Wert hat, ist nicht gezählt; {many}{_in_groups(subject)}"
    if not known:
        where = (
            "im vollständigen Bericht" if subject.planned else "auf dem nächsten Blatt"
        )
        return (
            f"Was mit fehlenden Werten geschieht, steht {where}.{_in_groups(subject)}"
        )
    told = ", ".join(
        f"{sentences.stand_in(column)} ({brief(titled(column))})"
        for column in known[:MOST_COLUMNS]
    )
    where = "Bericht" if subject.planned else "nächstes Blatt"
    more = f" und weitere, siehe {where}" * (len(known) > MOST_COLUMNS)
    return (
        f"Hat jemand keinen Wert, zählt er als {told}{more}: Das zieht Antworten "
        f"dorthin; ob und wie sehr, wird nicht verraten und steckt in "
        f"{_in_none(subject)}."
        f"{_in_groups(subject)}"
    )


def _in_none(subject: Subject) -> str:
    return "keinem erwarteten Fehler" if subject.planned else "keiner Spanne"


def _in_groups(subject: Subject) -> str:
    grouped, compared, outside = (
        ", ".join(brief(called(name)) for name in otherwise(subject, treated))
        for treated in (missing.OTHERS, missing.NEITHER, missing.OUTSIDE)
    )
    told = ""
    if grouped:
        told += (
            f" In Antworten nach {grouped} ist, wer davon keinen hat, in der Gruppe "
            "aller übrigen."
        )
    if compared:
        told += (
            f" Wo zwei Gruppen von {compared} verglichen werden, ist nicht dabei, wer "
            "davon keinen hat oder in keiner der beiden ist."
        )
    if outside:
        told += (
            f" Wo zwei Gruppen von {outside} verglichen werden, ist nicht dabei, wer "
            "in keiner der beiden ist."
        )
    return told


def _rows(subject: Subject) -> list[tuple[int, tuple[str, ...]]]:
    """Return each number, or the planned error, with the place of its question."""
    if subject.planned:
        return [
            (place, (shortened(questions.name_of(one)), questions.error(one)))
            for place, one in enumerate(ordered(subject))
        ]
    rows: list[tuple[int, tuple[str, ...]]] = []
    for place, one in enumerate(ordered(subject)):
        asked = questions.known_as(one)
        for number in one.numbers:
            if number.beside:
                continue
            alone = len(one.numbers) == 1 or number.label == one.name
            name = asked if alone else numbered(asked, questions.label(one, number))
            told: tuple[str, ...] = questions.value(number), questions.around(number)
            told += (questions.ends(number.total),) * has_totals(subject)
            rows.append((place, (shortened(name, of=asked), *told)))
    return rows


def _can(subject: Subject) -> tuple[Piece, ...]:
    said = sentences.accuracy(*subject.guarantee, subject.facts.relation)
    if said:
        return Paragraph(" ".join(said)), Items(consequences.if_all_is_used(subject))
    if subject.questions:
        return (Paragraph("Es gibt keine Grenze: Diese Zahlen schützen niemanden."),)
    return (Paragraph("Noch nichts: Es wurde nichts veröffentlicht."),)
