"""The questions of an account as a plan, to be asked again, and the schema of plans."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from dpcore.documents.subject import Subject
from dpcore.errors import ParameterError
from dpcore.planning.analysis_plan import LEAST, MOST, MOST_ITEMS, AnalysisPlan, PlannedQuery, Split
from dpcore.planning.plan_files import to_json

_SCHEMA: Final = Path(__file__).with_name("plan.schema.json")


def schema() -> str:
    """Return the JSON schema of files of plans, as text."""
    return _SCHEMA.read_text(encoding="utf-8")


def plan_text(subject: Subject) -> str:
    """Return the questions as a plan in JSON, as the Plan page reads it."""
    return to_json(plan_of(subject))


def plan_of(subject: Subject) -> AnalysisPlan:
    """Return the questions as a plan, each once, with the epsilon that it had.

    A question about a column that went away, or one that no plan takes, is left out.
    """
    basket = AnalysisPlan()
    for question in subject.questions:
        if question.request is None or len(basket.items) == MOST_ITEMS:
            continue
        try:
            item = PlannedQuery.of(question.request)
            if item.key not in basket.keys:
                basket = basket.with_item(item)
        except ParameterError:
            continue
    total = min(max(basket.planned, LEAST), MOST)
    delta = min(float(subject.cost.delta), 0.1)
    return AnalysisPlan(items=basket.items, total=total, delta=delta, split=Split.TYPED)
