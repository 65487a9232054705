"""The full report: every question, every price, and what is known not to be covered.

An entry for a public registry of deployments of differential privacy, in YAML.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Final

from dpcore.data.columns import Column
from dpcore.data.quantities import bounds_text, found_text, quantity_of
from dpcore.documents import assumptions
from dpcore.documents.context import DocumentContext, LedgerHead, cost_text, remaining_text
from dpcore.documents.notice import MOST_NUMBERS
from dpcore.formatting import significant
from dpcore.ledger.chain import EntryKind
from dpcore.statistics.conditions import LEFT_OUT, OTHERS, PAIR_ONLY

_ENTRIES: Final = {
    EntryKind.ACCOUNT: ("opening", "openings"),
    EntryKind.BUDGET: ("budget change", "budget changes"),
    EntryKind.RELATION: ("change of relation", "changes of relation"),
    EntryKind.DEBIT: ("charge", "charges"),
    EntryKind.RELEASE: ("answer", "answers"),
    EntryKind.ANEW: ("restart", "restarts"),
    EntryKind.TABLE: ("table", "tables"),
    EntryKind.PERIOD: ("period", "periods"),
    EntryKind.CLOSED: ("closing", "closings"),
}


def report(subject: DocumentContext) -> str:
    """Return the report."""
    facts, totals = subject.facts, subject.totals
    compositions = {
        "Basic composition": totals.basic,
        "Advanced composition": totals.advanced,
        "Zero-concentrated DP (zCDP)": totals.zcdp,
        "Privacy loss distributions (PLD)": totals.pld,
    }
    return subject.fill(
        "report.html",
        cost=cost_text(subject.cost),
        total=cost_text(subject.cost, rho=False),
        spent=cost_text(facts.spent),
        left=remaining_text(facts.budget, facts.budget.remaining(facts.spent)),
        columns=[_column(column, subject) for column in subject.columns],
        compositions=compositions,
        is_unbounded=any(map(math.isinf, compositions.values())),
        methods=methods(subject).strip(),
        entries="" if subject.head is None else _entries(subject.head),
        most_numbers=MOST_NUMBERS,
    )


def _column(column: Column, subject: DocumentContext) -> tuple[str, ...]:
    bounds = (bounds_text(column) or ", ".join(column.labels)) + found_text(column)
    ways = assumptions.of_column(column, subject.missing)
    missing = "; ".join(map(assumptions.treatment, ways))
    return column.title, column.meaning, quantity_of(column).name, bounds, missing


def _entries(head: LedgerHead) -> str:
    """Return how many entries there are, and of what."""
    told = ", ".join(f"{many:,} {_ENTRIES[kind][many != 1]}" for kind, many in head.kinds)
    return f"{head.entries:,}: {told}"


# The paragraph on methods, to be pasted into a paper.


def methods(subject: DocumentContext) -> str:
    """Return what was done, in sentences for a paper, with sources."""
    pld, columns, known = subject.totals.pld, subject.columns, subject.missing
    ways = {way for column in columns for way in assumptions.of_column(column, known)}
    imputed = assumptions.imputed(columns, known)
    clamped = any(column.bounds is not None for column in columns)
    return subject.fill(
        "methods.txt",
        effects=["clamping"] * clamped + ["imputation"] * bool(imputed),
        treated=["imputed with public values"] * bool(imputed)
        + ["left out"] * bool(ways & {LEFT_OUT, PAIR_ONLY})
        + ["counted with all other categories"] * (OTHERS in ways),
        pld=significant(pld, up=True) if subject.questions and math.isfinite(pld) else "",
        has_intervals=any(question.level is not None for question in subject.questions),
    )


# The checklist based on NIST SP 800-226, filled in where the program knows.


def checklist(subject: DocumentContext) -> str:
    """Return the checklist; what only people know is a line to write on."""
    return subject.fill("checklist.html", cost=cost_text(subject.cost))


def registry_entry(subject: DocumentContext) -> str:
    """Return the entry, with a remark where only the curator can fill it in."""
    models = [question.parameters.get("kind") == "model" for question in subject.questions]
    days = [question.when[:10] for question in subject.questions if question.when]
    count = len(subject.questions)
    return subject.fill(
        "registry-entry.yaml",
        answers="1 answer" if count == 1 else f"{count} answers",
        only_models=bool(models) and all(models),
        date=max(days, default=subject.today),
        variant=_variant(subject),
        parameters=_parameters(subject),
        columns=[_described(column) for column in subject.columns],
        cost=cost_text(subject.cost),
        with_plans=subject.planned or any(question.together for question in subject.questions),
    )


def _variant(subject: DocumentContext) -> str:
    if subject.facts.budget.rho is not None:
        return "Zero-concentrated DP"
    return "Approximate DP" if subject.cost.delta else "Pure DP"


def _parameters(subject: DocumentContext) -> dict[str, Decimal]:
    cost = subject.cost
    found = {"epsilon": cost.epsilon, "delta": cost.delta} if cost.epsilon.is_finite() else {}
    in_rho = subject.facts.budget.rho is not None and cost.rho.is_finite()
    return found | {"rho": cost.rho} if in_rho else found


def _described(column: Column) -> str:
    unit = f" in {column.unit}" if column.unit else ""
    if column.bounds is None:
        return f"{column.title} ({', '.join(column.labels)})"
    return f"{column.title} ({bounds_text(column)}{unit})"
