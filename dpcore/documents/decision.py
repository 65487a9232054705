"""One page to sign: what was decided about a plan, on which grounds, and by whom.

It holds what people typed and what is public: the name of the table, declared columns,
the plan and the one that it was held against. Nothing in it is computed from the table;
how many people there are is said only where that number is public.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from dpcore.analyses.identity import mark_of
from dpcore.data.columns import Column
from dpcore.data.quantities import bounds_text, replacement_text
from dpcore.documents import assumptions, claims
from dpcore.documents.context import (
    BudgetChange,
    CuratorInput,
    changed,
    guarantee_text,
    left_of,
    limit_of,
    own,
)
from dpcore.documents.page import (
    Blanks,
    Exact,
    Facts,
    Numerals,
    Page,
    PageTable,
    Paragraph,
    Piece,
    Section,
)
from dpcore.formatting import capital, epsilon_text, percent, significant
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.comparison import Option, Row, rows_of
from dpcore.planning.group_sizes import SmallestGroup, seen, sign, tells_sizes, too_few
from dpcore.planning.outcomes import numbers_of
from dpcore.planning.targets import (
    OF_A_DIFFERENCE,
    is_difference,
    is_uninformative,
    size_condition_text,
)
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize

TITLE: Final = "Decision on a release with differential privacy"
_MOST_LABELS: Final = 12
_FEWEST_SIGNATURES: Final = 2
_BEYOND: Final = (
    "Values outside public bounds are clamped. ± does not include the effect of clamping."
)
_TOO_LITTLE: Final = "this plan costs more than is left, so the budget must be raised"
_TOO_FEW: Final = ("", ": hence (✓)", ": hence ✗")
_NUMBERS: Final = frozenset({3, 4, 5, 6, 7})


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is decided. PUBLIC.

    Attributes:
        table: What the table is called.
        plan: What shall be released.
        other: What it was held against.
        relation: Which tables count as neighbors.
        unit: Whom the guarantee protects.
        size: What is public about the number of people.
        budget: What all releases about the table together may cost.
        spent: What they cost so far, with what was answered of the plan.
        changes: What was changed about the budget.
        told: The smallest group of each question, where an answer has told its size.
        typed: What people have typed.
        lesson: Whether this is a lesson that nobody agreed to.
        prepared: The day on which the page was made.

    """

    table: str
    plan: Option
    other: Option
    relation: NeighboringRelation
    unit: PrivacyUnit
    size: TableSize
    budget: PrivacyBudget
    spent: PrivacyCost
    changes: tuple[BudgetChange, ...] = ()
    told: Mapping[str, SmallestGroup] = field(default_factory=dict)
    typed: CuratorInput
    lesson: bool
    prepared: date

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return every column that the plan reads, once."""
        asked = [item.request.asked for item in self.plan.basket.items]
        known = {column.name: column for one in asked for column in one.columns}
        return tuple(known.values())

    @property
    def fits(self) -> bool:
        """Return whether the budget pays for the rest of the plan beside what is spent.

        What has been answered is part of what is spent, and costs nothing more.
        """
        return self.budget.admits(self.spent, self.plan.due.cost)

    @property
    def other_fits(self) -> bool:
        """Return whether the budget pays for the other plan beside what is spent.

        Once the plan has been released nobody chooses between the two any more.
        """
        return self.plan.done or self.budget.admits(self.spent, self.other.due.cost)

    @property
    def together(self) -> tuple[float, float] | None:
        """Return epsilon and delta of what is spent and the rest of the plan, added up.

        ``None`` where nothing else is spent: then it is what the plan costs.
        """
        total = self.spent + self.plan.due.cost
        told = float(total.epsilon), float(total.delta)
        return None if told == self.plan.guarantee else told

    @property
    def left(self) -> PrivacyCost:
        """Return what is left of the budget once the whole plan is paid for."""
        return self.budget.remaining(self.spent + self.plan.due.cost)


def decision_page(about: Decision, numerals: Numerals) -> Page:
    """Return the page; what was typed, and what came with the table, stays as it is."""
    return Page(
        title=TITLE,
        pieces=(
            _facts(about, numerals),
            Section(title="Questions", pieces=_questions(about, numerals)),
            Section(title="Alternative considered", pieces=_other(about)),
            Section(title="Sign-off", pieces=_signatures(about, numerals), whole=True),
        ),
        numerals=numerals,
        mark="Classroom: a lesson, not a decision about real data." if about.lesson else "",
        foot=Exact(
            f"Prepared on {about.prepared.isoformat()} with Epsilon Studio from what "
            "was declared and typed. Apart from a declared number of "
            f"{about.unit.counted} and earlier answers, nothing on this page is "
            "computed from the table. "
            f"{_effect(about)}"
        ),
        sheet=True,
    )


def _facts(about: Decision, numerals: Numerals) -> Facts:
    """Return who, what and how much."""
    typed, guarantee = about.typed, about.plan.guarantee
    return Facts(
        (
            ("Purpose", own(typed.purpose)),
            ("Table", own(about.table)),
            ("Columns", Exact("\n".join(_columns(about, numerals)))),
            ("Privacy unit", _protected(about)),
            ("Sizes", _sizes(about)),
            ("Budget", _budget(about, numerals)),
            (
                "Total cost",
                (f"{guarantee_text(*guarantee)}: {_odds(about, guarantee)}{_released(about)}"),
            ),
            *_together(about),
            *_smallest(about),
            (f"{capital(about.unit.nouns)} and period", own(typed.period)),
        )
    )


def _columns(about: Decision, numerals: Numerals) -> list[str]:
    """Return what is declared about each column that the plan reads."""
    done = assumptions.treated(about.plan.basket.items)
    return [_column(column, numerals, done[column.name]) for column in about.columns]


def _column(column: Column, numerals: Numerals, done: Mapping[str, Sequence[int]]) -> str:
    """Return what is declared about a column; its own words stay as they are."""
    without = "; ".join(f"no. {_listed(at)}: {told}" if at else told for told, at in done.items())
    about = "; ".join(part for part in (column.unit, column.meaning) if part)
    name = f"{column.title} ({about})" if about else column.title
    if column.kind.is_numeric:
        known = numerals.written(bounds_text(column) or "no bounds")
    else:
        more = len(column.labels) - _MOST_LABELS
        known = ", ".join(column.labels[:_MOST_LABELS])
        known += f" and {more} more" if more > 0 else ""
    words = isinstance(column.replacement, str)
    return f"{name}: {known} ({without if words else numerals.written(without)})"


def _protected(about: Decision) -> str:
    unit = about.unit
    rows = f" with {unit.owned}" if unit.several else ""
    differ = claims.neighbors(about.relation, unit)
    return f"One {unit.noun}{rows}. Neighboring tables differ by {differ}"


def _sizes(about: Decision) -> str:
    items = about.plan.basket.items
    rows = about.unit.counted
    counted = f"{about.size.people:,} {rows}"
    whole = (
        f"The number of {rows} is public: {counted}"
        if about.size.public
        else f"The number of {rows} is private. A public minimum of {counted} is used instead"
    )
    whole += "".join(
        f". {_numbered(places)} {'assume' if len(places) > 1 else 'assumes'} at least "
        f"{least:,}, a public minimum, because missing values are left out"
        for least, places in assumptions.minimums(items, about.size).items()
    )
    groups = assumptions.assumed_groups(items)
    if not groups:
        return whole
    sizes = "; ".join(f"{size:,} ({_lower(places)})" for size, places in groups.items())
    return f"{whole}. ± assumes groups of {sizes}. It is larger for smaller groups"


def _budget(about: Decision, numerals: Numerals) -> str:
    spent = float(about.spent.epsilon)
    before = f"Spent so far: ε = {epsilon_text(spent)}" if spent else "Nothing is spent"
    left = f"Left after this plan: {left_of(about.budget, about.left)}"
    short = left if about.fits else capital(_TOO_LITTLE)
    limit = float(about.budget.epsilon or 0), float(about.budget.delta or 0)
    whole = f". If all is used, {_odds(about, limit)}" if about.budget.epsilon else ""
    told = numerals.written(f"{limit_of(about.budget)}{whole}. {before}. {short}")
    return Exact(f"{told}{changed(about.changes, numerals)}")


def _released(about: Decision) -> str:
    """Return what of the plan has been answered, which is then paid for."""
    plan = about.plan
    if not plan.released:
        return ""
    days = " and ".join(day.isoformat() for day in plan.days)
    paid = "Its cost is part of what is spent"
    if plan.done:
        return Exact(f". The plan was released on {days}. {paid}")
    count, due = len(plan.released), plan.due.cost
    return (
        f". {count} of {len(plan.basket.items)} questions were released on {days}. "
        "Their cost is part of what is spent. The others cost "
        f"{guarantee_text(float(due.epsilon), float(due.delta))} more"
    )


def _effect(about: Decision) -> str:
    if about.plan.done:
        return "The plan has been released."
    return "It has no effect before the plan is released."


def _together(about: Decision) -> tuple[tuple[str, str], ...]:
    """Return what the plan comes to with what was spent before it, where it does."""
    told = about.together
    if told is None:
        return ()
    name = "All spent so far" if about.plan.done else "With earlier releases"
    return ((name, f"{guarantee_text(*told)}: {_odds(about, told)}"),)


def _smallest(about: Decision) -> tuple[tuple[str, str], ...]:
    """Return the smallest total that meets every target, where it can be chosen."""
    told = about.plan.smallest
    return (("Smallest total", told),) if told else ()


def _odds(about: Decision, guarantee: tuple[float, float]) -> str:
    """Return the accuracy of an attacker, as notice and report state it."""
    return claims.accuracy(*guarantee, about=f"one {about.unit.noun}")


def _questions(about: Decision, numerals: Numerals) -> tuple[Piece, ...]:
    """Return every question with its mechanism, epsilon and error in both plans."""
    rows = rows_of(about.plan.basket.items, about.other.basket.items)
    table = PageTable(
        title=f"{_counts(about)}± is the margin of error (95%, noise only). ✓ meets "
        "the target, (✓) perhaps, ✗ does not.",
        head=("no.", "question", "mechanism", "ε", "±", "target",
              "alternative: ε", "alternative: ±"),
        rows=tuple(
            (str(at), *_question(row, about.told, numerals))
            for at, row in enumerate(rows, 1)
        ),
        numbers=_NUMBERS,
    )  # fmt: skip
    notes = [
        f"No. {at}: ± is for {_of_what(row.item, about)}. {_condition(row, about)}".rstrip()
        for at, row in enumerate(rows, 1)
        if row.item.width.of
    ]
    if any(row.wanted is not None and is_difference(row.item) for row in rows):
        notes.append(OF_A_DIFFERENCE)
    locked = _locks(rows)
    if locked:
        notes.append(f"The ε of {_lower(locked)} was fixed by hand.")
    notes.extend(_rests(about, numerals))
    counts = _sizes_told(rows)
    if counts:
        notes.append(f"The answer to {_lower(counts)} includes noisy group sizes at no extra cost.")
    if not notes:
        return (table,)
    return table, Paragraph("\n".join(notes), kind="note")


def _numbered(places: Sequence[int]) -> str:
    """Return the numbers of questions, at the start of a sentence.

    >>> _numbered((1,)), _numbered((1, 3, 4))
    ('No. 1', 'Nos. 1, 3 and 4')
    """
    *first, last = map(str, places)
    return f"Nos. {', '.join(first)} and {last}" if first else f"No. {last}"


def _lower(places: Sequence[int]) -> str:
    return _numbered(places).replace("N", "n", 1)


def _marks(plan: Option) -> str:
    """Return the mark of each question of the plan, by its number."""
    return ", ".join(
        f"{at} {mark_of(item.request.parameters())}" for at, item in enumerate(plan.basket.items, 1)
    )


def _counts(about: Decision) -> str:
    """Return how many numbers the answers to the questions have, if that is known."""
    each = numbers_of(about.plan.basket.items)
    if not each:
        return ""
    parts = f" ({' + '.join(map(str, each))})" if len(each) > 1 else ""
    return f"{sum(each):,} numbers are released in total{parts}. "


def _rests(about: Decision, numerals: Numerals) -> list[str]:
    """Say what no ± covers: who is left out, and what stands in for missing values."""
    items = about.plan.basket.items
    told: list[str] = [
        Exact(
            f"No. {one.place} includes the means of {one.pair[0]} and {one.pair[1]}"
            f"{_left_out(one)}."
        )
        for one in assumptions.compared(items)
    ]
    pairs = assumptions.crossed(items)
    if pairs:
        told.append(
            f"{_numbered(pairs)}: ± and ✓ are for single cells. Totals of rows and "
            "columns are less accurate."
        )
    if any(column.bounds is not None for column in about.columns):
        told.append(_BEYOND)
    stand_in = assumptions.filled(items)
    if stand_in:
        values = "; ".join(f"{column.title}: {_stand_in(column, numerals)}" for column in stand_in)
        told.append(
            Exact(
                f"Missing values are imputed ({values}). ± does not include the effect "
                "of imputation."
            )
        )
    return told


def _left_out(one: assumptions.ComparedGroups) -> str:
    """Say what a comparison of two groups leaves out, if anything."""
    known = [*one.others]
    if not one.column.complete:
        known.append(f"missing values of {one.column.title}")
    return f". It leaves out {', '.join(known)}" if known else ""


def _stand_in(column: Column, numerals: Numerals) -> str:
    said = replacement_text(column)
    return said if isinstance(column.replacement, str) else numerals.written(said)


def _listed(numbers: Sequence[int]) -> str:
    """Return the numbers of questions in a row."""
    return ", ".join(map(str, numbers))


def _sizes_told(rows: Sequence[Row]) -> tuple[int, ...]:
    """Return the numbers of the questions whose answers tell the sizes of groups."""
    return tuple(
        at
        for at, row in enumerate(rows, 1)
        if row.first is not None and tells_sizes(row.item.request.asked)
    )


def _locks(rows: Sequence[Row]) -> tuple[int, ...]:
    """Return the numbers of the questions that were to keep their epsilon.

    Of none where all are, as once the plan was released: that tells them not apart.
    """
    kept = [row.first is not None and row.first.locked for row in rows]
    return () if all(kept) else tuple(at for at, lock in enumerate(kept, 1) if lock)


def _of_what(item: PlannedQuery, about: Decision) -> str:
    """Return what an error is about; of ranks, with their share of all ranks."""
    width, size = item.width, about.size
    if width.unit != "ranks" or not size.public or not math.isfinite(width.half):
        return width.of
    share = percent(min(width.half / size.people, 1.0))
    return f"{width.of}, {share} of {size.people:,} {about.unit.counted}"


def _condition(row: Row, about: Decision) -> str:
    """Return on which size of groups the ✓ of the plan hangs; empty where on none.

    With the size that an answer has told, where there is one.
    """
    if row.first is None:
        return ""
    known = about.told.get(row.first.key)
    said = size_condition_text(row.first)
    if known is None or not said:
        return said
    hence = _TOO_FEW[too_few(row.first, about.told) if row.first.seen else 0]
    return f"{said} {known.text}{hence}."


def _question(row: Row, told: Mapping[str, SmallestGroup], numerals: Numerals) -> tuple[str, ...]:
    item = row.item
    unit = f" {item.width.unit}" if item.width.unit else ""
    wanted = "" if row.wanted is None else significant(row.wanted, 6)
    named = item.name
    if item.request.title != item.name:
        named += f" ({item.request.title})"
    first, second = (_answer(row, one, told, numerals) for one in (row.first, row.second))
    must = Exact(numerals.written(wanted) + unit if wanted else "")
    return Exact(named), Exact(item.request.mechanism_label), *first, must, *second


def _answer(
    row: Row, item: PlannedQuery | None, told: Mapping[str, SmallestGroup], numerals: Numerals
) -> tuple[str, str]:
    if item is None:
        return "", "not included"
    unit = f" {row.item.width.unit}".rstrip()
    half = numerals.written(item.width.text) + unit
    said = half if math.isfinite(item.width.half) else "unknown"
    said += ": uninformative" * is_uninformative(item)
    signed = sign(item, told, shown=row.shown(item)) + said
    return significant(item.epsilon, 6), Exact(signed)


def _other(about: Decision) -> tuple[Piece, ...]:
    """Return the other plan in one line, and why it was not chosen."""
    cost = about.other.guarantee
    told = f"The alternative costs {guarantee_text(*cost)}: {_odds(about, cost)}."
    if about.plan.wanted:
        told += (
            f" The plan meets {_seen(about, about.plan)} of {about.plan.wanted} "
            f"targets. The alternative meets {_seen(about, about.other)} of "
            f"{about.other.wanted}."
        )
    if not about.other_fits:
        told += " The alternative costs more than is left of the budget."
    return Paragraph(told), Facts((("Reason for this plan", own(about.typed.reason)),))


def _seen(about: Decision, option: Option) -> int:
    return seen(option.basket.items, about.told)


def _signatures(about: Decision, numerals: Numerals) -> tuple[Piece, ...]:
    """Return what is signed, and lines to sign on, one person after the other."""
    typed = about.typed
    missing = max(0, _FEWEST_SIGNATURES - len(typed.deciders))
    place = f"{own(typed.place)}, date" if typed.place.strip() else "Place, date"
    price = numerals.written(guarantee_text(*about.plan.guarantee))
    signed = (
        f"Signed for {own(about.table)}, {price}, and the questions with these marks: "
        f"{_marks(about.plan)}. Notice and report repeat the marks."
    )
    lines = (
        Blanks((Exact(place), Exact(f"Signature: {own(name)}")))
        if name
        else Blanks(("Name", Exact(place), "Signature"))
        for name in (*typed.deciders, *[""] * missing)
    )
    return Paragraph(Exact(signed), kind="note"), *lines
