"""The full report: every question, every price, and what is known not to be covered."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Final

from dpcore.data.columns import Column
from dpcore.data.quantities import bounds_text, quantity_of
from dpcore.documents import assumptions, claims
from dpcore.documents.context import DocumentContext, Head, left_of, of_each, own, spelled
from dpcore.documents.methods import methods
from dpcore.documents.notice import MOST_NUMBERS, size
from dpcore.documents.page import Exact, Facts, Items, Page, PageTable, Paragraph, Piece, Section
from dpcore.documents.question import DocumentEntry
from dpcore.formatting import capital, delta_text, epsilon_text, significant
from dpcore.ledger.chain import EntryKind
from dpcore.privacy_filter import plain
from dpcore.releases.digits import COUNTS

_ENTRIES: Final = {
    EntryKind.ACCOUNT: ("opening", "openings"),
    EntryKind.BUDGET: ("budget change", "budget changes"),
    EntryKind.RELATION: ("change of relation", "changes of relation"),
    EntryKind.DEBIT: ("charge", "charges"),
    EntryKind.RELEASE: ("answer", "answers"),
    EntryKind.ANEW: ("restart", "restarts"),
    EntryKind.TABLE: ("further table", "further tables"),
    EntryKind.PERIOD: ("period", "periods"),
    EntryKind.CLOSED: ("closing", "closings"),
}


def report(subject: DocumentContext) -> Page:
    """Return the report."""
    title = "Privacy report of a plan" if subject.planned else "Privacy report"
    return Page(
        title=title,
        pieces=(
            Facts(_summary(subject)),
            Section(title=f"Consequences for one {subject.one}", pieces=_meaning(subject)),
            Section(title="Questions at a glance", pieces=_overview(subject)),
            Section(
                title="Question by question",
                pieces=tuple(
                    _question(number, question)
                    for number, question in enumerate(subject.questions, 1)
                )
                or (Paragraph("None."),),
                fresh=True,
            ),
            Section(title="Declared columns", pieces=_columns(subject)),
            Section(title="Total privacy cost", pieces=_together(subject)),
            Section(title="Ledger", pieces=_ledger(subject)),
            Section(title="Known gaps", pieces=(Items(claims.uncovered(subject)),)),
            Section(title="Methods paragraph", pieces=(Paragraph(Exact(methods(subject))),)),
        ),
        numerals=subject.numerals,
        mark=subject.mark,
        foot=subject.foot,
    )


def _of_scale(number: str, unit: str) -> str:
    """Return a number in the unit of noise: sums of groups are counted, like people."""
    if not number:
        return ""
    return f"{number} {'on the scale of counts' if unit == COUNTS else unit}".strip()


def _summary(subject: DocumentContext) -> tuple[tuple[str, str], ...]:
    facts, typed = subject.facts, subject.typed
    decided = of_each(subject.each(attrgetter("decided")))
    left = facts.budget.remaining(facts.spent)
    planned = (("Cost of this plan", spelled(subject.cost)),) * subject.planned
    many = subject.many
    return (
        ("Data curator", own(typed.publisher)),
        ("Purpose", of_each(subject.each(attrgetter("purpose")))),
        (f"{capital(many)} and period", of_each(subject.each(attrgetter("period")))),
        *((("Decision", decided),) if decided else ()),
        ("Privacy unit", capital(subject.whom)),
        ("Neighboring tables", f"Differ by {claims.neighbors(facts.relation, facts.unit)}"),
        (f"Number of {many}", size(subject)),
        ("Scope", capital(subject.about)),
        ("Budget", subject.limit),
        ("Spent so far", spelled(facts.spent)),
        ("Left", left_of(facts.budget, left)),
        *planned,
        ("Questions", str(len(subject.questions))),
        ("Random numbers from", Exact(subject.sampler) or "no draw so far"),
        ("Contact", own(typed.contact)),
    )


def _meaning(subject: DocumentContext) -> tuple[Piece, ...]:
    said = claims.named_rightly(subject)
    if not said and subject.questions:
        return (Paragraph(claims.UNLIMITED),)
    return (
        *((Paragraph(" ".join(said)),) if said else ()),
        Items(
            (*claims.if_all_is_used(subject), *claims.not_learned(subject), claims.asking_again())
        ),
    )


def _overview(subject: DocumentContext) -> tuple[Piece, ...]:
    if not subject.questions:
        return (Paragraph("None."),)
    answer = "margin of error (95%)" if subject.planned else "answer"
    return (
        PageTable(
            title="Each question and its own cost",
            head=("question", answer, "mechanism", "ε", "δ", "ρ"),
            rows=tuple(
                (
                    f"{number}. {question.known_as}",
                    question.answer,
                    question.mechanism,
                    epsilon_text(float(question.cost.epsilon)),
                    significant(float(question.cost.delta), up=True),
                    significant(float(question.cost.rho), up=True),
                )
                for number, question in enumerate(subject.questions, 1)
            ),
            numbers=frozenset({3, 4, 5}),
        ),
        Paragraph(claims.PRICES, kind="note"),
    )


def _question(number: int, question: DocumentEntry) -> Section:
    pieces: list[Piece] = [Facts(tuple(_facts(question)))]
    if question.claimed:
        pieces.append(Paragraph(question.claimed))
    if question.numbers:
        pieces.append(_numbers(number, question))
        if any(number.beside for number in question.numbers):
            pieces.append(Paragraph(claims.COUNTS, kind="note"))
        over = len(question.numbers) - MOST_NUMBERS
        if over > 0:
            pieces.append(Paragraph(f"{over} more are in the files of the release.", kind="note"))
    title = f"{number}. {capital(question.known_as)}"
    return Section(title=title, pieces=tuple(pieces), whole=len(question.numbers) < 9)  # noqa: PLR2004 - fits


def _facts(question: DocumentEntry) -> list[tuple[str, str]]:
    scale = significant(question.noise, 4)
    charged = f", charged with {question.together} answers of a plan"
    told = [
        ("Question", capital(question.said)),
        ("Definition", capital(question.meaning)),
        ("Unit", question.unit or "none, or one for each figure"),
        ("Bounds", question.bounds),
        ("Missing values", question.without),
        (f"Number of {question.unit_of_rows.counted}", question.people),
        (
            "Neighboring tables",
            f"Differ by {claims.neighbors(question.relation, question.unit_of_rows)}",
        ),
        ("Mechanism", f"{question.mechanism}. {question.how}".rstrip(". ") + "."),
        (
            f"Sensitivity to one {question.unit_of_rows.noun}",
            _of_scale(question.largest, question.of_noise),
        ),
        ("Noise scale", _of_scale(scale, question.of_noise)),
        ("Own cost", f"ε = {plain(question.cost.epsilon)}, {_delta(question)}, {_rho(question)}"),
        ("Margin of error (95%)", question.width),
        ("Ranges", _ranges(question)),
        ("Mark", Exact(question.mark)),
        ("Drawn", f"{question.when}, draw {question.draw}{charged * bool(question.together)}"),
    ]
    if not question.when:
        told.pop()
    return [(name, text) for name, text in told if text]


def _delta(question: DocumentEntry) -> str:
    delta = float(question.cost.delta)
    return f"δ = {delta_text(delta)}" if delta else "δ = 0"


def _rho(question: DocumentEntry) -> str:
    rho = float(question.cost.rho)
    if math.isinf(rho):
        return "no bound in ρ"
    return f"ρ = {significant(rho, 6, up=True)}"


def _ranges(question: DocumentEntry) -> str:
    """Return what the ranges of a question hold, and how often.

    By ``claims.NOISE`` and ``claims.TOTAL``. A quantile has a range where two further
    quantiles were released for it: ``RankPlan.enclosing`` has the proof. Else its
    error is known in ranks alone, by the law of the exponential mechanism.
    """
    if question.level is None:
        if question.by_places:
            return "None in the unit of the column. The error in ranks holds with 95%"
        return "" if question.width else "none"
    several = " for all figures of the question together" * (len(question.numbers) > 1)
    said = f"{100 * question.level:g}%{several}. “Noise only” is for these data"
    if any(number.total for number in question.numbers):
        said += "; “with sampling” is for the population"
    if question.enclosed_by:
        said += f". Its ends are released quantiles: {'; '.join(question.enclosed_by)}"
    return said


def _numbers(place: int, question: DocumentEntry) -> PageTable:
    shown = question.numbers[:MOST_NUMBERS]
    sampled = any(number.total for number in shown)
    last = "error in ranks" if question.by_places else "noise only"
    head = ("figure", "released", "unit", last)
    return PageTable(
        title=f"Question {place}: figures, rounded to their noise",
        head=(*head, "with sampling") if sampled else head,
        rows=tuple(
            (
                number.label,
                number.value,
                number.unit,
                number.around,
                *((number.total,) if sampled else ()),
            )
            for number in shown
        ),
        numbers=frozenset({1}),
    )


def _columns(subject: DocumentContext) -> tuple[Piece, ...]:
    if not subject.columns:
        return (Paragraph("None."),)
    return (
        PageTable(
            title="Public declarations",
            head=("column", "meaning", "unit", "bounds or categories", "missing values"),
            rows=tuple(
                _column(column, assumptions.of_column(column, subject.missing))
                for column in subject.columns
            ),
        ),
        Paragraph(assumptions.UNTOLD, kind="note"),
    )


def _column(column: Column, without: tuple[str, ...]) -> tuple[str, ...]:
    bounds = bounds_text(column) or ", ".join(column.labels)
    unit = quantity_of(column).name
    return column.title, column.meaning, unit, bounds, "; ".join(without)


def _together(subject: DocumentContext) -> tuple[Piece, ...]:
    known = subject.totals
    ways = (
        ("Basic composition", known.basic),
        ("Advanced composition", known.advanced),
        ("Zero-concentrated DP (zCDP)", known.zcdp),
        ("Privacy loss distributions (PLD)", known.pld),
    )
    why = claims.FIXED if subject.planned else claims.CHOSEN
    return (
        Paragraph(f"Charged in total: {spelled(subject.cost)}. {why}"),
        PageTable(
            title="Total of all questions by four compositions",
            head=("composition", f"ε at δ = {delta_text(subject.delta)}"),
            rows=tuple((name, significant(x, 6, up=True)) for name, x in ways),
            numbers=frozenset({1}),
        ),
        *(
            Paragraph(claims.UNBOUNDED, kind="note")
            for _ in range(any(math.isinf(epsilon) for _, epsilon in ways))
        ),
    )


def _ledger(subject: DocumentContext) -> tuple[Piece, ...]:
    head = subject.head
    if head is None:
        return (Paragraph("The ledger has no entry yet."),)
    facts = Facts(
        (
            ("Entries", _entries(head)),
            ("Last entry", Exact(f"{head.recorded[:10]} {head.recorded[11:19]} UTC")),
            ("Digest of the last entry (SHA-256)", Exact(head.digest)),
        )
    )
    told = Paragraph(claims.DIGEST)
    times: tuple[Piece, ...] = ()
    if subject.times:
        times = (_times(subject),)
    if not head.changes:
        return facts, told, *times
    changes = PageTable(
        title="Budget changes",
        head=("when (UTC)", "from", "to", "reason"),
        rows=tuple(
            (Exact(one.when), one.before, one.after, Exact(one.why)) for one in head.changes
        ),
    )
    return facts, told, *times, changes


def _entries(head: Head) -> str:
    """Return how many entries there are, and of what."""
    told = ", ".join(f"{many:,} {_ENTRIES[kind][many != 1]}" for kind, many in head.kinds)
    return f"{head.entries:,}: {told}"


def _times(subject: DocumentContext) -> PageTable:
    return PageTable(
        title="Periods with limits within the budget",
        head=("period", "first and last day", "limit", "spent"),
        rows=tuple((t.name, Exact(t.days), t.limit, t.spent) for t in subject.times),
    )
