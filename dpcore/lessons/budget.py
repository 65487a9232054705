"""Composition, and a budget that runs out."""

from __future__ import annotations

import numpy as np

from dpcore.figures.attackers import surest
from dpcore.figures.lessons import spending_picture
from dpcore.formatting import epsilon_text, people, significant
from dpcore.lessons import survey
from dpcore.lessons.lesson import Knob, Lesson, LessonText, LessonView, Settings, ask, right, wrong
from dpcore.privacy_filter import PrivacyBudget, PrivacyCost

_TOTAL, _PRICE, _ASKED = 1.0, 0.25, 12
_MOST = 2.3


def _admitted(total: float, price: float) -> list[bool]:
    """Return which of the questions the studio's own filter lets pass."""
    budget, cost = PrivacyBudget.of(epsilon=total), PrivacyCost.of(epsilon=price)
    spent, found = PrivacyCost(), []
    for _ in range(_ASKED):
        found.append(budget.admits(spent, cost))
        if found[-1]:
            spent += cost
    return found


def _width(price: float) -> str:
    return significant(survey.half_width(survey.mean_request(price)))


def _lesson_view(settings: Settings) -> LessonView:
    total, price = settings["total"], settings["price"]
    admitted = _admitted(total, price)
    count = sum(admitted)
    picture = spending_picture(admitted, price=price, total=total, most=_MOST)
    if count == 0:
        return LessonView(
            picture=picture,
            sentence=f"A question of ε {price:g} is more than ε {total:g} in all, so "
            "that none is answered and nothing is spent. Ask for less, with more "
            "noise.",
        )
    end = (
        f"Question {count + 1} is refused, whoever asks it."
        if count < _ASKED
        else "All of them fit."
    )
    used = float(np.sum(admitted)) * price
    rest = (
        ". That is the whole promise"
        if epsilon_text(used) == epsilon_text(total)
        else f"; the whole promise of ε {total:g} would allow {surest(total)}"
    )
    many = f"{people(count, 'answer')} of ε {price:g}"
    return LessonView(
        picture=picture,
        sentence=f"{many}, {'each ' if count > 1 else ''}within ±{_width(price)} years "
        f"in 95 of 100 cases. {end} What was published together, ε "
        f"{epsilon_text(used)}, leaves somebody who was 50 % sure at most "
        f"{surest(used)} sure{rest}.",
    )


def _lesson_text() -> LessonText:
    fits = sum(_admitted(_TOTAL, _PRICE))
    more = sum(_admitted(_TOTAL, _PRICE / 2))
    wide, wider = _width(_PRICE), _width(_PRICE / 2)
    return LessonText(
        situation=f"A town has promised its people: ε {_TOTAL:g} for everything that "
        f"is ever published from the survey. {_ASKED} teams each want one average, for "
        f"ε {_PRICE:g}.",
        predict=ask(
            "How many teams get an answer?",
            wrong(
                "All of them: each asks for little",
                "What each asks for is little. The promise is about all together.",
            ),
            right(
                f"{fits}",
                f"{fits} times {_PRICE:g} is {epsilon_text(fits * _PRICE)}. The next "
                "one would go beyond the promise.",
            ),
            wrong(
                "1: after the first answer the budget is used",
                f"The first costs {_PRICE:g} of {_TOTAL:g}; the rest is left.",
            ),
        ),
        questions=(
            ask(
                "What happens when the budget is used up?",
                wrong(
                    "It fills up again next year",
                    "What is published stays published. A limit for each year is "
                    "possible, but what a person has lost over all years adds up.",
                ),
                right(
                    "No new answer about these people; answers that were given stay",
                    "They may be read, compared and put together for free. Only new "
                    "looks at the table are refused.",
                ),
                wrong(
                    "Further answers get more noise",
                    "Any new look costs something, however noisy it is.",
                ),
            ),
            ask(
                f"The teams agree on ε {epsilon_text(_PRICE / 2)} each. What changes?",
                right(
                    f"{more} of them get an answer, each less exact",
                    f"Within ±{wider} years instead of ±{wide}: half the price, twice the noise.",
                ),
                wrong(
                    f"{more} of them get an answer, just as exact",
                    f"Half the price is twice the noise: ±{wider} years instead of ±{wide}.",
                ),
                wrong(
                    "Nothing: the promise is the same",
                    "The promise stays. But it is dealt out in smaller parts: more "
                    "answers, and each with more noise.",
                ),
            ),
            ask(
                "Two teams ask about the same people and never speak to each other. "
                "Does that save budget?",
                wrong(
                    "Yes: nobody sees both answers",
                    "What is published can be put together by anybody, at any time.",
                ),
                right(
                    "No: both answers are out, and add up",
                    "That is why there is one account for the people, not one for each team.",
                ),
            ),
        ),
        recall="What happens when the budget is used up?",
        home="When the budget is used up, no new answer is given about these people. "
        "Answers that were given stay.",
        notes=(
            (
                "What guards real releases decides here, too, whether a question is "
                "answered: it adds up exact decimal numbers, and never rounds in its "
                "own favor."
            ),
            (
                "For those who know more: questions fixed together before the first "
                "answer may cost less than the sum. See Plan and Ledger."
            ),
        ),
        safe=f"What counts is everything that is published, not one answer: here at "
        f"most {surest(_TOTAL)} sure from 50 %, after all of it.",
    )


LESSON = Lesson(
    key="budget",
    title="A budget that runs out",
    text=_lesson_text,
    knobs=(
        Knob(
            key="price",
            label="ε of each question",
            value=_PRICE,
            within=(0.05, 1.0, 0.05),
            note="What one answer costs: the more, the more exact it is.",
        ),
        Knob(
            key="total",
            label="ε in all",
            value=_TOTAL,
            within=(0.5, 2.0, 0.25),
            note="What was promised for everything that is published.",
        ),
    ),
    view=_lesson_view,
)
