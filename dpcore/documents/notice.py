"""The public notice: one sheet in plain words, and every number on those after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Final, NamedTuple

from dpcore.data.quantities import replacement_text
from dpcore.documents import assumptions
from dpcore.documents.context import DocumentContext, cost_text
from dpcore.documents.question import MODEL_SCALE, DocumentEntry, Number
from dpcore.formatting import capital, listed
from dpcore.statistics.conditions import OTHER_GROUPS_LEFT_OUT, OTHERS, PAIR_ONLY

_MOST_ROWS: Final = 12
_MOST_COLUMNS: Final = 3
"""How many columns are named on the sheet."""
MOST_NUMBERS: Final = 200
"""How many numbers of one question are listed; the files of the release hold all."""


def notice(subject: DocumentContext) -> str:
    """Return the notice, to be hung up or sent out once its blanks are filled in."""
    questions = ordered(subject)
    bounds = chain.from_iterable(question.each_bounds for question in questions)
    shown, left = _shown(subject)
    numbers = [number for question in questions for number in question.numbers]
    return subject.fill(
        "notice.html",
        rows=shown,
        left=left,
        count=counted(subject),
        sampled=subject.has_population_ranges,
        of_weights={
            "weight" in one.parameters for one in questions if any(n.total for n in one.numbers)
        },
        with_group_sizes=any(number.beside for number in numbers),
        penalized=any(question.is_model for question in questions),
        below_zero=any(question.has_negative_counts for question in questions),
        others=tuple(dict.fromkeys(name for one in questions for name in one.others)),
        bounds=tuple(dict.fromkeys(bounds)),
        minimums=_minimums(questions),
        missing=_missing(subject),
        meanings=[(column.title, column.meaning) for column in subject.columns if column.meaning],
        cost=cost_text(subject.cost, rho=False),
        further=() if subject.planned else questions,
        most_columns=_MOST_COLUMNS,
        most_numbers=MOST_NUMBERS,
    )


def counted(subject: DocumentContext) -> int:
    """Return how many numbers were published, or how many questions are planned.

    Those that are in no question itself count, too, such as the counts of a synthetic
    table: all of them are on the sheets. What cannot be said is no number.
    """
    if subject.planned:
        return len(subject.questions)
    return sum(question.published for question in subject.questions)


def ordered(subject: DocumentContext) -> tuple[DocumentEntry, ...]:
    """Return the questions, those of the table that was asked last first."""
    tables = [*dict.fromkeys(one.table for one in reversed(subject.questions))]
    return tuple(sorted(subject.questions, key=lambda one: tables.index(one.table)))


def _minimums(questions: Sequence[DocumentEntry]) -> dict[tuple[int, str], str]:
    """Return the public minimums in divisors, of what, each with the questions that have it."""
    found: dict[tuple[int, str], dict[str, None]] = {}
    for question in questions:
        if question.minimum is not None:
            least = question.minimum, question.unit_of_rows.counted
            found.setdefault(least, {})[question.asks] = None
    return {least: listed([*names], by="; ") for least, names in found.items()}


def _missing(subject: DocumentContext) -> dict[str, object]:
    """Return how missing values are treated, and in which columns."""
    columns, known = subject.columns, subject.missing

    def titles(way: str) -> tuple[str, ...]:
        found = (one.title for one in columns if way in known.get(one.name, ()))
        return tuple(dict.fromkeys(found))

    return {
        "is_complete": assumptions.is_complete(known),
        "imputed": [
            f"{replacement_text(column)} ({column.title})"
            for column in assumptions.imputed(columns, known)
        ],
        "only_left_out": assumptions.only_left_out(columns, known),
        "in_group_sizes": any(question.counted_column for question in subject.questions),
        "grouped": titles(OTHERS),
        "compared": titles(PAIR_ONLY),
        "outside": titles(OTHER_GROUPS_LEFT_OUT),
    }


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


def _shown(subject: DocumentContext) -> tuple[list[tuple[str, ...]], int]:
    """Return the rows of the sheet, and how many figures or questions it leaves out."""
    questions = ordered(subject)
    if subject.planned:
        planned: list[tuple[str, ...]] = [(capital(one.name), one.width) for one in questions]
        return planned[:_MOST_ROWS], max(len(planned) - _MOST_ROWS, 0)
    listed = [
        (at, question, number)
        for at, question in enumerate(questions)
        for number in question.numbers
        if not (number.beside or number.label.endswith(MODEL_SCALE))
    ]
    newest = sum(one.table == questions[0].table for one in questions)
    shown = fairly([at for at, _, _ in listed], first=newest)
    left = counted(subject) - sum(row.itself and not listed[row.place][2].unsaid for row in shown)
    rows = []
    for row in shown:
        _, question, number = listed[row.place]
        rows.append(
            _row(question, number, subject) if row.itself else _elsewhere(question, subject)
        )
    return rows, left


def _elsewhere(question: DocumentEntry, subject: DocumentContext) -> tuple[str, ...]:
    """Return the row that stands for a question whose numbers have no room here."""
    sizes = sum(number.beside for number in question.numbers)
    unsaid = len(question.numbers) - question.published
    parts = (
        f"{question.published - sizes} figures",
        f"{sizes} group sizes" * bool(sizes),
        f"{unsaid} without a value" * bool(unsaid),
    )
    held = f"{', '.join(filter(None, parts))}: next sheet"
    return capital(question.known_as), held, "", *("",) * subject.has_population_ranges


def _row(question: DocumentEntry, number: Number, subject: DocumentContext) -> tuple[str, ...]:
    """Return a number of a question with where the table's own one lies."""
    asked = question.known_as
    alone = len(question.numbers) == 1 or number.label == question.name
    name = asked if alone else _numbered(asked, number.label)
    total = (number.total,) * subject.has_population_ranges
    return capital(name), number.text, number.range_text, *total


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
