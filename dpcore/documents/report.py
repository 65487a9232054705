"""The full report: every question, every price, and what is known not to be covered."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from dpcore.data.quantities import bounds_text, quantity_of
from dpcore.documents import missing
from dpcore.documents.methods import methods
from dpcore.documents.notice import MOST_NUMBERS, UNKNOWN, sizes
from dpcore.documents.numerals import Exact
from dpcore.documents.page import Facts, Items, Page, Paragraph, Section, Table
from dpcore.documents.subject import exact, left_of, of_each, own, spelled
from dpcore.documents.wordings import GAPS, beyond, can, cannot, worlds
from dpcore.releases.hash_chain import EntryKind
from dpcore.releases.table import COUNTS
from dpcore.wording import capital, epsilon_text, significant

if TYPE_CHECKING:
    from collections.abc import Callable

    from dpcore.data.columns import Column
    from dpcore.documents.page import Piece
    from dpcore.documents.question import Question
    from dpcore.documents.subject import Head, Subject
    from dpcore.documents.typed import Typed

_UNBOUNDED: Final = "∞"
_LEVEL: Final = 0.95
_ENTRIES: Final = {
    EntryKind.ACCOUNT: "the account’s terms",
    EntryKind.BUDGET: "a change of the budget",
    EntryKind.RELATION: "a change of who is neighbor",
    EntryKind.DEBIT: "what was charged",
    EntryKind.RELEASE: "an answer",
    EntryKind.ANEW: "a new beginning",
    EntryKind.TABLE: "a further table",
    EntryKind.PERIOD: "a period",
    EntryKind.CLOSED: "its closing",
}
_COUNTS: Final = (
    "Why there are numbers of people: what is asked of a group is a sum divided by how "
    "many it has, and both had to be released with noise. The counts are part of the "
    "price, and may be shown; nothing more is told by showing them. Each is off by "
    "chance: 0 does not say that nobody is there, but that there may be as many as its "
    "interval says."
)


def report(subject: Subject) -> Page:
    """Return the report."""
    title = "Privacy report of a plan" if subject.planned else "Privacy report"
    return Page(
        title=title,
        pieces=(
            Facts(_summary(subject)),
            Section(
                title=f"What it means for one {subject.facts.unit.noun}",
                pieces=_meaning(subject),
            ),
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
            Section(title="Columns, as declared", pieces=_columns(subject)),
            Section(title="All of it together", pieces=_together(subject)),
            Section(title="Ledger", pieces=_ledger(subject)),
            Section(
                title="Known gaps",
                pieces=(Items((*beyond(subject), *GAPS)),),
            ),
            Section(
                title="Methods, for a paper",
                pieces=(Paragraph(Exact(methods(subject))),),
            ),
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


def _summary(subject: Subject) -> tuple[tuple[str, str], ...]:
    facts, typed = subject.facts, subject.typed
    unit = facts.unit
    decided = _typed(subject, attrgetter("decided"))
    left = facts.budget.remaining(facts.spent)
    planned = (("This plan costs", spelled(subject.cost)),) * subject.planned
    return (
        ("Data curator", own(typed.publisher)),
        ("Purpose", _typed(subject, attrgetter("purpose"))),
        ("People and period", _typed(subject, attrgetter("period"))),
        *((("Decided", decided),) if decided else ()),
        ("Privacy unit", capital(subject.whom)),
        ("Neighboring tables", f"Differ in {unit.change(facts.relation)}"),
        (f"Number of {unit.nouns}", _size(subject)),
        (f"The {unit.nouns} and the table", capital(subject.about)),
        ("Budget", subject.limit),
        ("Spent so far", spelled(facts.spent)),
        ("Left of it", left_of(facts.budget, left)),
        *planned,
        ("Questions", str(len(subject.questions))),
        ("Noise drawn by", Exact(subject.sampler) or "nobody yet"),
        ("Contact", own(typed.contact)),
    )


def _typed(subject: Subject, say: Callable[[Typed], str]) -> str:
    return of_each(subject.each(say), unknown=UNKNOWN, quoted="“{}”")


def _size(subject: Subject) -> str:
    told = sizes(subject)
    return Exact(told) if told else capital(subject.size)


def _meaning(subject: Subject) -> tuple[Piece, ...]:
    said = worlds(subject)
    told = "this plan" if subject.planned else "all releases so far"
    odds: tuple[Piece, ...] = ()
    if said:
        odds = (Paragraph(f"From {told} together: {said[0]}"), Items(said[1:]))
    return (
        *odds,
        Section(
            title="What an attacker can learn if all of the budget is used",
            pieces=(Items(can(subject)),),
            whole=True,
        ),
        Section(
            title="What an attacker cannot learn",
            pieces=(Items(cannot(subject)),),
            whole=True,
        ),
    )


def _overview(subject: Subject) -> tuple[Piece, ...]:
    if not subject.questions:
        return (Paragraph("None."),)
    answer = "error at 95 %" if subject.planned else "answer"
    return (
        Table(
            title="Each question, with what it costs by itself",
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
        Paragraph(
            "Prices are rounded up to three digits, so that their sum may be above "
            "what was charged.",
            kind="note",
        ),
    )


def _question(number: int, question: Question) -> Section:
    pieces: list[Piece] = [Facts(tuple(_facts(question)))]
    if question.claimed:
        pieces.append(Paragraph(question.claimed))
    if question.numbers:
        pieces.append(_numbers(number, question))
        if any(number.beside for number in question.numbers):
            pieces.append(Paragraph(_COUNTS, kind="note"))
        over = len(question.numbers) - MOST_NUMBERS
        if over > 0:
            pieces.append(
                Paragraph(f"And {over} more, in the files of the release.", kind="note")
            )
    title = f"{number}. {capital(question.known_as)}"
    return Section(title=title, pieces=tuple(pieces), whole=len(question.numbers) < 9)  # noqa: PLR2004 - fits


def _facts(question: Question) -> list[tuple[str, str]]:
    scale = significant(question.noise, 4)
    cost = exact(question.cost)
    charged = (
        f"; charged as one of {question.together} answers of a plan"
        if question.together
        else ""
    )
    told = [
        ("Of what it is an answer", capital(question.said)),
        ("Meaning", capital(question.meaning)),
        ("Unit", question.unit or "none, or that of each number"),
        ("Bounds", question.bounds),
        ("Missing values", question.without),
        ("Size counted on", question.people),
        ("Neighboring tables", f"Differ in {question.relation}"),
        ("Mechanism", f"{question.mechanism}. {question.how}".rstrip(". ") + "."),
        ("Sensitivity to one of them", _of_scale(question.largest, question.of_noise)),
        ("Scale of the noise", _of_scale(scale, question.of_noise)),
        ("Cost by itself", f"ε {cost['epsilon']}, δ {cost['delta']}, {_rho(question)}"),
        ("Error at 95 %", question.width),
        ("Interval", _interval(question)),
        ("Mark", Exact(question.mark)),
        ("Drawn", f"{question.when}, draw {question.draw}{charged}"),
    ]
    if not question.when:
        told.pop()
    return [(name, text) for name, text in told if text]


def _rho(question: Question) -> str:
    rho = float(question.cost.rho)
    if math.isinf(rho):
        return "no bound in ρ"
    return f"ρ {significant(rho, 6, up=True)}"


def _interval(question: Question) -> str:
    if question.level is None:
        if question.by_places:
            return (
                "None in the unit of the column: how far off it is is known in places "
                "of the sorted table alone (in 95 of 100 answers)"
            )
        return "" if question.width else "none is known"
    several = ", all numbers of the answer at once" if len(question.numbers) > 1 else ""
    sampled = any(number.total for number in question.numbers)
    more = ", “with sampling” for those whom it is a sample of" * sampled
    return (
        f"In {100 * question.level:g} of 100 answers{several}. “Noise alone” holds for "
        f"the number of this table{more}."
    )


def _numbers(place: int, question: Question) -> Table:
    shown = question.numbers[:MOST_NUMBERS]
    sampled = any(number.total for number in shown)
    last = "how far off" if question.by_places else "noise alone"
    head = ("number", "released", "unit", last)
    return Table(
        title=f"Released for question {place}, with the digits that noise leaves",
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


def _columns(subject: Subject) -> tuple[Piece, ...]:
    if not subject.columns:
        return (Paragraph("None is in use."),)
    return (
        Table(
            title="What was declared to be public",
            head=("column", "meaning", "unit", "bounds or answers", "missing values"),
            rows=tuple(
                _column(column, missing.of_column(column, subject.missing))
                for column in subject.columns
            ),
        ),
        Paragraph(missing.UNTOLD, kind="note"),
    )


def _column(column: Column, without: tuple[str, ...]) -> tuple[str, ...]:
    bounds = bounds_text(column) or ", ".join(column.labels)
    unit = quantity_of(column).name
    return column.title, column.meaning, unit, bounds, "; ".join(without)


def _together(subject: Subject) -> tuple[Piece, ...]:
    known = subject.totals
    ways = (
        ("Added up (basic composition)", known.basic),
        ("By a formula (advanced composition)", known.advanced),
        ("Added up as ρ, converted (zero-concentrated DP)", known.zcdp),
        ("By all losses (privacy loss distributions)", known.pld),
    )
    charged = (
        "A plan is fixed before its first answer, so that all four hold; the smallest "
        "is charged."
        if subject.planned
        else "The limit of the account adds up what was charged, because each release "
        "may be chosen in view of earlier ones. The tighter totals hold for questions "
        "fixed before the first answer."
    )
    return (
        Paragraph(f"Charged for all of it: {spelled(subject.cost)}. {charged}"),
        Table(
            title="Total of all questions, by four ways of counting",
            head=("way of counting", f"ε at δ {significant(subject.delta)}"),
            rows=tuple((name, significant(x, 6, up=True)) for name, x in ways),
            numbers=frozenset({1}),
        ),
        *(
            Paragraph(
                f"{_UNBOUNDED}: that way of counting has no bound for these questions.",
                kind="note",
            )
            for _ in range(any(math.isinf(epsilon) for _, epsilon in ways))
        ),
    )


def _ledger(subject: Subject) -> tuple[Piece, ...]:
    head = subject.head
    if head is None:
        return (Paragraph("Nothing is written in the ledger yet."),)
    facts = Facts(
        (
            ("Entries of this account", _entries(head)),
            (
                "Last one written",
                Exact(f"{head.recorded[:10]} {head.recorded[11:19]} UTC"),
            ),
            ("Its digest (SHA-256)", Exact(head.digest)),
        )
    )
    told = Paragraph(
        "Each entry holds the digest of the one before it. Whoever keeps this digest "
        "can see later that nothing before it was changed."
    )
    times: tuple[Piece, ...] = ()
    if subject.times:
        times = (_times(subject),)
    if not head.changes:
        return facts, told, *times
    changes = Table(
        title="Changes of the budget",
        head=("when (UTC)", "from", "to", "reason"),
        rows=tuple(
            (Exact(one.when), one.before, one.after, Exact(one.why))
            for one in head.changes
        ),
    )
    return facts, told, *times, changes


def _entries(head: Head) -> str:
    """Return how many entries there are, and of what."""
    told = ", ".join(f"{many:,} of {_ENTRIES[kind]}" for kind, many in head.kinds)
    return f"{head.entries:,}: {told}"


def _times(subject: Subject) -> Table:
    return Table(
        title="Periods with limits of their own, within the budget",
        head=("period", "first and last day", "limit", "spent in it"),
        rows=tuple((t.name, Exact(t.days), t.limit, t.spent) for t in subject.times),
    )
