"""Planning a budget: what must be seen decides what it takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dpcore.figures.attackers import surest
from dpcore.figures.plans import slide_picture
from dpcore.formatting import significant
from dpcore.lessons import survey
from dpcore.lessons.lesson import Knob, Lesson, LessonText, LessonView, Settings, ask, right, wrong
from dpcore.planning.analysis_plan import AnalysisPlan, PlannedQuery, Split
from dpcore.planning.comparison import BudgetComparison, compare
from dpcore.planning.splits import settled

_WANTED = (("age", 0.5), ("TV news", 0.1), ("income", 0.5))
_TOTAL = 1.0
_BUDGETS = (0.25, 0.5, 1.0, 2.0, 4.0)


def _comparison(total: float, strictness: float = 1.0) -> BudgetComparison:
    items = tuple(
        replace(PlannedQuery.of(survey.mean_request(1.0, name=name)), wanted=wanted / strictness)
        for name, wanted in _WANTED
    )
    return compare(settled(AnalysisPlan(items=items, total=total, split=Split.BEST)), _BUDGETS)


def _enough(found: BudgetComparison) -> list[int]:
    """Return how many questions each total answers as exactly as wanted."""
    return [int(count) for count in np.nansum(found.enough, axis=0)]


def _lesson_view(settings: Settings) -> LessonView:
    total, strictness = settings["total"], settings["strictness"]
    found = _comparison(total, strictness)
    count = _enough(found)[found.own]
    return LessonView(
        picture=slide_picture(found),
        sentence=f"ε = {total:g} in all answers {count} of {len(_WANTED)} questions as "
        f"exactly as wanted, and leaves somebody who was 50% sure at most "
        f"{surest(total)} sure.",
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
        situation=f"A board must decide what to promise {survey.table().people} "
        f"people. It wants three averages: {wants}.",
        predict=ask(
            f"Which of the promises ε = {', '.join(significant(t) for t in totals)} is "
            "the smallest that shows all three?",
            wrong(
                f"{significant(totals[-1])}: three answers need a lot",
                f"That does it, but {significant(least)} does, too. What is not needed "
                "should not be promised away.",
            ),
            right(
                significant(least),
                "Below it, at least one answer is less exact than wanted; above, "
                "people give more than the board needs.",
            ),
            wrong(
                f"{significant(totals[0])}: averages need hardly anything",
                f"It shows {small} of {len(_WANTED)} as exactly as wanted.",
            ),
        ),
        questions=(
            ask(
                "What should be settled first?",
                wrong(
                    "ε; the errors follow",
                    "Then nobody knows whether the answers will be of use, until the "
                    "budget is gone.",
                ),
                right(
                    "What must be seen, and how exactly",
                    "From that follows the least ε; then it is asked whether that may be promised.",
                ),
                wrong("How many people are in the table", "That is given, not settled."),
            ),
            ask(
                "The board wants everything twice as exact. What does that take?",
                right(
                    "Twice the ε, or twice the people",
                    "Half the noise is twice the price. There is no third way but to ask less.",
                ),
                wrong("A better program", "The noise is as small as the promise allows."),
                wrong(
                    "Four times the ε",
                    "For this noise, error and ε are in inverse proportion: twice.",
                ),
            ),
            ask(
                "May the board look at the table before it decides?",
                wrong(
                    "Yes: it is its own table",
                    "Then what it decides tells of the table. A choice that depends on "
                    "the people gives something away.",
                ),
                right(
                    "No: a plan is made of public numbers",
                    "Errors and prices follow from ε, bounds and the number of people; "
                    "nothing of the table is needed.",
                ),
            ),
        ),
        recall="Which ε should one ask people for?",
        home="Say first what must be seen and how exactly; the least ε that shows it "
        "is what to ask people for.",
        notes=(
            (
                "A hook says that a budget shows what must be seen, a cross that it "
                "does not: this is the slide of the page Decision."
            ),
            "Ask who was at the table when it was said what must be seen.",
            f"Income is in brackets, from {brackets.lower:g} to {brackets.upper:g}.",
        ),
        safe="A plan answers “how safe, for what use?” with two numbers that the "
        "people concerned can weigh: how sure an attacker may get, and how exact the "
        "answers are.",
    )


LESSON = Lesson(
    key="planning",
    title="Planning a budget",
    text=_lesson_text,
    knobs=(
        Knob(
            key="total",
            label="ε in all",
            value=_TOTAL,
            within=(0.25, 4.0, 0.25),
            note="What is promised for all answers together.",
        ),
        Knob(
            key="strictness",
            label="How many times as exact",
            value=1.0,
            within=(0.5, 4.0, 0.5),
            note="2 asks for half the errors that the board named.",
        ),
    ),
    view=_lesson_view,
)
