"""The public notice: one sheet in plain words, and every number on those after it."""

from __future__ import annotations

import math
from collections import Counter
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from dpcore.data.quantities import replacement_text
from dpcore.documents import missing
from dpcore.documents.numerals import Exact
from dpcore.documents.page import Facts, Items, Page, Paragraph, Section, Table
from dpcore.documents.subject import of_each, own, spelled
from dpcore.documents.wordings import changed, worlds
from dpcore.figures.attackers import belief_text
from dpcore.releases.declared import each_bounds, minimum_of
from dpcore.wording import brief, capital, significant

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dpcore.documents.page import Piece
    from dpcore.documents.question import Question
    from dpcore.documents.subject import Subject
    from dpcore.documents.typed import Typed

_MOST_ROWS: Final = 12
MOST_COLUMNS: Final = 3
"""How many columns with a value for a missing one are named on the sheet."""
_LONGEST: Final = 100
_MEANT: Final = 60
_NOT_PUBLISHED: Final = "not published"
UNKNOWN: Final = "stands in the papers of that time"
"""What stands for what nobody typed of one of several tables."""
MOST_NUMBERS: Final = 200
"""How many numbers of one question are told; the files of the release hold all."""
BELOW_ZERO: Final = "a count below 0 is chance: nobody, or as many as its interval says"
_APART: Final = (
    "Each answer has chance of its own: what two of them say of the same group, or of "
    "two times, may differ by that alone."
)
TOGETHER: Final = "all ranges of this table at once hold 95 of 100 times"
NOISE: Final = "without noise it would lie between (95 of 100 times)"
UNLESS_RAISED: Final = (
    "once it is used up, nothing more is published unless it is raised"
)
_SUMS: Final = (
    "every count was changed by chance and rounded as its noise leaves it, so that "
    "sums may differ from what their parts add up to, and from the number of people"
)
_Rows = tuple[tuple[int, tuple[str, ...]], ...]


def notice(subject: Subject) -> Page:
    """Return the notice, to be hung up or sent out once its blanks are filled in."""
    noun = subject.facts.unit.noun
    whose = "you are a person" if noun == "person" else f"your {noun} is one"
    verb = "are to be" if subject.planned else "were"
    return Page(
        title="What is published about you, and what it can give away"
        if not subject.planned
        else "What is to be published about you",
        pieces=(
            Paragraph(
                f"If {whose} in {_where(subject)}, this is for you. The numbers below, "
                f"about all of you or groups of you, {verb} published. Each was "
                "changed by chance on purpose, so that what anybody can learn about "
                "one of you has a limit: see below.",
                kind="lead",
            ),
            Facts(
                (
                    ("Who publishes", own(subject.typed.publisher)),
                    ("What for", _typed(subject, attrgetter("purpose"))),
                    *_period(subject),
                    *_meanings(subject),
                    (f"How many {subject.facts.unit.nouns}", _size(subject)),
                    ("Who is protected", capital(subject.whom)),
                    ("Limit for all of it", _limit(subject)),
                    (
                        "Used by these numbers" if subject.planned else "Used so far",
                        spelled(subject.cost, rho=False),
                    ),
                )
            ),
            Section(title=_heading(subject), pieces=_published(subject)),
            Section(title="What can be learned about one of you", pieces=_can(subject)),
            Section(
                title="What cannot be learned, and what this does not protect from",
                pieces=(Items(_cannot(subject)),),
            ),
            Section(
                title="Who to ask",
                pieces=(
                    Facts(
                        (
                            (
                                "Contact, data protection officer",
                                own(subject.typed.contact),
                            ),
                        )
                    ),
                ),
                whole=True,
            ),
        ),
        further=_further(subject),
        numerals=subject.numerals,
        mark=subject.mark,
        foot=subject.foot,
        sheet=True,
    )


