"""Clamping: tight bounds move the answer, wide ones drown it."""

from __future__ import annotations

import numpy as np

from dpcore.data.bounds import Interval
from dpcore.figures.lessons import bounding_picture
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

_PEOPLE, _BOUND = 500, 100
_TIGHT = 5
_MOST = 1.5
_UPPER = np.arange(1, 101, dtype=np.float64)


def _visits() -> np.ndarray:
    """Return the visits of some people, drawn once and for all."""
    values = survey.table(survey.PATIENTS).numbers("visits")
    return survey.generator().permutation(values)[:_PEOPLE]


def _errors(epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Return bias and noise of the mean for each upper bound."""
    values, bias, noise = _visits(), [], []
    for upper in _UPPER:
        request = survey.mean_request(
            epsilon,
            name="visits",
            key=survey.PATIENTS,
            people=_PEOPLE,
            bounds=Interval(lower=0.0, upper=float(upper)),
        )
        mean = request.query.statistic.value(values)[0]
        bias.append(float(mean - values.mean()))
        noise.append(float(np.sqrt(request.mechanism.variance(0.0))))
    # A sum in another order is another float in its last digits.
    return np.round(bias, 9), np.array(noise)


def _lesson_view(settings: Settings) -> LessonView:
    epsilon, upper = settings["epsilon"], settings["upper"]
    bias, noise = _errors(epsilon)
    here = int(np.argmin(np.abs(_UPPER - upper)))
    moved = int((_visits() > upper).sum())
    return LessonView(
        picture=bounding_picture(_UPPER, bias, noise, at=upper, most=_MOST, unit="visits"),
        sentence=f"{moved} of {_PEOPLE} people went more often than {in_full(upper)} times and are "
        f"clamped to {in_full(upper)}. That moves the average by "
        f"{significant(float(bias[here]), 2)} visits. The noise for ε = {in_full(epsilon)} "
        f"is {significant(float(noise[here]), 2)} visits typically.",
    )


def _lesson_text() -> LessonText:
    bias, noise = _errors(1.0)
    total = np.hypot(bias, noise)
    best = int(np.argmin(total))
    wide, tight = len(_UPPER) - 1, int(np.argmin(np.abs(_UPPER - _TIGHT)))
    found = [significant(float(total[place])) for place in (wide, best, tight)]
    bound = significant(float(_UPPER[best]))
    moved = significant(float(-bias[tight]))
    return LessonText(
        situation=f"Sara publishes how often {_PEOPLE} people go to the doctor in a year, on "
        "average. Most go a few times. But somebody might go a hundred times, and "
        "the noise must hide even that person.",
        predict=ask(
            "Sara clamps larger numbers to an upper bound. Which bound gives the most "
            "accurate answer at ε = 1?",
            wrong(
                f"{significant(float(_UPPER[wide]))}: nobody's number is changed",
                "Then the noise is made for a hundred visits. The answer is typically off by "
                f"{found[0]}. With {bound} it is off by {found[1]}.",
            ),
            right(
                f"About {bound}: some values are clamped, and the noise is smaller",
                f"It is typically off by {found[1]} visits. A bound of "
                f"{significant(float(_UPPER[wide]))} is off by {found[0]}.",
            ),
            wrong(
                f"{_TIGHT}, as most people go less often",
                f"The noise is small then, but the average is too low by {moved}. The total "
                f"error is {found[2]}.",
            ),
        ),
        questions=(
            ask(
                "What is the difference between bias and noise?",
                right(
                    "Bias is the same each time; noise varies in both directions",
                    "An interval covers the noise. It does not cover the bias from clamping.",
                ),
                wrong(
                    "None: both are errors",
                    "Both are errors, but averaging many answers removes only noise.",
                ),
                wrong(
                    "Noise protects nobody, bias does",
                    "Only the noise protects. The bounds limit how much of it is needed.",
                ),
            ),
            ask(
                "Sara may look up the largest number in her table and take it as the "
                "bound. Is that a good idea?",
                wrong(
                    "Yes: nobody is clamped, and the bound is as tight as possible",
                    "The bound is published with the answer, and is one person's number.",
                ),
                right(
                    "No: the bound would be somebody's own number",
                    "Bounds come from public knowledge, or from a release that costs part of "
                    "the budget.",
                ),
            ),
            ask(
                "Sara gets ten times as many people. Which bound is best now?",
                right(
                    "A higher one: there is less noise, and bias counts more",
                    "Noise shrinks with the number of people; bias does not.",
                ),
                wrong(
                    "A lower one", "The bias of a low bound stays, however many people there are."
                ),
                wrong("The same", "The balance moves: there is less noise to save."),
            ),
        ),
        recall="What do bounds do to an answer?",
        home="Bounds trade bias for noise. The best ones clamp a few people and are chosen "
        "without looking at the data.",
        notes=(
            (
                "The picture shows the true value, because the survey is public. Otherwise "
                "only the curator sees it, and must not choose bounds from it."
            ),
            "The best bound depends on ε. Let the class move ε and watch the minimum move.",
        ),
        safe="Public bounds expose nobody: they limit how much any person can change. Bounds "
        "taken from the data do expose people.",
    )


LESSON = Lesson(
    key="clamping",
    title="Bounds: bias against noise",
    text=_lesson_text,
    knobs=(
        Knob(
            key="upper",
            label="Upper bound",
            value=_BOUND,
            within=(1, 100, 1),
            note="Larger numbers are clamped to it.",
        ),
        epsilon_knob(within=(0.2, 5.0, 0.1)),
    ),
    view=_lesson_view,
)
