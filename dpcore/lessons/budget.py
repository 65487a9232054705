"""Composition, and a budget that runs out."""

from __future__ import annotations

import numpy as np

from dpcore.figures.attackers import surest
from dpcore.figures.lessons import spending_picture
from dpcore.formatting import epsilon_text, in_full, people, significant
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
            sentence=f"A question at ε = {in_full(price)} costs more than the budget of ε = "
            f"{in_full(total)}. None is answered and nothing is spent. Lower the cost, with "
            "more noise.",
        )
    end = f"Question {count + 1} is refused." if count < _ASKED else "All of them fit."
    used = float(np.sum(admitted)) * price
    rest = (
        ". That is the whole budget"
        if epsilon_text(used) == epsilon_text(total)
        else f". The whole budget of ε = {in_full(total)} would allow {surest(total)}"
    )
    many = f"{people(count, 'answer')} of ε = {in_full(price)}"
    return LessonView(
        picture=picture,
        sentence=f"{many} were released, {'each ' if count > 1 else ''}within "
        f"±{_width(price)} years in 95 of 100 cases. {end} All results together cost "
        f"ε = {epsilon_text(used)}. Someone who was 50% sure becomes at most "
        f"{surest(used)} sure{rest}.",
    )


def _lesson_text() -> LessonText:
    fits = sum(_admitted(_TOTAL, _PRICE))
    more = sum(_admitted(_TOTAL, _PRICE / 2))
    wide, wider = _width(_PRICE), _width(_PRICE / 2)
    return LessonText(
        situation=f"A town promises its people a total of ε = {in_full(_TOTAL)} for everything "
        "that is ever published from a survey. This is the privacy budget. "
        f"{_ASKED} teams each want one average at ε = {in_full(_PRICE)}.",
        predict=ask(
            "How many teams get an answer?",
            wrong(
                "All of them: each asks for little",
                "Each asks for little, but the promise covers all of them together.",
            ),
            right(
                f"{fits}",
                f"{fits} times {in_full(_PRICE)} is {epsilon_text(fits * _PRICE)}. The next one "
                "would exceed the budget.",
            ),
            wrong(
                "1: after the first answer the budget is spent",
                f"The first costs {in_full(_PRICE)} of {in_full(_TOTAL)}; the rest is left.",
            ),
        ),
        questions=(
            ask(
                "What happens when the budget is spent?",
                wrong(
                    "It fills up again next year",
                    "Published results stay published. A limit for each year is possible, "
                    "but a person's losses over all years add up.",
                ),
                right(
                    "No new results about these people; earlier results remain",
                    "They may be read, compared and combined at no cost. Only new uses of "
                    "the data are refused.",
                ),
                wrong(
                    "Further answers get more noise",
                    "Any new use of the data costs something, however noisy it is.",
                ),
            ),
            ask(
                f"The teams agree on ε = {epsilon_text(_PRICE / 2)} each. What changes?",
                right(
                    f"{more} of them get an answer, each less accurate",
                    f"Each is within ±{wider} years instead of ±{wide}. Half the price is "
                    "twice the noise.",
                ),
                wrong(
                    f"{more} of them get an answer, just as accurate",
                    f"Half the price is twice the noise: ±{wider} years instead of ±{wide}.",
                ),
                wrong(
                    "Nothing: the promise is the same",
                    "The promise stays. It is divided into smaller parts: more answers, and "
                    "each with more noise.",
                ),
            ),
            ask(
                "Two teams ask about the same people and never speak to each other. "
                "Does that save budget?",
                wrong(
                    "Yes: nobody sees both answers",
                    "Anybody can combine published results at any time.",
                ),
                right(
                    "No: both results are public, and their costs add up",
                    "That is why there is one budget for the people, and not one for each team.",
                ),
            ),
        ),
        recall="What happens when the budget is spent?",
        home="When the budget is spent, no new results about these people are released. "
        "Earlier results remain.",
        notes=(
            (
                "The same code as for real releases decides here whether a question is "
                "answered. It adds exact decimal numbers and never rounds down."
            ),
            (
                "For advanced classes: questions that are planned together may cost less "
                "than their sum. See Plan and Budget."
            ),
        ),
        safe="All published results count together. After all of them, an attacker who was "
        f"50% sure is at most {surest(_TOTAL)} sure.",
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
            note="Cost of one answer. A higher cost gives a more accurate answer.",
        ),
        Knob(
            key="total",
            label="Total ε",
            value=_TOTAL,
            within=(0.5, 2.0, 0.25),
            note="The total for everything that is published.",
        ),
    ),
    view=_lesson_view,
)
