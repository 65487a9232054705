"""An entry for a public registry of deployments of differential privacy, in YAML."""

from __future__ import annotations

from decimal import Decimal

from dpcore.data.columns import Column
from dpcore.data.quantities import bounds_text
from dpcore.documents.context import DocumentContext, cost_text


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
        columns=[_column(column) for column in subject.columns],
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


def _column(column: Column) -> str:
    unit = f" in {column.unit}" if column.unit else ""
    if column.bounds is None:
        return f"{column.title} ({', '.join(column.labels)})"
    return f"{column.title} ({bounds_text(column)}{unit})"