def _where(subject: Subject) -> str:
    if not subject.tables:
        return "this table"
    named = ", ".join(f"“{name}”" for name in subject.tables)
    return f"one of these tables: {named}"


def _period(subject: Subject) -> tuple[tuple[str, str], ...]:
    which = ("About whom, and when", _typed(subject, attrgetter("period")))
    if not subject.times:
        return (which,)
    told = "; ".join(f"{time.name} ({time.days})" for time in subject.times[:4])
    return (which, ("Periods", Exact(told)))


def _size(subject: Subject) -> str:
    if not subject.tables:
        return capital(subject.size)
    return Exact(sizes(subject)) or capital(subject.size)


def sizes(subject: Subject) -> str:
    """Return the public numbers of people of several tables; empty if none is known."""
    known = subject.sizes
    if not known:
        return ""
    told = "; ".join(
        f"“{name}”: {subject.numerals.written(f'{known[name]:,}')}"
        if name in known
        else f"“{name}”: {_NOT_PUBLISHED}"
        for name in subject.tables
    )
    return f"{told}; said without noise"


def _typed(subject: Subject, say: Callable[[Typed], str]) -> str:
    return of_each(subject.each(say), unknown=UNKNOWN, quoted="“{}”")


def _limit(subject: Subject) -> str:
    limit = subject.numerals.written(subject.limit)
    changes = subject.head.changes if subject.head is not None else ()
    told = f"{limit}: {UNLESS_RAISED}"
    return Exact(f"{told}{changed(changes, subject.numerals)}")


def _heading(subject: Subject) -> str:
    return "What is to be published" if subject.planned else "What was published"


def _published(subject: Subject) -> tuple[Piece, ...]:
    rows = _rows(subject)
    if not rows:
        return (Paragraph("Nothing so far."),)
    head: tuple[str, ...] = ("about", "expected error")
    if not subject.planned:
        head = ("about", "published", NOISE)
    shown = fairly([question for question, _ in rows], first=newest(subject))
    many = counted(subject)
    left = many - sum(one.itself for one in shown)
    where = (
        "left out for want of room; the full report lists them."
        if subject.planned
        else "all are on the next sheet."
    )
    said = f"And {left} more: {where} " * bool(left)
    if any(number.beside for one in subject.questions for number in one.numbers):
        said += (
            "How many people are in each group was released with its answer, which "
            "follows from it: see the next sheet. "
        )
    said += f"{_bounds(subject)} {_minimums(subject)}{_missing(subject)}"
    if not subject.planned and len(subject.questions) > 1:
        said += f" {_APART}"
    more = (Paragraph(said.strip(), kind="note"),) if said else ()
    return (
        Table(
            title=f"{many} {'question' if subject.planned else 'number'}"
            + "s" * (many > 1),
            head=head,
            rows=tuple(
                rows[one.place][1]
                if one.itself
                else _elsewhere(subject, rows[one.place][0])
                for one in shown
            ),
        ),
        *more,
    )


def _elsewhere(subject: Subject, question: int) -> tuple[str, ...]:
    """Return the row that stands for a question whose numbers have no room here."""
    asked = ordered(subject)[question]
    return shortened(asked.known_as), f"{len(asked.numbers)} numbers: next sheet", ""


def counted(subject: Subject) -> int:
    """Return how many numbers were published, or how many questions are planned.

    Those that are in no question itself count, too: all of them are on the sheets.
    """
    if subject.planned:
        return len(subject.questions)
    return sum(len(question.numbers) for question in subject.questions)


def ordered(subject: Subject) -> tuple[Question, ...]:
    """Return the questions, those of the table that was asked last first."""
    tables = [*dict.fromkeys(one.table for one in reversed(subject.questions))]
    return tuple(sorted(subject.questions, key=lambda one: tables.index(one.table)))


def newest(subject: Subject) -> int:
    """Return how many questions are about the table that was asked last."""
    known = ordered(subject)
    return sum(one.table == known[0].table for one in known) if known else 0


