"""Why noise: two exact averages give away the person who came in between."""

from __future__ import annotations

import math

from dpcore.figures.lessons import found_picture
from dpcore.formatting import in_full, significant
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

_ENDS = (-400.0, 500.0)
_ATTACKS = 400


def _spread(epsilon: float, people: int) -> float:
    """Return the usual error of what the trick finds: its standard deviation.

    It is ``people`` times an average less ``people - 1`` times another one, each with
    noise of its own.
    """
    return math.hypot(*(n * survey.usual_error(epsilon, people=n) for n in (people - 1, people)))


def _lesson_view(settings: Settings) -> LessonView:
    epsilon, people = settings["epsilon"], int(settings["people"])
    ages = survey.ages()[-people:]
    before, after = (survey.noise_of_mean(epsilon, n) for n in (people - 1, people))
    size, rng = (_ATTACKS,), survey.generator()
    first = before.simulate(ages[:-1].mean(), rng=rng, size=size)
    second = after.simulate(ages.mean(), rng=rng, size=size)
    age, found = float(ages[-1]), people * second - (people - 1) * first
    spread = significant(_spread(epsilon, people))
    error = significant(survey.usual_error(epsilon, people=people))
    title = (
        f"With noise for ε = {in_full(epsilon)}, each average is typically off by {error} years, "
        f"and Ana's age by {spread} years"
    )
    return LessonView(
        picture=found_picture(
            title,
            found,
            truth=age,
            bounds=survey.bounds("age"),
            ends=_ENDS,
            what="Ana's age found, years",
        ),
        sentence=f"From exact averages of {people - 1} and {people} people, Ana's age "
        f"follows: {significant(age)}. With noise for ε = {in_full(epsilon)}, each "
        f"average is typically off by {error} years. The same trick then finds an age "
        f"that is typically off by {spread} years, and often impossible. The picture "
        f"shows {_ATTACKS} tries of the trick, each with new noise. The gray area shows "
        "the possible ages. The bars at both ends include everything beyond them. "
        "With fewer patients the average gets more noise, so the trick works no "
        "better.",
    )


def _lesson_text() -> LessonText:
    people = survey.table().people
    age = float(survey.ages()[-1])
    spread = significant(_spread(1.0, people))
    error = significant(survey.usual_error(1.0))
    return LessonText(
        situation=f"A doctor's practice reports the average age of its {people - 1} patients "
        "to a newspaper. The next day Ana joins, and the practice reports the "
        f"average of all {people}. Both numbers are exact.",
        predict=ask(
            "What can a reader of both numbers find out about Ana?",
            wrong(
                "Nothing: an average hides everybody in it",
                "One average hides her. Two averages that differ only in her do not.",
            ),
            wrong(
                "Only whether she is young or old",
                "The two sums differ by exactly one number, which is her age.",
            ),
            right(
                "Her exact age",
                f"{people} times the second average minus {people - 1} times the first "
                f"is her age: {significant(age)}. So from now on the practice adds a random "
                "number to each average. That is noise. ε (epsilon) says how much of it: the "
                "smaller ε, the more noise.",
            ),
        ),
        questions=(
            ask(
                "Why does noise protect Ana and still leave a useful average?",
                right(
                    "One person moves the average little, so a little noise hides her",
                    f"At ε = 1 the average of {people} people is typically off by {error} "
                    f"years. The age that the trick finds is typically off by {spread}.",
                ),
                wrong(
                    "The noise is kept secret",
                    "Everybody may know how much noise there is. Only the draw is secret.",
                ),
                wrong(
                    "The noise is the same each time and cancels",
                    "Then the trick would work again. Each answer gets noise of its own.",
                ),
            ),
            ask(
                "Would it be enough to remove Ana's name from the table?",
                wrong(
                    "Yes: without a name nobody is found",
                    "The trick needs no name. It needs only one person who joined in between.",
                ),
                right(
                    "No: the two averages reveal her age without any name",
                    "Statistics about everyone can expose one person.",
                ),
            ),
            ask(
                "Ana's practice has more and more patients. What happens to the noise on the "
                "average?",
                wrong(
                    "It grows: there are more people to protect",
                    "Each of them moves the average less, so less noise is enough.",
                ),
                right(
                    "It shrinks: each person moves the average less",
                    "Twice as many people, half the noise on the average. The trick's error "
                    "about Ana stays the same.",
                ),
                wrong(
                    "It stays", "It stays for a sum. An average divides by the number of people."
                ),
            ),
        ),
        recall="Why is noise added?",
        home="Exact totals about everyone can expose one person. Among many people, a little "
        "noise on the average is a lot of noise for any one of them.",
        notes=(
            "Let the class do the sum on paper with three ages before showing the picture.",
            ("The trick is called differencing. Two honest publications are enough for it."),
            (
                "The ages are those of an old survey of voters. The draws are simulated from "
                "a fixed seed. Every class sees the same draws."
            ),
        ),
        safe="There is no plain yes or no. It is hard to tell from the answer whether Ana "
        "has this age or another. How hard it is, is what ε measures. Nothing more is "
        "promised.",
    )


LESSON = Lesson(
    key="why-noise",
    title="Why noise",
    text=_lesson_text,
    knobs=(
        epsilon_knob(),
        Knob(
            key="people",
            label="Patients after Ana joined",
            value=944,
            within=(24, 944, 20),
            note="More people mean less noise on the average, and the same noise on Ana.",
        ),
    ),
    view=_lesson_view,
)
