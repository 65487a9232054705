"""Averaging repeated answers: the noise goes, and so does the privacy."""

from __future__ import annotations

import math

from dpcore.figures.attackers import surest
from dpcore.figures.lessons import running_picture
from dpcore.formatting import epsilon_text, percent, significant
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
        sentence=f"{times:,} answers to one question, with fresh noise each time, cost "
        f"ε {epsilon_text(total)} together: whoever was 50 % sure of somebody may "
        f"become {_sure(total)} sure. The average of all is off by about "
        f"{significant(_error(epsilon, times))} years; one single answer for all of "
        f"that ε would be off by about {significant(_error(total, 1))}. “About” is the "
        "usual error; the ± of an interval, which holds 95 times of 100, is about "
        "twice as large. Shown here is what happens if each answer gets fresh noise. "
        "This program gives the same question its stored answer again, which costs "
        "nothing and tells nothing new.",
    )


def _lesson_text() -> LessonText:
    one, all_ = (significant(_error(_EPSILON, k)) for k in (1, _TIMES))
    better = significant(_error(_EPSILON * _TIMES, 1))
    total = epsilon_text(_EPSILON * _TIMES)
    return LessonText(
        situation=f"Mia asks a database for the average age, and each time gets an "
        f"answer with fresh noise, for ε {_EPSILON:g}. She asks {_TIMES} times and "
        "averages the answers.",
        predict=ask(
            f"One answer is off by about {one} years. And the average of all {_TIMES}?",
            wrong(
                f"By about {one} years, as before: noise stays noise",
                "Noise that falls to both sides cancels in an average.",
            ),
            right(
                f"By about {all_} years",
                "Some noise is too high and some too low, and much of it cancels: in "
                f"the average of {_TIMES} answers a tenth of it is left. But each "
                f"answer costs ε {_EPSILON:g}, and all of them together ε {total}.",
            ),
            wrong(
                "By nothing: she has the truth",
                "Never to the last digit, but as near as she likes if nobody counts her questions.",
            ),
        ),
        questions=(
            ask(
                "What does asking twice cost, with fresh noise each time?",
                wrong(
                    "Nothing more: it is the same question",
                    "With fresh noise it is a second look at the same people.",
                ),
                right(
                    "Twice as much: the ε add up",
                    f"So {_TIMES} answers of ε {_EPSILON:g} cost ε {total}.",
                ),
                wrong(
                    "Half as much again",
                    "What is promised for both together is the sum of the two.",
                ),
            ),
            ask(
                "How does this program stop somebody who asks one question over and over?",
                wrong("It answers slower and slower", "Patience is no protection."),
                right(
                    "The same question gets the same stored answer, at no charge; a "
                    "fresh draw is paid for",
                    "Repeating a stored answer tells nothing new. A new draw is "
                    "charged to the budget.",
                ),
                wrong(
                    "It makes the noise of all answers larger afterwards",
                    "What is published cannot be made noisier later.",
                ),
            ),
            ask(
                f"Mia has ε {total} to spend. Which is the better use?",
                right(
                    f"One answer for ε {total}",
                    f"It is off by about {better} years; the average of {_TIMES} cheap "
                    f"ones by about {all_}.",
                ),
                wrong(
                    f"{_TIMES} answers of ε {_EPSILON:g}, averaged",
                    f"Their average is off by about {all_} years; one answer at that "
                    f"price by about {better}.",
                ),
                wrong(
                    "Both are as good",
                    "Averaging wastes budget: with ten times the ε one answer becomes "
                    "ten times as exact; the average of ten answers, which cost as "
                    "much, only about three times.",
                ),
            ),
        ),
        recall="What does asking twice cost?",
        home="Asking twice with fresh noise costs twice as much in all: the two ε add "
        "up, because two answers together tell more than one. To see a stored answer "
        "once more is free; nothing new is drawn.",
        notes=(
            (
                "Let everybody throw a die and add it to a secret number; average over "
                "the class, and the secret is there."
            ),
            ("The band is two typical errors wide to both sides: most such lines stay in it."),
            (
                "That one answer at the whole price beats the average is why a plan "
                "asks each question once."
            ),
        ),
        safe="One answer may be well protected and a hundred of them not. The question "
        "is always: how much in all?",
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
