"""Averaging repeated answers: the noise goes, and so does the privacy."""

from __future__ import annotations

import math

from dpcore.figures.attackers import surest
from dpcore.figures.lessons import running_picture
from dpcore.formatting import epsilon_text, in_full, percent, significant
from dpcore.lessons import survey
from dpcore.lessons.lesson import (
    Knob,
    Lesson,
    LessonText,
    LessonView,
    Settings,
    ask,
    epsilon_knob,
    right,
    wrong,
)
from dpcore.privacy.interpretation import posterior

_EPSILON, _TIMES = 0.1, 100
_MOST = 1000
_REACH = 4.0
_NEARLY = 0.99


def _error(epsilon: float, times: int) -> float:
    """Return the standard error of the average of so many answers, years."""
    return survey.usual_error(epsilon) / math.sqrt(times)


def _sure(epsilon: float) -> str:
    """Return how sure somebody may become; never all of the way."""
    most = float(posterior(0.5, epsilon))
    return surest(epsilon) if most <= _NEARLY else f"more than {percent(_NEARLY)}"


def _lesson_view(settings: Settings) -> LessonView:
    epsilon, times = settings["epsilon"], int(settings["times"])
    noise = survey.noise_of_mean(epsilon)
    errors = noise.simulate(0.0, rng=survey.generator(), size=(_MOST,))[:times]
    total = epsilon * times
    return LessonView(
        picture=running_picture(
            errors, sd=survey.usual_error(epsilon), epsilon=epsilon, reach=_REACH, unit="years"
        ),
        sentence=f"{times:,} answers to one question, with fresh noise each time, cost ε = "
        f"{epsilon_text(total)} together. Someone who was 50% sure about a person "
        f"may become {_sure(total)} sure. The average of all is off by about "
        f"{significant(_error(epsilon, times))} years. One single answer at the "
        f"total ε would be off by about {significant(_error(total, 1))}. “About” is "
        "the standard error. The 95% margin of error is about twice as large. Each "
        "answer here gets fresh noise. The studio instead repeats the stored answer "
        "of the same question, at no cost.",
    )


def _lesson_text() -> LessonText:
    one, all_ = (significant(_error(_EPSILON, k)) for k in (1, _TIMES))
    better = significant(_error(_EPSILON * _TIMES, 1))
    total = epsilon_text(_EPSILON * _TIMES)
    return LessonText(
        situation="Mia asks a database for the average age. Each time she gets an answer "
        f"with fresh noise, at ε = {in_full(_EPSILON)}. She asks {_TIMES} times and "
        "averages the answers.",
        predict=ask(
            f"One answer is off by about {one} years. And the average of all {_TIMES}?",
            wrong(
                f"By about {one} years, as before: noise stays noise",
                "Noise in both directions cancels in an average.",
            ),
            right(
                f"By about {all_} years",
                "Some noise is too high and some too low, and much of it cancels. In the "
                f"average of {_TIMES} answers a tenth of it is left. But each answer costs ε "
                f"= {in_full(_EPSILON)}, and all of them together ε = {total}.",
            ),
            wrong(
                "By nothing: she has the truth",
                "Never exactly. But she can get as close as she likes if nobody counts her "
                "questions.",
            ),
        ),
        questions=(
            ask(
                "What does asking twice cost, with fresh noise each time?",
                wrong(
                    "Nothing more: it is the same question",
                    "With fresh noise it is a second use of the same data.",
                ),
                right(
                    "Twice as much: the ε values add up",
                    f"So {_TIMES} answers of ε = {in_full(_EPSILON)} cost ε = {total}.",
                ),
                wrong(
                    "Half as much again", "The guarantee for both together is the sum of the two."
                ),
            ),
            ask(
                "How does the studio handle a question that is asked over and over?",
                wrong("It answers more and more slowly", "Patience is no protection."),
                right(
                    "It repeats the stored answer at no cost; a new draw costs ε again",
                    "A repeated answer reveals nothing new. A new draw is charged to the budget.",
                ),
                wrong(
                    "It makes the noise of all answers larger afterwards",
                    "Published results cannot be made noisier later.",
                ),
            ),
            ask(
                f"Mia has ε = {total} to spend. Which is the better use?",
                right(
                    f"One answer for ε = {total}",
                    f"It is off by about {better} years. The average of {_TIMES} cheap ones "
                    f"is off by about {all_}.",
                ),
                wrong(
                    f"{_TIMES} answers of ε = {in_full(_EPSILON)}, averaged",
                    f"Their average is off by about {all_} years. One answer at that price is "
                    f"off by about {better}.",
                ),
                wrong(
                    "Both are as good",
                    "Averaging wastes budget. With ten times the ε one answer becomes ten "
                    "times as exact. The average of ten answers at the same total becomes "
                    "only about three times as exact.",
                ),
            ),
        ),
        recall="What does asking twice cost?",
        home="Asking twice with fresh noise costs twice as much: the two ε values add up, "
        "because two answers together reveal more than one. Reading a stored answer "
        "again costs nothing.",
        notes=(
            (
                "Let everybody throw a die and add it to a secret number; average over "
                "the class, and the secret is there."
            ),
            ("The band reaches two standard errors to each side. Most lines stay in it."),
            (
                "One answer at the total cost beats the average. That is why a plan asks "
                "each question once."
            ),
        ),
        safe="One answer may be well protected and a hundred of them not. The total is what "
        "counts.",
    )


LESSON = Lesson(
    key="averaging",
    title="Asking again and again",
    text=_lesson_text,
    knobs=(
        epsilon_knob(_EPSILON, (0.05, 1.0, 0.05)),
        Knob(
            key="times",
            label="Answers",
            value=_TIMES,
            within=(2, _MOST, 1),
            note="How often the same question is asked, with fresh noise each time.",
        ),
    ),
    view=_lesson_view,
)
