"""From records to what documents are about."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Final

from dpcore.analyses.base import Releasable, Request
from dpcore.data.columns import Column
from dpcore.data.partitions.table import Table
from dpcore.data.preparation.steps import is_joined
from dpcore.documents import assumptions
from dpcore.documents.context import (
    USUAL_DELTA,
    BudgetChange,
    DocumentContext,
    LedgerHead,
    PeriodText,
    budget_text,
    cost_text,
    remaining_text,
)
from dpcore.documents.question import DocumentEntry
from dpcore.errors import DPCoreError, ParameterError
from dpcore.figures.privacy_label import LabelFacts
from dpcore.ledger.chain import EntryKind, LedgerEntry
from dpcore.ledger.periods import BudgetPeriod, limit
from dpcore.planning.analysis_plan import LEAST, MOST, MOST_ITEMS, AnalysisPlan, PlannedQuery, Split
from dpcore.planning.plan_cost import cost_of_plan
from dpcore.planning.plan_files import to_json
from dpcore.privacy_filter import PrivacyBudget
from dpcore.releases.declared import renamed, request_of, types_of, with_recorded
from dpcore.releases.record import Release, in_force


@dataclass(frozen=True, kw_only=True)
class Background:
    """What is public about an account, whatever was asked on it.

    Attributes:
        facts: The account, with whom it protects.
        dataset: The table in use, for what is declared of its columns. CONFIDENTIAL,
            and not looked at.
        everybody: Whether it holds everybody, and is no sample.
        periods: The times that have limits of their own.
        entries: What the account wrote into the ledger, in order.
        today: The day, ISO 8601.

    """

    facts: LabelFacts
    dataset: Table
    everybody: bool
    entries: Sequence[LedgerEntry]
    today: str
    periods: Sequence[BudgetPeriod] = ()


def released(
    releases: Sequence[Release],
    behind: Background,
    *,
    tables: Mapping[str, str] | None = None,
    called: Mapping[str, str] | None = None,
    conclusions: Mapping[str, Mapping[str, str]] | None = None,
) -> DocumentContext:
    """Return what was released on an account.

    ``tables`` names the table of each release, by its id, where there are several, and
    ``called`` has what people call questions now, by their marks; otherwise they have
    the names of their records. ``conclusions`` are those of each release, by its id.

    An answer that was sharpened is not listed: the sharper one says what it was, and has
    the cost of both.
    """
    names, releases = tables or {}, in_force(releases)
    columns = {column.name for column in behind.dataset.columns}
    known = [_as_now(one, behind) for one in releases]
    asked = (
        DocumentEntry.of_release(
            one.of_everybody() if behind.everybody or one.of_several_rows else one, request
        )
        for one, request in known
    )
    questions = [
        _in_table(
            replace(
                question,
                called=(called or {}).get(question.mark, one.name),
                conclusions=tuple((conclusions or {}).get(one.id, {}).items()),
                repeatable=columns.issuperset(types_of(one.request)),
            ),
            names.get(one.id),
        )
        for question, one in zip(asked, releases, strict=True)
    ]
    return _subject(
        questions,
        behind,
        charged=None,
        tables=tuple(dict.fromkeys(names.values())),
        delta=float(behind.facts.budget.delta or 0)
        or max(USUAL_DELTA, float(sum(question.cost.delta for question in questions))),
    )


def _in_table(question: DocumentEntry, table: str | None) -> DocumentEntry:
    if table is None:
        return question
    return replace(question, name=f"{question.name}, in “{table}”", table=table)


def planned(basket: AnalysisPlan, behind: Background) -> DocumentContext:
    """Return what is planned for a table.

    Raises:
        ParameterError: A question cannot be carried out.

    """
    requests = [item.request for item in basket.items]
    return _subject(
        [DocumentEntry.of_item(item) for item in basket.items],
        behind,
        charged=cost_of_plan(requests, delta=basket.delta).cost,
        delta=basket.delta,
    )


def _subject(
    questions: Sequence[DocumentEntry], behind: Background, **told: object
) -> DocumentContext:
    return DocumentContext(
        facts=behind.facts,
        questions=tuple(questions),
        columns=_columns(questions),
        missing=assumptions.treatments(
            question.request.asked for question in questions if question.request is not None
        ),
        everybody=behind.everybody,
        joined=is_joined(behind.dataset),
        head=_head(behind.entries),
        periods=tuple(_time(period, behind.periods) for period in behind.periods),
        today=behind.today,
        **told,  # type: ignore[arg-type] # the two fields that differ
    )


def _as_now(release: Release, behind: Background) -> tuple[Release, Releasable | None]:
    """Return a release in the words of now, with its question.

    Columns that the table in use lacks are as the record declares them.
    """
    with contextlib.suppress(DPCoreError, LookupError, TypeError, ValueError):
        known = with_recorded(behind.dataset, release)
        release = renamed(release, known, behind.facts.unit)
        request = request_of(release, known, behind.facts.unit)
        return replace(release, title=request.title), request
    return release, None


def _columns(questions: Sequence[DocumentEntry]) -> tuple[Column, ...]:
    """Return each column as it was declared, once; twice where that was changed."""
    known = (
        column
        for question in questions
        if question.request is not None
        for column in question.request.asked.columns
    )
    return tuple(dict.fromkeys(known))


def _head(entries: Sequence[LedgerEntry]) -> LedgerHead | None:
    if not entries:
        return None
    last = entries[-1]
    return LedgerHead(
        entries=len(entries),
        digest=last.digest,
        recorded=last.recorded,
        changes=changes_of(entries),
        kinds=tuple(Counter(entry.kind for entry in entries).items()),
    )


def _time(period: BudgetPeriod, known: Sequence[BudgetPeriod]) -> PeriodText:
    allowed = limit(known, period)
    return PeriodText(
        name=period.name,
        days=f"{period.begins.isoformat()} to {period.ends.isoformat()}",
        limit=budget_text(allowed),
        spent=cost_text(period.spent, rho=allowed.rho is not None),
        left=remaining_text(allowed, allowed.remaining(period.spent)),
    )


def changes_of(entries: Sequence[LedgerEntry]) -> tuple[BudgetChange, ...]:
    """Return how the budget of an account was changed, from all its entries."""
    told = [
        (entry, budget_text(PrivacyBudget.from_json(entry.content["budget"])))
        for entry in entries
        if entry.kind in {EntryKind.ACCOUNT, EntryKind.BUDGET}
    ]
    return tuple(
        BudgetChange(
            when=entry.recorded[:19].replace("T", " "),
            before=before,
            after=after,
            why=str(entry.content["reason"]),
        )
        for (_, before), (entry, after) in pairwise(told)
        if entry.kind is EntryKind.BUDGET
    )


_SCHEMA: Final = Path(__file__).with_name("plan.schema.json")


def schema() -> str:
    """Return the JSON schema of files of plans, as text."""
    return _SCHEMA.read_text(encoding="utf-8")


def plan_text(subject: DocumentContext) -> str:
    """Return the questions as a plan in JSON, as the Plan page reads it."""
    return to_json(plan_of(subject))


def plan_of(subject: DocumentContext) -> AnalysisPlan:
    """Return the questions as a plan, each once, with the epsilon that it had.

    A question about a column that went away, or one that no plan takes, is left out.
    """
    basket = AnalysisPlan()
    for question in subject.questions:
        if question.request is None or not question.repeatable or len(basket.items) == MOST_ITEMS:
            continue
        request = question.request
        if isinstance(request, Request):
            request = replace(request, sharpens=None)  # a plan asks for it by itself
        try:
            item = PlannedQuery.of(request)
            if item.key not in basket.keys:
                basket = basket.with_item(item)
        except ParameterError:
            continue
    total = min(max(basket.planned, LEAST), MOST)
    delta = min(float(subject.cost.delta), 0.1)
    return AnalysisPlan(items=basket.items, total=total, delta=delta, split=Split.TYPED)
