"""The public notice: one sheet in plain words, and every number on those after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from operator import attrgetter
from typing import Final, NamedTuple

from dpcore.data.quantities import replacement_text
from dpcore.documents import assumptions, claims
from dpcore.documents.context import DocumentContext, changed, of_each, own, spelled
from dpcore.documents.page import Exact, Facts, Items, Page, PageTable, Paragraph, Piece, Section
from dpcore.documents.question import DocumentEntry
from dpcore.formatting import brief, capital
from dpcore.releases.declared import each_bounds, minimum_of

_MOST_ROWS: Final = 12
_MOST_COLUMNS: Final = 3
"""How many columns with a value for a missing one are named on the sheet."""
_LONGEST: Final = 100
_MEANT: Final = 60
MOST_NUMBERS: Final = 200
"""How many numbers of one question are listed; the files of the release hold all."""
UNLESS_RAISED: Final = "Once it is used up, nothing more is released unless it is raised"
"""``PrivacyBudget.admits``: a release is refused whose cost does not fit any more."""
_Rows = tuple[tuple[int, tuple[str, ...]], ...]


def notice(subject: DocumentContext) -> Page:
    """Return the notice, to be hung up or sent out once its blanks are filled in."""
    one, many = subject.one, subject.many
    figures = "planned figures" if subject.planned else "figures"
    return Page(
        title="Planned figures and your privacy"
        if subject.planned
        else "Published figures and your privacy",
        pieces=(
            Paragraph(
                f"This notice is for every {one} with data in {_where(subject)}. The "
                f"{figures} below describe the whole group or parts of it. "
                f"{claims.ALTERED.format(one=one)}",
                kind="lead",
            ),
            Facts(
                (
                    ("Published by", own(subject.typed.publisher)),
                    ("Purpose", of_each(subject.each(attrgetter("purpose")))),
                    *_period(subject),
                    *_meanings(subject),
                    (f"Number of {many}", size(subject)),
                    ("Protected", capital(subject.whom)),
                    ("Limit for all figures", _limit(subject)),
                    (
                        "Cost of these figures" if subject.planned else "Used so far",
                        spelled(subject.cost, rho=False),
                    ),
                )
            ),
            Section(title=_heading(subject), pieces=_published(subject)),
            Section(title=f"What can be learned about one {one}", pieces=_can(subject)),
            Section(
                title="What cannot be learned, and what is not protected",
                pieces=(Items(claims.not_learned(subject)),),
            ),
            Section(
                title="Questions",
                pieces=(Facts((("Contact", own(subject.typed.contact)),)),),
                whole=True,
            ),
        ),
        further=_further(subject),
        numerals=subject.numerals,
        mark=subject.mark,
        foot=subject.foot,
        sheet=True,
    )


def _where(subject: DocumentContext) -> str:
    if not subject.tables:
        return "this table"
    named = ", ".join(f"“{name}”" for name in subject.tables)
    return f"one of these tables: {named}"


def _period(subject: DocumentContext) -> tuple[tuple[str, str], ...]:
    which = (f"{capital(subject.many)} and period", of_each(subject.each(attrgetter("period"))))
    if not subject.times:
        return (which,)
    told = "; ".join(f"{time.name} ({time.days})" for time in subject.times[:4])
    return (which, ("Periods", Exact(told)))


def size(subject: DocumentContext) -> str:
    """Return what is public about the number of units; names of tables stay exact."""
    return Exact(subject.numerals.written(claims.published_number(subject)))


def _limit(subject: DocumentContext) -> str:
    limit = subject.numerals.written(subject.limit)
    changes = subject.head.changes if subject.head is not None else ()
    return Exact(f"{limit}{changed(changes, subject.numerals)}. {UNLESS_RAISED}.")


def _heading(subject: DocumentContext) -> str:
    return "Planned figures" if subject.planned else "Published figures"


def _published(subject: DocumentContext) -> tuple[Piece, ...]:
    rows = _rows(subject)
    if not rows:
        return (Paragraph("No figures so far."),)
    head: tuple[str, ...] = ("figure", "margin of error (95%, noise only)")
    if not subject.planned:
        head = _head(subject)
    shown = fairly([question for question, _ in rows], first=_newest(subject))
    many = counted(subject)
    left = many - sum(one.itself for one in shown)
    kind = "question" if subject.planned else "figure"
    return (
        PageTable(
            title=f"{many} {kind}{'s' * (many > 1)}",
            head=head,
            rows=tuple(
                rows[one.place][1] if one.itself else _elsewhere(subject, rows[one.place][0])
                for one in shown
            ),
        ),
        Paragraph(" ".join(_notes(subject, left)), kind="note"),
    )


def _head(subject: DocumentContext) -> tuple[str, ...]:
    """Return the heads of the columns of a table of figures."""
    total = (claims.TOTAL,) * _has_totals(subject)
    return "figure", "published", claims.NOISE, *total


def _has_totals(subject: DocumentContext) -> bool:
    """Tell whether figures have ranges for a population that the table is from."""
    return any(number.total for one in subject.questions for number in one.numbers)


def _notes(subject: DocumentContext, left: int) -> list[str]:
    """Return what the figures of the sheet do not say themselves."""
    where = "in the full report" if subject.planned else "on the next sheet"
    said = [f"{left} more {'is' if left == 1 else 'are'} {where}."] * bool(left)
    if any(number.beside for one in subject.questions for number in one.numbers):
        said.append(f"{claims.GROUP_SIZES} They are {where}.")
    said.append(_bounds(subject))
    said.extend(_minimums(subject))
    said.append(_missing(subject))
    if _has_totals(subject):
        said.append(claims.SAMPLE)
    if not subject.planned and len(subject.questions) > 1:
        said.append(claims.INDEPENDENT)
    return [part for part in said if part]


def _elsewhere(subject: DocumentContext, question: int) -> tuple[str, ...]:
    """Return the row that stands for a question whose numbers have no room here."""
    asked = ordered(subject)[question]
    empty = ("",) * (len(_head(subject)) - 2)
    many = f"{len(asked.numbers)} figures: next sheet"
    return _shortened(asked.known_as), many, *empty


def counted(subject: DocumentContext) -> int:
    """Return how many numbers were published, or how many questions are planned.

    Those that are in no question itself count, too: all of them are on the sheets.
    """
    if subject.planned:
        return len(subject.questions)
    return sum(len(question.numbers) for question in subject.questions)


def ordered(subject: DocumentContext) -> tuple[DocumentEntry, ...]:
    """Return the questions, those of the table that was asked last first."""
    tables = [*dict.fromkeys(one.table for one in reversed(subject.questions))]
    return tuple(sorted(subject.questions, key=lambda one: tables.index(one.table)))


def _newest(subject: DocumentContext) -> int:
    """Return how many questions are about the table that was asked last."""
    known = ordered(subject)
    return sum(one.table == known[0].table for one in known) if known else 0


def _meanings(subject: DocumentContext) -> tuple[tuple[str, str], ...]:
    """Return what was typed about the columns that are asked about."""
    told = [
        f"{column.title}: {brief(column.meaning, _MEANT)}"
        for column in subject.columns
        if column.meaning
    ]
    if not told:
        return ()
    more = "; others: report" * (len(told) > _MOST_COLUMNS)
    return (("What is meant", Exact("; ".join(told[:_MOST_COLUMNS]) + more)),)


def _bounds(subject: DocumentContext) -> str:
    """Say what values beyond public bounds count as, and where these lie."""
    said = (each_bounds(question.parameters) for question in subject.questions)
    told = [*dict.fromkeys(chain.from_iterable(said))]
    if not told:
        return ""
    shown = "; ".join(brief(part, _LONGEST) for part in told[:_MOST_COLUMNS])
    where = "report" if subject.planned else "next sheet"
    more = f"; others: {where}" * (len(told) > _MOST_COLUMNS)
    return claims.clamping(f"{shown}{more}", planned=subject.planned)


def _with_value(question: DocumentEntry) -> str:
    """Say what sizes of groups leave out that follow from an answer, if anything.

    Under ``MissingPolicy.DROP`` rows without a value are in no sum and in no count.
    """
    known = question.only_with_value
    return f"Group sizes do not count missing values of {known}." * bool(known)


def _minimums(subject: DocumentContext) -> list[str]:
    """Say by which public minimums answers are divided, and which answers."""
    found: dict[int, dict[str, None]] = {}
    for question in subject.questions:
        least = minimum_of(question.parameters)
        if least is not None:
            found.setdefault(least, {})[question.asks] = None
    counted = subject.facts.unit.counted
    return [
        claims.minimum(least, counted, brief("; ".join(names), _LONGEST))
        for least, names in found.items()
    ]


def _further(subject: DocumentContext) -> tuple[Section, ...]:
    """Return every number that was published, question by question, on sheets after."""
    if subject.planned or not subject.questions:
        return ()
    return (
        Section(
            title="All published figures",
            pieces=tuple(
                piece
                for question in ordered(subject)
                for piece in _in_full(question, _head(subject))
            ),
            fresh=True,
        ),
    )


def _title(question: DocumentEntry) -> str:
    """Return what a question is called, with what it asks where people named it."""
    asks = f" ({question.asks})" if question.called else ""
    return f"{question.known_as}{asks}"


def _in_full(question: DocumentEntry, head: tuple[str, ...]) -> tuple[Piece, ...]:
    shown = question.numbers[:MOST_NUMBERS]
    left = len(question.numbers) - len(shown)
    least = minimum_of(question.parameters)
    said = (
        f"Released on {question.when[:10]}.",
        f"Clamped to public bounds ({question.bounds})." * bool(question.bounds),
        f"Missing values ({question.without})." * bool(question.without),
        "" if least is None else f"A public minimum of {least:,} is assumed.",
        f"{left} more figures are in the full report." * bool(left),
        claims.TOGETHER * (len(question.numbers) > 1 and question.level is not None),
        claims.BELOW_ZERO * question.below_zero,
        claims.SUMS * question.crossed,
        _with_value(question),
        f"Mark: {question.mark}.",
    )
    total = len(head) > len(("figure", "published", "range"))
    return (
        PageTable(
            title=Exact(capital(_title(question))),
            head=head,
            rows=tuple(
                (
                    Exact(number.label),
                    number.told,
                    number.around,
                    *((number.total,) if total else ()),
                )
                for number in shown
            ),
        ),
        Paragraph(" ".join(filter(None, said)), kind="note"),
    )


def _missing(subject: DocumentContext) -> str:
    """Say what missing values did to the figures.

    ``assumptions.treatment`` says of each question and column what its ``Column`` declares,
    which ``Column.values`` and the statistics carry out.
    """
    groups = _in_groups(subject)
    known = assumptions.counted_as(subject.columns, subject.missing)
    if assumptions.nobody(subject.missing):
        return f"No values are missing, as declared.{groups}"
    if not known and assumptions.only_left_out(subject.columns, subject.missing):
        many = "Their number is not disclosed."
        if any(question.only_with_value for question in subject.questions):
            many = "The group sizes show their number approximately."
        return f"Missing values are left out. {many}{groups}"
    if not known:
        where = "full report" if subject.planned else "next sheet"
        return f"The {where} states how missing values are treated.{groups}"
    told = ", ".join(
        f"{replacement_text(column)} ({brief(column.title)})" for column in known[:_MOST_COLUMNS]
    )
    where = "full report" if subject.planned else "next sheet"
    more = f" and others ({where})" * (len(known) > _MOST_COLUMNS)
    of = "stated errors" if subject.planned else "ranges"
    return (
        f"Missing values are imputed as {told}{more}. The {of} do not include the "
        f"effect of imputation.{groups}"
    )


def _otherwise(subject: DocumentContext, treated: str) -> tuple[str, ...]:
    """Return the columns of which somebody without a value is ``treated`` so.

    In the words of ``dpcore.documents.assumptions``.
    """
    return tuple(
        column.title
        for column in subject.columns
        if treated in subject.missing.get(column.name, "").split("; ")
    )


def _in_groups(subject: DocumentContext) -> str:
    grouped, compared, outside = (
        ", ".join(map(brief, _otherwise(subject, treated)))
        for treated in (assumptions.OTHERS, assumptions.NEITHER, assumptions.OUTSIDE)
    )
    told = ""
    if grouped:
        told += (
            f" In figures by {grouped}, missing and unlisted values are in the group of all others."
        )
    if compared:
        told += (
            f" Comparisons of two groups of {compared} leave out missing values and "
            "all other groups."
        )
    if outside:
        told += f" Comparisons of two groups of {outside} leave out all other groups."
    return told


class SheetRow(NamedTuple):
    """A row of the sheet: a number itself, or all of a question that has no room."""

    place: int
    itself: bool = True


def fairly(asked: Sequence[int], *, first: int | None = None) -> tuple[SheetRow, ...]:
    """Return what fits on the sheet: whole questions, the shortest first.

    Each row is given by the place of its question. Nobody reads of one group what is
    not told of the other: a question that is too long for what is left of the sheet has
    one row, at the place of its first number, which says where its numbers are. Of
    questions after the ``first`` ones nothing is told unless there is room for all.
    """
    if len(asked) <= _MOST_ROWS:
        return tuple(map(SheetRow, range(len(asked))))
    before = [place for place in asked if first is None or place < first]
    return _fair(before, _MOST_ROWS)


def _fair(asked: Sequence[int], most: int) -> tuple[SheetRow, ...]:
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
            found.append(SheetRow(place, question in whole))
        begun.add(question)
    return tuple(found)


def _rows(subject: DocumentContext) -> _Rows:
    """Return each number with where the table's own one lies; or the planned error.

    Each comes with the place of its question.
    """
    if subject.planned:
        return tuple(
            (place, (_shortened(q.name), q.width)) for place, q in enumerate(ordered(subject))
        )
    rows = []
    for place, question in enumerate(ordered(subject)):
        for number in question.numbers:
            if number.beside:
                continue
            alone = len(question.numbers) == 1 or number.label == question.name
            asked = question.known_as
            name = asked if alone else _numbered(asked, number.label)
            told = number.told
            short = _shortened(name, of=asked)
            total = (number.total,) * _has_totals(subject)
            rows.append((place, (short, told, number.around, *total)))
    return tuple(rows)


def _numbered(question: str, label: str) -> str:
    """Return the name of one of several numbers, in which nothing is said twice.

    >>> _numbered("mean of pay by sex, w less m", "w less m, in percent of m")
    'mean of pay by sex, w less m, in percent of m'
    >>> _numbered("mean of pay by sex", "w")
    'mean of pay by sex: w'
    """
    for end in range(len(label), 0, -1):
        if question.endswith(f", {label[:end]}") and label[end : end + 1] in {"", ","}:
            return f"{question}{label[end:]}"
    return f"{question}: {label}"


def _shortened(name: str, *, of: str = "") -> str:
    """Return the name of a number, cut where it is too long for the sheet.

    What tells it from other numbers ``of`` the same question, at its end, stays.

    >>> len(_shortened("mean of pay by " + "x" * 200))
    100
    >>> asked = "mean of pay by " + "x" * 200
    >>> _shortened(f"{asked}: nurses", of=asked)[-12:]
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
    cut = brief(name, most)
    if cut != name and cut.count("“") > cut.count("”"):
        return f"{cut[: most - 2].rstrip('…')}…”"
    return cut


def _can(subject: DocumentContext) -> tuple[Piece, ...]:
    said = claims.named_rightly(subject)
    if said:
        return (Paragraph(" ".join(said)), Items(claims.if_all_is_used(subject)))
    if subject.questions:
        return (Paragraph(claims.UNLIMITED),)
    return (Paragraph("Nothing so far: no figures were published."),)