def meanings(subject: Subject) -> dict[str, str]:
    """Return what was typed about the columns that are asked about, by their names."""
    return {
        column.title: brief(column.meaning, _MEANT)
        for column in subject.columns
        if column.meaning
    }


def _meanings(subject: Subject) -> tuple[tuple[str, str], ...]:
    told = [f"{name}: {meant}" for name, meant in meanings(subject).items()]
    if not told:
        return ()
    more = "; others: report" * (len(told) > MOST_COLUMNS)
    return (("What is meant", Exact("; ".join(told[:MOST_COLUMNS]) + more)),)


def _bounds(subject: Subject) -> str:
    """Say what values beyond public bounds count as, and where these lie."""
    said = (each_bounds(question.parameters) for question in subject.questions)
    told = [*dict.fromkeys(chain.from_iterable(said))]
    if not told:
        return ""
    shown = "; ".join(brief(part, _LONGEST) for part in told[:MOST_COLUMNS])
    where = "report" if subject.planned else "next sheet"
    more = f"; others: {where}" * (len(told) > MOST_COLUMNS)
    return (
        f"Values beyond public bounds count as the bound ({shown}{more}); what that "
        f"moves is in no {_shown(subject)}."
    )


def _shown(subject: Subject) -> str:
    return "expected error" if subject.planned else "range"


def sums_text(question: Question) -> str:
    """Say of crossed counts why they need not add up; nothing of other questions."""
    return _SUMS * question.crossed


def with_value(question: Question) -> str:
    """Say whom sizes of groups leave out that follow from an answer, if anybody."""
    known = question.only_with_value
    return f"sizes of groups are of whoever has a value of {known}" if known else ""


def minimums(
    subject: Subject, named: Callable[[Question], str]
) -> dict[int, tuple[str, ...]]:
    """Return the public minimums that answers are divided by, each with what asks."""
    found: dict[int, dict[str, None]] = {}
    for question in subject.questions:
        least = minimum_of(question.parameters)
        if least is not None:
            found.setdefault(least, {})[named(question)] = None
    return {least: tuple(names) for least, names in found.items()}


def _minimums(subject: Subject) -> str:
    """Say by which public minimums answers are divided, and which answers."""
    counted = subject.facts.unit.counted
    return "".join(
        f"Divided by at least {least:,} {counted}, a public minimum: "
        f"{brief('; '.join(names), _LONGEST)}. "
        for least, names in minimums(subject, lambda one: one.asks).items()
    )


def _further(subject: Subject) -> tuple[Section, ...]:
    """Return every number that was published, question by question, on sheets after."""
    if subject.planned or not subject.questions:
        return ()
    return (
        Section(
            title="Every number that was published",
            pieces=tuple(
                piece for question in ordered(subject) for piece in _in_full(question)
            ),
            fresh=True,
        ),
    )


def _title(question: Question) -> str:
    """Return what a question is called, with what it asks where people named it."""
    asks = f" ({question.asks})" if question.called else ""
    return f"{question.known_as}{asks}"


def _in_full(question: Question) -> tuple[Piece, ...]:
    shown = question.numbers[:MOST_NUMBERS]
    left = len(question.numbers) - len(shown)
    least = minimum_of(question.parameters)
    told = (
        f"Released on {question.when[:10]}",
        f"values beyond these bounds count as the bound ({question.bounds})"
        * bool(question.bounds),
        question.without,
        "" if least is None else f"divided by at least {least:,}, a public minimum",
        f"{left} more numbers are in the full report" * bool(left),
        TOGETHER * (len(question.numbers) > 1 and question.level is not None),
        BELOW_ZERO * question.below_zero,
        sums_text(question),
        with_value(question),
        f"mark {question.mark}",
    )
    said = "; ".join(part for part in told if part)
    return (
        Table(
            title=Exact(capital(_title(question))),
            head=("about", "published", NOISE),
            rows=tuple(
                (
                    Exact(number.label),
                    number.told,
                    number.around,
                )
                for number in shown
            ),
        ),
        Paragraph(f"{said}.", kind="note"),
    )


