"""Planning a budget: what must be seen decides what it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpcore.figures.attackers import surest
from dpcore.figures.plans import margins_picture
from dpcore.formatting import in_full, significant
from dpcore.lessons import survey
from dpcore.lessons.lesson import Knob, Lesson, LessonText, LessonView, Settings, ask, right, wrong
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery, Split
from dpcore.planning.comparison import BudgetComparison, around, compare
from dpcore.planning.splits import settled

_WANTED = (("age", 0.5), ("TV news", 0.1), ("income", 0.5))
_TOTAL = 1.0
_BUDGETS = (0.25, 0.5, 1.0, 2.0, 4.0)


def _comparison(
    total: float, strictness: float = 1.0, budgets: Sequence[float] = _BUDGETS
) -> BudgetComparison:
    items = tuple(
        replace(PlannedQuery.of(survey.mean_request(1.0, name=name)), wanted=wanted / strictness)
        for name, wanted in _WANTED
    )
    return compare(settled(AnalysisPlan(items=items, total=total, split=Split.BEST)), budgets)


def _enough(found: BudgetComparison) -> list[int]:
    """Return how many questions each total answers as exactly as wanted."""
    return [int(count) for count in np.nansum(found.enough, axis=0)]


def _lesson_view(settings: Settings) -> LessonView:
    total, strictness = settings["total"], settings["strictness"]
    found = _comparison(total, strictness, around(total))
    count = _enough(found)[found.own]
    return LessonView(
        picture=margins_picture(found),
        sentence=f"A total of ε = {in_full(total)} meets {count} of {len(_WANTED)} targets. An "
        f"attacker who was 50% sure becomes at most {surest(total)} sure.",
    )


def _lesson_text() -> LessonText:
    found = _comparison(_TOTAL)
    counts, totals = _enough(found), found.totals
    least = next((t for t, n in zip(totals, counts, strict=True) if n == len(_WANTED)), np.inf)
    small, brackets = counts[0], survey.bounds("income")
    wants = "; ".join(
        f"{name} within ±{significant(wanted)} {unit}".strip()
        for (name, wanted), unit in zip(_WANTED, found.units, strict=True)
    )
    return LessonText(
        situation=f"A board must choose a guarantee for {survey.table().people} people. It "
        f"wants three averages: {wants}.",
        predict=ask(
            "Which total ε is the smallest that meets all three targets: "
            f"{', '.join(significant(t) for t in totals)}?",
            wrong(
                f"{significant(totals[-1])}: three answers need a lot",
                f"It does, but {significant(least)} is enough. Do not spend more than needed.",
            ),
            right(
                significant(least),
                "Below it, at least one answer misses its target. Above it, people lose more "
                "privacy than needed.",
            ),
            wrong(
                f"{significant(totals[0])}: averages need hardly anything",
                f"It meets {small} of {len(_WANTED)} targets.",
            ),
        ),
        questions=(
            ask(
                "What should be decided first?",
                wrong(
                    "ε, and then the margins of error",
                    "Then nobody knows whether the answers will be useful until the budget "
                    "is spent.",
                ),
                right(
                    "The target margins of error",
                    "They determine the smallest ε. Then the board decides whether that ε is "
                    "acceptable.",
                ),
                wrong("How many people are in the table", "That is given and cannot be chosen."),
            ),
            ask(
                "The board wants everything twice as exact. What does that take?",
                right(
                    "Twice the ε, or twice the people",
                    "Half the noise is twice the price. There is no third way except fewer "
                    "questions.",
                ),
                wrong("A better program", "The noise is as small as the guarantee allows."),
                wrong(
                    "Four times the ε",
                    "For this noise, error and ε are in inverse proportion: twice.",
                ),
            ),
            ask(
                "May the board look at the table before it decides?",
                wrong(
                    "Yes: it is its own table",
                    "Then its decision depends on the data, and reveals something about people.",
                ),
                right(
                    "No: a plan uses public numbers only",
                    "Margins of error and costs follow from ε, bounds and the number of "
                    "people. The data are not needed.",
                ),
            ),
        ),
        recall="How should ε be chosen?",
        home="First set a target margin of error for each question. Then choose the smallest "
        "ε that meets all targets.",
        notes=(
            (
                "Below its dotted line a question meets its target. Plan draws the same "
                "lines for your own questions."
            ),
            "Ask who was involved when the targets were set.",
            f"Income is in brackets, from {in_full(brackets.lower)} to {in_full(brackets.upper)}.",
        ),
        safe="A plan gives two numbers to compare: how sure an attacker may become, and how "
        "accurate the answers are.",
    )


LESSON = Lesson(
    key="planning",
    title="Planning a budget",
    text=_lesson_text,
    knobs=(
        Knob(
            key="total",
            label="Total ε",
            value=_TOTAL,
            within=(0.25, 4.0, 0.25),
            note="The guarantee for all answers together.",
        ),
        Knob(
            key="strictness",
            label="Accuracy factor",
            value=1.0,
            within=(0.5, 4.0, 0.5),
            note="2 asks for half the margins of error that the board set.",
        ),
    ),
    view=_lesson_view,
)
