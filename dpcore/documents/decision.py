"""One page to sign: what was decided about a plan, on which grounds, and by whom.

It holds what people typed and what is public: the name of the table, declared columns,
the plan and its alternative. Nothing in it is computed from the table; the number of
people is stated only where it is public.
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
    budget_text,
    changes_of_amount,
    guarantee_text,
    remaining_text,
)
from dpcore.documents.rendering import Numerals, render
from dpcore.figures.risks import PRIOR, level_text, risk_text
from dpcore.formatting import percent
from dpcore.planning.analysis_plan import PlannedQuery
from dpcore.planning.comparison import Option, Row, rows_of
from dpcore.planning.group_sizes import SmallestGroup, released_sizes, seen, sign, too_few
from dpcore.planning.outcomes import numbers_of
from dpcore.planning.targets import (
    OF_A_DIFFERENCE,
    is_difference,
    is_uninformative,
    size_condition_text,
)
from dpcore.privacy.tradeoff import of_events
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost
from dpcore.relations import NeighboringRelation, PrivacyUnit, TableSize

_FEWEST_SIGNATURES: Final = 2
_TOO_FEW: Final = ("", ": hence (✓)", ": hence ✗")
_LESSON: Final = "Classroom: a lesson, not a decision about real data."


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is decided. PUBLIC.

    Attributes:
        table: What the table is called.
        plan: What shall be released.
        other: What it was held against.
        relation: Which tables count as neighbors.
        unit: The privacy unit.
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
    def level(self) -> str:
        """Return the level of Gaussian DP of the plan, and the largest success rate of a guess."""
        curve = of_events(item.request.plan.event for item in self.plan.basket.items)
        return f"{level_text(curve.level)}: {risk_text(curve, PRIOR, self.relation)}"

    @property
    def left(self) -> PrivacyCost:
        """Return what is left of the budget once the whole plan is paid for."""
        return self.budget.remaining(self.spent + self.plan.due.cost)


def decision_page(about: Decision, numerals: Numerals) -> str:
    """Return the page; what was typed, and what came with the table, stays as it is."""
    items = about.plan.basket.items
    rows = rows_of(items, about.other.basket.items)
    with_targets = [row for row in rows if row.wanted is not None]
    return render(
        "decision.html",
        numerals,
        about=about,
        mark=_LESSON * about.lesson,
        rows=rows,
        counts=_counts(items),
        limit=budget_text(about.budget),
        whole=(about.budget.epsilon or 0, about.budget.delta or 0),
        neighbors=claims.neighbors(about.relation, about.unit),
        changes=changes_of_amount(about.changes),
        left=remaining_text(about.budget, about.left),
        treated=assumptions.treated(items),
        minimums=assumptions.minimums(items, about.size),
        groups=assumptions.assumed_groups(items),
        compared=assumptions.compared(items),
        crossed=assumptions.crossed(items),
        imputed=assumptions.imputed_in(items),
        clamped=any(column.bounds is not None for column in about.columns),
        difference=OF_A_DIFFERENCE if any(is_difference(row.item) for row in with_targets) else "",
        locked=_locked(rows),
        with_sizes=_with_sizes(rows),
        fewest_signatures=_FEWEST_SIGNATURES,
        accuracy_of=lambda guarantee: claims.accuracy(*map(float, guarantee)),
        bounds_of=bounds_text,
        condition_of=lambda row: _condition(row, about),
        error_of=lambda item: _error(item, about),
        is_finite=math.isfinite,
        is_uninformative=is_uninformative,
        mark_of=lambda item: mark_of(item.request.parameters()),
        numbered=_numbered,
        replacement_of=replacement_text,
        seen_in=lambda option: seen(option.basket.items, about.told),
        sign_of=lambda row, item: sign(item, about.told, shown=row.shown(item)),
        text_of=lambda guarantee: guarantee_text(*map(float, guarantee)),
    )


def _numbered(places: Sequence[int]) -> str:
    """Return the numbers of questions, at the start of a sentence.

    >>> _numbered((1,)), _numbered((1, 3, 4))
    ('No. 1', 'Nos. 1, 3 and 4')
    """
    *first, last = map(str, places)
    return f"Nos. {', '.join(first)} and {last}" if first else f"No. {last}"


def _counts(items: Sequence[PlannedQuery]) -> str:
    """Return how many numbers the answers to the questions have, if that is known."""
    each = numbers_of(items)
    if not each:
        return ""
    parts = f" ({' + '.join(map(str, each))})" if len(each) > 1 else ""
    return f"{sum(each):,} numbers are released in total{parts}. "


def _with_sizes(rows: Sequence[Row]) -> tuple[int, ...]:
    """Return the numbers of the questions whose answers tell the sizes of groups."""
    return tuple(
        at
        for at, row in enumerate(rows, 1)
        if row.first is not None and released_sizes(row.item.request.asked)
    )


def _locked(rows: Sequence[Row]) -> tuple[int, ...]:
    """Return the numbers of the questions that were to keep their epsilon.

    Of none where all are, as once the plan was released: that tells them not apart.
    """
    kept = [row.first is not None and row.first.locked for row in rows]
    return () if all(kept) else tuple(at for at, lock in enumerate(kept, 1) if lock)


def _error(item: PlannedQuery, about: Decision) -> str:
    """Return what an error is about; of ranks, with their share of all ranks."""
    width, size = item.width, about.size
    if width.unit != "ranks" or not size.public or not math.isfinite(width.half):
        return width.of
    share = percent(min(width.half / size.people, 1.0))
    return f"{width.of}, {share} of {size.people:,} {about.unit.counted}"


def _condition(row: Row, about: Decision) -> str:
    """Return on which size of groups the ✓ of the plan depends; empty where on none.

    With the size that an earlier answer has shown, where there is one.
    """
    if row.first is None:
        return ""
    known = about.told.get(row.first.key)
    said = size_condition_text(row.first)
    if known is None or not said:
        return said
    hence = _TOO_FEW[too_few(row.first, about.told) if row.first.seen else 0]
    return f"{said} {known.text}{hence}."