def _missing(subject: Subject) -> str:
    """Say what people without a value did to the numbers."""
    known = missing.counted_as(subject.columns, subject.missing)
    if missing.nobody(subject.missing):
        everybody = (
            "Everybody has a value of all that is asked about: so it was declared."
        )
        return f"{everybody}{_in_groups(subject)}"
    if not known and missing.only_left_out(subject.columns, subject.missing):
        many = "how many that are is not told."
        if any(question.only_with_value for question in subject.questions):
            many = "about how many follows from the sizes of groups."
        return f"Whoever has no value is not counted; {many}{_in_groups(subject)}"
    if not known:
        where = "the full report" if subject.planned else "the next sheet"
        return (
            f"What becomes of whoever has no value: see {where}.{_in_groups(subject)}"
        )
    told = ", ".join(
        f"{replacement_text(column)} ({brief(column.title)})"
        for column in known[:MOST_COLUMNS]
    )
    where = "full report" if subject.planned else "next sheet"
    more = f" and others, see the {where}" * (len(known) > MOST_COLUMNS)
    return (
        f"Whoever has no value, if anybody, counts as {told}{more}: that draws answers "
        f"towards it, by how much is not told, and is in no {_shown(subject)}."
        f"{_in_groups(subject)}"
    )


def otherwise(subject: Subject, treated: str) -> tuple[str, ...]:
    """Return the columns of which somebody without a value is ``treated`` so.

    In the words of ``dpcore.documents.missing``.
    """
    return tuple(
        column.title
        for column in subject.columns
        if treated in subject.missing.get(column.name, "").split("; ")
    )


def _in_groups(subject: Subject) -> str:
    grouped, compared, outside = (
        ", ".join(map(brief, otherwise(subject, treated)))
        for treated in (missing.OTHERS, missing.NEITHER, missing.OUTSIDE)
    )
    told = ""
    if grouped:
        told += (
            f" In answers by {grouped} whoever has none of it is in the group of all "
            "others."
        )
    if compared:
        told += (
            f" Where two groups of {compared} are compared, whoever has none of it or "
            "is in neither is left out."
        )
    if outside:
        told += (
            f" Where two groups of {outside} are compared, whoever is in neither is "
            "left out."
        )
    return told


class Shown(NamedTuple):
    """A row of the sheet: a number itself, or all of a question that has no room."""

    place: int
    itself: bool = True


def fairly(asked: Sequence[int], *, first: int | None = None) -> tuple[Shown, ...]:
    """Return what fits on the sheet: whole questions, the shortest first.

    Each row is given by the place of its question. Nobody reads of one group what is
    not told of the other: a question that is too long for what is left of the sheet has
    one row, at the place of its first number, which says where its numbers are. Of
    questions after the ``first`` ones nothing is told unless there is room for all.
    """
    if len(asked) <= _MOST_ROWS:
        return tuple(map(Shown, range(len(asked))))
    before = [place for place in asked if first is None or place < first]
    return _fair(before, _MOST_ROWS)


def _fair(asked: Sequence[int], most: int) -> tuple[Shown, ...]:
    number = Counter(asked)
    kept = [*number][:most]
    room = most - len(kept)
    whole: set[int] = set()
    for question in sorted(kept, key=lambda one: (number[one], one)):
        if number[question] - 1 <= room:
            whole.add(question)
            room -= number[question] - 1
    begun: set[int] = set()
    found = []
    for place, question in enumerate(asked):
        if question in whole or (question in kept and question not in begun):
            found.append(Shown(place, question in whole))
        begun.add(question)
    return tuple(found)


def _rows(subject: Subject) -> _Rows:
    """Return each number with where the table's own one lies; or the planned error.

    Each comes with the place of its question.
    """
    if subject.planned:
        return tuple(
            (place, (shortened(q.name), q.width))
            for place, q in enumerate(ordered(subject))
        )
    rows = []
    for place, question in enumerate(ordered(subject)):
        for number in question.numbers:
            if number.beside:
                continue
            alone = len(question.numbers) == 1 or number.label == question.name
            asked = question.known_as
            name = asked if alone else numbered(asked, number.label)
            told = number.told
            short = shortened(name, of=asked)
            rows.append((place, (short, told, number.around)))
    return tuple(rows)


def numbered(question: str, label: str) -> str:
    """Return the name of one of several numbers, in which nothing is said twice.

    >>> numbered("mean of pay by sex, w less m", "w less m, in percent of m")
    'mean of pay by sex, w less m, in percent of m'
    >>> numbered("mean of pay by sex", "w")
    'mean of pay by sex: w'
    """
    for end in range(len(label), 0, -1):
        if question.endswith(f", {label[:end]}") and label[end : end + 1] in {"", ","}:
            return f"{question}{label[end:]}"
    return f"{question}: {label}"


def shortened(name: str, *, of: str = "") -> str:
    """Return the name of a number, cut where it is too long for the sheet.

    What tells it from other numbers ``of`` the same question, at its end, stays.

    >>> len(shortened("mean of pay by " + "x" * 200))
    100
    >>> asked = "mean of pay by " + "x" * 200
    >>> shortened(f"{asked}: nurses", of=asked)[-12:]
    'xxx…: nurses'
    """
    whole = capital(name)
    end = name.removeprefix(of) if of and name != of else ""
    if len(whole) <= _LONGEST or end in {"", name}:
        return _closed(whole, _LONGEST)
    end = _closed(end, _LONGEST // 2)
    return _closed(whole, _LONGEST - len(end)) + end


def _closed(name: str, most: int) -> str:
    """Return a name cut to ``most`` characters, without a quotation that has no end."""
    for opened, closed in ("„“", "“”"):
        cut = brief(name, most)
        if cut == name:
            return name
        if cut.count(opened) > cut.count(closed):
            return f"{cut[: most - 2].rstrip('…')}…{closed}"
    return brief(name, most)


def _can(subject: Subject) -> tuple[Piece, ...]:
    said = worlds(subject)
    if said:
        first, *limits = said
        return (Paragraph(first), Items((*limits, *_later(subject))))
    if math.isinf(subject.guarantee[0]):
        return (Paragraph("There is no limit: this is not a private release."),)
    return (Paragraph("Nothing yet: nothing was published."),)


def _later(subject: Subject) -> tuple[str, ...]:
    """Return what can be learned if all of the budget is used, and what was known."""
    epsilon, delta = subject.facts.total
    limit = belief_text(epsilon, delta=delta, about=" about one of you")
    whole = (
        "The whole limit is used: it allows nothing more to be published."
        if subject.used_up
        else f"If the whole limit is used one day, {limit}."
    )
    told = significant(delta, up=True)
    chance = f"The chance that this does not hold is at most δ {told}."
    return (
        whole,
        *[chance] * (delta > 0),
        "What somebody knew before, from elsewhere, they still know.",
    )


def _cannot(subject: Subject) -> tuple[str, ...]:
    noun = subject.facts.unit.noun
    return (
        (
            f"More than that about one {noun} cannot be learned, whatever else "
            "somebody knows, now or later. The limit is the same for everybody, also "
            "for those who stand out most."
        ),
        (
            "What is true of the group follows for its members, in the table or not: "
            "that is what the numbers are for, and nobody is protected from it."
        ),
        (
            "Nobody is protected from whoever holds the table, or steals it, or from "
            f"numbers published elsewhere about the same {subject.facts.unit.nouns}."
        ),
    )
